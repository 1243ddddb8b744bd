//! The columns of the table of runs.

use crate::config::Role;
use crate::inquiry::{Point, Vary};
use crate::present::helps::unwritten_mark;
use crate::present::{count, price, short, shown_value, width};
use crate::tui::line::Line;

use super::Sweep;

/// Columns of the table: name, and how wide.
const COLUMNS: &[(&str, u16)] = &[("sent", 8), ("peak", 8), ("compactions", 13), ("cost", 9)];
/// The column of refused requests, where there are any.
const REFUSED: (&str, u16) = ("too long", 10);
/// Columns before the values of a setting.
const GAP: u16 = 2;
/// Columns of the bar of what is kept at most.
const BAR: u16 = 90;
/// Columns of a setting's values at most.
const VALUES: u16 = 28;

/// Of how many facts nobody can tell whether they are kept, behind those that are.
fn open_mark(unknown: usize) -> String {
    if unknown > 0 { format!("+{unknown}?") } else { String::new() }
}

/// How wide the table's own columns are.
pub(super) struct Columns {
    /// Of each setting, its values.
    values: Vec<u16>,
    /// Facts kept.
    kept: u16,
    /// A bar for them; none where there is no room for one.
    bar: u16,
    /// Those behind: name, and how wide.
    costs: Vec<(&'static str, u16)>,
    /// Of the mark of runs for whose summaries something stands in, where there are any.
    mark: usize,
}

impl Columns {
    /// Those of a table that is so wide.
    pub(super) fn of(sweep: &Sweep, facts: usize, wide: u16) -> Columns {
        let unknown = sweep.points.iter().map(|point| open_mark(sweep.unknown(point)).len()).max().unwrap_or(0);
        let kept = u16::try_from(format!("{facts} of {facts}").len() + unknown).unwrap_or(8) + 2;
        let refused = sweep.points.iter().any(|point| point.bill.failed > 0);
        let costs: Vec<(&str, u16)> = COLUMNS.iter().copied().chain(refused.then_some(REFUSED)).collect();
        let rest: u16 = costs.iter().map(|(_, wide)| *wide).sum::<u16>() + 2;
        // The names over the values give way to the figures behind them: first their sections, then all but the values.
        let names: [fn(&Vary) -> usize; 3] =
            [|vary| width(vary.setting.key), |vary| width(vary.setting.name()), |_| width("…")];
        let sizes = |name: fn(&Vary) -> usize| -> Vec<u16> {
            let size = |vary: &Vary| {
                let values = vary.values.iter().map(|value| width(&shown_value(value))).max().unwrap_or(0);
                u16::try_from(values.max(name(vary))).unwrap_or(VALUES).min(VALUES)
            };
            sweep.vary.iter().map(size).collect()
        };
        let own = |values: &[u16]| values.iter().map(|size| size + GAP).sum::<u16>() + kept;
        let mut tried = names.into_iter().map(sizes);
        let fits = tried.find(|values| own(values) + rest <= wide);
        let values = fits.unwrap_or_else(|| sizes(names[2]));
        let taken = own(&values);
        let bar = wide.saturating_sub(taken).saturating_sub(rest).min(BAR);
        let mark = sweep.points.iter().map(|point| width(&unwritten_mark(&point.bill))).max().unwrap_or(0);
        Columns { values, kept, bar: if bar >= 8 { bar } else { 0 }, costs, mark }
    }

    /// The names over the columns.
    pub(super) fn head(&self, line: &mut Line<'_>, sweep: &Sweep) {
        for (vary, size) in sweep.vary.iter().zip(&self.values) {
            line.skip(GAP);
            let (key, name) = (vary.setting.key, vary.setting.name());
            line.right(if width(key) <= usize::from(*size) { key } else { name }, *size, Role::Dim);
        }
        line.right("kept", self.kept, Role::Dim);
        line.skip(self.bar);
        for (name, wide) in &self.costs {
            if line.left() >= *wide {
                line.right(name, *wide, Role::Dim);
            }
        }
    }

    /// One run, which keeps so many, and of so many more nobody can tell, of so many facts; whether nothing beats it.
    pub(super) fn row(
        &self,
        line: &mut Line<'_>,
        point: &Point,
        (number, unknown, facts): (usize, usize, usize),
        best: bool,
    ) {
        for (value, size) in point.values.iter().zip(&self.values) {
            line.skip(GAP);
            line.right(&shown_value(value), *size, if best { Role::Accent } else { Role::Text });
        }
        let good = if number == facts && facts > 0 { Role::Good } else { Role::Text };
        line.right(&format!("{number}{} of {facts}", open_mark(unknown)), self.kept, good);
        if self.bar > 0 {
            line.skip(1);
            let most = usize::from(self.bar - 2);
            let full = (number * most).checked_div(facts).unwrap_or(0);
            line.put(&"━".repeat(full), if good == Role::Good { Role::Good } else { Role::Gauge });
            line.put(&"─".repeat(most - full), Role::Border);
            line.skip(1);
        }
        let bill = point.bill;
        let cells = [
            short(bill.sent),
            short(bill.peak),
            format!("{}{:2$}", count(bill.compactions), unwritten_mark(&bill), self.mark),
            bill.dollars.map_or_else(|| "–".to_owned(), |cost| price(cost, bill.costs_more)),
            count(bill.failed),
        ];
        for ((name, wide), text) in self.costs.iter().zip(cells) {
            if line.left() >= *wide {
                let refused = (*name, *wide) == REFUSED && bill.failed > 0;
                line.right(&text, *wide, if refused { Role::Over } else { Role::Text });
            }
        }
        if best {
            line.put(" ◆", Role::Accent);
        } else if bill.failed > 0 {
            line.put(" !", Role::Over);
        }
    }
}
