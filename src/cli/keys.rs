//! `windowpane keys`: what keys do, from the keymap as it is in force.

use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::config::{ACTIONS, Context, Keymap, sequence_label};
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
    /// Keys that do it in some places alone: elsewhere the keys file gives them to another action.
    keys_in_places: Vec<PlacedKey>,
    /// What it belongs to.
    group: &'static str,
    /// What it does.
    meaning: &'static str,
}

/// A key that does an action in some places alone.
#[derive(Serialize, JsonSchema)]
struct PlacedKey {
    key: String,
    /// The panes and screens where it does.
    places: Vec<&'static str>,
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
        .map(|info| {
            let in_force = keymap.keys_anywhere(info.action);
            let (whole, partly): (Vec<_>, Vec<_>) = in_force.partition(|(_, places)| places.is_empty());
            ActionKeys {
                action: info.name,
                keys: whole.into_iter().map(|(keys, _)| sequence_label(keys, true)).collect(),
                keys_in_places: partly
                    .into_iter()
                    .map(|(keys, places)| PlacedKey {
                        key: sequence_label(keys, true),
                        places: places.into_iter().map(Context::title).collect(),
                    })
                    .collect(),
                group: info.group.title(),
                meaning: info.meaning,
            }
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
        let partly = row.keys_in_places.iter().map(|held| format!("{} ({})", held.key, held.places.join(", ")));
        let keys: Vec<String> = row.keys.iter().cloned().chain(partly).collect();
        table.row([Cell::new(&keys.join(", "), Tone::Accent), row.action.into(), row.meaning.into()]);
    }
    printer.whole_table(&table)?;
    printer.done()
}
