//! `windowpane policy`: presets and policy files, printed and checked, and the settings that they are made of.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;

use crate::inquiry::lint::{Finding, Own, Weight, of_policy};
use crate::io::{PolicyError, base_in, line_of, policy_named, policy_text, variants_named};
use crate::policy::{
    Evidence, Fault, Origins, PRESETS, Policy, Setting, origin, paired, preset, read_noted, settings, show,
};
use crate::present::{Align, Cell, Table, Tone, count, folded};

use super::args::{Common, Look};
use super::fail::usage;
use super::print::Printer;
use super::{lint, schema, simulated};

const SCHEMA: &str = "windowpane/policy/1";
/// Columns of a default, and of what a setting may be, in the list of settings.
const FOLDED: usize = 40;

/// Arguments of `policy`.
#[derive(Debug, Args)]
pub struct PolicyArgs {
    #[command(subcommand)]
    what: What,
}

/// How to print.
#[derive(Debug, Args)]
struct How {
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    common: Common,
}

/// What is asked of policies.
#[derive(Debug, Subcommand)]
enum What {
    /// List the presets.
    List {
        #[command(flatten)]
        how: How,
    },
    /// Print a policy whole, as a file that reads back: every setting with its meaning or the origin of its figure.
    Show {
        /// A preset (NAME, NAME/PROFILE, NAME@VERSION) or a file that ends in .toml (FILE.toml, FILE.toml/PROFILE).
        #[arg(value_name = "NAME|FILE.toml", required_unless_present = "schema")]
        name: Option<String>,
        /// Print only what differs from the defaults.
        #[arg(long)]
        brief: bool,
        /// One setting that differs.
        #[arg(long, value_name = "KEY=VALUE")]
        set: Vec<String>,
        #[command(flatten)]
        how: How,
    },
    /// Check a policy file. The exit status is 1 where something is wrong with it.
    Check {
        /// The file; - is standard input.
        #[arg(value_name = "FILE", required_unless_present = "schema")]
        file: Option<String>,
        #[command(flatten)]
        how: How,
    },
    /// List every setting: its type, what it may be, its default, how fast a run follows, its source and meaning.
    Keys {
        #[command(flatten)]
        how: How,
    },
}

impl What {
    fn how(&self) -> &How {
        match self {
            What::List { how } | What::Show { how, .. } | What::Check { how, .. } | What::Keys { how } => how,
        }
    }
}

/// What `policy --json` prints.
#[derive(Serialize, JsonSchema)]
struct Report {
    /// `windowpane/policy/1`
    schema: &'static str,
    #[serde(flatten)]
    told: Told,
}

/// What was asked.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Told {
    /// The presets.
    List { presets: Vec<PresetRow> },
    /// One policy.
    Show {
        name: String,
        /// Every setting, in order.
        settings: Vec<ValueRow>,
        /// The same as a file.
        toml: String,
    },
    /// What is wrong with a file; nothing where it is a policy.
    Check {
        file: String,
        valid: bool,
        faults: Vec<FaultRow>,
        /// What such a policy costs or loses in any long session, though it is one; as `lint` finds it.
        findings: Vec<Advice>,
    },
    /// The settings.
    Keys { settings: Vec<KeyRow> },
}

/// A preset.
#[derive(Serialize, JsonSchema)]
struct PresetRow {
    name: &'static str,
    /// What it is a policy of.
    about: &'static str,
    /// Its profiles, for `NAME/PROFILE`.
    profiles: Vec<String>,
    /// Bands of versions with figures of their own, from and to, both included.
    versions: Vec<[Option<String>; 2]>,
    /// How many of the figures that it sets are measured.
    measured: usize,
    /// How many are documented.
    documented: usize,
    /// How many are estimates.
    estimated: usize,
    /// The same of all figures that are in force under it, its own and defaults, as `policy show` marks them.
    in_force: InForce,
}

/// How sure figures are, by number.
#[derive(Serialize, JsonSchema)]
struct InForce {
    measured: usize,
    documented: usize,
    estimated: usize,
}

impl InForce {
    fn of(policy: &Policy, said: &Origins) -> InForce {
        let found: Vec<Evidence> = settings().filter_map(|one| Some(origin(one, policy, said)?.evidence)).collect();
        let number = |evidence| found.iter().filter(|one| **one == evidence).count();
        InForce {
            measured: number(Evidence::Measured),
            documented: number(Evidence::Documented),
            estimated: number(Evidence::Estimated),
        }
    }
}

/// A setting of a policy.
#[derive(Serialize, JsonSchema)]
struct ValueRow {
    key: &'static str,
    /// As TOML.
    value: String,
    /// As TOML.
    default: String,
    unit: &'static str,
    /// Whether it differs from the default.
    differs: bool,
    /// How sure the figure is: measured, documented or estimated; null where the setting's section is off, or the
    /// policy has a figure of its own and says nothing of it.
    evidence: Option<&'static str>,
    /// Where the figure is from, in words; of a default, where the default is from.
    from: Option<String>,
}

