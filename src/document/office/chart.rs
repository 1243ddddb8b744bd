//! A chart as a heading and a table: its categories and what each series says of them. Charts of 2016 and later keep
//! their figures apart from the series that draw them, in data with ids.

use std::io::BufRead;

use quick_xml::events::BytesStart;

use crate::content::one_line;
use crate::document::grid::Grid;
use crate::document::heading::heading;
use crate::document::markup::{self, Event};

use super::moment::{Moment, moment, written};

/// Points of a series.
const POINTS_MAX: usize = 10_000;
/// Levels of the names of points.
const LEVELS_MAX: usize = 16;
/// Series of a chart.
const SERIES_MAX: usize = 200;

#[derive(Clone, Default)]
struct Series {
    /// In charts of 2016 and later, what its figures are called by; those have no names of their own.
    data: Option<String>,
    name: String,
    /// The names of its points, and those of the groups around them: the innermost first.
    categories: Vec<Vec<String>>,
    /// Whether those are numbers, as the places of a scatter's points are.
    numbered: bool,
    /// How those numbers are written, what that tells of them, and whether days are counted from 1904.
    shape: String,
    moment: Option<Moment>,
    from_1904: bool,
    values: Vec<String>,
    /// How large the bubbles of its points are.
    sizes: Vec<String>,
}

impl Series {
    /// How many points it has.
    fn points(&self) -> usize {
        self.values.len().max(self.categories.first().map_or(0, Vec::len))
    }

    /// The name of a point, behind those of the groups that it is in: each is told at the first point of its own.
    fn category(&self, row: usize) -> String {
        if self.numbered {
            let name = self.categories.first().and_then(|names| names.get(row));
            let moment = name.zip(self.moment).and_then(|(name, moment)| written(name, moment, self.from_1904));
            return moment.or_else(|| name.map(|name| number(name))).unwrap_or_default();
        }
        let name = |(level, names): (usize, &Vec<String>)| match level {
            0 => names.get(row).cloned(),
            _ => names.iter().take(row + 1).rev().find(|name| !name.is_empty()).cloned(),
        };
        let names = self.categories.iter().enumerate().rev().filter_map(name).filter(|name| !name.is_empty());
        names.collect::<Vec<_>>().join(" / ")
    }
}

/// Series that name their points alike, and so share rows.
struct Rows {
    categories: Vec<String>,
    count: usize,
    series: Vec<usize>,
}

impl Rows {
    /// The rows of a chart: the points of a scatter have places of their own in each series.
    fn of(series: &[Series]) -> Vec<Rows> {
        let mut all: Vec<Rows> = Vec::new();
        for (number, one) in series.iter().enumerate() {
            let named = one.categories.first().map_or(0, Vec::len);
            let categories: Vec<String> = (0..named).map(|row| one.category(row)).collect();
            // What a cache leaves out, another series may name.
            let fits = |(one, other): (&String, &String)| one.is_empty() || other.is_empty() || one == other;
            let alike = |rows: &&mut Rows| rows.categories.iter().zip(&categories).all(fits);
            match all.iter_mut().find(alike) {
                Some(rows) => {
                    rows.count = rows.count.max(one.points());
                    rows.series.push(number);
                    for (row, name) in categories.into_iter().enumerate() {
                        match rows.categories.get_mut(row) {
                            Some(known) if known.is_empty() => *known = name,
                            Some(_) => {}
                            None => rows.categories.push(name),
                        }
                    }
                }
                None => all.push(Rows { categories, count: one.points(), series: vec![number] }),
            }
        }
        all
    }
}

/// Where in the chart a text stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spot {
    Elsewhere,
    Title,
    Name,
    Category,
    /// How those are written, where they are numbers.
    Shape,
    Value,
    Size,
    /// The name of what draws figures that stand apart.
    Drawn,
}

/// A series that draws figures that stand apart.
#[derive(Default)]
struct Drawn {
    name: String,
    /// What its figures are called by.
    data: String,
    hidden: bool,
}

/// Reads a chart.
struct Chart {
    title: String,
    series: Vec<Series>,
    spot: Spot,
    /// How many elements are open, and how many were where the series began that is open.
    depth: usize,
    series_depth: Option<usize>,
    /// Whether what is drawn has begun: its axes and labels have titles of their own.
    plot: bool,
    in_text: bool,
    /// Whether its days are counted from 1904.
    from_1904: bool,
    /// The number of the point.
    index: usize,
    /// Whether points hold their text themselves: those of figures that stand apart.
    bare: bool,
    drawn: Vec<Drawn>,
}

