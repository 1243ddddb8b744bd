//! What stands in a file of memories, read row by row: one that is damaged is left out, and told of.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rusqlite::types::{FromSql, ValueRef};
use rusqlite::{Connection, Row, params};

use crate::policy::{Choice, Scope};

use super::layer::is_of;
use super::{KeptEdge, KeptMemory};

/// Memories as they were read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// Those that can be read, in the order in which they came.
    pub memories: Vec<KeptMemory>,
    /// What cannot, each by its row: `memory 7`.
    pub damaged: Vec<String>,
}

/// One row, with what sessions say of it.
struct Kept {
    memory: KeptMemory,
    heir: Option<i64>,
    /// The layers that wrote it.
    wrote: BTreeSet<String>,
}

/// What a row of memories is read from, in the order of [`kept`].
const ROWS: &str = "SELECT id, scope, owner, source_type, text, how, source, first, last, around, heir, rewritten, sum
     FROM memories";

/// The rows of memories that are damaged.
pub(super) fn damaged(connection: &Connection) -> Result<Vec<i64>, rusqlite::Error> {
    let mut statement = connection.prepare(ROWS)?;
    let (mut found, mut damaged) = (statement.query([])?, Vec::new());
    while let Some(row) = found.next()? {
        if !is_sound(row, kept(row)?.as_ref()) {
            damaged.push(row.get(0)?);
        }
    }
    Ok(damaged)
}

/// Gives each row that has no sum its own, and the hash by which its text is told to be another.
pub(super) fn sum_up(connection: &Connection) -> Result<(), rusqlite::Error> {
    let mut statement = connection.prepare(&format!("{ROWS} WHERE sum IS NULL"))?;
    let (mut found, mut all) = (statement.query([])?, Vec::new());
    while let Some(row) = found.next()? {
        if let Some(kept) = kept(row)? {
            all.push((row.get::<_, i64>(0)?, kept.memory.key(), kept.memory.sum()));
        }
    }
    for (id, key, sum) in all {
        connection.prepare_cached("UPDATE memories SET sum = ?2 WHERE id = ?1")?.execute(params![id, sum])?;
        connection.prepare_cached("UPDATE OR IGNORE memories SET key = ?2 WHERE id = ?1")?.execute(params![id, key])?;
    }
    Ok(())
}

/// Whether a row holds what was written into it, under a scope that there is.
fn is_sound(row: &Row, kept: Option<&Kept>) -> bool {
    kept.is_some_and(|kept| {
        let is_scope = <Scope as Choice>::NAMES.contains(&kept.memory.scope.as_str());
        is_scope && of::<[u8; 32]>(row, 12) == Some(kept.memory.sum())
    })
}

/// All memories that nothing else stands for; without what a session said, used and merged.
pub(super) fn read(connection: &Connection, without: Option<&str>) -> Result<Read, rusqlite::Error> {
    // What is read is of one moment, whoever writes meanwhile.
    let moment = connection.unchecked_transaction()?;
    let (mut rows, mut damaged) = (BTreeMap::new(), Vec::new());
    let mut statement = moment.prepare(&format!("{ROWS} ORDER BY id"))?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let id: i64 = row.get(0)?;
        match kept(row)?.filter(|kept| is_sound(row, Some(kept))) {
            Some(kept) => _ = rows.insert(id, kept),
            None => damaged.push(format!("memory {id}")),
        }
    }
    let mut statement =
        moment.prepare("SELECT memory, session, wrote, uses, promoted FROM said ORDER BY memory, session")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let id: i64 = row.get(0)?;
        let Some(kept) = rows.get_mut(&id) else { continue };
        let (session, wrote, uses, promoted) =
            (text_of(row, 1)?, of::<bool>(row, 2), of::<u32>(row, 3), of::<bool>(row, 4));
        if session.is_none() || wrote.is_none() || uses.is_none() || promoted.is_none() {
            damaged.push(format!("the uses of memory {id}"));
        }
        let Some(session) = session else { continue };
        if !without.is_some_and(|without| is_of(&session, without)) {
            kept.memory.uses = kept.memory.uses.saturating_add(uses.unwrap_or(0));
            kept.memory.promoted |= promoted.unwrap_or(false);
        }
        if wrote.unwrap_or(false) {
            kept.wrote.insert(session);
        }
    }
    leave_out(&mut rows, without);
    damaged.extend(without_end(&mut rows).into_iter().map(|id| format!("the heir of memory {id}")));
    let live = |id: &i64| rows.get(id).is_some_and(|kept| kept.heir.is_none());
    let ids: HashMap<i64, String> = rows.iter().map(|(id, kept)| (*id, kept.memory.id())).collect();
    let mut edges: HashMap<i64, Vec<KeptEdge>> = HashMap::new();
    let mut statement = moment.prepare("SELECT first, second, kind, score FROM edges ORDER BY first, second, kind")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let (first, second): (i64, i64) = (row.get(0)?, row.get(1)?);
        let (Some(to), true) = (ids.get(&second), live(&first) && live(&second)) else { continue };
        match (text_of(row, 2)?, of::<f32>(row, 3).filter(|score| score.is_finite())) {
            (Some(kind), Some(score)) => {
                edges.entry(first).or_default().push(KeptEdge { to: to.clone(), kind, score });
            }
            _ => damaged.push(format!("what relates memories {first} and {second}")),
        }
    }
    let memories = rows
        .into_iter()
        .filter(|(_, kept)| kept.heir.is_none())
        .map(|(id, kept)| KeptMemory { edges: edges.remove(&id).unwrap_or_default(), ..kept.memory });
    Ok(Read { memories: memories.collect(), damaged })
}

