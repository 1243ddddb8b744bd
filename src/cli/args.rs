//! The arguments, declared once: parser, help, man page and completions come from here.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::config::Value;
use crate::present::Place;

use super::load::Session;
use super::{
    chunks, compare, config, convert, count, demo, facts, keys, lint, memory, model, pack, policy, run, sessions, show,
    survey, sweep, tool, trace, whatif,
};

/// A debugger for context windows: what an agent recorded, what the model could see at every request, and what became
/// of the rest.
#[derive(Debug, Parser)]
#[command(name = "windowpane", version, max_term_width = 120)]
#[command(
    after_help = "Exit status: 0 done; 1 the answer is \"no\" where a script asked; 2 wrong usage; 3 unreadable \
or unrecognised input."
)]
pub struct Cli {
    /// The transcript to inspect: a file, a folder (its newest session), or - for standard input. Without one, pick
    /// one of the sessions found on this machine.
    pub transcript: Option<PathBuf>,
    #[command(flatten)]
    pub look: Look,
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The subcommands. Each has a file of its name.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Inspect the built-in example; it needs no file and no network.
    Demo(demo::DemoArgs),
    /// Print the window at one step.
    Show(show::ShowArgs),
    /// Print every step and event of a run.
    Run(run::RunArgs),
    /// Set policies side by side, or a policy beside what was recorded.
    Compare(Box<compare::CompareArgs>),
    /// Run a base tool at a step of a replay: what the agent would have got, and what it would have cost.
    Tool(Box<tool::ToolArgs>),
    /// Tell what became of a fact: where it came in, what took it, and whether it was there when it was needed.
    Trace(trace::TraceArgs),
    /// Tell which settings would have kept a fact, each at the value nearest to the present one of those tried.
    Whatif(whatif::WhatifArgs),
    /// Move one or two settings over their values: facts kept against tokens, compactions and cost.
    Sweep(sweep::SweepArgs),
    /// Look for anti-patterns, with evidence, price and what would help; without a transcript, in a policy alone.
    ///
    /// Tokens are those of all steps in which they stood, or once of what was dropped, left out, refused or summarised.
    /// Results that nobody refers to count from 500 tokens on (never-referred-to), and are told where there are three at
    /// least that make up a quarter of all. Rules that count the same tokens say so: these are not to be added up.
    Lint(lint::LintArgs),
    /// Propose facts of a session: instructions, decisions, names and figures that are referred to again later.
    Facts(facts::FactsArgs),
    /// Show what many transcripts have in common, and the thresholds that follow.
    Survey(Box<survey::SurveyArgs>),
    /// Write the packed prompt of a step.
    Pack(pack::PackArgs),
    /// List, print and check policies, and list the settings that they are made of.
    Policy(policy::PolicyArgs),
    /// Show what a harness with a memory would have remembered, packed, preserved and merged; export and import
    /// memories.
    Memory(memory::MemoryArgs),
    /// Convert a document to Markdown, whole or within the policy's limits.
    Convert(convert::ConvertArgs),
    /// Choose the passages of a document that fit a task, and say why each was taken or left.
    Chunks(chunks::ChunksArgs),
    /// Count the tokens of files.
    Count(count::CountArgs),
    /// List the sessions found on this machine.
    Sessions(sessions::SessionsArgs),
    /// List, add and check embedding models.
    Model(model::ModelArgs),
    /// Print what keys do, from the keymap as it is in force.
    Keys(keys::KeysArgs),
    /// Print the settings and where each comes from.
    Config(config::ConfigArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page.
    Man,
}

impl Command {
    /// The transcript that it is about and how it looks at it, where it takes these as most do.
    pub fn subject(&mut self) -> Option<&mut Subject> {
        match self {
            Command::Show(show::ShowArgs { subject, .. })
            | Command::Run(run::RunArgs { subject, .. })
            | Command::Facts(facts::FactsArgs { subject, .. })
            | Command::Whatif(whatif::WhatifArgs { subject, .. })
            | Command::Sweep(sweep::SweepArgs { subject, .. })
            | Command::Lint(lint::LintArgs { subject, .. })
            | Command::Trace(trace::TraceArgs { subject, .. })
            | Command::Pack(pack::PackArgs { subject, .. })
            | Command::Memory(memory::MemoryArgs { subject, .. }) => Some(subject),
            _ => None,
        }
    }
}

/// A transcript, and how to look at it.
#[derive(Clone, Debug, Default, Args)]
pub struct Subject {
    /// The transcript: a file, a folder (its newest session), or - for standard input.
    #[arg(value_name = "TRANSCRIPT", required_unless_present = "schema")]
    pub transcript: Option<PathBuf>,
    #[command(flatten)]
    pub look: Look,
    #[command(flatten)]
    pub common: Common,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    pub schema: bool,
}

/// Which step of which run.
#[derive(Clone, Debug, Default, Args)]
pub struct Look {
    /// The step: 1 is the first request.
    #[arg(long, value_name = "N|last", help_heading = "Step and run")]
    pub step: Option<StepArg>,
    /// What the agent really did, or the same transcript under a policy.
    #[arg(long, value_name = "TRACK", help_heading = "Step and run")]
    pub track: Option<TrackArg>,
    /// The conversation: 0 is the session itself, the others its subagents in order.
    #[arg(long, value_name = "N", help_heading = "Step and run")]
    pub thread: Option<u32>,
    /// A preset or a policy file; implies the simulated track.
    #[arg(long, value_name = "NAME|FILE.toml", help_heading = "Step and run")]
    pub policy: Vec<String>,
    /// One setting of the policy; implies the simulated track.
    #[arg(long, value_name = "KEY=VALUE", help_heading = "Step and run")]
    pub set: Vec<String>,
    /// A file that comes in at a step (1 where none is named, or last); implies the simulated track.
    #[arg(short, long, value_name = "FILE[@STEP]", help_heading = "Step and run")]
    pub file: Vec<String>,
    /// A page, or a saved one, that comes in at a step; implies the simulated track.
    #[arg(long, value_name = "URL|FILE[@STEP]", help_heading = "Step and run")]
    pub url: Vec<String>,
    /// What the user is after, for choosing passages of files.
    #[arg(long, value_name = "TEXT", help_heading = "Step and run")]
    pub task: Option<String>,
    /// The agent's working folder: its instruction files are loaded as the policy says. Those that the recorded agent
    /// loads too without recording them take the place of so much of what is not recorded.
    #[arg(long, value_name = "FOLDER", help_heading = "Step and run")]
    pub folder: Option<PathBuf>,
    /// A folder of skills: each a folder with a SKILL.md.
    #[arg(long, value_name = "FOLDER", help_heading = "Step and run")]
    pub skills: Option<PathBuf>,
    /// The index of the agent's memory, whose first lines are always in the window; tool reads the files beside it.
    #[arg(long, value_name = "FILE", help_heading = "Step and run")]
    pub memory_index: Option<PathBuf>,
    /// Let the language model of the settings be asked where the policy wants it (summarise.by = model, memory.enrich =
    /// rewrite): after a question (the default), without one (yes), or not at all but show what would be sent (show).
    #[arg(
        long,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "ask",
        help_heading = "Step and run"
    )]
    pub call_model: Option<ConsentArg>,
    /// Where to open the screen.
    #[arg(long, value_name = "step=N,view=NAME,entry=ID", help_heading = "Step and run")]
    pub at: Option<String>,
    /// The system prompt, where the transcript does not hold it.
    #[arg(long, value_name = "FILE", help_heading = "What the transcript does not say")]
    pub system: Option<PathBuf>,
    /// The tool definitions, where the transcript does not hold them.
    #[arg(long, value_name = "FILE", help_heading = "What the transcript does not say")]
    pub tools: Option<PathBuf>,
    /// The model, whatever the transcript says.
    #[arg(long, value_name = "NAME", help_heading = "What the transcript does not say")]
    pub model: Option<String>,
    /// The window's size where the transcript states none, whatever the table of models says.
    #[arg(long, value_name = "TOKENS", value_parser = tokens, help_heading = "What the transcript does not say")]
    pub window: Option<u64>,
    /// The encoding to count with, instead of the model's own.
    #[arg(long, value_name = "NAME", help_heading = "What the transcript does not say")]
    pub encoding: Option<String>,
    /// The transcript's format, instead of detecting it.
    #[arg(long, value_name = "NAME", help_heading = "What the transcript does not say")]
    pub format_in: Option<String>,
}

