//! Forms of English verbs that do not end like one: of what was done, by the verb.

/// The past and the participle of verbs, where these are told apart from the verb, and the verb.
const FORMS: &[(&str, &str)] = &[
    ("ate", "eat"),
    ("became", "become"),
    ("began", "begin"),
    ("begun", "begin"),
    ("bought", "buy"),
    ("broke", "break"),
    ("broken", "break"),
    ("brought", "bring"),
    ("built", "build"),
    ("came", "come"),
    ("caught", "catch"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("drawn", "draw"),
    ("drew", "draw"),
    ("driven", "drive"),
    ("drove", "drive"),
    ("fed", "feed"),
    ("found", "find"),
    ("froze", "freeze"),
    ("frozen", "freeze"),
    ("gave", "give"),
    ("given", "give"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("held", "hold"),
    ("hid", "hide"),
    ("hidden", "hide"),
    ("kept", "keep"),
    ("laid", "lay"),
    ("led", "lead"),
    ("lost", "lose"),
    ("made", "make"),
    ("met", "meet"),
    ("overridden", "override"),
    ("overrode", "override"),
    ("overwritten", "overwrite"),
    ("overwrote", "overwrite"),
    ("paid", "pay"),
    ("ran", "run"),
    ("rebuilt", "rebuild"),
    ("reran", "rerun"),
    ("rewritten", "rewrite"),
    ("rewrote", "rewrite"),
    ("sent", "send"),
    ("shown", "show"),
    ("shrank", "shrink"),
    ("shrunk", "shrink"),
    ("sold", "sell"),
    ("spent", "spend"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("stolen", "steal"),
    ("sworn", "swear"),
    ("taken", "take"),
    ("taught", "teach"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("told", "tell"),
    ("took", "take"),
    ("undid", "undo"),
    ("undone", "undo"),
    ("went", "go"),
    ("withdrawn", "withdraw"),
    ("withdrew", "withdraw"),
    ("won", "win"),
    ("written", "write"),
    ("wrote", "write"),
];

/// The verb that a word is such a form of.
pub(super) fn verb_of(word: &str) -> Option<&'static str> {
    let at = FORMS.binary_search_by(|(form, _)| (*form).cmp(word)).ok()?;
    FORMS.get(at).map(|(_, verb)| *verb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_sorted() {
        assert!(FORMS.is_sorted());
        assert_eq!((verb_of("rewritten"), verb_of("walked")), (Some("rewrite"), None));
    }
}
