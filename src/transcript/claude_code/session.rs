//! A whole session: its records read, split into threads, woven, and tied together.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::content::Sources;
use crate::model::{BlockId, Op, Record, Session, SourceKind, ThreadId, ThreadKind, Transcript, beside, file_name};

use super::super::lines::give_back;
use super::super::scan::Cursor;
use super::super::thinking::{self, Keep};
use super::super::{Input, OpenError, each_line};
use super::exported::records as records_of;
use super::forked;
use super::parse::parse;
use super::record::{Key, Parent, Parsed, TitleBy, What};
use super::sides::{self, Log};
use super::store::{Store, index};
use super::streamed::{give_windows, windows};
use super::switched::switch;
use super::threads::{Lines, Sub, once, split, tie, whole};
use super::weave::{Woven, title, weave};

/// Reads a session, or a stream of one, under the name of its format.
pub(crate) fn read_as(format: &'static str, input: Input<'_>) -> Result<Transcript, OpenError> {
    let Input { sources, main, siblings, watch } = input;
    let mut all = records_of(sources, main, watch)?;
    let mut store = Store::new(format);
    let mut records = all.len() as u64;
    let uuids = once(&mut all, &mut store);
    let mut session = facts(sources, &all);
    session.title = title_of(&all, &uuids);
    let windows = windows(&all);
    let sessions: HashSet<Key> = all.iter().filter_map(|parsed| parsed.session).collect();

    forked::warn_alone(&mut store, &all);
    let (own, others) = split(&all);
    let mut main_thread = weave(&mut store, &mut all, &own.lines, main, &[]);
    main_thread.thread.title = title(session.title.as_deref(), "");
    let mut subs: Vec<Sub> = Vec::new();
    for Lines { lines, agent, caller } in others {
        let woven = weave(&mut store, &mut all, &lines, main, &[]);
        subs.push(Sub { woven, agent, caller, name: "subagent".to_owned() });
    }
    give_back(all);

    let mut summarisers: Vec<Woven> = Vec::new();
    let mut forks = Vec::new();
    if let Some(siblings) = siblings {
        let path = sources.info(main).map_or_else(String::new, |info| info.name.clone());
        let folders = folders(&path, session.id.as_deref());
        let file = file_name(&path);
        for log in sides::logs(siblings, file, &folders, &sessions) {
            let source = sources.add(beside(&path, &log.name), SourceKind::Side, log.bytes.clone());
            let mut all = each_line(sources, source, watch, parse)?;
            records += all.len() as u64;
            once(&mut all, &mut store);
            if forked::is_fork(&all) {
                forks.push((log, source, all));
                continue;
            }
            folders_of(sources, &all, &mut session);
            let Lines { lines, agent, .. } = whole(&all);
            if log.is_summariser() {
                let before = sent(&main_thread, &all);
                summarisers.push(weave(&mut store, &mut all, &lines, source, &before));
            } else {
                let woven = weave(&mut store, &mut all, &lines, source, &[]);
                subs.push(sub(&log, woven, agent));
            }
        }
        for (log, source, mut all) in forks {
            let woven = [&main_thread].into_iter().chain(subs.iter().map(|sub| &sub.woven));
            folders_of(sources, &all, &mut session);
            let before = forked::before(&mut store, &mut all, woven);
            let Lines { lines, agent, .. } = whole(&all);
            let woven = weave(&mut store, &mut all, &lines, source, &before);
            subs.push(sub(&log, woven, agent));
        }
        sides::persisted(siblings, sources, &path, &folders, &mut store.builder.transcript.blocks);
    }
    tie(&store, &mut subs);
    subs.sort_by_key(|sub| sub.woven.begun);
    summarisers.sort_by_key(|woven| woven.begun);
    let mut threads = vec![main_thread.thread];
    threads.extend(subs.into_iter().map(|sub| sub.woven.thread));
    for mut woven in summarisers {
        let id = ThreadId(index(threads.len()));
        woven.thread.kind = ThreadKind::Summariser;
        "summariser".clone_into(&mut woven.thread.title);
        credit(&mut threads, &main_thread.compactions, woven.begun, id);
        threads.push(woven.thread);
    }
    if !windows.is_empty() {
        threads.iter_mut().for_each(|thread| give_windows(thread, &windows));
    }
    let shown = thinking::shown(&store.builder.transcript, threads.iter());
    let keep = |model: &str| if shown.contains(model) { Keep::All } else { thinking::by_model(model) };
    threads.iter_mut().for_each(|thread| thinking::leave_out(&mut store.builder, thread, &|_, model| keep(model)));
    let mut transcript = store.builder.finish(sources);
    if let Some(main) = threads.first_mut() {
        switch(main, &transcript.blocks, sources);
    }
    (transcript.session, transcript.threads, transcript.records) = (session, threads, records);
    Ok(transcript)
}

