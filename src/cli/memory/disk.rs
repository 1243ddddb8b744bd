//! Memories kept on disk: written out, written by hand, taken in.

use std::io::{BufRead, Read};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use super::remember::place;
use super::whose::Whose;
use super::{MemoryAction, OnDisk, kept};
use crate::cli::args::{Common, Look, Subject};
use crate::cli::fail::usage;
use crate::cli::load::{is_setting, preferences, settings_of, stream};
use crate::cli::print::{Printer, json_line};
use crate::cli::simulated::over;
use crate::io::{KeptMemory, MemoryFile, session_of, write_whole};
use crate::memory;
use crate::policy::{Choice, Policy, Scope};
use crate::present::{count, counted};

/// Does it, with options that stood before it.
pub fn run(action: MemoryAction, subject: Subject) -> anyhow::Result<ExitCode> {
    if let Some(transcript) = subject.transcript {
        return Err(usage(format!(
            "{} stands before what is to be done; it takes no transcript",
            transcript.display()
        )));
    }
    let (MemoryAction::Export { given, .. } | MemoryAction::Import { given, .. } | MemoryAction::Add { given, .. }) =
        &action;
    let OnDisk { set, common } = given.clone();
    let look = Look { set, ..Look::default() }.over(subject.look);
    let common = common.over(subject.common);
    let set = scope_of(&look, matches!(action, MemoryAction::Add { .. }))?;
    match action {
        MemoryAction::Export { out, force, .. } => export(&out, force, &whose(&look, &common)?, &common),
        MemoryAction::Import { file, .. } => import(&file, &whose(&look, &common)?, &common),
        MemoryAction::Add { text, scope, owner, .. } => {
            let scope = match (scope, set) {
                (Some(said), Some(set)) if said != set.name() => {
                    let set = set.name();
                    return Err(usage(format!("--scope {said} and --set memory.scope={set} contradict each other")));
                }
                (said, set) => said.unwrap_or_else(|| set.unwrap_or(Scope::User).name().to_owned()),
            };
            add(&text, &scope, owner.as_deref(), &look, &common)
        }
    }
}

/// Whose memories the command line names.
fn whose(look: &Look, common: &Common) -> anyhow::Result<Whose> {
    Ok(Whose::of(look, &preferences(common, &settings_of(look))?.settings))
}

/// The scope that the settings name. Others of a policy are refused: nothing that is done here depends on them.
fn scope_of(look: &Look, adds: bool) -> anyhow::Result<Option<Scope>> {
    let (mut policy, mut scope) = (Policy::default(), None);
    for assignment in look.set.iter().filter(|set| !is_setting(set.split_once('=').map_or(set, |(key, _)| key))) {
        over(&mut policy, std::iter::once(assignment))?;
        let key = assignment.split_once('=').map_or("", |(key, _)| key.trim());
        if !adds || key != "memory.scope" {
            return Err(usage(format!("--set {key} is of a policy, and no replay is made here: leave it out")));
        }
        scope = Some(policy.memory.scope);
    }
    Ok(scope)
}

fn export(out: &Path, force: bool, whose: &Whose, common: &Common) -> anyhow::Result<ExitCode> {
    let mut printer = Printer::new(common);
    let mut text = String::new();
    let mut say = |line: &str| printer.remark(line);
    let file = MemoryFile::open_to_read(&place()?)?.map(|file| kept::opened(file, &mut say));
    let read = file.map(|file| file.all()).transpose()?;
    let (mine, others): (Vec<KeptMemory>, Vec<KeptMemory>) = read
        .map(|read| kept::readable(read, &mut say))
        .unwrap_or_default()
        .into_iter()
        .partition(|one| whose.holds(one));
    for memory in mine {
        text.push_str(&json_line(&memory)?);
    }
    if out == Path::new("-") {
        printer.bytes(text.as_bytes())?;
    } else {
        write_whole(out, text.as_bytes(), force).with_context(|| format!("cannot write {}", out.display()))?;
    }
    if let Some(left_out) = whose.left_out(others.len()) {
        printer.remark(&left_out);
    }
    printer.done()
}

