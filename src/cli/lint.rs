//! `windowpane lint`: anti-patterns, with evidence, price and what would help.

use std::collections::HashMap;
use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Watch;
use crate::inquiry::Ready;
use crate::inquiry::lint::{
    COSTS_NOTHING, FilesShown, Finding, Looked, NO_PRICE, Own, Weight, lint, needed_after_cut, of_policy, settle, sort,
};
use crate::io::set_in;
use crate::model::{Run, ThreadId};
use crate::policy::Policy;
use crate::present::{Tone, clip, counted, dollars};

use super::args::{Look, Subject};
use super::header::{self, Head};
use super::load::{Session, View, Wanted};
use super::print::Printer;
use super::schema;
use super::simulated::{is_simulated, own_preset};

/// Arguments of `lint`.
#[derive(Clone, Debug, Args)]
pub struct LintArgs {
    #[command(flatten)]
    pub subject: Subject,
    /// Exit with 1 where something is found.
    #[arg(long)]
    check: bool,
}

/// `lint --json`.
#[derive(Serialize, JsonSchema)]
struct Output {
    /// `windowpane/lint/1`
    schema: &'static str,
    #[serde(flatten)]
    head: Head,
    findings: Vec<Row>,
}

/// One finding.
#[derive(Serialize, JsonSchema)]
struct Row {
    rule: &'static str,
    weight: Weight,
    evidence: String,
    /// The first step that shows it.
    step: Option<u32>,
    /// An entry that shows it.
    entry: Option<u32>,
    /// Of what a policy shows by itself, the setting.
    setting: Option<&'static str>,
    /// The file that shows it: the transcript, or the policy's file or preset.
    source: Option<String>,
    line: Option<u32>,
    /// Tokens that it cost, in every step in which they stood; of what was left out or summarised, once; of what a
    /// policy shows by itself, those that a replay of the session without it saves. Null where no replay tells it.
    tokens: Option<u64>,
    cost_usd: Option<f64>,
    /// The setting or change that would help.
    help: String,
}

/// Looks for anti-patterns.
pub fn run(args: LintArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    if *schema {
        return schema::print::<Output>(common);
    }
    let session = args.subject.open()?;
    let id = ThreadId(look.thread.unwrap_or(0));
    let View { run, policy, .. } = session.view(look, Wanted::All)?;
    let head = Head::of(&session, &run, policy.as_deref());
    let watch = Watch::default();
    let chosen = session.chosen(look)?;
    let mut places: HashMap<String, Place> = HashMap::new();
    let mut found = Vec::new();
    for (finding, setting) in findings(&session, id, &run, &chosen.policy, is_simulated(look), &watch)? {
        if let Some(setting) = setting {
            let (source, line) = set_by(&session, look, setting);
            places.insert(finding.evidence.clone(), Place { setting, source, line });
        }
        found.push(finding);
    }
    let mut printer = Printer::new(common);
    if common.json {
        let findings =
            found.iter().map(|finding| row(finding, places.get(&finding.evidence), &session, &run)).collect();
        printer.json(&Output { schema: "windowpane/lint/1", head, findings })?;
    } else {
        people(&found, &places, &head, &mut printer)?;
        header::warn(&head.transcript, &mut printer);
    }
    let code = printer.done()?;
    Ok(if args.check && !found.is_empty() { ExitCode::from(1) } else { code })
}

