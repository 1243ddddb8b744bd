//! `windowpane lint`: anti-patterns, with evidence, price and what would help.

use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::content::Watch;
use crate::engine::own_version;
use crate::inquiry::Ready;
use crate::inquiry::lint::{
    COSTS_NOTHING, FilesShown, Finding, Looked, NO_PRICE, Own, Weight, is_uncached, lint, needed_after_cut, of_policy,
    settle, sort,
};
use crate::io::{base_of, policy_named, set_in};
use crate::model::{Record, Run, ThreadId, Track};
use crate::policy::{Policy, named, paired};
use crate::present::{Tone, clip, counted, dollars};

use super::args::{Common, Look, Subject};
use super::fail::usage;
use super::header::{self, Head, Header};
use super::load::{Session, View, Wanted};
use super::print::Printer;
use super::schema;
use super::simulated::{called, is_simulated, over, own_preset, policy_settings};

/// Tokens of a window, where neither a session nor a policy names it.
pub const WINDOW: u64 = 200_000;
/// The policy whose settings `--set` changes where neither a session nor an option names one.
const WITHOUT: &str = "internal-agent";

/// What is told of prices where nothing tells of a cache.
const UNCACHED: &str = "Nothing tells of a cache: steps without a report are priced as uncached input, each in full.";

/// Arguments of `lint`. A policy alone is looked at where one is given and no transcript.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("transcript", |arg| arg.required_unless_present_any(["policy", "set"])))]
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
    about: About,
    /// Whether steps without a report are priced as uncached input, as nothing tells of a cache.
    uncached: bool,
    findings: Vec<Row>,
}

/// What is looked at.
#[derive(Serialize, JsonSchema)]
struct About {
    /// Absent where a policy is looked at alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    transcript: Option<Header>,
    /// Recorded or simulated; of a policy alone, what it would make.
    track: Track,
    /// The policy that it was replayed under, on the simulated track, or that is looked at alone.
    policy: Option<String>,
    /// The conversation: 0 is the session itself. Absent where a policy is looked at alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    thread: Option<u32>,
}

impl About {
    /// A run of a session.
    fn of(head: Head) -> About {
        let Head { transcript, track, policy, thread } = head;
        About { transcript: Some(transcript), track, policy, thread: Some(thread) }
    }

    /// A policy alone, by what it is called.
    fn policy(name: String) -> About {
        About { transcript: None, track: Track::Simulated, policy: Some(name), thread: None }
    }
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
    /// What these are, in words: over all steps, or of what.
    of: Option<&'static str>,
    cost_usd: Option<f64>,
    /// The rules of other findings that count some of the same tokens: they are not to be added up.
    overlaps: Vec<&'static str>,
    /// The setting or change that would help.
    help: String,
}

/// Looks for anti-patterns.
pub fn run(args: LintArgs) -> anyhow::Result<ExitCode> {
    let Subject { look, common, schema, .. } = &args.subject;
    if *schema {
        return schema::print::<Output>(common);
    }
    let mut printer = Printer::new(common);
    let found = match args.subject.transcript {
        Some(_) => {
            let session = args.subject.open()?;
            let View { run, policy, .. } = session.view(look, Wanted::All)?;
            let about = About::of(Head::of(&session, &run, policy.as_deref()));
            let found = of_session(&session, look, &run)?;
            report(&found, Some((&session, &run)), about, common, &mut printer)?;
            found
        }
        None => {
            let (name, found) = alone(look)?;
            report(&found, None, About::policy(name), common, &mut printer)?;
            found
        }
    };
    let code = printer.done()?;
    Ok(if args.check && !found.is_empty() { ExitCode::from(1) } else { code })
}

/// A finding; of what a policy shows by itself, with where the policy has it from.
type Placed = (Finding, Option<Place>);

/// What a session shows under the options.
fn of_session(session: &Session, look: &Look, run: &Run) -> anyhow::Result<Vec<Placed>> {
    let (id, chosen) = (ThreadId(look.thread.unwrap_or(0)), session.chosen(look)?);
    let name = look.policy.first().map_or_else(|| own_preset(&session.transcript), String::as_str);
    let start = base_of(name, own_version(&session.transcript).as_deref());
    let policies = Policies { tried: &chosen.policy, base: &start.0 };
    let found = findings(session, id, run, policies, is_simulated(look), &Watch::default())?;
    let place = |setting| set_by(look, name, &chosen.policy, &start, setting);
    Ok(found.into_iter().map(|(finding, setting)| (finding, setting.map(place))).collect())
}

/// What a policy shows by itself, where no session is named, and what it is called.
fn alone(look: &Look) -> anyhow::Result<(String, Vec<Placed>)> {
    let name = match look.policy.as_slice() {
        [] => WITHOUT,
        [name] => name,
        _ => return Err(usage("one --policy is enough here; compare takes two")),
    };
    let (mut policy, _) = policy_named(name, None).map_err(|error| usage(error.to_string()))?;
    over(&mut policy, policy_settings(look))?;
    paired(&policy).map_err(|fault| usage(fault.to_string()))?;
    let start = base_of(name, None);
    let window = look.window.filter(|_| policy.window.size == 0).unwrap_or_else(|| window_of(&policy));
    let mut own = of_policy(&policy, &start.0, window);
    sort(&mut own, |own| &own.finding);
    let place = |setting| set_by(look, name, &policy, &start, setting);
    Ok((called(name, look), own.into_iter().map(|own| (own.finding, Some(place(own.setting)))).collect()))
}