/// What is wrong with a file.
#[derive(Serialize, JsonSchema)]
struct FaultRow {
    /// The key as given, where it is about one.
    key: Option<String>,
    /// What it may be.
    allowed: Option<String>,
    /// The name that was probably meant.
    nearest: Option<String>,
    /// All of it in a sentence.
    message: String,
}

/// A pattern that a policy shows by itself.
#[derive(Serialize, JsonSchema)]
struct Advice {
    rule: &'static str,
    weight: Weight,
    evidence: String,
    /// The setting that shows it, and the line of the file that sets it; null where the file's preset does.
    setting: &'static str,
    line: Option<u32>,
    /// What the setting's value is from: the file, the preset that it names, or the defaults.
    source: String,
    /// The setting or change that would help.
    help: String,
    #[serde(skip)]
    #[schemars(skip)]
    whole: Finding,
}

/// A setting's declaration.
#[derive(Serialize, JsonSchema)]
struct KeyRow {
    key: &'static str,
    /// Its type.
    kind: &'static str,
    /// As TOML.
    default: String,
    unit: &'static str,
    /// What it may be.
    allowed: String,
    /// How fast a run follows: instant, recount or reembed.
    follows: &'static str,
    /// Where its rule is from.
    source: &'static str,
    meaning: &'static str,
}

/// Does what is asked of policies.
pub fn policy(args: PolicyArgs, look: &Look, outer: Common) -> anyhow::Result<ExitCode> {
    let how = args.what.how();
    let common = how.common.clone().over(outer);
    if how.schema {
        return schema::print::<Report>(&common);
    }
    let mut printer = Printer::new(&common);
    let mut good = true;
    let told = match args.what {
        What::List { .. } => list(),
        What::Keys { .. } => Told::Keys { settings: settings().map(key_row).collect() },
        What::Show { name, brief, set, .. } => {
            let name = name.unwrap_or_default();
            let (mut policy, mut origins) = policy_named(&name, None).map_err(|error| usage(error.to_string()))?;
            simulated::over(&mut policy, look.set.iter().chain(&set))?;
            paired(&policy).map_err(|fault| usage(fault.to_string()))?;
            let changed = changed(&policy, &name);
            origins.retain(|key, _| !changed.contains(&key.as_str()));
            let mut variants = variants_named(&name).map_err(|error| usage(error.to_string()))?;
            variants.without(&changed);
            let toml = show(&policy, &origins, &variants, !brief);
            let settings = settings().map(|setting| value_row(setting, &policy, &origins)).collect();
            Told::Show { name, settings, toml }
        }
        What::Check { file, .. } => {
            let told = check(file.unwrap_or_default())?;
            good = matches!(told, Told::Check { valid: true, .. });
            told
        }
    };
    if common.json {
        printer.json(&Report { schema: SCHEMA, told })?;
    } else {
        people(&told, &mut printer)?;
    }
    let done = printer.done()?;
    Ok(if good { done } else { ExitCode::FAILURE })
}

/// The settings that `--set` changed: no origin, band or profile of the policy says anything of them any more.
fn changed(policy: &Policy, name: &str) -> Vec<&'static str> {
    let before = policy_named(name, None).map(|(before, _)| before).unwrap_or_default();
    settings().filter(|setting| (setting.get)(policy) != (setting.get)(&before)).map(|setting| setting.key).collect()
}

fn list() -> Told {
    let presets = PRESETS.iter().map(|one| {
        let (policy, origins) = preset(one.name, None).unwrap_or_default();
        let number = |evidence| origins.values().filter(|origin| origin.evidence == evidence).count();
        let (profiles, versions) = one.variants();
        PresetRow {
            name: one.name,
            about: one.about,
            profiles,
            versions: versions.into_iter().map(|(from, to)| [from, to]).collect(),
            measured: number(Evidence::Measured),
            documented: number(Evidence::Documented),
            estimated: number(Evidence::Estimated),
            in_force: InForce::of(&policy, &origins),
        }
    });
    Told::List { presets: presets.collect() }
}

fn value_row(setting: &'static Setting, policy: &Policy, origins: &Origins) -> ValueRow {
    let (value, default) = ((setting.get)(policy), setting.default());
    let origin = origin(setting, policy, origins);
    ValueRow {
        key: setting.key,
        differs: value != default,
        value: value.to_string(),
        default: default.to_string(),
        unit: setting.unit,
        evidence: origin.as_ref().map(|origin| origin.evidence.name()),
        from: origin.map(|origin| origin.from),
    }
}

fn key_row(setting: &'static Setting) -> KeyRow {
    KeyRow {
        key: setting.key,
        kind: setting.kind.name(),
        default: setting.default().to_string(),
        unit: setting.unit,
        allowed: setting.allowed(),
        follows: setting.follows.name(),
        source: setting.source,
        meaning: setting.meaning.trim(),
    }
}