/// A figure of a row; `None` where it is out of its range.
fn of<T: FromSql>(row: &Row, at: usize) -> Option<T> {
    row.get(at).ok()
}

/// A text of a row; `None` where it is damaged.
fn text_of(row: &Row, at: usize) -> Result<Option<String>, rusqlite::Error> {
    Ok(match row.get_ref(at)? {
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).ok().map(str::to_owned),
        _ => None,
    })
}

/// A row of memories; `None` where it is damaged.
fn kept(row: &Row) -> Result<Option<Kept>, rusqlite::Error> {
    let text = |at| text_of(row, at);
    let (Some(scope), Some(owner), Some(source_type), Some(words), Some(how), Some(source)) =
        (text(1)?, text(2)?, text(3)?, text(4)?, text(5)?, text(6)?)
    else {
        return Ok(None);
    };
    let (Some(first), Some(last), Some(heir), Some(rewritten)) =
        (of::<Option<i64>>(row, 7), of::<Option<i64>>(row, 8), of::<Option<i64>>(row, 10), of::<bool>(row, 11))
    else {
        return Ok(None);
    };
    let bytes = first.zip(last).map(|(first, last)| [first, last].map(|at| u64::try_from(at).unwrap_or(0)));
    let around = text(9)?;
    let memory =
        KeptMemory { scope, owner, source_type, text: words, around, how, source, bytes, ..Default::default() };
    Ok(Some(Kept { memory: KeptMemory { rewritten, ..memory }, heir, wrote: BTreeSet::new() }))
}

/// Leaves out what only parts of that session wrote, and what was merged from that; what was merged into it is there
/// again.
fn leave_out(rows: &mut BTreeMap<i64, Kept>, session: Option<&str>) {
    let Some(session) = session else { return };
    let own = |kept: &Kept| kept.wrote.iter().all(|by| is_of(by, session));
    let mut out: Vec<i64> = rows.iter().filter(|(_, kept)| own(kept)).map(|(id, _)| *id).collect();
    let mut gone: BTreeSet<i64> = out.iter().copied().collect();
    while let Some(id) = out.pop() {
        let heir = rows.get(&id).and_then(|kept| kept.heir);
        let holds = |heir: &i64| rows.get(heir).is_some_and(|kept| kept.memory.how == "merged");
        out.extend(heir.filter(holds).filter(|heir| gone.insert(*heir)));
    }
    rows.retain(|id, _| !gone.contains(id));
    for kept in rows.values_mut() {
        kept.heir = kept.heir.filter(|heir| !gone.contains(heir));
    }
}

/// Takes away what stands for a memory where that leads to none: else both would be gone without a word. Says whose.
fn without_end(rows: &mut BTreeMap<i64, Kept>) -> Vec<i64> {
    let mut ends: BTreeSet<i64> = rows.iter().filter(|(_, kept)| kept.heir.is_none()).map(|(id, _)| *id).collect();
    let mut lost = Vec::new();
    for id in rows.keys().copied().collect::<Vec<_>>() {
        let (mut way, mut at) = (BTreeSet::new(), Some(id));
        while let Some(next) = at.filter(|next| !ends.contains(next) && way.insert(*next)) {
            at = rows.get(&next).and_then(|kept| kept.heir);
        }
        if at.is_some_and(|at| ends.contains(&at)) {
            ends.extend(way);
        } else if let Some(kept) = rows.get_mut(&id) {
            kept.heir = None;
            ends.insert(id);
            lost.push(id);
        }
    }
    lost
}
