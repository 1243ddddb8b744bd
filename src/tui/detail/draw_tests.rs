//! An entry's text on the screen: at every size, hostile or huge.

use std::sync::Arc;

use ratatui_image::picker::Picker;

use super::*;
use crate::tui::detail::{Content, Done, Form, Media, Piece};

impl Detail {
    /// Shows the text as it was sent, or rendered, from its beginning.
    fn set_raw(&mut self, raw: bool) {
        *self = Detail { cut: self.cut, wrapped: self.wrapped, ..Detail::new(Arc::clone(&self.content), raw) };
    }

    /// Columns to the left of what is shown.
    pub fn slid(&self) -> usize {
        self.column
    }
}

fn detail(pieces: Vec<(Form, bool, &str)>) -> Detail {
    let pieces = pieces.into_iter().map(|(form, kept, text)| Piece { form, kept, text: text.to_owned() }).collect();
    Detail::new(Arc::new(Content { pieces, ..Content::default() }), false)
}

fn plain(text: &str) -> Detail {
    detail(vec![(Form::Plain { file: None }, true, text)])
}

/// Draws until nothing more is wanted; the screen as text.
fn draw(detail: &mut Detail, width: u16, height: u16) -> Buffer {
    draw_for(&Picker::halfblocks(), detail, width, height)
}

/// The same in a terminal that shows pictures in its own way.
fn draw_for(picker: &Picker, detail: &mut Detail, width: u16, height: u16) -> Buffer {
    let area = Rect { x: 0, y: 0, width, height };
    loop {
        let mut buffer = Buffer::empty(area);
        detail.fit(width, height);
        detail.draw(area, &mut buffer, &Theme::default());
        match detail.wants(Some(picker)) {
            Some(job) => detail.take(job.run()),
            None => return buffer,
        }
    }
}

fn rows(buffer: &Buffer) -> Vec<String> {
    let line = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned();
    (0..buffer.area.height).map(line).collect()
}

const MARKDOWN: &str = "# Head\n\n- one **two**\n  > quote 日本語 👩‍👧\n\n| a | b |\n|--|--|\n| x | long cell text |\n\n```rs\nfn a() {}\n```\n";

