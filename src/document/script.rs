//! Texts that stand above or below the line: without it, 10⁶ would be another number.

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Above the line.
    Super,
    /// Below it.
    Sub,
}

/// Signs, as they are above and below the line.
const SIGNS: &[(char, char, char)] = &[
    ('0', '⁰', '₀'),
    ('1', '¹', '₁'),
    ('2', '²', '₂'),
    ('3', '³', '₃'),
    ('4', '⁴', '₄'),
    ('5', '⁵', '₅'),
    ('6', '⁶', '₆'),
    ('7', '⁷', '₇'),
    ('8', '⁸', '₈'),
    ('9', '⁹', '₉'),
    ('+', '⁺', '₊'),
    ('-', '⁻', '₋'),
    ('−', '⁻', '₋'),
    ('–', '⁻', '₋'),
    ('i', 'ⁱ', 'ᵢ'),
    ('n', 'ⁿ', 'ₙ'),
];

impl Script {
    /// By the name that Word gives it.
    #[must_use]
    pub fn named(name: Option<&str>) -> Option<Script> {
        match name {
            Some("superscript") => Some(Script::Super),
            Some("subscript") => Some(Script::Sub),
            _ => None,
        }
    }

    /// A text that stands there, behind another sign: numbers, signs of charges and single indices as signs of their own;
    /// behind a digit, other numbers in brackets. `None` where it stays as it is: ordinals, abbreviations, words.
    #[must_use]
    pub fn of(self, text: &str, behind: Option<char>) -> Option<String> {
        let of = |sign: char| {
            let (_, above, below) = SIGNS.iter().find(|(plain, ..)| *plain == sign)?;
            Some(if self == Script::Super { *above } else { *below })
        };
        let letters = text.chars().filter(|sign| sign.is_alphabetic()).count();
        if text.is_empty() || letters > 1 {
            return None;
        }
        let is_number = || {
            let is_digit = |sign: char| sign.is_ascii_digit();
            let mut signs = text.chars();
            letters == 0
                && signs.next().is_some_and(|sign| is_digit(sign) || matches!(sign, '+' | '-' | '−'))
                && text.ends_with(is_digit)
                && signs.all(|sign| is_digit(sign) || matches!(sign, '.' | ',' | '/'))
        };
        let mark = if self == Script::Super { '^' } else { '_' };
        let bracketed =
            || (behind.is_some_and(|sign| sign.is_ascii_digit()) && is_number()).then(|| format!("{mark}({text})"));
        text.chars().map(of).collect::<Option<String>>().or_else(bracketed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::testing::{converted, zip};

    #[test]
    fn numbers_above_the_line_stay_other_numbers() {
        let above = |text, behind| Script::Super.of(text, Some(behind));
        assert_eq!(above("6", '0').as_deref(), Some("⁶"));
        assert_eq!(above("-12", '0').as_deref(), Some("⁻¹²"));
        assert_eq!((above("n", 'x').as_deref(), above("2n", 'x').as_deref()), (Some("ⁿ"), Some("²ⁿ")));
        assert_eq!((above("1.5", '0').as_deref(), above("1,2", 'd')), (Some("^(1.5)"), None));
        for same in ["st", "in", "TM", "*", "a", "2 3", ""] {
            assert_eq!(above(same, '1'), None, "{same}");
        }
        assert_eq!(Script::Sub.of("2", Some('H')).as_deref(), Some("₂"));
        assert_eq!(Script::Sub.of("1/2", Some('0')).as_deref(), Some("_(1/2)"));
    }

    #[test]
    fn every_format_shows_them_alike() {
        let html = "<p>10<sup>6</sup> cells, H<sub>2</sub>O, 1<sup>st</sup>, 10<sup>1.5</sup> \
            word<sup><a href='#f'>1</a></sup> <a href='#g'><sup>2</sup></a></p>";
        let found = converted("a.html", html.as_bytes(), None).markdown;
        assert_eq!(found, "10⁶ cells, H₂O, 1st, 10^(1.5) word[1](#f) [2](#g)\n");
        let run = |place: &str, text: &str| {
            format!("<w:r><w:rPr><w:vertAlign w:val='{place}'/></w:rPr><w:t>{text}</w:t></w:r>")
        };
        let runs = [
            run("baseline", "10"),
            run("superscript", "1"),
            run("superscript", "2"),
            run("baseline", " m"),
            run("superscript", "-2"),
            run("baseline", " CO"),
            run("subscript", "2"),
            run("baseline", " 1"),
            run("superscript", "st"),
        ];
        let document = format!("<w:document><w:body><w:p>{}</w:p></w:body></w:document>", runs.concat());
        let found = converted("a.docx", &zip(&[("word/document.xml", &document)]), None).markdown;
        assert_eq!(found, "10¹² m⁻² CO₂ 1st\n");
        let run = |offset: &str, text: &str| format!("<a:r><a:rPr {offset}/><a:t>{text}</a:t></a:r>");
        let runs = [run("", "m"), run("baseline='30000'", "2"), run("", " H"), run("baseline='-25000'", "2")];
        let slide = format!(
            "<p:sld><p:cSld><p:spTree><p:sp><p:txBody><a:p>{}</a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>",
            runs.concat()
        );
        let links = "<Relationships><Relationship Id='a' Type='t/slide' Target='slides/slide1.xml'/></Relationships>";
        let show = "<p:presentation><p:sldIdLst><p:sldId id='1' r:id='a'/></p:sldIdLst></p:presentation>";
        let parts = [
            ("ppt/presentation.xml", show),
            ("ppt/_rels/presentation.xml.rels", links),
            ("ppt/slides/slide1.xml", slide.as_str()),
        ];
        let found = converted("a.pptx", &zip(&parts), None).markdown;
        assert!(found.contains("m² H₂"), "{found}");
    }
}