fn check(file: String) -> anyhow::Result<Told> {
    let text = policy_text(&file).map_err(|error: PolicyError| anyhow::anyhow!("{error}"))?;
    let (findings, faults): (Vec<(Option<String>, Own)>, _) = match read_noted(&text, None, None) {
        Ok((policy, _)) => {
            let start = base_in(&text, None);
            let found = of_policy(&policy, &start.0, lint::window_of(&policy)).into_iter();
            // What the file does not set itself is told with what it has it from.
            let source = |own: &Own| lint::started(&policy, &start, own.setting);
            (found.map(|own| (source(&own), own)).collect(), Vec::new())
        }
        Err(faults) => (Vec::new(), faults),
    };
    let faults: Vec<FaultRow> = faults.iter().map(fault_row).collect();
    let advice = |(source, Own { finding: whole, setting, .. }): (Option<String>, Own)| Advice {
        setting,
        line: line_of(&text, setting),
        source: source.filter(|_| line_of(&text, setting).is_none()).unwrap_or_else(|| file.clone()),
        rule: whole.rule,
        weight: whole.weight,
        evidence: whole.evidence.clone(),
        help: whole.help.to_string(),
        whole,
    };
    let findings = findings.into_iter().map(advice).collect();
    Ok(Told::Check { file, valid: faults.is_empty(), faults, findings })
}

fn fault_row(fault: &Fault) -> FaultRow {
    let (key, allowed, nearest) = match fault {
        Fault::UnknownKey { key, nearest } => (Some(key.clone()), None, nearest.clone()),
        Fault::Value { key, allowed, .. } => (Some((*key).to_owned()), Some(allowed.clone()), None),
        Fault::Pair { key, most, .. } => (Some((*key).to_owned()), Some(format!("at most {most}")), None),
        Fault::UnknownPreset { nearest, .. } | Fault::UnknownProfile { nearest, .. } => {
            (Some("preset".to_owned()), None, nearest.clone())
        }
        Fault::Version { .. } | Fault::TooDeep(_) => (Some("preset".to_owned()), None, None),
        Fault::Within { fault, .. } => {
            let FaultRow { key, allowed, nearest, .. } = fault_row(fault);
            (key, allowed, nearest)
        }
        Fault::Part { place, .. } => (Some(place.clone()), None, None),
        Fault::Syntax(_) | Fault::NotAnAssignment(_) => (None, None, None),
    };
    FaultRow { key, allowed, nearest, message: fault.to_string() }
}

fn people(told: &Told, printer: &mut Printer) -> anyhow::Result<()> {
    match told {
        Told::Show { toml, .. } => printer.text(toml)?,
        Told::List { presets } => {
            let mut table =
                Table::new(&[("preset", Align::Left), ("figures in force", Align::Left), ("about", Align::Left)]);
            for row in presets {
                let InForce { measured, documented, estimated } = row.in_force;
                let figures = [(measured, "measured"), (documented, "documented"), (estimated, "estimated")];
                let told = figures.iter().filter(|(number, _)| *number > 0);
                let told: Vec<String> =
                    told.map(|(number, name)| format!("{} {name}", count(*number as u64))).collect();
                table.row([
                    Cell::new(row.name, Tone::Accent),
                    Cell::new(&told.join(", "), Tone::Faint),
                    row.about.into(),
                ]);
                for profile in &row.profiles {
                    table.row([Cell::new(&format!("  {}/{profile}", row.name), Tone::Accent)]);
                }
            }
            printer.table(&table)?;
        }
        Told::Keys { settings } => {
            let mut table = Table::new(&[
                ("setting", Align::Left),
                ("type", Align::Left),
                ("default", Align::Left),
                ("allowed", Align::Left),
                ("follows", Align::Left),
                ("meaning", Align::Left),
                ("source", Align::Left),
            ]);
            for row in settings {
                // Long lists go on below.
                let default = folded(&row.default, FOLDED);
                let allowed = folded(format!("{} {}", row.allowed, row.unit).trim_end(), FOLDED);
                for at in 0..default.len().max(allowed.len()) {
                    let once = |text: &'static str| if at == 0 { text } else { "" };
                    let part = |lines: &[String]| lines.get(at).cloned().unwrap_or_default();
                    table.row([
                        Cell::new(once(row.key), Tone::Accent),
                        Cell::new(once(row.kind), Tone::Faint),
                        part(&default).into(),
                        Cell::new(&part(&allowed), Tone::Faint),
                        Cell::new(once(row.follows), Tone::Faint),
                        once(row.meaning).into(),
                        Cell::new(once(row.source), Tone::Faint),
                    ]);
                }
            }
            printer.table(&table)?;
        }
        Told::Check { file, faults, findings, .. } => {
            for fault in faults {
                // What is wrong with TOML is shown with the line that it stands in.
                for (at, line) in fault.message.lines().enumerate() {
                    let place = if at == 0 { format!("{file}: ") } else { "  ".to_owned() };
                    printer.line(&[(&format!("{place}{line}"), Tone::Cut)])?;
                }
            }
            if faults.is_empty() {
                printer.line(&[(&format!("{file}: nothing wrong with it"), Tone::Kept)])?;
            }
            for advice in findings {
                let place = lint::Place { setting: advice.setting, source: advice.source.clone(), line: advice.line };
                lint::show(&advice.whole, Some(&place), &[], printer)?;
            }
        }
    }
    Ok(())
}