/// `### Chart: title` and a table.
pub fn table(text: impl BufRead) -> String {
    let mut events = markup::reader(text);
    let mut buffer = Vec::new();
    let mut chart = Chart {
        title: String::new(),
        series: Vec::new(),
        spot: Spot::Elsewhere,
        depth: 0,
        series_depth: None,
        plot: false,
        in_text: false,
        from_1904: false,
        index: 0,
        bare: false,
        drawn: Vec::new(),
    };
    let mut skipped = 0usize;
    loop {
        buffer.clear();
        match events.read_event_into(&mut buffer) {
            Ok(Event::Start(_)) if skipped > 0 => skipped += 1,
            Ok(Event::End(_)) if skipped > 0 => skipped -= 1,
            // Among extensions are series that the author filtered out.
            Ok(Event::Start(element)) if element.local_name().into_inner() == "extLst" => skipped = 1,
            Ok(_) if skipped > 0 => {}
            Ok(Event::Start(element)) => chart.begin(&element),
            Ok(Event::Empty(element)) => match element.local_name().into_inner() {
                "br" => chart.part(),
                "dataId" => chart.draws(markup::attribute(&element, "val")),
                "date1904" => chart.from_1904 = markup::attribute(&element, "val").is_none_or(|value| value != "0"),
                _ => {}
            },
            Ok(Event::End(element)) => chart.end(element.local_name().into_inner()),
            Ok(Event::Text(text)) => chart.text(&text.xml10_content()),
            Ok(Event::GeneralRef(reference)) => chart.text(&markup::entity(&reference)),
            Ok(Event::Eof) | Err(_) => return chart.finish(),
            Ok(_) => {}
        }
    }
}