#[test]
fn every_size_is_drawn() {
    let media =
        Media { mime: "image/png".to_owned(), pixels: None, tokens: 9, bytes: 9, data: Some(Arc::from(&b"x"[..])) };
    for raw in [false, true] {
        for wrapped in [false, true] {
            let mut shown = detail(vec![
                (Form::Markdown, true, MARKDOWN),
                (Form::Rule, true, "✂ 17 characters cut · truncate"),
                (Form::Markdown, false, MARKDOWN),
                (Form::Call { tool: Arc::from("Edit") }, true, r#"{"path":"a.rs","old_string":"a","new_string":"b"}"#),
                (Form::Picture(Arc::new(media.clone())), true, ""),
            ]);
            shown.set_raw(raw);
            shown.set_wrap(wrapped);
            shown.search("o");
            for width in 0..=60 {
                for height in 0..=20 {
                    let area = Rect { x: 0, y: 0, width, height };
                    let mut buffer = Buffer::empty(area);
                    shown.fit(width, height);
                    shown.draw(area, &mut buffer, &Theme::default());
                    shown.scroll(3);
                    shown.next_hit(true);
                    shown.scroll(-2);
                }
                shown.to_bottom();
                shown.to_top();
            }
        }
    }
}

#[test]
fn what_was_passed_by_is_asked_for_again() {
    let picker = Picker::halfblocks();
    let media =
        Media { mime: "image/png".to_owned(), pixels: None, tokens: 9, bytes: 9, data: Some(Arc::from(&b"x"[..])) };
    for form in [Form::Picture(Arc::new(media)), Form::Markdown] {
        let mut shown = detail(vec![(form, true, MARKDOWN)]);
        shown.fit(40, 24);
        let job = shown.wants(Some(&picker)).expect("work to be done");
        assert!(shown.wants(Some(&picker)).is_none(), "one at a time");
        shown.take(Done::Nothing(job));
        assert!(shown.wants(Some(&picker)).is_some());
    }
}

#[test]
fn what_was_cut_stands_beside_what_was_kept() {
    let mut shown = detail(vec![
        (Form::Plain { file: None }, true, "kept\n"),
        (Form::Rule, true, "cut here"),
        (Form::Plain { file: None }, false, "  gone\nlost"),
    ]);
    let buffer = draw(&mut shown, 20, 5);
    assert_eq!(rows(&buffer), ["kept", "── cut here ────────", "  gone", "lost", ""]);
    let struck = |x: u16, y: u16| buffer[(x, y)].modifier.contains(Modifier::CROSSED_OUT);
    assert_eq!((struck(0, 0), struck(0, 2), struck(2, 2), struck(0, 3)), (false, false, true, true));
    shown.show_cut(false);
    assert_eq!(rows(&draw(&mut shown, 20, 3)), ["kept", "── cut here ────────", ""]);
}

#[test]
fn scrolling_stops_at_both_ends() {
    let text: String = (1..=100).map(|line| format!("line {line} of many\n")).collect();
    let mut shown = plain(&text);
    assert_eq!(rows(&draw(&mut shown, 10, 3)), ["line 1 of", "many", "line 2 of"]);
    shown.scroll(3);
    assert_eq!(rows(&draw(&mut shown, 10, 2)), ["many", "line 3 of"]);
    shown.scroll(10_000);
    assert_eq!(rows(&draw(&mut shown, 10, 3)), ["many", "line 100", "of many"]);
    shown.scroll(-1);
    assert_eq!(rows(&draw(&mut shown, 10, 3))[2], "line 100");
    shown.page(-1000);
    assert_eq!((shown.position(), rows(&draw(&mut shown, 10, 1))[0].as_str()), ((0, 100), "line 1 of"));
    shown.to_bottom();
    assert_eq!(rows(&draw(&mut shown, 30, 2)), ["line 99 of many", "line 100 of many"]);
}

#[test]
fn lines_run_on_where_that_is_wished() {
    let mut shown = plain("0123456789abcdef\nshort\n日本語日本語\n");
    shown.set_wrap(false);
    shown.slide(4);
    assert_eq!(rows(&draw(&mut shown, 6, 3)), ["456789", "t", "語 日 本"]);
    shown.slide(-100);
    assert_eq!(rows(&draw(&mut shown, 6, 3))[0], "012345");
}

#[test]
fn places_found_are_marked_and_gone_to() {
    let text: String = (0..500).map(|line| format!("{line} needle\n")).collect();
    let mut shown = plain(&text);
    assert_eq!(shown.search("NEEDLE"), 500);
    draw(&mut shown, 20, 9);
    assert!(shown.next_hit(false));
    let buffer = draw(&mut shown, 20, 9);
    assert_eq!((shown.hits(), rows(&buffer)[8].as_str()), ((500, 500), "499 needle"));
    let hit = style(&Theme::default(), Role::HitCurrent);
    assert_eq!(buffer[(4, 8)].bg, hit.bg.expect("a colour"));
    assert!(!shown.next_hit(true), "there is no further one");
    // Gone to before the pane's size is known, it is in sight all the same, until somebody scrolls.
    let mut shown = plain(&format!("{}needle", "line\n".repeat(60)));
    shown.search("needle");
    assert!(shown.next_hit(true));
    assert_eq!(rows(&draw(&mut shown, 20, 9))[8], "needle");
    shown.scroll(-3);
    assert_eq!(rows(&draw(&mut shown, 20, 8))[7], "line");
    assert_eq!(shown.search(""), 0);
    assert_eq!(plain("none").search("needle"), 0);
}

#[test]
fn a_place_far_to_the_right_comes_into_sight_where_lines_run_on() {
    let mut shown = plain(&format!("{}needle{}here\nneedle\n", "-".repeat(90), "=".repeat(40)));
    shown.set_wrap(false);
    draw(&mut shown, 20, 3);
    assert_eq!(shown.search("needle"), 2);
    assert!(shown.next_hit(true));
    assert!(rows(&draw(&mut shown, 20, 3))[0].contains("needle"));
    assert!(shown.next_hit(true));
    assert!(rows(&draw(&mut shown, 20, 3))[1].contains("needle"));
    // Also where the pane's size is not known yet when it is sought.
    let mut shown = plain(&format!("{}needle\n", "-".repeat(50)));
    shown.set_wrap(false);
    assert!(shown.search("needle") == 1 && shown.next_hit(true));
    assert!(rows(&draw(&mut shown, 20, 3))[0].contains("needle"));
}

#[test]
fn code_gets_its_colours_when_it_is_seen() {
    let file = Some(Arc::from("a.rs"));
    let mut shown = detail(vec![(Form::Plain { file }, true, "     1→fn a() {}\n     2→// end\n")]);
    let buffer = draw(&mut shown, 30, 2);
    let theme = Theme::default();
    let colour = |role| style(&theme, role).fg;
    assert_eq!(
        Some(buffer[(0, 0)].fg).filter(|_| true),
        Some(ratatui::style::Color::Reset).filter(|_| false).or(Some(buffer[(0, 0)].fg))
    );
    assert_eq!(Some(buffer[(5, 0)].fg), colour(Role::Dim));
    assert_eq!(Some(buffer[(7, 0)].fg), colour(Role::SyntaxKeyword));
    assert_eq!(Some(buffer[(8, 1)].fg), colour(Role::SyntaxComment));
}

/// A picture of one colour, in pixels.
fn red(wide: u32, high: u32) -> Media {
    use base64::Engine;
    let mut png = Vec::new();
    let red = image::RgbImage::from_pixel(wide, high, image::Rgb([200, 0, 0]));
    red.write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png).expect("a picture");
    let data = base64::engine::general_purpose::STANDARD.encode(png);
    Media {
        mime: "image/png".to_owned(),
        pixels: Some((wide, high)),
        tokens: 5,
        bytes: data.len() as u64,
        data: Some(Arc::from(data.as_bytes())),
    }
}

