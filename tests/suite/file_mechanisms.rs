//! What sources 3 and 4 say of files: which are listed and preloaded, and the limits of what is read of one. Figures are
//! worked out by hand. The README's table names these tests.

use serde_json::{Value, json};

use crate::cli::chunks::png;
use crate::cli::runner::{Home, placed};

/// A file within the limits.
fn limited(home: &Home, name: &str, settings: &[&str]) -> Value {
    let mut arguments = vec!["convert", name, "--json", "--limits"];
    arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    serde_json::from_str(&home.run(&arguments).good()).unwrap()
}

#[test]
fn text_is_cut_to_200_lines_of_1000_characters() {
    let home = Home::new();
    home.file("build.log", (1..=250).map(|line| format!("line {line}\n")).collect::<String>());
    let found = limited(&home, "build.log", &[]);
    assert_eq!(found["shown_text"], "lines: 200 of 250");
    let text = found["markdown"].as_str().unwrap();
    assert!(text.ends_with("line 199\nline 200\n...") && !text.contains("line 201"), "{text}");
    home.file("wide.py", format!("{}\nb = 1\n", "ä".repeat(1_500)));
    let text = limited(&home, "wide.py", &[])["markdown"].as_str().unwrap().to_owned();
    assert!(text.contains(&format!("{}...\nb = 1", "ä".repeat(1_000))), "{text}");
}

/// The example of source 4: 100 columns, 5,000 rows, some cells of 2,000 characters.
#[test]
fn tables_show_20_rows_of_their_head_and_10_of_their_tail() {
    let home = Home::new();
    let row = |cell: &dyn Fn(u32) -> String| (1..=100).map(cell).collect::<Vec<_>>().join(",") + "\n";
    let mut table = row(&|column| format!("c{column}"));
    for number in 1..=5_000 {
        let long = |column: u32| number == 1 && column <= 15;
        table += &row(&|column| if long(column) { "x".repeat(2_000) } else { format!("{number}-{column}") });
    }
    home.file("table.csv", table);
    let all = ["files.max_tokens=100000", "files.max_line_length=100000"];
    let found = limited(&home, "table.csv", &all);
    assert_eq!(found["shown_text"], "columns: 50 of 100, rows: 30 of 5000, 15 cells truncated");
    let text = found["markdown"].as_str().unwrap();
    let first: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("| ")?.split(" | ").next()).collect();
    let numbers: Vec<&str> = first.iter().filter_map(|cell| cell.strip_suffix("-1")).collect();
    let expected: Vec<String> = (2..=20).chain(4_991..=5_000).map(|number: u32| number.to_string()).collect();
    assert_eq!(numbers, expected);
    assert!(text.contains(&format!("| {}... |", "x".repeat(500))) && !text.contains("c51"), "{text}");
}

#[test]
fn nested_data_is_cut_by_depth_items_keys_and_length() {
    let home = Home::new();
    let many: serde_json::Map<String, Value> = (0..70).map(|key| (format!("k{key:02}"), json!(key))).collect();
    let deep = json!({"a": {"b": {"c": {"d": {"e": 1}}}}});
    let data = json!({"deep": deep, "list": (0..60).collect::<Vec<_>>(), "many": many, "text": "s".repeat(600)});
    let said = "1 array truncated (50 of 60 items), 1 object truncated (50 of 70 keys), 1 string truncated, \
                1 deep structure truncated";
    let xml = |list: &str| format!("<all>{list}</all>");
    home.file("data.json", data.to_string());
    home.file("data.yaml", serde_json::to_string_pretty(&data).unwrap());
    home.file("data.xml", xml(&(0..60).map(|item| format!("<item>{item}</item>")).collect::<String>()));
    for name in ["data.json", "data.yaml"] {
        let found = limited(&home, name, &[]);
        assert_eq!(found["shown_text"], said, "{name}");
        let text = found["markdown"].as_str().unwrap();
        assert!(text.contains("[max depth reached]") && text.contains(&"s".repeat(500)), "{name}: {text}");
        assert!(!text.contains(&"s".repeat(501)) && text.contains("k49") && !text.contains("k50"), "{name}: {text}");
    }
    let text = limited(&home, "data.xml", &[])["markdown"].as_str().unwrap().to_owned();
    assert!(text.contains(">49<") && !text.contains(">50<"), "{text}");
}

#[test]
fn tokens_and_characters_are_cut_last() {
    let home = Home::new();
    // Each of these lines is two tokens: " word" would begin with a blank, "word" and the line break do not.
    home.file("words.txt", "word\n".repeat(40_000));
    let whole = ["files.max_lines=100000", "files.max_chars=1000000"];
    let found = limited(&home, "words.txt", &whole);
    // The mark takes ten of them.
    assert_eq!(found["shown_text"], "lines: 2495 of 40000, tokens: 5000 of 80000");
    assert!(found["markdown"].as_str().unwrap().ends_with("[... truncated due to token limit ...]"));
    let found = limited(&home, "words.txt", &["files.max_lines=100000", "files.max_tokens=1000000"]);
    // "word\n" is five characters, and three are left for the mark.
    assert_eq!(found["shown_text"], "lines: 9999 of 40000, cut at 50000 characters");
    assert_eq!(found["chars"], 50_000);
}

