//! What comes back after a summary: the newest files, and skills.

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::content::hash;
use crate::engine::plan::{Limit, NONE, signed};
use crate::engine::simulate::{Content, Label, Piece, Sim};
use crate::model::{Coding, Contents, EntryId, EventId, Fate, Layer, Made, Role, Written};
use crate::policy::{FileOver, Summarise};

use super::compact::{layer_of, tokens_of_piece};
use super::input::part_of_prepared;
use super::truncate::share_of;

/// A covered piece that comes back, or the beginning of it, or the line that names it.
pub(super) struct Return {
    piece: u32,
    content: Contents,
    pub tokens: u64,
}

/// What comes back in `room` tokens by a rule, the policy's or the recorded agent's: the newest that fit, in the order in
/// which they stood, so that a later compaction finds the newer behind the older.
pub(super) fn comes_back(sim: &Sim, settings: &Summarise, covered: &[u32], room: u64) -> Vec<Return> {
    let (mut back, mut room) = (Vec::new(), room);
    let mut put = |one: Return, back: &mut Vec<Return>| {
        let fits = one.tokens > 0 && one.tokens <= room && back.len() + 2 < covered.len();
        if !fits {
            return 0;
        }
        let tokens = one.tokens;
        room -= tokens;
        back.push(one);
        tokens
    };
    if settings.reinject_files > 0 {
        let (mut seen, mut begins) = (Vec::new(), Vec::new());
        for piece in covered.iter().rev() {
            if seen.len() as u64 >= settings.reinject_files {
                break;
            }
            let Some(file) = held_file(sim, *piece).filter(|file| !seen.contains(file)) else { continue };
            let (limit, first) = (settings.reinject_file_tokens, back.len());
            // Passages of one document are one file, and come back in the order in which they stood.
            let parts: Vec<u32> = match layer_of(sim, *piece) {
                Some(Layer::Chunks) => {
                    covered.iter().copied().filter(|other| file_of(sim, *other) == Some(file)).collect()
                }
                _ => vec![*piece],
            };
            let size: u64 = parts.iter().map(|part| tokens_of_piece(sim, *part)).sum();
            if settings.reinject_file_over == FileOver::Name && size > limit {
                if let Some(one) = named(sim, *piece, size) {
                    put(one, &mut back);
                }
            } else {
                let mut left = limit;
                for part in parts {
                    left -= beginning(sim, part, left).map_or(0, |one| put(one, &mut back)).min(left);
                }
            }
            if back.len() > first {
                seen.push(file);
                begins.push(first);
            }
        }
        let mut newest = std::mem::take(&mut back);
        begins.into_iter().rev().for_each(|begin| back.extend(newest.split_off(begin)));
    }
    if settings.reinject_skills {
        let (mut left, first, mut seen) = (settings.reinject_skills_total, back.len(), FxHashMap::default());
        for piece in covered.iter().rev().filter(|piece| is_loaded_skill(sim, **piece)) {
            // Of a skill that was loaded again, the newest load comes back.
            let again = load_of(sim, *piece).is_some_and(|(skill, load)| *seen.entry(skill).or_insert(load) != load);
            if again {
                continue;
            }
            let one = beginning(sim, *piece, settings.reinject_skill_tokens.min(left));
            left -= one.map_or(0, |one| put(one, &mut back)).min(left);
        }
        back.get_mut(first..).unwrap_or_default().reverse();
    }
    back
}

/// What names a file that is too large to come back.
fn named(sim: &Sim, number: u32, size: u64) -> Option<Return> {
    let piece = sim.pieces.get(number as usize)?;
    let at = item_of(piece);
    let label = match sim.plan.items.get(at as usize) {
        Some(item) => {
            let file = sim.plan.texts.as_ref().and_then(|texts| texts.file_of(at));
            file.map_or(&item.label, |file| &file.path)
        }
        None => &sim.prepared_of(piece)?.label,
    };
    let (name, words) = (format!("{label}\n"), Written::Named { tokens: size });
    let tokens = sim.plan.tokens_of(&name) + words.tokens();
    let content = [Made::Text(name.into()), Made::Written(words)].into_iter().collect();
    Some(Return { piece: number, content, tokens })
}

/// Whether this is a line that names a file.
fn names(content: &[Made]) -> bool {
    matches!(content, [.., Made::Written(Written::Named { .. })])
}

/// The file that a piece still holds the text of, all of it: neither a marker nor a line that names it, nor what was
/// read in part. Claude Code's transcripts: what was read in part does not come back.
fn held_file(sim: &Sim, piece: u32) -> Option<u64> {
    let own = sim.pieces.get(piece as usize)?;
    let is_named = matches!(&own.content, Content::Made(made) if names(made));
    let in_part = sim.plan.texts.as_ref().is_some_and(|texts| texts.parts.contains(&item_of(own)));
    if own.fate == Fate::Cleared || is_named || in_part { None } else { file_of(sim, piece) }
}

