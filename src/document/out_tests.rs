//! Tests of what a reader writes.

use super::*;

/// The complaints of a document that is written so.
fn told(write: impl FnOnce(&mut Out<'_>)) -> Vec<String> {
    let mut notes = Vec::new();
    let mut sink = |piece: Piece| {
        if let Piece::Note(note) = piece {
            notes.push(note.to_string());
        }
        Ok(())
    };
    let mut out = Out::new(1_000, &mut sink);
    write(&mut out);
    out.finish().unwrap();
    notes
}

#[test]
fn what_is_left_of_a_document_is_only_said_to_be_shown_where_some_is() {
    let lost = |out: &mut Out<'_>| out.lost("it is cut off", "the rest is shown");
    assert_eq!(told(lost), ["it is cut off; nothing of it is left that can be shown"]);
    for before in [true, false] {
        let found = told(|out| {
            if before {
                out.text("words").unwrap();
            }
            lost(out);
            out.text("words").unwrap();
        });
        assert_eq!(found, ["it is cut off; the rest is shown"]);
    }
    // Of one within another as well.
    let found = told(|out| {
        out.text("words").unwrap();
        out.quietly(lost);
        lost(out);
    });
    assert_eq!(found, ["it is cut off; nothing of it is left that can be shown", "it is cut off; the rest is shown"]);
}

#[test]
fn what_is_held_back_is_told_beforehand_and_what_is_shown_stands_before_it() {
    let mut pieces = Vec::new();
    let mut sink = |piece: Piece| {
        pieces.push(match piece {
            Piece::Unsaid(note) => format!("unsaid {note}"),
            Piece::Note(note) => format!("note {note}"),
            Piece::Text(text) => text,
            _ => String::new(),
        });
        Ok(())
    };
    let mut out = Out::new(1_000, &mut sink);
    out.lost("it is cut off", "the rest is shown");
    out.text("words").unwrap();
    out.lost("it is damaged", "the rest is shown");
    out.finish().unwrap();
    let held = ["unsaid it is cut off; nothing of it is left that can be shown", "words"];
    assert_eq!(
        pieces,
        [&held[..], &["note it is cut off; the rest is shown", "note it is damaged; the rest is shown"]].concat()
    );
}
