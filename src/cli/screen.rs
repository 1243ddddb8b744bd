//! Starts the screen.

use std::io::IsTerminal;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use crate::config::{SHIPPED, Signs, Theme};
use crate::content::Watch;
use crate::engine::own_version;
use crate::inquiry::{Fact, Found, Remembering};
use crate::io::{base_of, policy_named, theme, theme_names};
use crate::model::Run;
use crate::policy::{Policy, preset};
use crate::present::shell_word;
use crate::tui::documents::{Choice, Wanted};
use crate::tui::findings::{Complaint, Evidence, FindingsRequest};
use crate::tui::{Effect, NamedPolicy, Opened, PASSAGES, State, always_colour, pictures, run};

use super::args::{ColorArg, Common, ConsentArg, Look, StepArg};
use super::fail::usage;
use super::lint::{Policies, findings};
use super::load::{Session, ground, is_setting, preferences, settings_of};
use super::passages::PassageChooser;
use super::progress::behind_screen;
use super::simulated::is_simulated;
use crate::inquiry::lint::is_uncached;

/// Whether there is a terminal to draw on.
pub fn wanted(common: &Common) -> bool {
    !common.json && std::io::stdout().is_terminal()
}

/// The options that name what comes in beside a transcript, as a shell takes them.
fn beside(look: &Look) -> String {
    let path =
        |path: &Option<std::path::PathBuf>| path.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let named: [(&str, Vec<String>); 6] = [
        ("--file", look.file.clone()),
        ("--url", look.url.clone()),
        ("--task", look.task.iter().cloned().collect()),
        ("--folder", path(&look.folder)),
        ("--skills", path(&look.skills)),
        ("--memory-index", path(&look.memory_index)),
    ];
    options(&named)
}

/// The options that say what the transcript does not, and how it is read and counted, as a shell takes them.
fn given(look: &Look, common: &Common) -> String {
    let path =
        |path: &Option<std::path::PathBuf>| path.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let own = |set: &&String| set.split_once('=').is_some_and(|(key, _)| is_setting(key));
    let named: [(&str, Vec<String>); 8] = [
        ("--config", path(&common.config)),
        ("--system", path(&look.system)),
        ("--tools", path(&look.tools)),
        ("--model", look.model.iter().cloned().collect()),
        ("--window", look.window.iter().map(u64::to_string).collect()),
        ("--encoding", look.encoding.iter().cloned().collect()),
        ("--format-in", look.format_in.iter().cloned().collect()),
        // The policy's settings go with the track.
        ("--set", look.set.iter().filter(own).cloned().collect()),
    ];
    options(&named)
}

/// Options and their values, each with a blank before it.
fn options(named: &[(&str, Vec<String>)]) -> String {
    let words = named.iter().flat_map(|(option, values)| values.iter().map(move |value| (option, value)));
    words.map(|(option, value)| format!(" {option} {}", shell_word(value))).collect()
}

/// Shows the session of that name, or lets the user choose one. `program` is the command that opens that name.
/// `open` opens sessions, while the screen is up already.
pub fn screen(
    name: Option<&Path>,
    program: &str,
    look: &Look,
    common: &Common,
    open: impl Fn(&str, &Watch) -> anyhow::Result<Session> + Send + 'static,
) -> anyhow::Result<ExitCode> {
    if look.call_model == Some(ConsentArg::Ask) {
        // Each session would refuse it as it is opened.
        return Err(usage("--call-model cannot ask beside the screen; --call-model=yes sends without asking"));
    }
    let mut state = state_of(look, common)?;
    // What comes with the program has a name; what is chosen from the list has a path.
    state.built_in =
        name.filter(|_| program != state.program).map(|name| (program.to_owned(), name.to_string_lossy().into_owned()));
    let first = match name {
        Some(name) => state.open(&name.to_string_lossy()),
        None => Effect::Sessions,
    };
    let asked = look.clone();
    let open = move |name: &str, watch: &Watch| {
        let session = open(name, watch).and_then(|session| opened(session, &asked));
        session.map_err(|why| format!("{why:#}"))
    };
    match behind_screen(|| run(state, Box::new(open), first))? {
        Some(why) => Err(anyhow::anyhow!(why)),
        None => Ok(ExitCode::SUCCESS),
    }
}