/// The beginning of a piece within so many tokens: of an item's own text, or of what was prepared outside.
fn beginning(sim: &Sim, number: u32, limit: u64) -> Option<Return> {
    let piece = sim.pieces.get(number as usize)?;
    let at = item_of(piece);
    let (content, tokens) = match sim.plan.items.get(at as usize) {
        Some(item) => {
            let part = match &piece.content {
                // What came back of it before is all that there is.
                Content::Made(made) if piece.item == NONE => match made[..] {
                    [Made::Part(_, from, to, _)] => sim.plan.within(at, (from, to), limit, false),
                    _ => return None,
                },
                _ => sim.plan.head(at, Limit::Tokens(limit)),
            };
            (Made::Part(item.block, part.start, part.end, item.whole).into(), part.tokens)
        }
        None if piece.prepared != NONE && piece.tokens <= limit => (piece.content.clone().made(None), piece.tokens),
        None => part_of_prepared(sim, piece, limit, false)?,
    };
    Some(Return { piece: number, content, tokens })
}

/// The item that a piece is, or came back of.
fn item_of(piece: &Piece) -> u32 {
    match piece.label {
        Label::Item(item) if matches!(piece.layer, Layer::Files | Layer::Skills) => item,
        _ => piece.item,
    }
}

/// What tells the file apart that a piece is the content of.
fn file_of(sim: &Sim, piece: u32) -> Option<u64> {
    let piece = sim.pieces.get(piece as usize)?;
    let at = item_of(piece);
    let Some(item) = sim.plan.items.get(at as usize) else {
        return sim.prepared_of(piece).map(|prepared| prepared.file).filter(|file| *file != 0);
    };
    let known = sim.plan.texts.as_ref().and_then(|texts| texts.files.get(at as usize)).copied().unwrap_or(0);
    match (known, item.layer) {
        (0, Layer::Files) => Some(u64::from(at) + 1),
        (0, _) => None,
        (file, Layer::Files | Layer::ToolResults) if item.chars > 0 => Some(file),
        _ => None,
    }
}

/// Whether a piece is a skill that was loaded. Their listing stays with its layer, or goes with it.
pub(super) fn is_loaded_skill(sim: &Sim, piece: u32) -> bool {
    let Some(piece) = sim.pieces.get(piece as usize) else { return false };
    let item = sim.plan.items.get(item_of(piece) as usize);
    let label = item.map(|item| &*item.label).or_else(|| sim.prepared_of(piece).map(|prepared| &*prepared.label));
    piece.layer == Layer::Skills && !label.is_some_and(|label| piece.layer.lists_skills(label))
}

/// What tells the skill of a piece apart, and the message or the file that loaded it; `None` where nothing does.
fn load_of(sim: &Sim, piece: u32) -> Option<(u64, u32)> {
    let piece = sim.pieces.get(piece as usize)?;
    let at = item_of(piece);
    let skill = match sim.plan.items.get(at as usize) {
        Some(item) => (sim.plan.texts.as_ref()?.files.get(at as usize).copied()?, item.message),
        None => (hash(sim.prepared_of(piece)?.label.as_bytes(), Coding::Plain), piece.prepared),
    };
    Some(skill).filter(|(skill, _)| *skill != 0)
}

/// Tokens of what comes back, with its share of what the reports show beyond the count.
pub(super) fn size_back(sim: &Sim, back: &Return) -> i64 {
    let old = sim.pieces.get(back.piece as usize);
    let extra = old.map_or(0, |old| share_of(old.extra, back.tokens, old.tokens));
    signed(back.tokens).saturating_add(extra)
}

/// What comes back of a covered piece as one of the window, with its share of what the reports show beyond the count.
pub(super) fn piece_back(sim: &Sim, back: Return, id: EventId) -> Option<Piece> {
    let old = sim.pieces.get(back.piece as usize)?;
    let at = item_of(old);
    let item = sim.plan.items.get(at as usize);
    let names = names(&back.content);
    let layer = if matches!(old.layer, Layer::Skills | Layer::Chunks) && !names { old.layer } else { Layer::Files };
    Some(Piece {
        fate: match item {
            _ if names => Fate::Virtual,
            Some(item) if back.tokens >= item.tokens => Fate::Verbatim,
            None if back.tokens >= old.tokens => old.fate,
            _ => Fate::Truncated,
        },
        tokens: back.tokens,
        original: item.map_or(old.original, |item| item.tokens),
        extra: share_of(old.extra, back.tokens, old.tokens),
        made_by: Some(id),
        prepared: old.prepared,
        content: Content::Made(back.content),
        from: smallvec![EntryId(back.piece)],
        ..sim.make(layer, Role::User, if item.is_some() { Label::Item(at) } else { old.label })
    })
}