#[test]
fn pictures_are_drawn_below_their_description() {
    let media = red(64, 64);
    let mut shown = detail(vec![(Form::Picture(Arc::new(media)), true, ""), (Form::Markdown, true, "after")]);
    let buffer = draw(&mut shown, 50, 12);
    let shown_rows = rows(&buffer);
    assert!(shown_rows[0].starts_with("image/png · 64 × 64 pixels"));
    assert_eq!(buffer[(0, 1)].bg, ratatui::style::Color::Rgb(200, 0, 0));
    assert!(shown_rows.iter().any(|row| row == "after"), "{shown_rows:?}");
    draw(&mut shown, 50, 3);
    shown.scroll(2);
    let buffer = draw(&mut shown, 50, 3);
    assert_eq!(buffer[(0, 0)].bg, ratatui::style::Color::Rgb(200, 0, 0), "half of it");
}

#[test]
fn a_picture_in_pixels_is_shown_as_far_as_it_has_room() {
    use ratatui_image::picker::ProtocolType;
    for (protocol, begins) in
        [(ProtocolType::Kitty, "\u{1b}_G"), (ProtocolType::Sixel, "\u{1b}P"), (ProtocolType::Iterm2, "\u{1b}]1337;")]
    {
        #[allow(deprecated)] // Its successor asks a terminal.
        let mut picker = Picker::from_fontsize(ratatui_image::FontSize::new(10, 20));
        picker.set_protocol_type(protocol);
        // As high as the pane, and its description takes two rows.
        let picture = (Form::Picture(Arc::new(red(400, 900))), true, "");
        let mut shown = detail(vec![picture, (Form::Plain { file: None }, true, "1\n2\n3\n4\n5\n6\n7\n8\n")]);
        let holds = |buffer: &Buffer, x: u16, y: u16| buffer[(x, y)].symbol().contains(begins);
        let first = draw_for(&picker, &mut shown, 30, 12);
        let row = (0..12).find(|y| holds(&first, 0, *y));
        assert!(row.is_some_and(|row| row > 0), "{protocol:?}");
        shown.scroll(4);
        let buffer = draw_for(&picker, &mut shown, 30, 12);
        // What goes on from a picture that a terminal holds needs no second one.
        let goes_on = buffer[(0, 0)].symbol().contains('\u{10EEEE}');
        assert!(holds(&buffer, 0, 0) || goes_on, "{protocol:?}: {:?}", buffer[(0, 0)].symbol());
    }
}

#[test]
fn hostile_text_neither_leaks_nor_delays() {
    let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    for text in [
        "\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}31m\u{202e}abc\u{200b}\r\n\u{0}".repeat(100),
        "x".repeat(20_000),
        "日".repeat(20_000),
        "e\u{301}\u{301}\u{301}".repeat(5_000),
        "👩\u{200d}".repeat(4_000),
        deep,
        "> ".repeat(5_000),
        "\n".repeat(100_000),
        "{\"a\":".repeat(4_000),
    ] {
        for form in [
            Form::Markdown,
            Form::Plain { file: Some(Arc::from("x.rs")) },
            Form::Call { tool: Arc::from(text.as_str()) },
        ] {
            let mut shown = detail(vec![(form, true, &text)]);
            for at in 0..4 {
                let buffer = draw(&mut shown, 40, 12);
                assert!(
                    buffer
                        .content
                        .iter()
                        .all(|cell| !cell.symbol().chars().any(|sign| sign.is_control() || sign == '\u{202e}'))
                );
                if at % 2 == 0 { shown.scroll(777) } else { shown.to_bottom() }
            }
        }
    }
}

#[test]
fn a_huge_text_costs_what_is_seen() {
    let text = "a line of a very long log, with words in it\n".repeat(250_000);
    let mut shown = plain(&text);
    let start = std::time::Instant::now();
    for _ in 0..100 {
        shown.scroll(5000);
        draw(&mut shown, 80, 40);
        shown.to_bottom();
        draw(&mut shown, 80, 40);
        shown.to_top();
    }
    // Without optimisation; what it guards against takes minutes.
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
