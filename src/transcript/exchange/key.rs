//! What tells equal contents apart from unequal ones, whoever wrote them: clients that send a message again write it
//! otherwise than they received it.

use std::borrow::Cow;

use crate::content::{decode_json_string, hash};
use crate::model::{BlockKind, Body, Coding};
use crate::transcript::json::{Json, Kind, parse};
use crate::transcript::parts::Piece;
use crate::transcript::stored::Stored;

/// A key that is equal for equal content, however it was escaped, spaced, ordered or marked for a cache.
pub(super) fn key(stored: &Stored<'_>, piece: &Piece) -> u64 {
    let content = match &piece.draft.body {
        Body::Text { spans, .. } => {
            let mut sum = spans.len() as u64;
            for span in spans {
                let part = stored.part(*span).unwrap_or_default();
                let one = match span.coding {
                    Coding::Plain | Coding::Lines | Coding::Value => value(&parse(part).0),
                    _ => text(&decode_json_string(part), piece.draft.kind),
                };
                sum = sum.rotate_left(7) ^ one;
            }
            sum
        }
        Body::Media(media) => media.hash,
        Body::Hidden(_) => piece.key,
    };
    content ^ (piece.draft.kind as u64 + 1).rotate_right(8)
}

/// Of a text, without the blanks around it, which clients strip; of a call's arguments as the value that they are.
fn text(text: &str, kind: BlockKind) -> u64 {
    let text = text.trim();
    if kind == BlockKind::ToolCall {
        let (arguments, fault) = parse(if text.is_empty() { b"{}" } else { text.as_bytes() });
        if fault.is_none() && matches!(arguments.kind, Kind::Object(_) | Kind::List(_)) {
            return value(&arguments);
        }
    }
    hash(text.as_bytes(), Coding::Plain)
}

fn value(value: &Json<'_>) -> u64 {
    let mut text = Vec::with_capacity(value.raw.len());
    canonical(value, &mut text);
    hash(&text, Coding::Plain)
}

/// A JSON value without blanks, with its strings decoded and its members in order, without marks for a cache.
fn canonical(value: &Json<'_>, text: &mut Vec<u8>) {
    match &value.kind {
        Kind::Text(inner) => {
            text.push(b'"');
            text.extend_from_slice(decode_json_string(inner).as_bytes());
            text.push(b'"');
        }
        Kind::List(items) => {
            text.push(b'[');
            items.iter().for_each(|item| canonical(item, text));
            text.push(b']');
        }
        Kind::Object(members) => {
            text.push(b'{');
            let named = members.iter().map(|(name, member)| (decode_json_string(name), member));
            let mut named: Vec<(Cow<'_, str>, &Json<'_>)> =
                named.filter(|(name, _)| *name != "cache_control").collect();
            named.sort_by(|(one, _), (other, _)| one.cmp(other));
            for (name, member) in named {
                text.extend_from_slice(name.as_bytes());
                text.push(b':');
                canonical(member, text);
            }
            text.push(b'}');
        }
        _ => text.extend_from_slice(value.raw),
    }
    text.push(b',');
}
