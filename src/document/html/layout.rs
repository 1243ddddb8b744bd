//! Tables that only place what they hold on the page, as those of newsletters and old pages.

use ego_tree::NodeRef;
use scraper::Node;

use super::code::{cells, named, rows};
use super::generated::text;

/// Nodes of a table that are looked through.
const LOOKED: usize = 5_000;
/// Elements around a table that are looked at.
const AROUND: usize = 8;
/// Characters of a cell of data.
const CELL_MAX: usize = 120;
/// Elements that stand in no cell of figures.
const BLOCKS: &[&str] = &["ul", "ol", "dl", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "form"];
/// Elements that head a part of a page, or the columns of a table.
const PARTS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6", "th", "thead"];

/// Whether a table is there for the layout alone: it names no columns, and is a single row or column of what are no
/// figures, or holds other tables and more than lines of text.
pub fn is_layout(table: NodeRef<'_, Node>) -> bool {
    let attribute = |name: &str| table.value().as_element().and_then(|element| element.attr(name)).unwrap_or_default();
    let presents = matches!(attribute("role"), "presentation" | "none");
    let bordered = !presents && !matches!(attribute("border").trim(), "" | "0");
    let names_columns = table.children().any(|part| named(part, &["caption", "thead"]))
        || rows(table).take(LOOKED).any(|row| row.children().any(|cell| named(cell, &["th"])));
    if bordered || names_columns {
        return false;
    }
    let around = table.descendants().skip(1).take(LOOKED).any(|node| named(node, &["table"]));
    let within = || table.ancestors().take(AROUND).any(|around| named(around, &["table"]));
    let blocks = || rows(table).take(LOOKED).flat_map(cells).any(holds_blocks);
    let widths = rows(table).take(LOOKED).map(|row| cells(row).take(2).count());
    let (count, widest) = widths.fold((0, 0), |(count, widest), width| (count + 1, width.max(widest)));
    if count > 1 && widest > 1 {
        return around && (presents || blocks() && (has_parts(table) || !is_data(table)));
    }
    around || presents || within() || blocks()
}

/// Whether a table holds parts of a page: headings, several lists, or tables that name their own columns.
fn has_parts(table: NodeRef<'_, Node>) -> bool {
    let inner = || table.descendants().skip(1).take(LOOKED);
    let is_list = |node: &NodeRef<'_, Node>| {
        let in_list = node.parent().is_some_and(|around| named(around, &["li", "dd", "ul", "ol", "dl"]));
        named(*node, &["ul", "ol", "dl"]) && !in_list
    };
    inner().any(|node| named(node, PARTS)) || inner().filter(is_list).nth(1).is_some()
}

/// Whether rows and columns are those of data: as many columns in each row, and short cells.
fn is_data(table: NodeRef<'_, Node>) -> bool {
    let span = |cell: NodeRef<'_, Node>, name: &str| {
        cell.value().as_element().and_then(|cell| cell.attr(name)?.trim().parse::<usize>().ok()).unwrap_or(1)
    };
    // Columns that cells above cover, and for how many rows.
    let mut covered: Vec<(usize, usize)> = Vec::new();
    let width = |row| {
        covered.retain(|(_, rows)| *rows > 0);
        let above = covered.iter_mut().map(|(columns, rows)| {
            *rows -= 1;
            *columns
        });
        let mut width = above.fold(0, usize::saturating_add);
        for cell in cells(row).take(LOOKED) {
            let columns = span(cell, "colspan");
            width = width.saturating_add(columns);
            let below = span(cell, "rowspan").saturating_sub(1);
            if below > 0 && covered.len() < LOOKED {
                covered.push((columns, below));
            }
        }
        width
    };
    let widths: Vec<usize> = rows(table).take(LOOKED).map(width).collect();
    let is_short = |cell| text(cell).split_whitespace().map(|word| word.chars().count() + 1).sum::<usize>() <= CELL_MAX;
    widths.windows(2).all(|two| two.first() == two.last()) && rows(table).take(LOOKED).flat_map(cells).all(is_short)
}

/// Whether a cell holds more than a line of text.
fn holds_blocks(cell: NodeRef<'_, Node>) -> bool {
    let inner = || cell.descendants().take(LOOKED);
    inner().any(|node| named(node, BLOCKS)) || inner().filter(|node| named(*node, &["p"])).nth(1).is_some()
}
