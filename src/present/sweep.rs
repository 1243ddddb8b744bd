//! The runs of a sweep as a picture: facts kept against what they cost, or, for two settings, a map of both.

use super::canvas::Picture;
use super::run_marks::is_unwritten;
use super::{Tone, clip, count, dollars, short, shown_value, width};
use crate::inquiry::{Axis, Point, Vary, front_by};

/// A figure of an axis for people. `priced`: whether the model has prices.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
pub fn figure_on(axis: Axis, figure: f64, priced: bool) -> String {
    match axis {
        Axis::Cost if priced => dollars(figure),
        _ => short(figure.max(0.0).round() as u64),
    }
}

/// Steps from label to label of an axis, at most.
const TICKS: u16 = 5;

/// Where an axis has labels, and which, no two the same: as many as there is room for, in more digits where figures that
/// lie near to each other need them.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn ticks(axis: Axis, (low, top): (f64, f64), most: u16, priced: bool) -> Vec<(f64, String)> {
    let is_money = axis == Axis::Cost && priced;
    let exact = |figure: f64| match is_money {
        true => format!("${figure:.6}"),
        false => count(figure.max(0.0).round() as u64),
    };
    let labelled = |ticks: u16, is_exact: bool| -> Option<Vec<(f64, String)>> {
        let at = |tick: u16| low + (top - low) * f64::from(tick) / f64::from(ticks);
        // A label says where it stands.
        let at = |tick: u16| if is_money { at(tick) } else { at(tick).round().clamp(low, top) };
        let all: Vec<(f64, String)> = (0..=ticks)
            .map(at)
            .map(|figure| (figure, if is_exact { exact(figure) } else { figure_on(axis, figure, priced) }))
            .collect();
        let is_apart = all.windows(2).all(|pair| !matches!(pair, [(_, one), (_, other)] if one == other));
        is_apart.then_some(all)
    };
    let all = || (1..=most).rev();
    all()
        .find_map(|ticks| labelled(ticks, false))
        .or_else(|| all().find_map(|ticks| labelled(ticks, true)))
        .unwrap_or_else(|| vec![(low, figure_on(axis, low, priced))])
}

/// A sweep as it is drawn.
pub struct Swept<'a> {
    /// The settings.
    pub vary: &'a [Vary],
    /// The runs that are there, in any order.
    pub points: &'a [Point],
    /// Facts that each of them keeps.
    pub kept: &'a [usize],
    /// How many facts there are.
    pub facts: usize,
    /// What they are set against.
    pub axis: Axis,
    /// The run that is chosen, by its place among `points`.
    pub chosen: Option<usize>,
}