fn sub(log: &Log, woven: Woven, agent: Option<Key>) -> Sub {
    let agent = agent.or_else(|| Some(Key::of(log.id().as_bytes())));
    Sub { woven, agent, caller: None, name: format!("agent {}", log.id()) }
}

/// What the summariser was sent beside its own records: the main window at the record that it goes on from.
fn sent(main: &Woven, all: &[Parsed]) -> Vec<BlockId> {
    let parents = all.iter().filter_map(|parsed| match parsed.parent {
        Parent::Of(key) => main.tree.find(key),
        _ => None,
    });
    parents.max().map(|last| main.tree.blocks(&main.tree.path(last))).unwrap_or_default()
}

/// Names the call that wrote a summary in the compaction that came next.
fn credit(
    threads: &mut [crate::model::Thread],
    compactions: &[(usize, Option<i64>)],
    begun: Option<i64>,
    id: ThreadId,
) {
    let Some((begun, main)) = begun.zip(threads.first_mut()) else { return };
    let next = compactions.iter().find(|(_, at)| at.is_some_and(|at| at >= begun));
    if let Some(Op::Compact(compaction)) = next.and_then(|(op, _)| main.ops.get_mut(*op)) {
        compaction.summariser.get_or_insert(id);
    }
}

/// Names that the folder of a session's side files may have.
fn folders(path: &str, id: Option<&str>) -> Vec<String> {
    let file = file_name(path);
    let stem = [".gz", ".zst", ".jsonl"].iter().fold(file, |name, end| name.strip_suffix(end).unwrap_or(name));
    let mut names: Vec<String> = vec![stem.to_owned()];
    names.extend(id.map(str::to_owned));
    names.dedup();
    names.retain(|name| !name.is_empty() && !name.contains(['/', '\\']) && !name.starts_with('.'));
    names
}

/// Longer records are not read in search of a version.
const PROBED: u64 = 1 << 20;

/// What the records say of the session: the first one its id and folder, the last one its version.
fn facts(sources: &Sources, all: &[Parsed]) -> Session {
    let mut session = Session::default();
    let said = |parsed: &&Parsed| parsed.session.is_some() && parsed.uuid.is_some() && parsed.parent != Parent::Unsaid;
    let first = all.iter().find(|parsed| said(parsed) && !parsed.sidechain).or_else(|| all.iter().find(said));
    // Records may have lost the ids by which they hang together.
    let first = first.or_else(|| all.iter().find(|parsed| parsed.session.is_some()));
    if let Some(first) = first {
        let [id, folder, version] = fields(sources, first.record, ["sessionId", "cwd", "version"]);
        (session.id, session.folder, session.version) = (id, folder, version);
    }
    if let Some(last) = all.iter().rev().find(said) {
        let [version] = fields(sources, last.record, ["version"]);
        session.version = version.or(session.version);
    }
    let records: Vec<Record> = all.iter().filter(said).map(|parsed| parsed.record).collect();
    session.versions = versions(sources, &records);
    for parsed in all {
        if let What::Began(began) = &parsed.what {
            let text = |text: &Option<Box<str>>| text.as_deref().map(str::to_owned);
            session.id = session.id.or_else(|| text(&began.id));
            session.folder = session.folder.or_else(|| text(&began.folder));
            session.version = session.version.or_else(|| text(&began.version));
        }
    }
    folders_of(sources, all, &mut session);
    let version = session.version.as_deref().map(|version| format!(" {version}"));
    session.agent = Some(format!("Claude Code{}", version.unwrap_or_default()));
    session
}