/// How to print.
#[derive(Clone, Debug, Default, Args)]
pub struct Common {
    /// Print JSON instead of a table.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// When to use colour.
    #[arg(long, value_name = "WHEN", help_heading = "Output")]
    pub color: Option<ColorArg>,
    /// The config file, instead of the one in the platform's folder.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub config: Option<PathBuf>,
    /// Print no warnings and no remarks.
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
}

/// A number of tokens, as settings have it: 200000 or 200k.
fn tokens(text: &str) -> Result<u64, String> {
    let wrong = |_| format!("expected {}", <u64 as Value>::kind());
    <u64 as Value>::parse(text).map_err(wrong)
}

/// A step as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepArg {
    /// The last one.
    Last,
    /// From 1.
    Number(u32),
}

impl std::str::FromStr for StepArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "last" => Ok(StepArg::Last),
            _ => match text.parse() {
                Ok(number @ 1..) => Ok(StepArg::Number(number)),
                _ => Err("a step is a number from 1, or last".to_owned()),
            },
        }
    }
}

/// A track as given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TrackArg {
    /// What the agent really did.
    Recorded,
    /// The same transcript under a policy.
    Simulated,
}

/// How far the user agrees to a model being asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ConsentArg {
    /// Each request is shown with its price, and sent after a yes.
    Ask,
    /// Requests are sent, and told of.
    Yes,
    /// Requests are shown whole, and not sent.
    Show,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorArg {
    /// On a terminal that has it.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Subject {
    /// This subject, with options that stood before the subcommand.
    #[must_use]
    pub fn over(self, look: Look, common: Common) -> Subject {
        Subject { look: self.look.over(look), common: self.common.over(common), ..self }
    }

    /// The transcript's path; `-`, standard input, where none is named.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.transcript.as_deref().unwrap_or(Path::new("-"))
    }

    /// Opens the transcript.
    ///
    /// # Errors
    /// Where it cannot be read, or is no transcript.
    pub fn open(&self) -> anyhow::Result<Session> {
        Session::open(self.path(), &self.look, &self.common)
    }
}

