//! `windowpane keys`: what keys do, from the keymap as it is in force.

use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::config::{ACTIONS, Keymap, sequence_label};
use crate::present::{Align, Cell, Table, Tone};

use super::args::Common;
use super::print::Printer;
use super::{load, schema};

/// Arguments of `keys`.
#[derive(Debug, Args)]
pub struct KeysArgs {
    /// Print a keys file that sets every key to its default.
    #[arg(long)]
    default: bool,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    common: Common,
}

/// What `keys --json` prints.
#[derive(Serialize, JsonSchema)]
struct Keys {
    /// `windowpane/keys/1`
    schema: &'static str,
    /// Every action, in groups.
    actions: Vec<ActionKeys>,
}

/// One action.
#[derive(Serialize, JsonSchema)]
struct ActionKeys {
    /// Its name in the keys file and the palette.
    action: &'static str,
    /// The keys that do it; several in a row are parted by spaces.
    keys: Vec<String>,
    /// What it belongs to.
    group: &'static str,
    /// What it does.
    meaning: &'static str,
}

/// Prints the keys.
pub fn keys(args: KeysArgs, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<Keys>(&common);
    }
    let mut printer = Printer::new(&common);
    if args.default {
        printer.text(&Keymap::sample())?;
        return printer.done();
    }
    let keymap = load::preferences(&common, &[])?.keymap;
    let rows: Vec<ActionKeys> = ACTIONS
        .iter()
        .map(|info| ActionKeys {
            action: info.name,
            keys: keymap.keys_anywhere(info.action).map(|keys| sequence_label(keys, true)).collect(),
            group: info.group.title(),
            meaning: info.meaning,
        })
        .collect();
    if common.json {
        printer.json(&Keys { schema: "windowpane/keys/1", actions: rows })?;
        return printer.done();
    }
    let mut table = Table::new(&[("keys", Align::Left), ("action", Align::Left), ("meaning", Align::Left)]);
    let mut group = "";
    for row in rows {
        if row.group != group {
            group = row.group;
            table.row([Cell::new(group, Tone::Title)]);
        }
        table.row([Cell::new(&row.keys.join(", "), Tone::Accent), row.action.into(), row.meaning.into()]);
    }
    printer.whole_table(&table)?;
    printer.done()
}