/// Keeps a memory that somebody writes by hand (source 2: preserve = manual).
fn add(text: &str, scope: &str, owner: Option<&str>, look: &Look, common: &Common) -> anyhow::Result<ExitCode> {
    /// Bytes of a memory.
    const LONGEST: usize = 64 << 10;
    if text.len() > LONGEST {
        return Err(usage(format!("a memory has {} bytes at most", count(LONGEST as u64))));
    }
    let settings = preferences(common, &settings_of(look))?.settings;
    let (whose, user) = (Whose::of(look, &settings), settings.user);
    let named = match scope {
        scope if scope == Scope::Session.name() => settings.session,
        scope if scope == Scope::Agent.name() => settings.agent,
        _ => None,
    };
    let owner = match owner.or(named.as_deref()) {
        // As an export names it, it is whole already.
        Some(name) if scope == Scope::Session.name() && !name.starts_with(&session_of(&user, "")) => {
            session_of(&user, name)
        }
        Some(name) => name.to_owned(),
        None if scope == Scope::User.name() => user,
        None => {
            return Err(usage(format!(
                "the scope {scope} needs --owner, or --set {scope}=NAME: which {scope} that is"
            )));
        }
    };
    let memory = KeptMemory {
        scope: scope.to_owned(),
        owner,
        source_type: "note".to_owned(),
        text: text.trim().to_owned(),
        how: memory::How::Written.name().to_owned(),
        ..KeptMemory::default()
    };
    sound(&memory).map_err(usage)?;
    let mut printer = Printer::new(common);
    let new = kept::opened(MemoryFile::open(&place()?)?, &mut |line| printer.remark(line)).add(&[memory])?;
    printer.remark(if new == 1 { "it is kept on disk" } else { "it was kept already" });
    for key in whose.beside(scope) {
        printer.remark(&format!("note: --set {key} says nothing here: it is a memory of the scope {scope}"));
    }
    printer.done()
}

/// What keeps a memory from being kept, in a sentence.
fn sound(memory: &KeptMemory) -> Result<(), String> {
    let scopes = <Scope as Choice>::NAMES;
    if !scopes.contains(&memory.scope.as_str()) {
        return Err(format!("there is no scope {:?}; there are {}", memory.scope, scopes.join(", ")));
    }
    if memory.owner.trim().is_empty() {
        return Err("its owner has no name".to_owned());
    }
    if memory.text.trim().is_empty() {
        return Err("it has no text".to_owned());
    }
    let ways = memory::How::NAMES.iter().map(|(_, name)| *name).collect::<Vec<_>>();
    // Where it does not say how it came to be, nobody knows.
    if !memory.how.is_empty() && !ways.contains(&memory.how.as_str()) {
        return Err(format!("it came to be {:?}; there are {}", memory.how, ways.join(", ")));
    }
    let kinds = memory::EdgeKind::NAMES.iter().map(|(_, name)| *name).collect::<Vec<_>>();
    if let Some(edge) = memory.edges.iter().find(|edge| !kinds.contains(&edge.kind.as_str())) {
        return Err(format!("there is no relation {:?}; there are {}", edge.kind, kinds.join(", ")));
    }
    if let Some(edge) = memory.edges.iter().find(|edge| !edge.score.is_finite()) {
        return Err(format!("the score of its relation {:?} is no number that can be kept", edge.kind));
    }
    if memory.bytes.is_some_and(|[first, last]| first > last || i64::try_from(last).is_err()) {
        return Err("its bytes are no range".to_owned());
    }
    Ok(())
}

fn import(file: &Path, whose: &Whose, common: &Common) -> anyhow::Result<ExitCode> {
    /// Bytes of a line.
    const LONGEST: u64 = 16 << 20;
    let name = file.display();
    let mut reader = std::io::BufReader::new(stream(file).with_context(|| format!("cannot read {name}"))?);
    let (mut memories, mut line, mut number) = (Vec::new(), Vec::new(), 0u64);
    loop {
        line.clear();
        number += 1;
        let read = reader.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if read as u64 == LONGEST && !line.ends_with(b"\n") {
            anyhow::bail!("{name}:{number}: the line is longer than 16 MB; nothing was imported");
        }
        // Editors put a mark before the first line.
        let line = line.strip_prefix("\u{feff}".as_bytes()).filter(|_| number == 1).unwrap_or(&line);
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if line.trim_ascii_start().first() != Some(&b'{') {
            anyhow::bail!("{name}:{number}: it is no memory: a line is one JSON object; nothing was imported");
        }
        let memory: KeptMemory = serde_json::from_slice(line)
            .map_err(|why| anyhow::anyhow!("{name}:{number}: it is no memory: {why}; nothing was imported"))?;
        sound(&memory).map_err(|why| anyhow::anyhow!("{name}:{number}: {why}; nothing was imported"))?;
        memories.push(memory);
    }
    let all = memories.len();
    memories.retain(|memory| whose.holds(memory));
    let others = whose.left_out(all - memories.len());
    let mut printer = Printer::new(common);
    let new = kept::opened(MemoryFile::open(&place()?)?, &mut |line| printer.remark(line)).add(&memories)?;
    let all = counted(memories.len() as u64, "memory", "memories");
    // What has the text of another, there or in the file, is kept once.
    let known = match memories.len() - new {
        0 => String::new(),
        1 => "; 1 was there already".to_owned(),
        more => format!("; {} were there already", count(more as u64)),
    };
    printer.remark(&format!("{all}, {} of them new{known}", count(new as u64)));
    if let Some(others) = others {
        printer.remark(&others);
    }
    printer.done()
}
