//! Marks of emphasis as whoever searches a text needs them: none within a word (`*γ*1`), and none that end and begin
//! again where a line does (`*which* *ended*`), so that a word that a line's end parts is put together there, too.

use unpdf::model::{Block, InlineContent, Paragraph, TextStyle};

/// Mends the emphasis of a page's blocks.
pub fn mend(blocks: &mut [Block]) {
    for block in blocks {
        match block {
            Block::Paragraph(paragraph) => mend_one(paragraph),
            Block::Table(table) => {
                let cells = table.rows.iter_mut().flat_map(|row| &mut row.cells);
                cells.flat_map(|cell| &mut cell.content).for_each(mend_one);
            }
            _ => {}
        }
    }
}

fn mend_one(paragraph: &mut Paragraph) {
    let is_marked = |one: &InlineContent| matches!(one, InlineContent::Text(run) if marks(&run.style) != NONE);
    if paragraph.content.iter().any(is_marked) {
        paragraph.content = of_whole_words(&joined(std::mem::take(&mut paragraph.content)));
    }
}

/// What is written around a text: for bold, italic, underlined and struck text.
type Marks = (bool, bool, bool, bool);
const NONE: Marks = (false, false, false, false);

fn marks(style: &TextStyle) -> Marks {
    (style.bold, style.italic, style.underline, style.strikethrough)
}

fn without_marks(style: &TextStyle) -> TextStyle {
    TextStyle { bold: false, italic: false, underline: false, strikethrough: false, ..style.clone() }
}

/// Runs that are marked alike as one, with the blanks between them.
fn joined(content: Vec<InlineContent>) -> Vec<InlineContent> {
    let mut whole: Vec<InlineContent> = Vec::with_capacity(content.len());
    for one in content {
        if let InlineContent::Text(run) = &one {
            match whole.as_mut_slice() {
                [.., InlineContent::Text(last)] if marks(&last.style) == marks(&run.style) => {
                    last.text.push_str(&run.text);
                    continue;
                }
                [.., InlineContent::Text(last), InlineContent::Text(blank)]
                    if marks(&last.style) == marks(&run.style) && blank.text.trim().is_empty() =>
                {
                    last.text.push_str(&blank.text);
                    last.text.push_str(&run.text);
                    whole.pop();
                    continue;
                }
                _ => {}
            }
        }
        whole.push(one);
    }
    whole
}

/// The same with words of which only a part is marked without marks.
fn of_whole_words(content: &[InlineContent]) -> Vec<InlineContent> {
    let mut whole = Vec::with_capacity(content.len());
    for (at, one) in content.iter().enumerate() {
        let InlineContent::Text(run) = one else {
            whole.push(one.clone());
            continue;
        };
        let before = at.checked_sub(1).and_then(|before| content.get(before)).and_then(text);
        let after = content.get(at + 1).and_then(text);
        let goes_on = before.is_some_and(|before| before.ends_with(char::is_alphanumeric))
            && run.text.starts_with(char::is_alphanumeric);
        let is_begun = after.is_some_and(|after| after.starts_with(char::is_alphanumeric))
            && run.text.ends_with(char::is_alphanumeric);
        let blank = |found: Option<usize>| found.unwrap_or(run.text.len());
        let first = if goes_on { blank(run.text.find(char::is_whitespace)) } else { 0 };
        let last =
            if is_begun { run.text.trim_end_matches(|sign: char| !sign.is_whitespace()).len() } else { run.text.len() };
        let plain = without_marks(&run.style);
        let parts =
            [(0..first, &plain), (first..last.max(first), &run.style), (last.max(first)..run.text.len(), &plain)];
        for (range, style) in parts {
            let text = run.text.get(range).unwrap_or_default();
            if !text.is_empty() {
                let mut part = run.clone();
                (part.text, part.style) = (text.to_owned(), style.clone());
                whole.push(InlineContent::Text(part));
            }
        }
    }
    whole
}

fn text(one: &InlineContent) -> Option<&str> {
    match one {
        InlineContent::Text(run) => Some(&run.text),
        InlineContent::Link { text, .. } => Some(text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use unpdf::RenderOptions;
    use unpdf::model::TextRun;
    use unpdf::render::BlockRenderer;

    use super::*;

    /// What a paragraph of runs becomes: `b` for bold, `i` for italic, anything else for plain text.
    fn written(runs: &[(&str, &str)]) -> String {
        let run = |(kind, text): &(&str, &str)| {
            InlineContent::Text(match *kind {
                "b" => TextRun::bold(*text),
                "i" => TextRun::italic(*text),
                _ => TextRun::new(*text),
            })
        };
        let mut blocks = [Block::Paragraph(Paragraph { content: runs.iter().map(run).collect(), ..Paragraph::new() })];
        mend(&mut blocks);
        let renderer = BlockRenderer::new(RenderOptions { escape_special_chars: false, ..RenderOptions::default() });
        renderer.render_block(&blocks[0]).trim().to_owned()
    }

    #[test]
    fn no_mark_stands_within_a_word() {
        let gamma = [("", "Let "), ("i", "γ"), ("", "1 and "), ("i", "the z"), ("", "2.")];
        assert_eq!(written(&gamma), "Let γ1 and *the* z2.");
        let nth = [("", "the "), ("i", "n"), ("", "th of "), ("b", "all"), ("", ".")];
        assert_eq!(written(&nth), "the nth of **all**.");
        assert_eq!(written(&[("", "SL"), ("i", "n of it"), ("", " is")]), "SLn *of it* is");
        let note = [("b", "Note"), ("", ": see ("), ("i", "there"), ("", ")")];
        assert_eq!(written(&note), "**Note**: see (*there*)");
        assert_eq!(written(&[("b", "a"), ("i", "b"), ("", "c")]), "abc");
    }

    #[test]
    fn marks_go_on_where_a_line_ends() {
        assert_eq!(
            written(&[("i", "eaten by"), ("", " "), ("i", "a dragon"), ("", " here")]),
            "*eaten by a dragon* here"
        );
        assert_eq!(written(&[("i", "a"), ("", " "), ("b", "b")]), "*a* **b**");
    }
}
