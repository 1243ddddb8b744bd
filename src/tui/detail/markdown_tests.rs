//! Markdown, as lines.

use super::*;

/// The sections as text; `{role:…}` around what is not plain.
fn shown(text: &str, width: usize) -> String {
    let mut out = String::new();
    for section in sections(text) {
        let indent = " ".repeat(usize::from(section.indent));
        let inked = match section.body {
            Body::Lines { lines, language, .. } => {
                let name = language.as_deref().unwrap_or("code").to_owned();
                (0..lines.count()).for_each(|line| out.push_str(&format!("{indent}{name}:{}\n", lines.get(line))));
                continue;
            }
            Body::Inked(lines) => lines,
            Body::Table(table) => table.lines(width),
            _ => panic!("no such section"),
        };
        for line in inked {
            out.push_str(&indent);
            out.push_str(&line.margin);
            for ink in line.inks {
                match (ink.role, ink.strong, ink.soft) {
                    (Role::Text | Role::Border | Role::Accent, false, false) => out.push_str(&ink.text),
                    (Role::Text, true, _) => out.push_str(&format!("*{}*", ink.text)),
                    (Role::Text, _, true) => out.push_str(&format!("/{}/", ink.text)),
                    (role, ..) => out.push_str(&format!("{{{}:{}}}", role.name(), ink.text)),
                }
            }
            out.push('\n');
        }
    }
    out
}

#[test]
fn markdown_is_rendered() {
    for (text, expected) in [
        ("one\ntwo\n\nthree", "one\ntwo\n\nthree\n"),
        ("## Head\ntext", "{dim:##}{heading: }{heading:Head}\n\ntext\n"),
        ("a **b** _c_ `d`", "a *b* /c/ {code:d}\n"),
        ("- one\n- two\n  - deep\n\nend", "• one\n• two\n  • deep\n\nend\n"),
        ("3. one\n4. two", "3. one\n4. two\n"),
        ("> quoted\n> more", "▎ {quote:quoted}\n▎ {quote:more}\n"),
        ("see [here](http://x) and <http://y>", "see here{dim: (}{link:http://x}{dim:)} and http://y\n"),
        ("```rust\nfn a() {}\n```\nafter", "  rust:fn a() {}\n\nafter\n"),
        ("- [x] done\n- [ ] not", "• [x] done\n• [ ] not\n"),
        (
            "<system-reminder>\nmind\n</system-reminder>",
            "{dim:<system-reminder>}\n{dim:mind}\n{dim:</system-reminder>}\n",
        ),
        ("~~gone~~", "{cut:gone}\n"),
    ] {
        assert_eq!(shown(text, 40), expected, "{text:?}");
    }
}

#[test]
fn tables_are_aligned_and_fitted() {
    let text = "| name | tokens |\n|---|---:|\n| Bash | 18 |\n| 日本 | 1220 |";
    assert_eq!(shown(text, 40), "*name* │ *tokens*\n─────┼───────\nBash │     18\n日本 │   1220\n");
    let long = "| a | b |\n|---|---|\n| one two three four | x |";
    assert_eq!(shown(long, 13), "*a*         │ *b*\n──────────┼──\none two   │ x\nthree     │  \nfour      │  \n");
    assert!(shown(long, 1).lines().count() > 3);
}

#[test]
fn hostile_markdown_is_harmless_and_quick() {
    for text in [
        "> ".repeat(4_000),
        "- ".repeat(4_000),
        "*".repeat(10_000),
        "[".repeat(10_000),
        format!("|{}\n|{}\n", "a|".repeat(500), "-|".repeat(500)),
        "\u{1b}[31m<b>\u{7}</b>\u{202e}".to_owned(),
        "`".repeat(6_000),
    ] {
        let shown = shown(&text, 20);
        assert!(shown.len() < 40 * text.len() + 1000, "{} from {}", shown.len(), text.len());
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']));
    }
}
