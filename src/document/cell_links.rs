//! The links of cells: what they lead to stands behind the texts of the cells.

use std::collections::HashMap;

/// Links of one workbook, and cells that one of them is of.
pub const LINKS_MAX: usize = 50_000;
/// Cells that one link may be of.
const CELLS_MAX: u32 = 100;
/// What stands before an address that nobody writes.
const UNWRITTEN: &[&str] = &["mailto:", "https://", "http://", "tel:"];

/// The first and the last of cells, each by row and column from 0.
pub type Area = ((u32, u32), (u32, u32));

/// Where the links of a sheet's cells lead, by rows and columns from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links(HashMap<(u32, u32), Vec<String>>);

impl Links {
    /// A link of a cell.
    pub fn add(&mut self, cell: (u32, u32), target: String) {
        let target = target.trim();
        if target.is_empty() || self.0.len() >= LINKS_MAX {
            return;
        }
        let known = self.0.entry(cell).or_default();
        if known.len() < CELLS_MAX as usize && !known.iter().any(|known| known == target) {
            known.push(target.to_owned());
        }
    }

    /// A link of the cells from one to another.
    pub fn add_to(&mut self, (first, last): Area, target: &str) {
        let count = |first: u32, last: u32| last.saturating_sub(first).saturating_add(1);
        let (rows, columns) = (count(first.0, last.0), count(first.1, last.1));
        let is_small = rows.saturating_mul(columns) <= CELLS_MAX;
        let (rows, columns) = if is_small { (rows, columns) } else { (1, 1) };
        for row in 0..rows {
            for column in 0..columns {
                self.add((first.0.saturating_add(row), first.1.saturating_add(column)), target.to_owned());
            }
        }
    }

    /// A cell's text with where its links lead, where it does not say that itself.
    pub fn linked(&self, cell: (u32, u32), text: String) -> String {
        let targets = if self.0.is_empty() { None } else { self.0.get(&cell) };
        let unsaid = targets.into_iter().flatten().filter(|target| !says(&text, target));
        let unsaid: Vec<String> = unsaid.map(|target| target.replace(' ', "%20")).collect();
        match unsaid.as_slice() {
            [] => text,
            [target] if !text.contains(['[', ']', '\n']) => format!("[{text}]({target})"),
            targets => format!("{text} ({})", targets.join(", ")),
        }
    }
}

/// Whether a text says where a link leads.
fn says(text: &str, target: &str) -> bool {
    let bare = UNWRITTEN.iter().find_map(|scheme| target.strip_prefix(scheme)).unwrap_or(target);
    text.contains(bare.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_stands_behind_the_text_that_does_not_say_it() {
        let linked = |text: &str, targets: &[&str]| {
            let mut links = Links::default();
            targets.iter().for_each(|target| links.add((1, 2), (*target).to_owned()));
            links.linked((1, 2), text.to_owned())
        };
        assert_eq!(linked("our page", &["https://a.example/x y"]), "[our page](https://a.example/x%20y)");
        assert_eq!(linked("a [1]", &["b.xlsx"]), "a [1] (b.xlsx)");
        assert_eq!(linked("two", &["b.xlsx", "c.xlsx", "b.xlsx", " "]), "two (b.xlsx, c.xlsx)");
        for same in ["see https://a.example/", "a.example"] {
            assert_eq!(linked(same, &["https://a.example/"]), same);
        }
        assert_eq!(linked("b@a.example", &["mailto:b@a.example"]), "b@a.example");
        assert_eq!(linked("none", &[]), "none");
    }

    #[test]
    fn a_link_of_many_cells_is_that_of_the_first() {
        let mut links = Links::default();
        links.add_to(((0, 0), (1, 1)), "x");
        links.add_to(((5, 5), (u32::MAX, u32::MAX)), "y");
        links.add_to(((9, 9), (0, 0)), "z");
        let mut cells: Vec<_> = links.0.keys().copied().collect();
        cells.sort_unstable();
        assert_eq!(cells, [(0, 0), (0, 1), (1, 0), (1, 1), (5, 5), (9, 9)]);
    }
}