/// What is found in a run of a thread, the weightiest first; where a policy made it, with what that shows by itself where
/// this run does not show it anyway, each with its setting.
///
/// # Errors
/// Where a replay of the thread cannot be made ready.
pub fn findings(
    session: &Session,
    id: ThreadId,
    run: &Run,
    policy: &Policy,
    simulated: bool,
    watch: &Watch,
) -> anyhow::Result<Vec<(Finding, Option<&'static str>)>> {
    let replay = session.replay(id, policy, watch)?;
    let looked = Looked {
        transcript: &session.transcript,
        sources: &session.sources,
        attached: &session.attached.placed(),
        run,
        policy: simulated.then_some(policy),
        plan: Some(&replay.plan),
        shown: &FilesShown::default(),
        models: &session.models,
        model: replay.given.served.usual(),
    };
    let mut found = lint(&looked);
    found.extend(needed_after_cut(&looked, watch));
    let remake = |policy: &Policy| session.replay(id, policy, &watch.inner()).map_err(|why| format!("{why:#}"));
    let ready = Ready::new(replay.clone(), Some(&remake));
    settle(&mut found, &looked, &ready, policy, watch);
    let mut found: Vec<(Finding, Option<&'static str>)> = found.into_iter().map(|finding| (finding, None)).collect();
    if simulated {
        let window = run.steps.last().map_or(200_000, |step| step.window_tokens);
        let own = of_policy(policy, window).into_iter();
        let mut own: Vec<Own> =
            own.filter(|own| found.iter().all(|(known, _)| known.rule != own.finding.rule)).collect();
        own.iter_mut().for_each(|own| own.weigh(&ready, policy));
        found.extend(own.into_iter().map(|own| (own.finding, Some(own.setting))));
    }
    sort(&mut found, |(finding, _)| finding);
    Ok(found)
}

/// Where a policy has a setting from that shows something by itself.
pub struct Place {
    /// The setting.
    pub setting: &'static str,
    /// The policy's file or preset, or `--set`.
    pub source: String,
    /// The line.
    pub line: Option<u32>,
}

/// Where the policy that was chosen has a setting from.
fn set_by(session: &Session, look: &Look, key: &str) -> (String, Option<u32>) {
    let sets = |set: &String| set.split_once('=').is_some_and(|(name, _)| name.trim() == key);
    if look.set.iter().any(sets) {
        return ("--set".to_owned(), None);
    }
    set_in(look.policy.first().map_or_else(|| own_preset(&session.transcript), String::as_str), key)
}

fn row(finding: &Finding, place: Option<&Place>, session: &Session, run: &Run) -> Row {
    let transcript = &session.transcript;
    let entry = finding.entry.and_then(|id| run.entry(id));
    let record =
        entry.and_then(crate::model::Entry::block).and_then(|id| transcript.block(id)).map(|block| block.record);
    Row {
        rule: finding.rule,
        weight: finding.weight,
        evidence: finding.evidence.clone(),
        step: finding.step,
        entry: finding.entry.map(|id| id.0),
        setting: place.map(|place| place.setting),
        source: record
            .and_then(|record| Some(transcript.sources.get(record.source.0 as usize)?.name.clone()))
            .or_else(|| place.map(|place| place.source.clone())),
        line: record.map(|record| record.line).or_else(|| place?.line),
        tokens: finding.tokens,
        cost_usd: finding.dollars,
        help: finding.help.to_string(),
    }
}

fn people(
    found: &[Finding],
    places: &HashMap<String, Place>,
    head: &Head,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    if found.is_empty() {
        let track = head.policy.as_ref().map_or("as it was recorded".to_owned(), |policy| format!("under {policy}"));
        let words = format!("Nothing to complain about in {}, {track}.", head.transcript.path);
        printer.line(&[(&words, Tone::Kept)])?;
        return Ok(());
    }
    for finding in found {
        show(finding, places.get(&finding.evidence), printer)?;
    }
    let words = counted(found.len() as u64, "finding", "findings");
    printer.line(&[(&words, Tone::Title)])?;
    Ok(())
}

/// Prints a finding; of what a policy shows by itself, with where the policy has it from.
pub fn show(finding: &Finding, place: Option<&Place>, printer: &mut Printer) -> anyhow::Result<()> {
    let (word, tone) = match finding.weight {
        Weight::Loss => ("loss ", Tone::Cut),
        Weight::Waste => ("waste", Tone::Warning),
        Weight::Habit => ("habit", Tone::Accent),
    };
    let own = place;
    let mut place = finding.step.map_or_else(String::new, |step| format!("  step {step}"));
    if let Some(entry) = finding.entry {
        place.push_str(&format!(", entry {}", entry.0));
    }
    if let Some(Place { setting, source, line }) = own {
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        place.push_str(&format!("  {setting}, {}{line}", clip(source, 80)));
    }
    let mut price = String::new();
    let nothing = own.is_some() && finding.tokens == Some(0) && finding.dollars.unwrap_or(0.0) <= 0.0;
    if own.is_some() && finding.tokens.is_none() {
        price.push_str(&format!("  {NO_PRICE}"));
    } else if nothing {
        price.push_str(&format!("  {COSTS_NOTHING}"));
    }
    if let Some(tokens) = finding.tokens.filter(|_| !nothing) {
        let times = if finding.is_once() { "" } else { " over all steps" };
        price.push_str(&format!("  {}{times}", counted(tokens, "token", "tokens")));
    }
    if let Some(cost) = finding.dollars.filter(|_| !nothing) {
        price.push_str(&format!(", about {}", dollars(cost)));
    }
    printer.line(&[
        (word, tone),
        ("  ", Tone::Plain),
        (finding.rule, Tone::Title),
        (&place, Tone::Faint),
        (&price, Tone::Faint),
    ])?;
    printer.line(&[("       ", Tone::Plain), (&finding.evidence, Tone::Plain)])?;
    printer.line(&[("       → ", Tone::Faint), (&finding.help, Tone::Kept)])?;
    Ok(())
}
