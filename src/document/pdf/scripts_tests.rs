//! Tests of exponents, indices and calls of notes.

use lopdf::{Object, dictionary};

use crate::document::testing::{Pdf, converted};

/// One page with this content in Helvetica (F1), and a link to `http://a.b/` that lies there.
fn markdown(content: &str, place: Option<[i64; 4]>) -> String {
    let action = dictionary! { "S" => "URI", "URI" => Object::string_literal("http://a.b/") };
    let link = |place: [i64; 4]| {
        let place = place.map(Object::Integer).to_vec();
        dictionary! { "Type" => "Annot", "Subtype" => "Link", "Rect" => place, "A" => action.clone() }.into()
    };
    let links: Vec<Object> = place.into_iter().map(link).collect();
    let mut pdf = Pdf::of(&[("F1", "Helvetica")], [595, 842]);
    pdf.page.set("Annots", links);
    converted("a.pdf", &pdf.written([content.to_owned()]), None).markdown
}

/// Lines below each other, in which `^` and `_` raise and lower what stands between two of them.
fn lines(texts: &[&str], y: i32, item: bool) -> String {
    let mut content = String::new();
    for (at, text) in texts.iter().enumerate() {
        let y = y - 12 * i32::try_from(at).unwrap();
        if item {
            content.push_str(&format!("BT /F1 12 Tf 1 0 0 1 78 {} Tm (\\225) Tj ET\n", y - 2));
        }
        content.push_str(&format!("BT 1 0 0 1 96 {y} Tm\n"));
        let (mut shift, mut shown) = (0, String::new());
        for sign in text.chars().chain(['\0']) {
            let turned = match sign {
                '^' if shift == 0 => 5,
                '_' if shift == 0 => -5,
                '^' | '_' | '\0' => 0,
                sign => {
                    shown.push(sign);
                    continue;
                }
            };
            let size = if shift == 0 { 10 } else { 8 };
            content.push_str(&format!("/F1 {size} Tf {shift} Ts ({}) Tj\n", std::mem::take(&mut shown)));
            shift = turned;
        }
        content.push_str("0 Ts ET\n");
    }
    content
}

#[test]
fn scripts_stand_in_their_lines() {
    let items = ["item 1 has x^1^ in it", "item 2 has x^2^ in it", "item 3 has x^3^ in it", "item 4 has x^4^ in it"];
    let told = markdown(&lines(&items, 740, true), None);
    for number in 1..=4 {
        assert!(told.contains(&format!("item {number} has x{number} in it")), "{told}");
    }
    let texts = [
        "The value of it is about 6.02 x 10^23^ per mole^4^ and the area is 5 m^2^ in the model of",
        "Smith^7^, while CO_2_ and H_2_O are products; the rate is 10^-3^ s^-1^ and so on, as it is",
        "as large as 10^5^ in the model of Smith^8^, while CO_2_ and H_2_O are what is left of it.",
    ];
    let told = markdown(&lines(&texts, 740, false), None);
    for text in texts {
        assert!(told.contains(&text.replace(['^', '_'], "")), "{told}");
    }
}

#[test]
fn a_link_stays_on_its_own_text() {
    let content = lines(&["A text of water is H_2_O", "as it is told by this link"], 740, false);
    let told = markdown(&content, Some([185, 725, 210, 740]));
    assert!(told.contains("H2O") && told.matches("http://a.b/").count() == 1, "{told}");
}

#[test]
fn what_is_drawn_twice_to_look_bold_is_told_once() {
    let heading = |x: &str| format!("BT /F1 18 Tf 1 0 0 1 {x} 760 Tm (Fake bold heading) Tj ET\n");
    let told = markdown(&format!("{}{}{}", heading("72"), heading("72.3"), lines(&["A text."], 700, false)), None);
    assert_eq!(told.matches("Fake bold heading").count(), 1, "{told}");
    let told = markdown(&lines(&["papapapa is no word"], 700, false), None);
    assert!(told.contains("papapapa"), "{told}");
}
