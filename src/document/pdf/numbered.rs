//! Glyphs that a font names by their codes, as numbers: a reader that knows no such names takes them for signs of another
//! encoding. They are those of Latin 1, as other readers take them, too.

use lopdf::{Document, Object};
use memchr::memmem::find_iter;

use super::packed::Searched;

/// The entry that names glyphs.
const NAMES: &[u8] = b"/Differences";
/// Bytes of names that are looked at.
const LOOKED_MAX: usize = 2 << 10;
/// Codes that stand for the sign of that number.
const SIGNS: [std::ops::RangeInclusive<i64>; 2] = [32..=126, 160..=255];

/// Whether a document names glyphs so.
pub fn names_codes(searched: &Searched<'_>) -> bool {
    searched.any(|text| {
        find_iter(text, NAMES).any(|at| {
            let rest = text.get(at + NAMES.len()..).unwrap_or_default();
            let list = rest.get(..LOOKED_MAX).unwrap_or(rest).split(|byte| *byte == b']').next().unwrap_or_default();
            let mut names = list.split(|byte| *byte == b'/').skip(1).map(<[u8]>::trim_ascii_end);
            names.any(|name| {
                let name = name.split(u8::is_ascii_whitespace).next().unwrap_or_default();
                number(name).is_some_and(|code| SIGNS.iter().any(|signs| signs.contains(&code)))
            })
        })
    })
}

/// Names glyphs that are named by their codes as the signs of these numbers.
pub fn rename(document: &mut Document) {
    for object in document.objects.values_mut() {
        let Ok(entries) = object.as_dict_mut() else { continue };
        let is_font = entries.has(b"Encoding");
        let within = if is_font { entries.get_mut(b"Encoding").and_then(Object::as_dict_mut) } else { Ok(entries) };
        let names = within.and_then(|entries| entries.get_mut(b"Differences")).and_then(Object::as_array_mut);
        if let Some(renamed) = names.as_ref().ok().and_then(|names| renamed(names))
            && let Ok(names) = names
        {
            *names = renamed;
        }
    }
}

/// The names anew; `None` where one is not the number of its code.
fn renamed(names: &[Object]) -> Option<Vec<Object>> {
    let mut code = 0;
    let mut made = Vec::with_capacity(names.len());
    for one in names {
        match one {
            Object::Integer(next) => code = *next,
            Object::Name(name) if name == b".notdef" => code += 1,
            Object::Name(name) => {
                number(name).filter(|number| *number == code)?;
                let is_sign = SIGNS.iter().any(|signs| signs.contains(&code));
                code += 1;
                if is_sign {
                    made.push(Object::Name(format!("uni{:04X}", code - 1).into_bytes()));
                    continue;
                }
            }
            _ => return None,
        }
        made.push(one.clone());
    }
    Some(made)
}

fn number(name: &[u8]) -> Option<i64> {
    let is_plain = name.len() <= 3 && name.iter().all(u8::is_ascii_digit);
    std::str::from_utf8(name).ok().filter(|_| is_plain)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use lopdf::{Stream, dictionary};

    use crate::document::testing::{converted, paged};

    use super::*;

    fn written(names: Vec<Object>) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let words = b"BT /F1 10 Tf 72 700 Td (pi\\371 autorit\\340) Tj ET".to_vec();
        let content = document.add_object(Stream::new(dictionary! {}, words));
        let glyph = document.add_object(Stream::new(dictionary! {}, b"500 0 d0".to_vec()));
        let glyphs = dictionary! { "105" => glyph, "112" => glyph, "249" => glyph, "224" => glyph };
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type3", "CharProcs" => glyphs, "FirstChar" => 0, "LastChar" => 255,
            "FontBBox" => [0, 0, 1000, 1000].map(Object::Integer).to_vec(),
            "FontMatrix" => [0.001, 0.0, 0.0, 0.001, 0.0, 0.0].map(Object::Real).to_vec(),
            "Widths" => vec![Object::Integer(500); 256],
            "Encoding" => dictionary! { "Type" => "Encoding", "Differences" => names },
        });
        paged(document, content, dictionary! { "F1" => font })
    }

    #[test]
    fn glyphs_that_are_named_by_their_codes_are_signs_of_these_numbers() {
        let names = [97, 105, 111, 112, 114, 116, 117, 224, 249];
        let names: Vec<Object> = names.into_iter().flat_map(|code| [code.into(), name(&code.to_string())]).collect();
        let found = converted("a.pdf", &written(names.clone()), None).markdown;
        assert!(found.contains("più") && found.contains("autorità"), "{found}");
        assert!(renamed(&names).is_some());
        assert_eq!(renamed(&[5.into(), name("5"), name("6")]), Some(vec![5.into(), name("5"), name("6")]));
        assert_eq!(renamed(&[97.into(), name("97"), name("98"), name("100")]), None);
        assert_eq!(renamed(&[97.into(), name("a")]), None);
        assert!(names_codes(&Searched::of(b"/Differences[ 97 /97 /98]")));
        assert!(names_codes(&Searched::of(b"/Differences[ 97/a 249/249]")));
        assert!(!names_codes(&Searched::of(b"/Differences[ 1 /1 /g97 97 /a] /97")));
    }

    fn name(text: &str) -> Object {
        Object::Name(text.as_bytes().to_vec())
    }
}