#[test]
fn pictures_over_a_size_are_made_smaller_and_others_are_told_of() {
    let home = Home::new();
    home.file("white.png", png(1_000, 500));
    let attachment = |settings: &[&str]| limited(&home, "white.png", settings);
    assert_eq!(attachment(&[])["shown_text"], "", "it is below 2 MB");
    let found = attachment(&["files.image_side=400"]);
    assert_eq!(found["shown_text"], "400x200 (resized from 1000x500)");
    // Noise cannot be packed: its bytes go with its area, so the sides go with the root of the ratio.
    let mut seed = 1u32;
    let noise = image::RgbImage::from_fn(600, 600, |_, _| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        image::Rgb([(seed >> 24) as u8, (seed >> 16) as u8, (seed >> 8) as u8])
    });
    let mut data = std::io::Cursor::new(Vec::new());
    noise.write_to(&mut data, image::ImageFormat::Png).unwrap();
    let data = data.into_inner();
    let side = 600.0 * (256.0 * 1_024.0 / data.len() as f64).sqrt();
    home.file("noise.png", data);
    let found = limited(&home, "noise.png", &["files.image_kb=256"]);
    let made: f64 = found["shown_text"].as_str().unwrap().split('x').next().unwrap().parse().unwrap();
    assert!(made <= side && made > side * 0.8, "{made} of {side}");
    assert!(found["attachment"]["bytes"].as_u64().unwrap() <= 256 * 1_024, "{found}");
    // What no model takes is described, with a message.
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let head = [&b"BM"[..], &words(&[54 + 600, 0, 54, 40, 20, 10]), &[1, 0, 24, 0], &words(&[0, 600, 0, 0, 0, 0])];
    home.file("old.bmp", [&head.concat()[..], &[0x7F; 600]].concat());
    let found = limited(&home, "old.bmp", &[]);
    assert!(found["attachment"].is_null() && !found["warnings"].as_array().unwrap().is_empty(), "{found}");
    assert!(found["markdown"].as_str().unwrap().contains("20"), "{found}");
}

/// A WAV file of one channel of eight bits.
fn wav(rate: u32, seconds: u32) -> Vec<u8> {
    let data = vec![0x80; (rate * seconds) as usize];
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let format = [&words(&[16])[..], &[1, 0, 1, 0], &words(&[rate, rate]), &[1, 0, 8, 0]].concat();
    let size = data.len() as u32;
    [&b"RIFF"[..], &words(&[36 + size]), b"WAVEfmt ", &format, b"data", &words(&[size]), &data].concat()
}

#[test]
fn sound_is_described_and_cut_by_size_and_duration() {
    let home = Home::new();
    home.file("talk.wav", wav(1_000, 700));
    let found = limited(&home, "talk.wav", &[]);
    let facts = found["facts"].as_array().unwrap();
    for (name, value) in [("duration", "700.000 s"), ("sample rate", "1000 Hz"), ("channels", "1")] {
        assert!(facts.contains(&json!({"name": name, "value": value})), "{name}: {facts:?}");
    }
    assert_eq!(found["shown_text"], "first 600.0 s of 700.0 s");
    let bytes = found["attachment"]["bytes"].as_u64().unwrap();
    assert!((600_000..600_100).contains(&bytes), "600 s of 1,000 bytes each, and a head: {bytes}");
    let found = limited(&home, "talk.wav", &["files.audio_kb=100"]);
    assert!(found["attachment"]["bytes"].as_u64().unwrap() <= 100 * 1_024, "{found}");
}

fn shown(home: &Home, files: &[&str], settings: &[&str]) -> Vec<String> {
    let session = placed(home, "claude-code.jsonl");
    let mut arguments = vec!["show", session.as_str(), "--json", "--text", "--step", "2"];
    arguments.extend(files.iter().flat_map(|file| ["-f", file]));
    arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
    let found: Value = serde_json::from_str(&home.run(&arguments).good()).unwrap();
    let entries = found["entries"].as_array().unwrap().iter().filter(|entry| entry["layer"] == "files");
    entries.map(|entry| entry["text"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn available_files_are_listed_with_id_name_size_and_whether_they_are_loaded() {
    let home = Home::new();
    home.file("notes.md", "a".repeat(500));
    home.file("data.bin", [0, 159, 146, 150].repeat(25));
    let found = shown(&home, &["notes.md@2", "data.bin@2"], &["files.mode=limits", "files.listing=true"]);
    let listing = found.iter().find(|text| text.starts_with("Files:")).expect("a listing");
    let rows: Vec<&str> = listing.split("- id: ").skip(1).collect();
    assert_eq!(rows.len(), 2, "{listing}");
    assert!(rows.iter().all(|row| row.starts_with("f_")), "{listing}");
    assert!(rows[0].contains("name: notes.md") && rows[0].contains("size: 500"), "{listing}");
    assert!(rows[0].contains("preloaded: true") && rows[1].contains("size: 100"), "{listing}");
}

#[test]
fn the_first_kilobytes_of_some_kinds_of_files_are_preloaded() {
    let home = Home::new();
    home.file("notes.txt", "n".repeat(3_000));
    let of = |settings: &[&str]| {
        let found = shown(&home, &["notes.txt@2"], &[&["files.mode=preload"], settings].concat());
        found.iter().map(|text| text.matches('n').count()).max().filter(|longest| *longest > 100)
    };
    assert_eq!(of(&["files.preload_kb=0"]), None);
    assert_eq!(of(&["files.preload_kb=1"]), Some(1_024));
    assert_eq!(of(&["files.preload_kb=4"]), Some(3_000));
    assert_eq!(of(&["files.preload_kb=4", "files.preload_types=application/pdf"]), None);
}
