//! What is read of documents that are made slim is what is read of them as they are.

use std::fmt::Write;

use unpdf::PdfParser;

use super::super::rewrite::page_of;
use super::*;

/// A file of objects, whose catalog is the first and whose root of pages the second.
fn file(objects: &[(u32, String)]) -> Vec<u8> {
    let (mut bytes, mut table) = (b"%PDF-1.4\n".to_vec(), String::from("xref\n0 1\n0000000000 65535 f \n"));
    for (number, object) in objects {
        writeln!(table, "{number} 1\n{:010} 00000 n ", bytes.len()).unwrap();
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let size = objects.iter().map(|(number, _)| number + 1).max().unwrap();
    let start = bytes.len();
    bytes.extend(format!("{table}trailer<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n").bytes());
    bytes
}

fn stream(entries: &str, content: &str) -> String {
    format!("<<{entries}/Length {}>>\nstream\n{content}\nendstream", content.len())
}

/// All that is told of each page.
fn read(bytes: &[u8]) -> Vec<String> {
    let parser = PdfParser::from_bytes(bytes).unwrap();
    (1..=parser.page_count()).map(|page| format!("{:?}", page_of(&parser, page).unwrap())).collect()
}

fn slim(bytes: &[u8]) -> Option<Vec<u8>> {
    let document = RawDocument::load(bytes).unwrap();
    slimmed(bytes, &document, &Contents::of(&document))
}

/// One page with a content, a form that draws another, a picture and two fonts.
pub fn drawn(content: &str, form: &str) -> Vec<u8> {
    let objects = [
        (1, "<</Type/Catalog/Pages 2 0 R>>".to_owned()),
        (2, "<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 612.5 792.123456789]/Resources 4 0 R>>".to_owned()),
        (3, "<</Type/Page/Parent 2 0 R/Contents[5 0 R 6 0 R]>>".to_owned()),
        (4, "<</Font<</F1 7 0 R/F2 8 0 R>>/XObject<</X 9 0 R/P 10 0 R>>>>".to_owned()),
        (5, stream("", "BT /F1 12 Tf 72 700 Td (A line of the page) Tj ET")),
        (6, stream("", content)),
        (7, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned()),
        (8, "<</Type/Font/Subtype/Type1/BaseFont/Courier>>".to_owned()),
        (9, stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</X 11 0 R>>>>", form)),
        (10, stream("/Type/XObject/Subtype/Image/Width 2/Height 2/BitsPerComponent 8/ColorSpace/DeviceGray", "abcd")),
        (11, stream("/Type/XObject/Subtype/Form/BBox[0 0 300 300]", "0 g BT /F1 9 Tf 80 90 Td (Within) Tj ET 0 0 m f")),
    ];
    file(&objects)
}

/// Numbers as they come by chance, the same ones at each run.
fn chances(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    }
}

const PARTS: &[&str] = &[
    "BT",
    "ET",
    "/F1 9 Tf",
    "/F2 11 Tf",
    "(Word)Tj",
    "[(Wo)-20(rds) -900 (apart)]TJ",
    "<41 42>Tj",
    "14 TL",
    "T*",
    "3 Tc",
    "q",
    "Q",
    "1 0 0 1 9 -14 cm",
    "0 -14 Td",
    "(\\)a\\(()b)'",
    "1 2(x]y)\"",
    "72 600 200 40 re",
    "72 500 m",
    "300 500 l",
    "300 420 l",
    "h",
    "1 2 3 4 310 480 c",
    "5 6 7 c",
    "1 2 320 470 v",
    "330 460 400 450 y",
    "W",
    "W*",
    "n",
    "f",
    "f*",
    "S",
    "s",
    "B*",
    "b",
    "0.5 w",
    "9 w",
    "1 0 0 rg",
    "0 g",
    "/CS cs",
    "0.2 0.3 scn",
    "1 0 0 RG",
    "/G gs",
    "0 J",
    "[3 2]0 d",
    "/Span<</ActualText(x) /MCID 3>>BDC",
    "EMC",
    "/X Do",
    "/P Do",
    "BI /W 1 /H 1 ID \u{1} EI",
    "% a remark BT\n",
    "]",
    ">>",
    "<",
    "true",
    "null",
    "--5",
    "3.4.5",
    "#",
    "/A#20B",
    "[[1 (]) 2] /x]",
    "unknown",
    "d1",
    "3 Tr",
    "0 Tr",
    "100 Tz",
];

#[test]
fn what_is_drawn_is_read_as_it_was_whatever_it_is() {
    for seed in 0..400 {
        let mut chance = chances(seed);
        let mut content = |most: usize| {
            let mut made = String::new();
            for _ in 0..chance(most) {
                made.push_str(PARTS[chance(PARTS.len())]);
                made.push_str(["\n", " ", "\r\n", ""][chance(4)]);
            }
            made
        };
        let bytes = drawn(&content(120), &content(30));
        let made = slim(&bytes).unwrap();
        assert_eq!(read(&made), read(&bytes), "{seed}: {}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn what_leaves_no_trace_is_left_out() {
    let of = |content: &str| String::from_utf8(content::slimmed(content.as_bytes(), true)).unwrap();
    assert_eq!(of("1 0 0 RG 0 g BT(a)Tj ET /S<</MCID 0>>BDC EMC 2 w"), " BT(a)Tj ET\n");
    // Over areas, colours tell; with other content, nobody knows.
    assert_eq!(of("0 g 0 0 9 9 re f"), "0 g 0 0 9 9 re f\n");
    assert_eq!(of("0 g /X Do"), "0 g /X Do\n");
    // Of what is drawn, only its ends are looked at; of what clips, all.
    let curves = "0 0 m 1 1 2 2 3 3 c 4 4 5 5 6 6 c 7 7 8 8 9 9 c";
    assert_eq!(of(&format!("n {curves} S")), "n 0 0 m\n 7 7 8 8 9 9 c S\n");
    assert_eq!(of(&format!("n {curves} W n")), format!("n {curves} W n\n"));
}

#[test]
fn pages_have_what_they_inherit() {
    let content = |font: &str| stream("", &format!("BT /{font} 12 Tf 72 700 Td (In {font}) Tj ET"));
    let fonts = |names: &str| format!("<</Font<<{names}>>>>");
    let objects = [
        (1, "<</Type/Catalog/Pages 2 0 R>>".to_owned()),
        (2, "<</Type/Pages/Count 5/Kids[3 0 R 4 0 R 5 0 R]/MediaBox[0 0 612 792]/Rotate 90>>".to_owned()),
        (
            3,
            format!(
                "<</Type/Pages/Parent 2 0 R/Count 2/Kids[6 0 R 7 0 R]/Resources{}>>",
                fonts("/F1 20 0 R/F2 21 0 R")
            ),
        ),
        (4, "<</Type/Pages/Parent 2 0 R/Count 2/Kids[8 0 R 9 0 R]/CropBox[0 0 300 792]>>".to_owned()),
        (5, "<</Type/Page/Parent 2 0 R/Contents 13 0 R>>".to_owned()),
        (6, "<</Type/Page/Parent 3 0 R/Contents 10 0 R>>".to_owned()),
        // One font of its own, and one that the node above gives.
        (7, format!("<</Type/Page/Parent 3 0 R/Contents[10 0 R 11 0 R]/Resources{}>>", fonts("/F2 22 0 R"))),
        (8, format!("<</Type/Page/Parent 4 0 R/Contents 12 0 R/Rotate 0/Resources{}>>", fonts("/F3 22 0 R"))),
        (9, format!("<</Type/Page/Parent 4 0 R/Contents 12 0 R/Resources{}>>", fonts("/F3 20 0 R"))),
        (10, content("F1")),
        (11, content("F2")),
        (12, content("F3")),
        (13, content("F1")),
        (20, "<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>".to_owned()),
        (21, "<</Type/Font/Subtype/Type1/BaseFont/Courier>>".to_owned()),
        (22, "<</Type/Font/Subtype/Type1/BaseFont/Times-Italic>>".to_owned()),
    ];
    let bytes = file(&objects);
    let made = slim(&bytes).unwrap();
    assert_eq!(read(&made), read(&bytes));
    let document = RawDocument::load(&made).unwrap();
    let parents = document.pages().into_values().map(|page| document.get_dict(page).unwrap().contains_key(PARENT));
    assert_eq!(parents.collect::<Vec<_>>(), [false, true, false, false, false]);
    assert!(document.scan_page_tree().unresolved_nodes == 0 && !document.xref_reconstructed());
}

#[test]
fn a_document_whose_pages_are_its_root_stays_as_it_is() {
    let objects = [(1, "<</Type/Catalog/Pages 2 0 R>>".to_owned()), (2, "<</Type/Page/MediaBox[0 0 9 9]>>".to_owned())];
    assert!(slim(&file(&objects)).is_none());
}