/// The window that a policy's shares refer to: its own, else that of most models.
pub fn window_of(policy: &Policy) -> u64 {
    if policy.window.size > 0 { policy.window.size } else { WINDOW }
}

/// A policy that is tried, and what it starts from.
#[derive(Clone, Copy)]
pub struct Policies<'a> {
    /// The policy.
    pub tried: &'a Policy,
    /// See [`base_of`].
    pub base: &'a Policy,
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
    Policies { tried: policy, base }: Policies,
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
        let window = run.steps.last().map_or(WINDOW, |step| step.window_tokens);
        let own = of_policy(policy, base, window).into_iter();
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

/// Where the policy of a name has a setting from, once the options are put over it. `start`: what it starts from, and
/// what that is called.
fn set_by(look: &Look, name: &str, policy: &Policy, start: &(Policy, Option<String>), key: &'static str) -> Place {
    let sets = |set: &String| set.split_once('=').is_some_and(|(name, _)| name.trim() == key);
    if look.set.iter().any(sets) {
        return Place { setting: key, source: "--set".to_owned(), line: None };
    }
    let (source, line) = set_in(name, key);
    let source = if line.is_none() { started(policy, start, key).unwrap_or(source) } else { source };
    Place { setting: key, source, line }
}

/// What a policy has a setting from, where it has it from what it starts from.
pub fn started(policy: &Policy, (base, called): &(Policy, Option<String>), key: &str) -> Option<String> {
    let setting = named(key).filter(|setting| (setting.get)(policy) == (setting.get)(base))?;
    let is_default = (setting.get)(policy) == setting.default();
    match called {
        Some(called) => Some(format!("preset {called}")),
        None => is_default.then(|| "the defaults".to_owned()),
    }
}

fn row(finding: &Finding, place: Option<&Place>, all: &[Placed], of: Option<(&Session, &Run)>) -> Row {
    let entry = of.and_then(|(_, run)| run.entry(finding.entry?));
    let record = of.and_then(|(session, _)| Some(session.transcript.block(entry?.block()?)?.record));
    let name = |record: Record| {
        let (session, _) = of?;
        Some(session.transcript.sources.get(record.source.0 as usize)?.name.clone())
    };
    Row {
        rule: finding.rule,
        weight: finding.weight,
        evidence: finding.evidence.clone(),
        step: finding.step,
        entry: finding.entry.map(|id| id.0),
        setting: place.map(|place| place.setting),
        source: record.and_then(name).or_else(|| place.map(|place| place.source.clone())),
        line: record.map(|record| record.line).or_else(|| place?.line),
        tokens: finding.tokens,
        of: finding.tokens.map(|_| finding.of_what()),
        cost_usd: finding.dollars,
        overlaps: finding.overlaps(all.iter().map(|(other, _)| other)),
        help: finding.help.to_string(),
    }
}

/// Prints all findings; `of`: the session and the run that show them, and `about` what is said of these.
fn report(
    found: &[Placed],
    of: Option<(&Session, &Run)>,
    about: About,
    common: &Common,
    printer: &mut Printer,
) -> anyhow::Result<()> {
    let uncached = of.is_some_and(|(session, run)| is_uncached(run, &session.transcript));
    if common.json {
        let findings = found.iter().map(|(finding, place)| row(finding, place.as_ref(), found, of)).collect();
        return printer.json(&Output { schema: "windowpane/lint/1", about, uncached, findings });
    }
    people(found, &about, printer)?;
    if uncached && found.iter().any(|(finding, _)| finding.dollars.is_some_and(|cost| cost > 0.0)) {
        printer.line(&[(UNCACHED, Tone::Faint)])?;
    }
    if let Some(transcript) = &about.transcript {
        header::warn(transcript, printer);
    }
    Ok(())
}

fn people(found: &[Placed], about: &About, printer: &mut Printer) -> anyhow::Result<()> {
    if found.is_empty() {
        let about = match (&about.transcript, &about.policy) {
            (Some(transcript), None) => format!("{}, as it was recorded", transcript.path),
            (Some(transcript), Some(policy)) => format!("{}, under {policy}", transcript.path),
            (None, policy) => format!("the policy {}", policy.as_deref().unwrap_or_default()),
        };
        let words = format!("Nothing to complain about in {about}.");
        printer.line(&[(&words, Tone::Kept)])?;
        return Ok(());
    }
    let mut shared = 0u64;
    for (finding, place) in found {
        let overlaps = finding.overlaps(found.iter().map(|(other, _)| other));
        shared += u64::from(!overlaps.is_empty());
        show(finding, place.as_ref(), &overlaps, printer)?;
    }
    let mut words = counted(found.len() as u64, "finding", "findings");
    if shared > 0 {
        words.push_str(&format!("; {shared} of them count some of the same tokens: these are not to be added up"));
    }
    printer.line(&[(&words, Tone::Title)])?;
    Ok(())
}

/// Prints a finding; of what a policy shows by itself, with where the policy has it from. `overlaps`: see
/// [`Finding::overlaps`].
pub fn show(finding: &Finding, place: Option<&Place>, overlaps: &[&str], printer: &mut Printer) -> anyhow::Result<()> {
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
        price.push_str(&format!("  {} {}", counted(tokens, "token", "tokens"), finding.of_what()));
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
    if !overlaps.is_empty() {
        let words = format!("some of these tokens are counted by {}, too", overlaps.join(" and "));
        printer.line(&[("       ", Tone::Plain), (&words, Tone::Faint)])?;
    }
    printer.line(&[("       → ", Tone::Faint), (&finding.help, Tone::Kept)])?;
    Ok(())
}