impl Swept<'_> {
    /// Whether the model has prices.
    #[must_use]
    pub fn priced(&self) -> bool {
        self.points.iter().any(|point| point.bill.dollars.is_some())
    }

    /// Which runs nothing beats.
    #[must_use]
    pub fn front(&self) -> Vec<bool> {
        front_by(self.axis, self.points, self.kept)
    }

    /// The picture for so much room.
    #[must_use]
    pub fn picture(&self, columns: u16, rows: u16) -> Picture {
        if self.vary.len() > 1 { self.map(columns, rows) } else { self.chart(columns, rows) }
    }

    /// Facts upward, the axis to the right; a line from value to value, the front over it.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    fn chart(&self, columns: u16, rows: u16) -> Picture {
        let mut picture = Picture::new(columns, rows);
        let left = u16::try_from(self.facts.to_string().len()).unwrap_or(3) + 2;
        if columns < left + 8 || rows < 4 || self.points.is_empty() {
            return picture;
        }
        let (wide, high) = (columns - left - 2, rows - 3);
        let xs: Vec<f64> = self.points.iter().map(|point| self.axis.of(&point.bill)).collect();
        let (mut low, mut top) = xs.iter().fold((f64::MAX, f64::MIN), |(low, top), x| (low.min(*x), top.max(*x)));
        if top - low < 1e-9 {
            (low, top) = (low * 0.9, top * 1.1 + 1e-9);
        }
        let least = self.kept.iter().copied().min().unwrap_or(0).saturating_sub(1);
        let top_kept = self.kept.iter().copied().max().unwrap_or(0);
        let most = (top_kept + (top_kept - least) / 6).min(self.facts).max(least + 1);
        let column = |x: f64| left + ((x - low) / (top - low) * f64::from(wide)).round() as u16;
        let row = |kept: usize| {
            let share = (kept - least.min(kept)) as f64 / (most - least) as f64;
            high - (share * f64::from(high)).round() as u16
        };
        let spots: Vec<(u16, u16)> = xs.iter().zip(self.kept).map(|(x, kept)| (column(*x), row(*kept))).collect();
        // The scales.
        for y in 0..=high {
            picture.put(left - 1, y, '│', Tone::Faint);
        }
        let middle = least.midpoint(most);
        for kept in [least, middle, most] {
            picture.write_before(left - 1, row(kept), &kept.to_string(), Tone::Faint);
            picture.put(left - 1, row(kept), '┤', Tone::Faint);
        }
        for x in left..columns {
            picture.put(x, high + 1, '─', Tone::Faint);
        }
        picture.put(left - 1, high + 1, '└', Tone::Faint);
        let priced = self.priced();
        let mut free = 0;
        for (x, label) in ticks(self.axis, (low, top), (wide / 14).clamp(1, TICKS), priced) {
            let size = u16::try_from(width(&label)).unwrap_or(0);
            let from = column(x).saturating_sub(size / 2).min(columns.saturating_sub(size));
            picture.put(column(x), high + 1, '┬', Tone::Faint);
            if from >= free {
                picture.write(from, high + 2, &label, Tone::Faint);
                free = from + size + 1;
            }
        }
        // The chosen run's own figures on both.
        if let Some((x, y)) = self.chosen.and_then(|at| spots.get(at).copied()) {
            for at in left..x {
                picture.put(at, y, '┄', Tone::Faint);
            }
            for at in y + 1..=high {
                picture.put(x, at, '┊', Tone::Faint);
            }
        }
        let mut order: Vec<usize> = (0..self.points.len()).collect();
        order.sort_by_key(|at| self.points[*at].place);
        for pair in order.windows(2) {
            picture.line(spots[pair[0]], spots[pair[1]], Tone::Faint);
        }
        let best = self.front();
        let mut front: Vec<usize> = order.iter().copied().filter(|at| best[*at]).collect();
        front.sort_by(|one, other| xs[*one].total_cmp(&xs[*other]));
        for pair in front.windows(2) {
            picture.step(spots[pair[0]], spots[pair[1]], Tone::Accent);
        }
        // What is better stands before what is not, the chosen one before all.
        order.sort_by_key(|at| (Some(*at) == self.chosen, best[*at]));
        for at in order {
            let (x, y) = spots[at];
            let (sign, tone) = match (Some(at) == self.chosen, best[at]) {
                (true, true) => ('◆', Tone::Title),
                (true, false) if is_unwritten(&self.points[at]) => ('○', Tone::Title),
                (true, false) => ('●', Tone::Title),
                (false, true) => ('◆', Tone::Accent),
                (false, false) if is_unwritten(&self.points[at]) => ('○', Tone::Plain),
                (false, false) => ('●', Tone::Plain),
            };
            picture.put(x, y, sign, tone);
            picture.places.push((x, y, 1, at));
        }
        // Of runs in one place the chosen one is named.
        front.sort_by_key(|at| Some(*at) != self.chosen);
        for at in front {
            let ((x, y), values) = (spots[at], &self.points[at].values);
            picture.label(x, y, &values.iter().map(shown_value).collect::<Vec<_>>().join(" "));
        }
        picture
    }

    /// The first setting's values downward, the second's to the right; the more facts, the darker.
    fn map(&self, columns: u16, rows: u16) -> Picture {
        let mut picture = Picture::new(columns, rows);
        let [down, across] = self.vary else { return picture };
        let label = |vary: &Vary, at: usize| vary.values.get(at).map(shown_value).unwrap_or_default();
        let labels = (0..down.values.len()).map(|at| width(&label(down, at))).max().unwrap_or(0).min(14);
        let left = u16::try_from(labels).unwrap_or(14) + 1;
        let most = across.values.len().max(1);
        let wide = (0..most).map(|at| width(&label(across, at))).max().unwrap_or(0).max(4) + 2;
        let (room, height) = (columns.saturating_sub(left), rows.saturating_sub(1));
        if room < 4 || height == 0 {
            return picture;
        }
        // Every column in sight where that leaves room for a number, else those around the chosen one.
        let share = room / u16::try_from(most).unwrap_or(u16::MAX).max(1);
        let wide = u16::try_from(wide).unwrap_or(9).max(share.min(14)).min(share.max(4)).max(4);
        let tall = (usize::from(height) / down.values.len().max(1)).clamp(1, 3);
        let (seen, lines) = (usize::from(room / wide).max(1), (usize::from(height) / tall).max(1));
        let line = |at: usize| u16::try_from(at * tall + 1).unwrap_or(u16::MAX);
        let middle = u16::try_from((tall - 1) / 2).unwrap_or(0);
        let place = self.chosen.and_then(|at| self.points.get(at)).map_or(0, |point| point.place);
        let (chosen_row, chosen_column) = (place / most, place % most);
        let first = |chosen: usize, seen: usize, all: usize| {
            if all <= seen { 0 } else { chosen.saturating_sub(seen / 2).min(all - seen) }
        };
        let (x0, y0) = (first(chosen_column, seen, most), first(chosen_row, lines, down.values.len()));
        let label_at = |at: usize| {
            let x = left + u16::try_from(at.saturating_sub(x0)).unwrap_or(0) * wide;
            let text = clip(&label(across, at), usize::from(columns.saturating_sub(x))).into_owned();
            let end = x + u16::try_from(width(&text)).unwrap_or(0) + 1;
            (x, text, end)
        };
        // The chosen column's label comes before those that would run into it.
        let (kept, _, kept_end) = label_at(chosen_column);
        let mut free = 0;
        for at in x0..most.min(x0 + seen) {
            let (x, text, end) = label_at(at);
            let here = at == chosen_column && self.chosen.is_some();
            let meets = self.chosen.is_some() && x < kept_end && kept < end;
            if here || (x >= free && !meets) {
                picture.write(x, 0, &text, if here { Tone::Title } else { Tone::Faint });
                free = end;
            }
        }
        for at in y0..down.values.len().min(y0 + lines) {
            let y = line(at - y0) + middle;
            let here = at == chosen_row && self.chosen.is_some();
            let text = label(down, at);
            picture.write_before(left - 1, y, &clip(&text, labels), if here { Tone::Title } else { Tone::Faint });
        }
        let best = self.front();
        for (number, (point, kept)) in self.points.iter().zip(self.kept).enumerate() {
            let (row, column) = (point.place / most, point.place % most);
            if !(y0..y0 + lines).contains(&row) || !(x0..x0 + seen).contains(&column) {
                continue;
            }
            let x = left + u16::try_from(column - x0).unwrap_or(0) * wide;
            let top = line(row - y0);
            let y = top + middle;
            let (sign, tone) = shade(*kept, self.facts);
            let text = kept.to_string();
            let size = u16::try_from(width(&text)).unwrap_or(0);
            let end = x + wide - 1;
            for filled in (top..).take(tall) {
                let stop = if filled == y { end.saturating_sub(size) } else { end };
                for at in x..stop {
                    picture.put(at, filled, sign, tone);
                }
                picture.places.push((x, filled, wide, number));
            }
            let is_chosen = Some(number) == self.chosen;
            picture.write_before(end, y, &text, if is_chosen { Tone::Title } else { tone });
            if best[number] {
                picture.put(x, y, '◆', if is_chosen { Tone::Title } else { Tone::Accent });
            } else if is_unwritten(point) {
                picture.put(x, y, '○', if is_chosen { Tone::Title } else { Tone::Plain });
            }
            if is_chosen {
                picture.put(end, y, '◂', Tone::Title);
            }
        }
        picture
    }
}

