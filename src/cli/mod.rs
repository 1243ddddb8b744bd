//! The command line: arguments, files, environment, exit codes.
//!
//! A command has a file or folder of its own; the other files hold what several of them need.

mod args;
mod attached;
mod attaching;
mod chunks;
mod compare;
mod config;
mod convert;
mod converted;
mod count;
mod dashes;
mod demo;
mod documents;
mod facts;
mod fail;
mod header;
mod in_vain;
mod inspect;
mod keys;
mod lint;
mod load;
mod man;
mod meaning;
mod medium;
mod memory;
mod model;
mod model_calls;
mod model_room;
mod omitted;
mod other_threads;
mod pack;
mod passages;
mod picture;
mod policy;
mod prepare;
mod print;
mod progress;
mod project_files;
mod run;
mod schema;
mod screen;
mod sessions;
mod show;
mod simulated;
mod summary;
mod survey;
mod survey_logs;
mod sweep;
mod tool;
mod trace;
mod waiting;
mod whatif;
mod workspace;

use std::process::ExitCode;

use clap::CommandFactory;

use args::{Cli, Command, Common};
use print::Printer;

/// The program: reads the arguments, does what they say, and tells how it went.
#[must_use]
pub fn main() -> ExitCode {
    // Before anything else: a worker has no arguments to read.
    if let Some(code) = crate::io::serve_if_asked() {
        return code;
    }
    crate::io::keep_freed_memory();
    let cli = match dashes::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(mut error) => {
            dashes::add_tip(&mut error, std::env::args_os());
            // Help and version are asked for; everything else is wrong usage.
            let code = if error.use_stderr() { fail::USAGE } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match dispatch(cli) {
        Ok(code) => code,
        Err(error) => fail::report(&error),
    }
}

fn dispatch(cli: Cli) -> anyhow::Result<ExitCode> {
    let (look, common) = (cli.look, cli.common);
    let Some(mut command) = cli.command else {
        return inspect::inspect(cli.transcript.as_deref(), &look, &common);
    };
    if let Some(transcript) = cli.transcript {
        let words = format!("{} stands before a command: put it after", transcript.display());
        return Err(fail::usage(words));
    }
    if let Some(subject) = command.subject() {
        *subject = std::mem::take(subject).over(look.clone(), common.clone());
    }
    match command {
        Command::Demo(args) => demo::demo(args, look, common),
        Command::Show(args) => show::show(args),
        Command::Run(args) => run::run(args),
        Command::Compare(args) => compare::compare(*args, look, common),
        Command::Tool(args) => tool::tool(*args, look, common),
        Command::Facts(args) => facts::run(args),
        Command::Survey(args) => survey::run(*args, look, common),
        Command::Whatif(args) => whatif::run(args),
        Command::Sweep(args) => sweep::run(args),
        Command::Lint(args) => lint::run(args),
        Command::Trace(args) => trace::run(args),
        Command::Pack(args) => pack::pack(args),
        Command::Memory(args) => memory::memory(args),
        Command::Policy(args) => policy::policy(args, &look, common),
        Command::Convert(args) => convert::convert(args, &look, common),
        Command::Chunks(args) => chunks::chunks(args, look, common),
        Command::Count(args) => count::count(args, &look, common),
        Command::Model(args) => model::model(args, look, common),
        Command::Sessions(args) => sessions::sessions(args, common),
        Command::Keys(args) => keys::keys(args, common),
        Command::Config(args) => config::config(args, look, common),
        Command::Completions { shell } => completions(shell, &common),
        Command::Man => man::man(&common),
    }
}

fn completions(shell: clap_complete::Shell, common: &Common) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "windowpane", &mut script);
    let mut printer = Printer::new(common);
    printer.bytes(&script)?;
    printer.done()
}
