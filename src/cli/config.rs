//! `windowpane config`: the settings as they are in force, and where each comes from.

use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::config::{Origin, Settings};
use crate::io::shown_address;
use crate::present::{Align, Cell, Table, Tone};

use super::args::{Common, Look};
use super::fail::usage;
use super::print::Printer;
use super::{load, schema};

/// Arguments of `config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Print a config file that sets everything to its default.
    #[arg(long)]
    default: bool,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    common: Common,
}

/// What `config --json` prints.
#[derive(Serialize, JsonSchema)]
struct Config {
    /// `windowpane/config/1`
    schema: &'static str,
    /// The config file, where there is one.
    file: Option<String>,
    /// The keys file, where there is one.
    keys_file: Option<String>,
    /// The folder that themes of the user lie in.
    themes: Option<String>,
    /// Every setting.
    settings: Vec<Setting>,
}

/// One setting.
#[derive(Serialize, JsonSchema)]
struct Setting {
    /// Its key in the config file.
    key: &'static str,
    /// Its value as TOML; null where nothing is set.
    value: Option<String>,
    /// Its default as TOML.
    default: Option<String>,
    /// Where the value comes from: `default`, `file` or `argument`.
    origin: &'static str,
    /// What it does.
    meaning: &'static str,
}

/// Prints the settings.
pub fn config(args: ConfigArgs, look: Look, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<Config>(&common);
    }
    let mut printer = Printer::new(&common);
    if args.default {
        printer.text(&Settings::sample())?;
        return printer.done();
    }
    let found = load::preferences(&common, &load::settings_of(&args.look.over(look)))?;
    // What is set is good only where what it names is.
    found.theme(&load::ground(&common)).map_err(|error| usage(error.to_string()))?;
    load::models(&found)?;
    let shown = |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
    let mut rows = found.settings.rows();
    for row in &mut rows {
        if row.key == "summariser_url" {
            row.value = row.value.as_deref().map(shown_address);
        }
    }
    if common.json {
        let settings = rows.into_iter().map(|row| Setting {
            key: row.key,
            value: row.value,
            default: row.default,
            origin: row.origin.name(),
            meaning: row.meaning,
        });
        printer.json(&Config {
            schema: "windowpane/config/1",
            file: shown(&found.file),
            keys_file: shown(&found.keys_file),
            themes: shown(&found.themes),
            settings: settings.collect(),
        })?;
        return printer.done();
    }
    let none = "none".to_owned();
    for (name, path) in [("config file", &found.file), ("keys file", &found.keys_file), ("themes", &found.themes)] {
        printer.line(&[
            (name, Tone::Title),
            (": ", Tone::Plain),
            (&shown(path).unwrap_or(none.clone()), Tone::Plain),
        ])?;
    }
    let mut table = Table::new(&[
        ("setting", Align::Left),
        ("value", Align::Left),
        ("from", Align::Left),
        ("meaning", Align::Left),
    ]);
    for row in rows {
        let tone = if row.origin == Origin::Default { Tone::Faint } else { Tone::Accent };
        table.row([
            row.key.into(),
            Cell::new(row.value.as_deref().unwrap_or("–"), tone),
            row.origin.name().into(),
            row.meaning.into(),
        ]);
    }
    printer.table(&table)?;
    printer.done()
}