/// The screen as the user wishes it, before anything is opened.
fn state_of(look: &Look, common: &Common) -> anyhow::Result<State> {
    let chosen = preferences(common, &settings_of(look))?;
    let ground = ground(common);
    let look_of = chosen.theme(&ground).map_err(|error| usage(error.to_string()))?;
    let mut state = State::new(look_of, chosen.keymap);
    state.mouse = chosen.settings.mouse;
    state.wrap = chosen.settings.wrap;
    state.ascii = chosen.settings.signs == Signs::Ascii;
    state.pictures = pictures(chosen.settings.pictures);
    state.beside = beside(look);
    state.given = given(look, common);
    if common.color == Some(ColorArg::Always) {
        always_colour();
    }
    let own = theme_names(chosen.themes.as_deref())
        .into_iter()
        .filter(|name| !SHIPPED.iter().any(|(known, _)| known == name));
    let own: Vec<Theme> = own.filter_map(|name| theme(&name, chosen.themes.as_deref(), &ground).ok()).collect();
    let shipped = SHIPPED.iter().filter_map(|(name, _)| Theme::shipped(name));
    if !ground.no_color {
        state.themes = shipped.chain(own).collect();
    }
    if let Some(at) = &look.at {
        state.wanted = at.parse().map_err(|why| usage(format!("--at: {why}")))?;
    }
    state.wanted.thread = look.thread.or(state.wanted.thread);
    if let Some(StepArg::Number(step)) = look.step {
        state.wanted.step = Some(step);
    }
    Ok(state)
}

/// The policy file that the options name, as it is without `--set`; `None` where they name a preset, or nothing.
fn policy_file(look: &Look, version: Option<&str>) -> anyhow::Result<Option<NamedPolicy>> {
    let named = look.policy.first().filter(|name| preset(name, None).is_err());
    let Some(name) = named else { return Ok(None) };
    let (policy, origins) = policy_named(name, version).map_err(|error| usage(error.to_string()))?;
    Ok(Some((name.clone(), policy, origins)))
}

/// A session as the screen asks for what is in it.
fn opened(mut session: Session, look: &Look) -> anyhow::Result<Opened> {
    session.model_calls.behind_screen();
    let session = Arc::new(session);
    let (transcript, sources) = (Arc::clone(&session.transcript), session.sources.clone());
    let chosen = session.chosen(look)?;
    let file = policy_file(look, own_version(&transcript).as_deref())?;
    let of = Arc::clone(&session);
    let windows = Box::new(move |thread, watch: &Watch, tell: &mut dyn FnMut(Arc<Run>)| {
        // A thread that is not there has no windows: the screen stays as it is.
        let _ = of.follow(thread, watch, tell);
    });
    let documents = session.attached.names();
    let chooses = PassageChooser::new(Arc::clone(&session));
    let passages = Box::new(move |wanted: &Wanted, watch: &Watch, tell: &mut dyn FnMut(Choice)| {
        chooses.choose(wanted, watch, tell);
    });
    let of = Arc::clone(&session);
    let finds = Box::new(move |fact: &Fact, most: usize, watch: &Watch, tell: &mut dyn FnMut(Found)| {
        of.find_among(fact, most, watch, tell)
    });
    let of = Arc::clone(&session);
    let likens = Box::new(move |memories: &Remembering, fact: &Fact, found: &mut Found, watch: &Watch| {
        of.liken(memories, fact, PASSAGES, found, watch);
    });
    let of = Arc::clone(&session);
    let encodings = Box::new(move |thread| of.encoding(thread));
    let of = Arc::clone(&session);
    let lints = Box::new(move |asked: &FindingsRequest, watch: &Watch| {
        let run = &asked.from.run;
        let (base, _) = base_of(&asked.named, own_version(&of.transcript).as_deref());
        let policies = Policies { tried: &asked.policy, base: &base };
        let found = findings(&of, run.thread, run, policies, asked.is_simulated(), watch);
        let uncached = is_uncached(run, &of.transcript);
        let complaint = |(finding, setting)| {
            let evidence = Evidence::of(&finding, run, &of.transcript, &of.sources);
            Complaint { finding, setting, uncached, evidence }
        };
        found.map(|found| found.into_iter().map(complaint).collect()).map_err(|why| format!("{why:#}"))
    });
    let replays = Box::new(move |thread, policy: &Policy, watch: &Watch| {
        session.replay(thread, policy, watch).map_err(|why| format!("{why:#}"))
    });
    Ok(Opened {
        transcript,
        sources,
        documents,
        passages,
        windows,
        replays,
        finds,
        likens,
        encodings,
        lints,
        policy: (chosen.name, chosen.policy),
        file,
        simulated: is_simulated(look),
    })
}
