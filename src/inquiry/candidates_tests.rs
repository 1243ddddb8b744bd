//! Tests of what a session proposes as facts.

use super::*;
use crate::inquiry::Fact;
use crate::inquiry::fact::Inside;

#[test]
fn that_there_are_more_than_were_asked_for_is_known() {
    let of = |kind, text: &str| Candidate {
        kind,
        text: text.to_owned(),
        block: BlockId(0),
        came: 1,
        needed: 2,
        steps: vec![2],
        repeats: 1,
    };
    let all = [
        of(FactKind::Path, "src/a.rs"),
        of(FactKind::Path, "src/a.rs:12"),
        of(FactKind::Number, "8443"),
        of(FactKind::Identifier, "job_7"),
    ];
    let thinned = |number: usize, most| {
        let (kept, more) = thin(all.iter().take(number).cloned(), most);
        (kept.len(), more)
    };
    // The second says what the first does; of four, three of which are of one kind each, a third each is taken.
    assert_eq!(
        [thinned(4, 3), thinned(4, 2), thinned(2, 1), thinned(3, 1)],
        [(3, false), (2, true), (1, false), (1, true)]
    );
    // A sentence is one with a part of it, and not with a name in it that is referred to again.
    let said = |text: &str| Candidate { repeats: 0, ..of(FactKind::Instruction, text) };
    let sentences = [said("Please use job_7 only."), said("use job_7 only"), of(FactKind::Identifier, "job_7")];
    let kept: Vec<String> = thin(sentences.into_iter(), 9).0.into_iter().map(|one| one.text).collect();
    assert_eq!(kept, ["Please use job_7 only.", "job_7"]);
    let paths = [of(FactKind::Path, "src/a.rs"), of(FactKind::Path, "src/b.rs")];
    assert!(thin(paths.into_iter(), 3).1, "no kind has more than a third");
}

#[test]
fn words_of_an_error_are_one_fact_in_large_and_small_letters() {
    let lives = || Lives::from_iter([Life { born: 1, died: None, place: 0, ended_by: None }]);
    let piece = |block, born, by_model| {
        let (layer, kind) =
            if by_model { (Layer::Assistant, BlockKind::Text) } else { (Layer::ToolResults, BlockKind::ToolResult) };
        Piece { block: BlockId(block), born, layer, by_model, kind, taken_back: false, lives: lives() }
    };
    let pieces = [piece(0, 4, false), piece(1, 19, true), piece(2, 23, true)];
    let texts = ["Error 2\nExit code 137", "The exit code 137 is a kill; Exit code 137 again", "Still exit code 137"];
    let told: Vec<Told> = pieces.iter().zip(texts).map(|(piece, text)| told_of(piece, text, "")).collect();
    let known: Vec<Candidate> =
        known_terms(&pieces, &told, "", 30).into_values().filter_map(|known| of_term(known, &pieces)).collect();
    let told: Vec<_> = known.iter().map(|one| (one.text.as_str(), one.came, one.needed, one.repeats)).collect();
    assert_eq!(told, [("Exit code 137", 4, 22, 2)]);
}

#[test]
fn an_error_is_one_fact_in_any_wording_and_found_in_each() {
    let lives = || Lives::from_iter([Life { born: 1, died: None, place: 0, ended_by: None }]);
    let piece = |block, born, by_model| {
        let (layer, kind) =
            if by_model { (Layer::Assistant, BlockKind::Text) } else { (Layer::ToolResults, BlockKind::ToolResult) };
        Piece { block: BlockId(block), born, layer, by_model, kind, taken_back: false, lives: lives() }
    };
    let pieces = [piece(0, 4, false), piece(1, 19, true), piece(2, 23, true)];
    for (texts, first, repeats) in [
        (
            ["process exited with code 139", "exit code 139 again: Exit code 139", "Exit status 139"],
            "exited with code 139",
            2,
        ),
        (["HTTP 503 from the proxy", "the status 503 is back", "503 Service Unavailable"], "HTTP 503", 2),
        (["HTTP 503 from the proxy", "503 errors again", "503 rows"], "HTTP 503", 1),
    ] {
        let told: Vec<Told> = pieces.iter().zip(texts).map(|(piece, text)| told_of(piece, text, "")).collect();
        let known: Vec<Candidate> =
            known_terms(&pieces, &told, "", 30).into_values().filter_map(|known| of_term(known, &pieces)).collect();
        let [one] = known.as_slice() else { panic!("{known:?}") };
        assert_eq!((one.came, one.repeats), (4, repeats), "{one:?}");
        let fact = Fact::parse(&one.text).unwrap();
        let found = |text: &str| !fact.places(text, Inside::Nothing).is_empty();
        assert!(found(first) && found(texts[1]) && !found("code 13") && !found("room 503"), "{}", one.text);
    }
}

#[test]
fn what_is_proposed_is_looked_for_as_it_stands() {
    for (text, shown) in [("~/.config/app.toml", "/.config/app.toml"), ("re: the port is 80", "the port is 80")] {
        assert_eq!(literally(text), shown);
        assert!(!Fact::parse(literally(text)).unwrap().by_meaning());
    }
}
