//! Where the parts of the documents view stand, and what the outline holds.

use ratatui::layout::Rect;

use crate::chunk::{PageStart, Strategy};

use super::{Choice, Pane, reason};

/// The parts of the view; a part without room is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Panes {
    /// Name, figures, budget and task.
    pub head: Rect,
    /// Sections and pages.
    pub outline: Rect,
    /// The document.
    pub page: Rect,
    /// The candidates by rank.
    pub ranked: Rect,
    /// Why the one that is looked at was taken or left.
    pub why: Rect,
    /// Keys.
    pub foot: Rect,
}

/// Columns from which outline, page and list stand side by side.
const THREE: u16 = 110;
/// Columns from which two of them do.
const TWO: u16 = 64;

/// Divides a screen.
#[must_use]
pub fn panes(area: Rect, focus: Pane) -> Panes {
    let head_rows = if area.height >= 12 { 3 } else { 1 };
    let why_rows = if area.height >= 18 { 1 + reason::rows(area.width) } else { 0 };
    let foot_rows = u16::from(area.height >= 6);
    let row = |y: u16, height: u16| Rect { y: area.y + y, height, ..area };
    let body = row(head_rows + 1, area.height.saturating_sub(head_rows + why_rows + foot_rows + 1));
    let inner = |rect: Rect| Rect { x: rect.x + 1.min(rect.width), width: rect.width.saturating_sub(2), ..rect };
    let column = |x: u16, width: u16| inner(Rect { x: body.x + x, width, ..body });
    let (outline, page, ranked) = if area.width >= THREE {
        let (left, right) = ((area.width / 5).clamp(24, 36), (area.width * 3 / 10).clamp(34, 60));
        let middle = area.width - left - right;
        (column(0, left), column(left, middle), column(left + middle, right))
    } else if area.width >= TWO {
        // The document beside whichever list one is in.
        let side = (area.width * 9 / 20).clamp(26, 46);
        let main = column(0, area.width - side);
        let beside = column(area.width - side, side);
        match focus {
            Pane::Outline => (beside, main, Rect::default()),
            Pane::Page | Pane::Ranked => (Rect::default(), main, beside),
        }
    } else {
        let whole = column(0, area.width);
        let only = |pane| if focus == pane { whole } else { Rect::default() };
        (only(Pane::Outline), only(Pane::Page), only(Pane::Ranked))
    };
    Panes {
        head: inner(row(0, head_rows)),
        outline,
        page,
        ranked,
        why: inner(row(area.height.saturating_sub(why_rows + foot_rows), why_rows)),
        foot: inner(row(area.height.saturating_sub(foot_rows), foot_rows)),
    }
}

/// A row of the outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlineRow {
    /// What it is called: a section's title, or a page.
    pub title: String,
    /// How deep it stands.
    pub depth: u16,
    /// Its bytes.
    pub bytes: (usize, usize),
}

/// The sections, or where there are none the pages; each page among sections where both are.
#[must_use]
pub fn outline_rows(choice: &Choice) -> Vec<OutlineRow> {
    let (text, outline) = (&choice.document.markdown, &choice.division.outline);
    let pages = page_rows(outline.pages(), text.len());
    if !outline.sections.is_empty() {
        let row = |section: &crate::chunk::Section| OutlineRow {
            title: section.title.clone(),
            depth: u16::from(section.level.saturating_sub(1)),
            bytes: (section.start, section.end),
        };
        return among(outline.sections.iter().map(row).collect(), pages);
    }
    if !pages.is_empty() {
        return pages;
    }
    if choice.division.strategy == Strategy::Whole {
        return vec![OutlineRow { title: "the whole".to_owned(), depth: 0, bytes: (0, text.len()) }];
    }
    // Neither: by estimated pages.
    let mut rows: Vec<OutlineRow> = Vec::new();
    for piece in &choice.division.pieces {
        let title = format!("page {}", piece.spot.page);
        match rows.last_mut().filter(|last| last.title == title) {
            Some(last) => last.bytes.1 = piece.end,
            None => {
                if let Some(last) = rows.last_mut() {
                    last.bytes.1 = piece.start;
                }
                rows.push(OutlineRow { title, depth: 0, bytes: (piece.start, piece.end) });
            }
        }
    }
    rows
}

/// The document's own pages; none where they are estimates.
fn page_rows(pages: &[PageStart], end: usize) -> Vec<OutlineRow> {
    if pages.iter().all(|page| page.number.is_estimated()) {
        return Vec::new();
    }
    let ends = pages.iter().skip(1).map(|next| next.byte).chain([end]);
    let row = |(page, to): (&PageStart, usize)| OutlineRow {
        title: match page.slide {
            true => format!("slide {}", page.number),
            false => format!("page {}", page.number),
        },
        depth: 0,
        bytes: (page.byte.min(end), to.min(end)),
    };
    pages.iter().zip(ends).map(row).collect()
}