impl Chart {
    fn begin(&mut self, element: &BytesStart<'_>) {
        self.depth += 1;
        let of_series = self.series_depth.is_some_and(|depth| self.depth == depth + 1);
        match element.local_name().into_inner() {
            "title" if !self.plot => self.spot = Spot::Title,
            "plotArea" => self.plot = true,
            "ser" if self.series.len() < SERIES_MAX => {
                self.series.push(Series::default());
                self.series_depth = Some(self.depth);
            }
            "data" if self.series.len() < SERIES_MAX => {
                let data = markup::attribute(element, "id");
                self.series.push(Series { data, ..Series::default() });
            }
            "strDim" | "numDim" => self.dimension(element),
            "series" if self.drawn.len() < SERIES_MAX => {
                let hidden = markup::attribute(element, "hidden").is_some_and(|value| value == "1" || value == "true");
                self.series_depth = Some(self.depth);
                self.drawn.push(Drawn { hidden, ..Drawn::default() });
            }
            "dataId" => self.draws(markup::attribute(element, "val")),
            "tx" if of_series && !self.drawn.is_empty() => self.spot = Spot::Drawn,
            "tx" if of_series => self.spot = Spot::Name,
            "cat" | "xVal" if of_series => self.spot = Spot::Category,
            "val" | "yVal" if of_series => self.spot = Spot::Value,
            "bubbleSize" if of_series => self.spot = Spot::Size,
            "formatCode" if self.spot == Spot::Category => (self.spot, self.in_text) = (Spot::Shape, true),
            "numCache" | "numLit" if self.spot == Spot::Category => {
                if let Some(series) = self.series.last_mut() {
                    series.numbered = true;
                }
            }
            "lvl" if self.spot == Spot::Category => level(self.series.last_mut()),
            "pt" => {
                self.index = markup::attribute(element, "idx").and_then(|index| index.parse().ok()).unwrap_or(0);
                self.in_text |= self.bare;
                self.part();
            }
            "p" => self.part(),
            "v" | "t" => self.in_text = true,
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        let of_series = self.series_depth.is_some_and(|depth| self.depth == depth + 1);
        match name {
            "formatCode" if self.spot == Spot::Shape => {
                (self.spot, self.in_text) = (Spot::Category, false);
                if let Some(series) = self.series.last_mut() {
                    (series.moment, series.from_1904) = (moment(&series.shape), self.from_1904);
                }
            }
            "v" | "t" => self.in_text = false,
            "pt" if self.bare => self.in_text = false,
            "strDim" | "numDim" => (self.spot, self.bare) = (Spot::Elsewhere, false),
            "title" if self.spot == Spot::Title => self.spot = Spot::Elsewhere,
            "tx" | "cat" | "xVal" | "val" | "yVal" | "bubbleSize" if of_series => {
                self.spot = Spot::Elsewhere;
            }
            "ser" | "series" => self.series_depth = None,
            _ => {}
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Figures that stand apart begin: the names of points, or what they say.
    fn dimension(&mut self, element: &BytesStart<'_>) {
        let kind = markup::attribute(element, "type").unwrap_or_default();
        let Some(series) = self.series.last_mut() else { return };
        self.bare = true;
        self.spot = match kind.as_str() {
            "cat" | "x" => Spot::Category,
            "val" | "size" | "y" if series.values.is_empty() => Spot::Value,
            _ => Spot::Elsewhere,
        };
        series.numbered |= self.spot == Spot::Category && element.local_name().into_inner() == "numDim";
    }

    /// What draws figures that stand apart says which.
    fn draws(&mut self, data: Option<String>) {
        if let (Some(data), Some(drawn)) = (data, self.drawn.last_mut()) {
            drawn.data = data;
        }
    }

    /// Another part of a title or name begins.
    fn part(&mut self) {
        match (self.spot, self.series.last_mut()) {
            (Spot::Title, _) => self.title.push(' '),
            (Spot::Name, Some(series)) => series.name.push(' '),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if !self.in_text {
            return;
        }
        let index = self.index;
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
        match (self.spot, self.series.last_mut()) {
            (Spot::Title, _) => self.title.push_str(text),
            (Spot::Drawn, _) => {
                if let Some(drawn) = self.drawn.last_mut() {
                    drawn.name.push_str(text);
                }
            }
            (Spot::Name, Some(series)) => series.name.push_str(text),
            (Spot::Category, Some(series)) => {
                if series.categories.is_empty() {
                    series.categories.push(Vec::new());
                }
                if let Some(names) = series.categories.last_mut() {
                    at(names);
                }
            }
            (Spot::Shape, Some(series)) => series.shape.push_str(text),
            (Spot::Value, Some(series)) => at(&mut series.values),
            (Spot::Size, Some(series)) => at(&mut series.sizes),
            _ => {}
        }
    }

    fn finish(mut self) -> String {
        if !self.drawn.is_empty() {
            let drawn = std::mem::take(&mut self.drawn).into_iter().filter(|drawn| !drawn.hidden);
            let named = drawn.filter_map(|Drawn { name, data, .. }| {
                let found = self.series.iter().find(|one| one.data.as_ref() == Some(&data))?;
                Some(Series { name, ..found.clone() })
            });
            self.series = named.collect();
        }
        let title = one_line(&self.title);
        let heading = if title.is_empty() { "### Chart".to_owned() } else { heading(3, &format!("Chart: {title}")) };
        let mut grid = Grid::default();
        grid.row();
        grid.cell("Category".to_owned(), 1, 1);
        for one in &self.series {
            grid.cell(one_line(&one.name), 1, 1);
            if !one.sizes.is_empty() {
                grid.cell(format!("{} (size)", one_line(&one.name)), 1, 1);
            }
        }
        let mut left = POINTS_MAX;
        for rows in Rows::of(&self.series) {
            for row in 0..rows.count.min(left) {
                grid.row();
                grid.cell(rows.categories.get(row).cloned().unwrap_or_default(), 1, 1);
                for (index, one) in self.series.iter().enumerate() {
                    for values in [&one.values, &one.sizes] {
                        let value = values.get(row).filter(|_| rows.series.contains(&index));
                        if !values.is_empty() || std::ptr::eq(values, &one.values) {
                            grid.cell(value.map(|value| number(value)).unwrap_or_default(), 1, 1);
                        }
                    }
                }
            }
            left = left.saturating_sub(rows.count);
        }
        let table = match (left, self.series.is_empty()) {
            (POINTS_MAX, true) => return heading,
            // They stand in a workbook that it refers to, as the series do.
            (POINTS_MAX, false) => "*Its figures are not stored with it*".to_owned(),
            _ => grid.finish(),
        };
        format!("{heading}\n\n{table}")
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

    #[test]
    fn a_chart_that_keeps_no_figures_says_so() {
        let chart = "<c:ser><c:val><c:numRef><c:f>Sheet1!B2:B5</c:f></c:numRef></c:val></c:ser>";
        assert_eq!(table(chart.as_bytes()), "### Chart\n\n*Its figures are not stored with it*");
        assert_eq!(table(b"<c:plotArea/>".as_slice()), "### Chart");
    }

    /// A series of points with these names and values, and more of its own.
    fn series(name: &str, more: &str, names: &str, points: &[(&str, &str)]) -> String {
        let list = |of: fn(&(&str, &str)) -> String| {
            let point =
                |(index, point): (usize, &(&str, &str))| format!("<c:pt idx='{index}'><c:v>{}</c:v></c:pt>", of(point));
            points.iter().enumerate().map(point).collect::<String>()
        };
        let (places, values) = (list(|point| point.0.to_owned()), list(|point| point.1.to_owned()));
        let name = format!(
            "<c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        );
        let (axis, cache) = names.split_once(' ').unwrap_or_default();
        format!(
            "<c:ser>{name}{more}<c:{axis}><c:{cache}>{places}</c:{cache}></c:{axis}><c:yVal>{values}</c:yVal></c:ser>"
        )
    }

    #[test]
    fn titles_of_axes_and_labels_are_no_part_of_a_series_name() {
        let words = |text: &str| format!("<c:tx><c:rich><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx>");
        let labels = format!("<c:dLbls><c:dLbl>{}</c:dLbl></c:dLbls>", words("Peak!"));
        let hidden = format!("<c:extLst>{}</c:extLst>", series("Hidden", "", "cat strCache", &[("Q1", "9")]));
        let drawn = series("Sales", "", "cat strCache", &[("Q1", "1")])
            + &series("Costs", &labels, "cat strCache", &[("Q1", "2")]);
        let axis = format!("<c:valAx><c:title>{}</c:title></c:valAx>", words("EUR million"));
        let title = "<c:title><c:tx><a:p><a:t>Results</a:t></a:p><a:p><a:t>2025</a:t></a:p></c:tx></c:title>";
        let chart = format!(
            "<c:chart>{title}<c:plotArea><c:barChart>{drawn}{hidden}</c:barChart>{axis}</c:plotArea></c:chart>"
        );
        let rows = "| Category | Sales | Costs |\n| --- | --- | --- |\n| Q1 | 1 | 2 |";
        assert_eq!(table(chart.as_bytes()), format!("### Chart: Results 2025\n\n{rows}"));
    }

    #[test]
    fn figures_that_stand_apart_are_those_of_the_series_that_draws_them() {
        let point = |index: usize, text: &str| format!("<cx:pt idx='{index}'>{text}</cx:pt>");
        let names =
            format!("<cx:strDim type='cat'><cx:lvl>{}{}</cx:lvl></cx:strDim>", point(0, "Start"), point(1, "A&amp;B"));
        let data = |id: u32, values: [&str; 2]| {
            let [one, two] = values;
            let values = format!("<cx:f>Sheet1!$B$2</cx:f><cx:lvl>{}{}</cx:lvl>", point(0, one), point(1, two));
            format!("<cx:data id='{id}'>{names}<cx:numDim type='val'>{values}</cx:numDim></cx:data>")
        };
        let text = |text: &str| format!("<cx:tx><cx:txData><cx:f>x</cx:f><cx:v>{text}</cx:v></cx:txData></cx:tx>");
        let series = |name: &str, id: u32, more: &str| {
            format!("<cx:series layoutId='waterfall'{more}>{}<cx:dataId val='{id}'/></cx:series>", text(name))
        };
        let drawn = series("Costs", 1, "") + &series("Sales", 0, "") + &series("Old", 2, " hidden='1'");
        let axis = format!("<cx:axis><cx:title>{}</cx:title></cx:axis>", text("EUR"));
        let chart = format!(
            "<cx:chartData>{}{}{}</cx:chartData><cx:chart><cx:title>{}</cx:title>\
             <cx:plotArea><cx:plotAreaRegion>{drawn}</cx:plotAreaRegion>{axis}</cx:plotArea></cx:chart>",
            data(0, ["1", "2"]),
            data(1, ["3", "4"]),
            data(2, ["5", "6"]),
            text("Bridge")
        );
        let rows = "| Category | Costs | Sales |\n| --- | --- | --- |\n| Start | 3 | 1 |\n| A&B | 4 | 2 |";
        assert_eq!(table(chart.as_bytes()), format!("### Chart: Bridge\n\n{rows}"));
    }

    #[test]
    fn points_of_a_scatter_stand_beside_their_own_places() {
        let one = series("A", "", "xVal numCache", &[("0.69999999999999996", "2.7"), ("1.8", "3.2")]);
        let other = series("B", "", "xVal numCache", &[("1.3", "3.7"), ("2.7", "2.3")]);
        let same = series("C", "", "xVal numCache", &[("1.3", "5")]);
        let rows = "| Category | A | B | C |\n| --- | --- | --- | --- |\n\
            | 0.7 | 2.7 |  |  |\n| 1.8 | 3.2 |  |  |\n| 1.3 |  | 3.7 | 5 |\n| 2.7 |  | 2.3 |  |";
        assert_eq!(table((one + &other + &same).as_bytes()), format!("### Chart\n\n{rows}"));
    }

    #[test]
    fn days_are_written_as_days_and_bubbles_have_sizes() {
        let one = series("A", "", "xVal numCache", &[("45658.0", "2"), ("45689", "3")]);
        let one = one.replace("<c:numCache>", "<c:numCache><c:formatCode>yyyy&quot;-&quot;mm</c:formatCode>");
        let sizes = "<c:bubbleSize><c:pt idx='1'><c:v>9</c:v></c:pt></c:bubbleSize></c:ser>";
        let rows = "| Category | A | A (size) |\n| --- | --- | --- |\n| 2025-01-01 | 2 |  |\n| 2025-02-01 | 3 | 9 |";
        assert_eq!(table(one.replace("</c:ser>", sizes).as_bytes()), format!("### Chart\n\n{rows}"));
    }
}
