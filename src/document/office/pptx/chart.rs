//! A chart as a heading and a table: its categories and what each series says of them.

use std::io::BufRead;

use crate::document::grid::Grid;
use crate::document::markup::{self, Event};

/// Points of a series.
const POINTS_MAX: usize = 10_000;
/// Levels of the names of points.
const LEVELS_MAX: usize = 16;
/// Series of a chart.
const SERIES_MAX: usize = 200;

#[derive(Default)]
struct Series {
    name: String,
    /// The names of its points, and those of the groups around them: the innermost first.
    categories: Vec<Vec<String>>,
    values: Vec<String>,
}

impl Series {
    /// How many points have a name.
    fn named(&self) -> usize {
        self.categories.first().map_or(0, Vec::len)
    }

    /// The name of a point, behind those of the groups that it is in: each is told at the first point of its own.
    fn category(&self, row: usize) -> String {
        let name = |(level, names): (usize, &Vec<String>)| match level {
            0 => names.get(row).cloned(),
            _ => names.iter().take(row + 1).rev().find(|name| !name.is_empty()).cloned(),
        };
        let names = self.categories.iter().enumerate().rev().filter_map(name).filter(|name| !name.is_empty());
        names.collect::<Vec<_>>().join(" / ")
    }
}

/// Where in the chart a text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spot {
    Elsewhere,
    Title,
    Name,
    Category,
    Value,
}

/// `### Chart: title` and a table.
pub fn table(text: impl BufRead) -> String {
    let mut events = markup::reader(text);
    let mut buffer = Vec::new();
    let mut title = String::new();
    let mut series: Vec<Series> = Vec::new();
    let mut spot = Spot::Elsewhere;
    let mut in_text = false;
    let mut index = 0;
    let mut plot = false;
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => match element.local_name().into_inner() {
                // Axes have titles of their own.
                "title" if !plot => spot = Spot::Title,
                "plotArea" => plot = true,
                "ser" if series.len() < SERIES_MAX => series.push(Series::default()),
                "tx" if !series.is_empty() && spot == Spot::Elsewhere => spot = Spot::Name,
                "cat" | "xVal" => spot = Spot::Category,
                "val" | "yVal" => spot = Spot::Value,
                "lvl" if spot == Spot::Category => level(series.last_mut()),
                "pt" => index = markup::attribute(&element, "idx").and_then(|index| index.parse().ok()).unwrap_or(0),
                "v" | "t" => in_text = true,
                _ => {}
            },
            Ok(Event::End(element)) => match element.local_name().into_inner() {
                "v" | "t" => in_text = false,
                "title" if spot == Spot::Title => spot = Spot::Elsewhere,
                "tx" if spot == Spot::Name => spot = Spot::Elsewhere,
                "cat" | "xVal" | "val" | "yVal" => spot = Spot::Elsewhere,
                _ => {}
            },
            Ok(Event::Text(text)) if in_text => add(&text.xml10_content(), spot, index, &mut title, series.last_mut()),
            Ok(Event::GeneralRef(reference)) if in_text => {
                add(&markup::entity(&reference), spot, index, &mut title, series.last_mut());
            }
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let heading = if title.is_empty() { "### Chart".to_owned() } else { format!("### Chart: {title}") };
    let rows = series.iter().map(|one| one.values.len().max(one.named())).max().unwrap_or(0);
    if rows == 0 {
        return heading;
    }
    let mut grid = Grid::default();
    grid.row();
    grid.cell("Category".to_owned(), 1, 1);
    for one in &series {
        grid.cell(one.name.trim().to_owned(), 1, 1);
    }
    let named = series.iter().max_by_key(|one| one.named());
    for row in 0..rows {
        grid.row();
        grid.cell(named.map(|one| one.category(row)).unwrap_or_default(), 1, 1);
        for one in &series {
            grid.cell(one.values.get(row).map(|value| number(value)).unwrap_or_default(), 1, 1);
        }
    }
    format!("{heading}\n\n{}", grid.finish())
}

fn add(text: &str, spot: Spot, index: usize, title: &mut String, series: Option<&mut Series>) {
    let at = |list: &mut Vec<String>| {
        if index < POINTS_MAX {
            if list.len() <= index {
                list.resize(index + 1, String::new());
            }
            if let Some(point) = list.get_mut(index) {
                point.push_str(text);
            }
        }
    };
    match (spot, series) {
        (Spot::Title, _) => title.push_str(text),
        (Spot::Name, Some(series)) => series.name.push_str(text),
        (Spot::Category, Some(series)) => {
            if series.categories.is_empty() {
                series.categories.push(Vec::new());
            }
            if let Some(names) = series.categories.last_mut() {
                at(names);
            }
        }
        (Spot::Value, Some(series)) => at(&mut series.values),
        _ => {}
    }
}

/// The names of another level begin.
fn level(series: Option<&mut Series>) {
    if let Some(series) = series.filter(|series| series.categories.len() < LEVELS_MAX) {
        series.categories.push(Vec::new());
    }
}

/// A number without the noise of binary fractions: `4.2999999999999998` is `4.3`.
fn number(text: &str) -> String {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && text.len() > 15 => value.to_string(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_named_behind_the_groups_that_they_are_in() {
        let point = |index: usize, name: &str| format!("<c:pt idx='{index}'><c:v>{name}</c:v></c:pt>");
        let inner = point(0, "DE") + &point(1, "FR") + &point(2, "US");
        let outer = point(0, "EU") + &point(2, "NA");
        let levels = format!("<c:multiLvlStrCache><c:lvl>{inner}</c:lvl><c:lvl>{outer}</c:lvl></c:multiLvlStrCache>");
        let values = point(0, "1") + &point(1, "2") + &point(2, "3");
        let chart = format!("<c:ser><c:cat>{levels}</c:cat><c:val>{values}</c:val></c:ser>");
        let rows = "| Category |  |\n| --- | --- |\n| EU / DE | 1 |\n| EU / FR | 2 |\n| NA / US | 3 |";
        assert_eq!(table(chart.as_bytes()), format!("### Chart\n\n{rows}"));
    }
}
