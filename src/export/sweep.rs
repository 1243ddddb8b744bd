//! The runs of a sweep as JSON and as CSV.

use schemars::JsonSchema;
use serde::Serialize;

use crate::inquiry::{Axis, Bill, Point, Vary, combinations, front_by};

/// What a run costs.
#[derive(Clone, Copy, Serialize, JsonSchema)]
pub struct BillRow {
    peak: u64,
    compactions: u64,
    sent: u64,
    cache_read: u64,
    cost_usd: Option<f64>,
    /// Whether that is too low, because nothing says how long some answer was, or what a model costs.
    costs_more: bool,
    /// Steps whose window is larger than its size.
    failed: u64,
    /// Summaries that a model should have written, and something else stands in for.
    stood_in: u64,
    /// Summaries that are sentences of the history, as the recorded one does not fit there: no model wrote these either.
    extracted: u64,
}

impl From<Bill> for BillRow {
    fn from(bill: Bill) -> Self {
        BillRow {
            peak: bill.peak,
            compactions: bill.compactions,
            sent: bill.sent,
            cache_read: bill.cached,
            cost_usd: bill.dollars,
            costs_more: bill.costs_more,
            failed: bill.failed,
            stood_in: bill.stood_in,
            extracted: bill.extracted,
        }
    }
}

/// The runs of a sweep.
#[derive(Serialize, JsonSchema)]
pub struct Sweep {
    /// `windowpane/sweep/1`
    schema: &'static str,
    policy: String,
    /// The settings that are moved.
    vary: Vec<&'static str>,
    facts: Vec<FactRow>,
    /// What `best` goes by: `sent`, `compactions`, `cost` or `peak`.
    against: &'static str,
    /// Whether it was stopped before all runs were done: those that were are here.
    stopped: bool,
    /// How many runs the values ask for, those included that no setting allows together.
    asked_runs: usize,
    runs: Vec<RunRow>,
}

/// A fact, and the step at which it is needed.
#[derive(Serialize, JsonSchema)]
struct FactRow {
    fact: String,
    step: u32,
}

/// One run.
#[derive(Serialize, JsonSchema)]
struct RunRow {
    /// The values, in the order of `vary`.
    values: Vec<String>,
    /// Facts that were there when they were needed.
    kept: usize,
    /// The places of those that were not, in `facts`.
    lost: Vec<usize>,
    /// The places of those of which nobody can tell, as what stands for them can be read by its vendor alone: they count as
    /// neither kept nor lost.
    unknown: Vec<usize>,
    costs: BillRow,
    /// Whether no other run keeps as many facts for less of what they are set against; where any keeps some, none
    /// that keeps none is.
    best: bool,
}

impl Sweep {
    /// A sweep over a policy of that name. `facts`: each with the step at which it is needed.
    #[must_use]
    pub fn new(policy: &str, vary: &[Vary], facts: &[(&str, u32)], points: &[Point], against: Axis) -> Sweep {
        let row = |(point, best): (&Point, bool)| RunRow {
            values: point.values.iter().map(ToString::to_string).collect(),
            kept: point.facts(),
            lost: point.lost().collect(),
            unknown: point.unknown.iter().enumerate().filter(|(_, open)| **open).map(|(at, _)| at).collect(),
            costs: point.bill.into(),
            best,
        };
        Sweep {
            schema: "windowpane/sweep/1",
            policy: policy.to_owned(),
            vary: vary.iter().map(|vary| vary.setting.key).collect(),
            facts: facts.iter().map(|(fact, step)| FactRow { fact: (*fact).to_owned(), step: *step }).collect(),
            against: against.key(),
            stopped: false,
            asked_runs: combinations(vary),
            runs: points.iter().zip(best(points, against)).map(row).collect(),
        }
    }

    /// The same; says whether it was stopped before its end.
    #[must_use]
    pub fn stopped(self, stopped: bool) -> Sweep {
        Sweep { stopped, ..self }
    }

    /// As one line of JSON.
    #[must_use]
    pub fn json(&self) -> String {
        // Strings and numbers only: there is nothing that JSON cannot hold.
        serde_json::to_string(self).map(|line| line + "\n").unwrap_or_default()
    }
}

/// Which runs nothing beats.
fn best(points: &[Point], against: Axis) -> Vec<bool> {
    let kept: Vec<usize> = points.iter().map(Point::facts).collect();
    front_by(against, points, &kept)
}

/// The same as CSV, a line for each run. CSV has no place for what is said of all of them: how many runs there should be,
/// and whether it was stopped before all were done, stands in each line.
#[must_use]
pub fn sweep_csv(vary: &[Vary], points: &[Point], against: Axis, stopped: bool) -> String {
    let asked = combinations(vary);
    let mut text: String = vary.iter().map(|vary| format!("{},", vary.setting.key)).collect();
    text.push_str(
        "kept,lost,unknown,peak,compactions,sent,cache_read,cost_usd,failed,stood_in,extracted,best,asked_runs,stopped\n",
    );
    for (point, best) in points.iter().zip(best(points, against)) {
        for value in &point.values {
            let shown = value.plain();
            match shown.contains([',', '"', '\n', '\r']) {
                true => text.push_str(&format!("\"{}\",", shown.replace('"', "\"\""))),
                false => text.push_str(&format!("{shown},")),
            }
        }
        let bill = point.bill;
        let cost = bill.dollars.map_or_else(String::new, |cost| format!("{cost:.6}"));
        text.push_str(&format!(
            "{},{},{},{},{},{},{},{cost},{},{},{},{best},{asked},{stopped}\n",
            point.facts(),
            point.lost().count(),
            point.unknowns(),
            bill.peak,
            bill.compactions,
            bill.sent,
            bill.cached,
            bill.failed,
            bill.stood_in,
            bill.extracted,
        ));
    }
    text
}
