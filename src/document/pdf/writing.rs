//! A page's blocks as Markdown: what stands in them as plain text is read as that.

use unpdf::RenderOptions;
use unpdf::model::{Block, InlineContent, Paragraph};
use unpdf::render::BlockRenderer;

use crate::document::heading;
use crate::document::table::escape_cell;

use super::{accents, emphasis};

/// Blanks of a justified line that are written as two, at least.
const WIDE_LEAST: usize = 5;
/// What would be a mark at the beginning of a paragraph.
const MARKS: &[&str] = &["#", ">", "+ ", "```", "~~~"];
/// Signs of which some alone are a line across the page, and how many these are.
const LINE_SIGNS: &[char] = &['-', '*', '_'];
const LINE_LEAST: usize = 3;

/// Each block as Markdown, and whether it is code.
pub fn written(mut blocks: Vec<Block>) -> Vec<(bool, String)> {
    accents::within_words(&mut blocks);
    emphasis::mend(&mut blocks);
    blocks.iter_mut().for_each(mend);
    // Escapes would stand in the middle of names with underscores; a text is searched as it is read.
    let renderer = BlockRenderer::new(RenderOptions { escape_special_chars: false, ..RenderOptions::default() });
    let mut written = Vec::with_capacity(blocks.len());
    for (index, block) in blocks.iter().enumerate() {
        let previous = index.checked_sub(1).and_then(|before| blocks.get(before));
        let rendered = renderer.render_block_after(previous, block);
        let text = match block {
            Block::Paragraph(paragraph) if paragraph.heading_level().is_some() => {
                heading::mended(rendered, &paragraph.plain_text())
            }
            Block::Paragraph(paragraph) if !paragraph.is_list_item() && begins_with_mark(&rendered) => {
                let text = rendered.trim_start();
                format!("{}\\{text}", &rendered[..rendered.len() - text.len()])
            }
            _ => rendered,
        };
        written.push((matches!(block, Block::Code { .. }), text));
    }
    written
}

/// Whether a paragraph's text would be read as something else.
fn begins_with_mark(text: &str) -> bool {
    let text = text.trim();
    let is_line = |sign: &char| {
        let signs = text.chars().filter(|other| !other.is_whitespace());
        text.starts_with(*sign) && signs.clone().count() >= LINE_LEAST && signs.clone().all(|other| other == *sign)
    };
    MARKS.iter().any(|mark| text.starts_with(mark)) || LINE_SIGNS.iter().any(is_line)
}

fn mend(block: &mut Block) {
    match block {
        Block::Paragraph(paragraph) => close_up(paragraph),
        Block::Table(table) => {
            let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
            cells.flat_map(|cell| &mut cell.content).flat_map(|paragraph| &mut paragraph.content).for_each(escape);
        }
        _ => {}
    }
}

/// What stands in a cell without a `|` that would end it.
fn escape(part: &mut InlineContent) {
    if let InlineContent::Text(run) = part
        && run.text.contains('|')
    {
        let mut escaped = String::with_capacity(run.text.len() + 4);
        escape_cell(&run.text, &mut escaped);
        run.text = escaped;
    }
}

/// Writes one blank where a line is justified with two. Figures that two part are those of a row.
fn close_up(paragraph: &mut Paragraph) {
    let text = paragraph.plain_text();
    let words: Vec<&str> = text.split_whitespace().collect();
    let lettered = words.iter().filter(|word| word.contains(char::is_alphabetic)).count();
    let wide = runs_of_two(&text).count();
    if wide < WIDE_LEAST || wide * 2 < words.len() || lettered * 3 < words.len() * 2 {
        return;
    }
    for part in &mut paragraph.content {
        if let InlineContent::Text(run) = part {
            let mut closed = String::with_capacity(run.text.len());
            let mut from = 0;
            for at in runs_of_two(&run.text) {
                closed.push_str(&run.text[from..at]);
                from = at + 1;
            }
            closed.push_str(&run.text[from..]);
            run.text = closed;
        }
    }
}

/// Where two blanks stand between words, and no more.
fn runs_of_two(text: &str) -> impl Iterator<Item = usize> {
    text.match_indices("  ").map(|(at, _)| at).filter(|at| {
        let (before, behind) = (&text[..*at], &text[at + 2..]);
        !before.is_empty() && !before.ends_with(' ') && !behind.is_empty() && !behind.starts_with(' ')
    })
}

#[cfg(test)]
mod tests {
    use unpdf::model::{ListInfo, Table, TableRow};

    use super::*;

    fn told(block: Block) -> String {
        written(vec![block]).pop().unwrap().1.trim().to_owned()
    }

    fn text(text: &str) -> String {
        told(Block::Paragraph(Paragraph::with_text(text)))
    }

    #[test]
    fn what_begins_like_a_mark_is_text() {
        for mark in ["# No heading", "#1", "> No quote", "+ 3 more", "```", "~~~ x", "---", "* * *", "___"] {
            assert_eq!(text(mark), format!("\\{mark}"));
        }
        for plain in ["a > b", "+3", "--", "- - x", "_name_", "``x``", "~5", "1 # 2"] {
            assert_eq!(text(plain), plain);
        }
        let mut item = Paragraph::with_text("> of it");
        item.style.list_info = Some(ListInfo::bullet(0));
        assert_eq!(told(Block::Paragraph(item)), "- > of it");
        assert_eq!(told(Block::Paragraph(Paragraph::heading("> Next", 2))), "## > Next");
    }

    #[test]
    fn cells_keep_their_bars() {
        let mut table = Table::with_header(1);
        table.rows = [["A|B", "C"], ["x\\|y", "||"]].map(TableRow::from_strings).to_vec();
        assert_eq!(told(Block::Table(table)), "| A\\|B | C |\n| --- | --- |\n| x\\\\\\|y | \\|\\| |");
        assert_eq!(text("a | b"), "a | b");
    }

    #[test]
    fn justified_lines_have_one_blank_between_words() {
        let wide = "A  line  that  is  as  wide  as  it  can be and goes on.";
        assert_eq!(text(wide), "A line that is as wide as it can be and goes on.");
        for kept in
            ["Name  Price", "1995  12.3  14.5  16.0  18.2  20.1  21.0", "It  goes on with more words than these."]
        {
            assert_eq!(text(kept), kept);
        }
    }
}