/// Sections with the pages that begin in each below it.
fn among(sections: Vec<OutlineRow>, pages: Vec<OutlineRow>) -> Vec<OutlineRow> {
    let (mut rows, mut pages) = (Vec::with_capacity(sections.len() + pages.len()), pages.into_iter().peekable());
    let mut depth = 0;
    for section in sections {
        // A page that begins where a section does stands before it.
        while let Some(page) = pages.next_if(|page| page.bytes.0 <= section.bytes.0) {
            rows.push(OutlineRow { depth, ..page });
        }
        depth = section.depth + 1;
        rows.push(section);
    }
    rows.extend(pages.map(|page| OutlineRow { depth, ..page }));
    rows
}

/// How many bytes of a range are taken by these pieces.
#[must_use]
pub fn taken_of(range: (usize, usize), taken: &[(usize, usize)]) -> usize {
    let mut reached = range.0;
    let mut sum = 0;
    for (start, end) in taken {
        let (from, to) = ((*start).max(reached), (*end).min(range.1));
        if from < to {
            sum += to - from;
            reached = to;
        }
    }
    sum
}

/// The same, where all but headings is taken as all of it: a section's own heading is in no piece.
#[must_use]
pub fn filled(range: (usize, usize), taken: &[(usize, usize)], text: &str) -> usize {
    let (size, part) = (range.1.saturating_sub(range.0), taken_of(range, taken));
    // What is far from full need not be looked into.
    if part * 8 < size * 7 {
        return part;
    }
    let ends = taken.iter().copied().filter(|(start, end)| *end > range.0 && *start < range.1);
    let mut from = range.0;
    let gaps = ends.chain([(range.1, range.1)]).map(|(start, end)| {
        let gap = from..start.min(range.1);
        from = from.max(end);
        gap
    });
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let mut left = gaps.filter_map(|gap| text.get(gap)).flat_map(str::lines);
    if left.all(says_nothing) { size } else { part }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_of_which_only_headings_are_left_out_is_full() {
        let body = "All of it was taken, to the last word of this line.\n".repeat(4);
        let text = format!("# One\n\n{body}\n## Two\n\n{body}");
        let (first, second) = (7, text.len() - body.len());
        let all = [(first, first + body.len()), (second, text.len())];
        assert_eq!(filled((0, text.len()), &all, &text), text.len());
        let some = [(first, first + body.len()), (second + 20, text.len())];
        assert_eq!(filled((0, text.len()), &some, &text), taken_of((0, text.len()), &some));
        assert_eq!(filled((0, text.len()), &[], &text), 0);
    }

    #[test]
    fn panes_never_overlap_and_stay_on_the_screen() {
        for (width, height) in [(200, 60), (120, 36), (80, 24), (40, 10), (20, 5)] {
            let area = Rect::new(0, 0, width, height);
            for focus in [Pane::Outline, Pane::Page, Pane::Ranked] {
                let parts = panes(area, focus);
                let all = [parts.head, parts.outline, parts.page, parts.ranked, parts.why, parts.foot];
                for (at, one) in all.iter().enumerate() {
                    assert!(one.is_empty() || area.union(*one) == area, "{width}x{height} {one:?}");
                    let others = all.iter().skip(at + 1).filter(|other| !other.is_empty() && !one.is_empty());
                    assert!(others.clone().all(|other| !one.intersects(*other)), "{width}x{height} {focus:?}");
                }
                assert!(!parts.page.is_empty() || width < TWO);
            }
        }
    }

    #[test]
    fn pages_stand_among_sections() {
        let row = |title: &str, depth, from| OutlineRow { title: title.to_owned(), depth, bytes: (from, from + 10) };
        let sections = vec![row("One", 0, 0), row("Two", 1, 25), row("Three", 0, 60)];
        let pages = [(1, 0), (2, 20), (3, 40), (4, 80)].map(|(number, from)| row(&format!("page {number}"), 0, from));
        let rows = among(sections, pages.to_vec());
        let told: Vec<_> = rows.iter().map(|row| (row.title.as_str(), row.depth)).collect();
        let wanted = [("page 1", 0), ("One", 0), ("page 2", 1), ("Two", 1), ("page 3", 2), ("Three", 0), ("page 4", 1)];
        assert_eq!(told, wanted);
    }

    #[test]
    fn what_overlaps_is_counted_once() {
        assert_eq!(taken_of((10, 20), &[(0, 12), (11, 15), (18, 30)]), 7);
        assert_eq!(taken_of((10, 20), &[(20, 30)]), 0);
    }
}