/// How dark a run that keeps so many facts is drawn.
fn shade(kept: usize, facts: usize) -> (char, Tone) {
    match (kept * 4).checked_div(facts.max(1)).unwrap_or(0) {
        0 => ('·', Tone::Cut),
        1 => ('░', Tone::Cut),
        2 => ('▒', Tone::Warning),
        3 => ('▓', Tone::Warning),
        _ => ('█', Tone::Kept),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inquiry::Bill;
    use crate::policy::Policy;

    fn points(vary: &[Vary]) -> Vec<Point> {
        let all = crate::inquiry::combinations(vary);
        (0..all)
            .map(|place| Point {
                place,
                values: Vec::new(),
                kept: vec![],
                unknown: vec![],
                bill: Bill { sent: 1_000 * (place as u64 % 7 + 1), compactions: place as u64, ..Bill::default() },
            })
            .collect()
    }

    #[test]
    fn every_size_has_a_picture_in_which_runs_can_be_clicked() {
        let policy = Policy::default();
        let vary = |texts: &[&str]| -> Vec<Vary> {
            texts.iter().map(|text| Vary::parse(text, &policy, 200_000).unwrap()).collect()
        };
        for vary in
            [vary(&["summarise.at=10%..95%:5%"]), vary(&["summarise.at=10%..95%:5%", "summarise.target=1..40:1"])]
        {
            let points = points(&vary);
            let kept: Vec<usize> = points.iter().map(|point| point.place % 11).collect();
            for (columns, rows) in [(0, 0), (3, 2), (12, 4), (20, 5), (60, 14), (200, 60)] {
                for axis in Axis::ALL {
                    let chosen = Some(points.len() - 1);
                    let swept = Swept { vary: &vary, points: &points, kept: &kept, facts: 10, axis: *axis, chosen };
                    let picture = swept.picture(columns, rows);
                    assert!(picture.rows.len() == usize::from(rows));
                    if columns >= 60 {
                        let (x, y, _, run) = *picture.places.last().unwrap();
                        assert_eq!(picture.at(x, y), Some(run));
                        assert!(picture.places.iter().any(|(.., run)| Some(*run) == chosen));
                    }
                }
            }
        }
    }

    #[test]
    fn labels_of_columns_stand_apart_whichever_is_chosen() {
        let policy = Policy::default();
        let texts = ["summarise.at=10%..90%:10%", "summarise.keep_tail=1000..1008 tokens:1"];
        let vary: Vec<Vary> = texts.iter().map(|text| Vary::parse(text, &policy, 200_000).unwrap()).collect();
        let points = points(&vary);
        let kept = vec![1; points.len()];
        for chosen in 0..9 {
            let chosen = Some(chosen);
            let swept = Swept { vary: &vary, points: &points, kept: &kept, facts: 10, axis: Axis::Cost, chosen };
            let heads: String = swept.picture(60, 14).rows[0].iter().map(|(sign, _)| *sign).collect();
            let whole = |word: &str| word == "tokens" || word.ends_with('…') || word.parse::<u32>().is_ok();
            assert!(heads.split_whitespace().all(whole), "{heads}");
        }
    }

    #[test]
    fn labels_of_an_axis_are_apart_however_near_its_figures_are() {
        let of = |axis, low: f64, top: f64| -> Vec<String> {
            ticks(axis, (low, top), TICKS, true).into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(of(Axis::Sent, 87.0, 90.0), ["87", "88", "89", "90"]);
        assert_eq!(of(Axis::Compactions, 0.0, 1.0), ["0", "1"]);
        assert_eq!(of(Axis::Peak, 10_000.0, 60_000.0), ["10.0k", "20.0k", "30.0k", "40.0k", "50.0k", "60.0k"]);
        assert_eq!(of(Axis::Peak, 412_000.0, 412_004.0), ["412,000", "412,001", "412,002", "412,003", "412,004"]);
        assert_eq!(of(Axis::Cost, 12.301, 12.303).len(), 6);
        assert_eq!(of(Axis::Cost, 0.0, 1e-9), ["$0", "<$0.0001"]);
        assert_eq!(of(Axis::Compactions, 0.0, 1e-9), ["0"]);
        for (low, top) in [(0.0, 7.0), (950.0, 1_050.0), (99_950.0, 100_050.0), (5.0, 6.0)] {
            for axis in Axis::ALL {
                let labels = of(*axis, low, top);
                let known: std::collections::HashSet<&String> = labels.iter().collect();
                assert_eq!(known.len(), labels.len(), "{labels:?}");
            }
        }
    }

    #[test]
    fn nothing_is_drawn_of_no_runs() {
        let vary = [Vary::parse("summarise.at", &Policy::default(), 200_000).unwrap()];
        let swept = Swept { vary: &vary, points: &[], kept: &[], facts: 0, axis: Axis::Cost, chosen: None };
        assert!(swept.picture(60, 20).lines().iter().all(Vec::is_empty));
    }
}