/// Folders that are told apart, and places where one was changed for another: of more, nobody can tell.
const FOLDERS: (usize, usize) = (256, 100_000);

/// Takes in where the agent worked in another folder than before: a `cd` of its shell stays.
fn folders_of(sources: &Sources, all: &[Parsed], session: &mut Session) {
    let mut known: HashMap<Key, Option<Arc<str>>> = HashMap::new();
    let mut before = session.folder.as_deref().map(Arc::from);
    for (key, record) in all.iter().filter_map(|parsed| Some((parsed.folder?, parsed.record))) {
        if known.len() >= FOLDERS.0 || session.folders.len() >= FOLDERS.1 {
            break;
        }
        let read = || fields(sources, record, ["cwd"])[0].as_deref().map(Arc::from);
        let Some(now) = known.entry(key).or_insert_with(read) else { continue };
        if before.as_ref() != Some(now) {
            before = Some(Arc::clone(now));
            session.folders.push((record, Arc::clone(now)));
        }
    }
    session.folders.sort_by_key(|(record, _)| *record);
}

/// Records that are read in search of another version; between them it is looked for where two differ.
const PROBES: usize = 32;

/// Where the agent's version changes, the first record among them; nothing where it does not.
fn versions(sources: &Sources, records: &[Record]) -> Vec<(Record, String)> {
    let version = |at: usize| {
        let record = records.get(at).filter(|record| record.end - record.start <= PROBED)?;
        let [version] = fields(sources, *record, ["version"]);
        version
    };
    let last = records.len().saturating_sub(1);
    let mut known: Option<(usize, String)> = None;
    let mut found = Vec::new();
    for probe in 0..=PROBES {
        let at = last * probe / PROBES;
        let Some(now) = version(at) else { continue };
        let Some((mut low, before)) = known.replace((at, now.clone())) else {
            found.extend(records.get(at).map(|record| (*record, now)));
            continue;
        };
        if before == now {
            continue;
        }
        // One that says nothing counts to what was before it.
        let mut high = at;
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            let same = version(middle).is_none_or(|one| one == before);
            (low, high) = if same { (middle, high) } else { (low, middle) };
        }
        found.extend(records.get(high).map(|record| (*record, now)));
    }
    if found.len() > 1 { found } else { Vec::new() }
}

/// Some string fields of a record, read again.
fn fields<const N: usize>(sources: &Sources, record: Record, names: [&str; N]) -> [Option<String>; N] {
    let line = sources.read(record.source, record.start, record.end).unwrap_or_default();
    let fields = Cursor::new(&line).fields();
    names.map(|name| Some(fields.as_ref().ok()?.string(name)?.into_owned()))
}

/// The session's title: the user's, else the agent's, else the summary of one of its own branches.
fn title_of(all: &[Parsed], uuids: &HashSet<Key>) -> Option<String> {
    let mut best: Option<(TitleBy, &str)> = None;
    for parsed in all {
        if let What::Titled { by, text, leaf } = &parsed.what {
            let own = *by != TitleBy::Summary || leaf.is_some_and(|leaf| uuids.contains(&leaf));
            if own && !text.trim().is_empty() && best.is_none_or(|(other, _)| *by >= other) {
                best = Some((*by, text));
            }
        }
    }
    best.map(|(_, text)| text.trim().to_owned())
}