impl Look {
    /// These options over those that stood before the subcommand. What can be given several times adds up.
    #[must_use]
    pub fn over(self, outer: Look) -> Look {
        let both = |outer: Vec<String>, inner: Vec<String>| outer.into_iter().chain(inner).collect();
        let at = self.at.or(outer.at);
        // A wrong one is complained of by `check`.
        let place: Place = at.as_deref().and_then(|at| at.parse().ok()).unwrap_or_default();
        Look {
            step: self.step.or(outer.step).or(place.step.map(StepArg::Number)),
            track: self.track.or(outer.track),
            thread: self.thread.or(outer.thread).or(place.thread),
            policy: both(outer.policy, self.policy),
            set: both(outer.set, self.set),
            file: both(outer.file, self.file),
            url: both(outer.url, self.url),
            task: self.task.or(outer.task),
            folder: self.folder.or(outer.folder),
            skills: self.skills.or(outer.skills),
            memory_index: self.memory_index.or(outer.memory_index),
            call_model: self.call_model.or(outer.call_model),
            at,
            system: self.system.or(outer.system),
            tools: self.tools.or(outer.tools),
            model: self.model.or(outer.model),
            window: self.window.or(outer.window),
            encoding: self.encoding.or(outer.encoding),
            format_in: self.format_in.or(outer.format_in),
        }
    }
}

impl Common {
    /// These options over those that stood before the subcommand.
    #[must_use]
    pub fn over(self, outer: Common) -> Common {
        Common {
            json: self.json || outer.json,
            color: self.color.or(outer.color),
            config: self.config.or(outer.config),
            quiet: self.quiet || outer.quiet,
        }
    }
}
