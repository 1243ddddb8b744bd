//! The screen in plain ASCII, for terminals and fonts that have nothing else (`signs = "ascii"`).

use ratatui::buffer::Buffer;

/// Signs that windowpane draws, and what stands for each. Text of the transcript is none of these, or loses no meaning.
const SIGNS: &[(&str, &str)] = &[
    ("─━┄┈−", "-"),
    ("╌", "'"),
    ("│┃▎▏▕▔", "|"),
    ("┊┆", ":"),
    ("╭╮╰╯┌┐└┘├┤┬┴┼┏┓┗┛", "+"),
    ("█▉▊▋▌▇▆▅", "#"),
    ("▄▃▂▁▍", "_"),
    ("▓▒", "&"),
    ("░·", "."),
    ("→▸▶›⟩≥↳…", ">"),
    ("←◂◀‹⟨≤↶↷", "<"),
    ("↑▴▲", "^"),
    ("↓▾▼", "v"),
    ("✂", "%"),
    ("×✗", "x"),
    ("⊖", "d"),
    ("✓", "v"),
    ("•◆●", "*"),
    ("○", "o"),
    ("◌", ","),
    ("◇", "p"),
    ("⇢", ")"),
    ("≡", "/"),
    ("±", "+"),
    ("≠", "?"),
    ("≈", "~"),
    ("↕", "$"),
    ("“”", "\""),
    ("∪", "U"),
    ("Σ", "S"),
    ("–—", "-"),
    ("⋯", "."),
    ("▀", "#"),
    ("▤", "["),
    ("▭", "]"),
    ("δΔ", "d"),
    ("∴", ";"),
    ("⊢", "("),
];

/// Puts ASCII in the place of every sign that windowpane draws.
pub fn to_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let mut signs = cell.symbol().chars();
        let (Some(sign), None) = (signs.next(), signs.next()) else { continue };
        if sign.is_ascii() {
            continue;
        }
        // Control pictures, as `present::safe` puts them for what would steer the terminal.
        if sign == '↵' || ('\u{2400}'..='\u{2426}').contains(&sign) {
            cell.set_symbol("^");
        } else if let Some((_, plain)) = SIGNS.iter().find(|(drawn, _)| drawn.contains(sign)) {
            cell.set_symbol(plain);
        }
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;
    use crate::model::Stage;

    #[test]
    fn drawn_signs_become_ascii_and_text_stays() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 32, 1));
        buffer.set_string(0, 0, "╭─▏█░→✂┊↳± 日本 é x", Style::default());
        to_ascii(&mut buffer);
        let text: String = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(text.trim_end(), "+-|#.>%:>+ 日 本  é x");
    }

    #[test]
    fn no_two_signs_become_one() {
        let plain = |sign: &str| {
            let found = SIGNS.iter().find(|(drawn, _)| drawn.contains(sign));
            found.map_or_else(|| sign.to_owned(), |(_, plain)| (*plain).to_owned())
        };
        let mut seen: Vec<(String, &str)> = Vec::new();
        for (sign, meaning, _) in crate::tui::signs::all() {
            // Beside a figure it says "more than", in front of a row "folded", behind a word "goes on".
            if ["≥", "▸", "…"].contains(&sign) {
                continue;
            }
            let ascii = plain(sign);
            assert!(ascii.is_ascii(), "{sign}");
            let other = seen.iter().find(|(known, _)| *known == ascii);
            assert!(other.is_none(), "{sign} ({meaning}) and {other:?} are both {ascii}");
            seen.push((ascii, sign));
        }
        assert_eq!(plain("│"), plain("▔"), "both are the cursor");
    }

    #[test]
    fn every_stages_mark_has_one() {
        for mark in Stage::ALL.iter().map(|stage| stage.mark()) {
            assert!(mark.is_ascii() || SIGNS.iter().any(|(drawn, _)| drawn.contains(mark)), "{mark}");
        }
    }
}
