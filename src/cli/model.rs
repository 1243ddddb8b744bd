//! `windowpane model`: the embedding models there are, adding one, and checking that one works.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::{Args, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;

use crate::chunk::{BUNDLED, dot, hex_of};
use crate::content::Watch;
use crate::io::ModelPlaces;
use crate::present::{Align, Cell, Table, Tone, bytes};

use super::args::{Common, Look};
use super::print::Printer;
use super::{load, schema};

/// Arguments of `model`.
#[derive(Debug, Args)]
pub struct ModelArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the models there are, and what those lack that cannot be used.
    List(ListArgs),
    /// Copy a model's files (model.onnx, tokenizer.json and what goes with them) to the folder of added models.
    Add(AddArgs),
    /// Load a model and embed three sentences with it.
    Check(CheckArgs),
}

#[derive(Debug, Args)]
struct ListArgs {
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct AddArgs {
    /// The folder that holds the model.
    #[arg(value_name = "FOLDER")]
    from: PathBuf,
    /// The name to give it; without one, its folder's.
    #[arg(long)]
    name: Option<String>,
    /// Replace a model of that name.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct CheckArgs {
    /// The model's name.
    #[arg(default_value = BUNDLED)]
    name: String,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    common: Common,
}

/// What `model list --json` prints.
#[derive(Serialize, JsonSchema)]
struct List {
    /// `windowpane/model/1`
    schema: &'static str,
    /// The ONNX Runtime library that is named.
    onnxruntime: Option<String>,
    /// The folder of added models.
    folder: Option<String>,
    models: Vec<ModelRow>,
}

#[derive(Serialize, JsonSchema)]
struct ModelRow {
    name: String,
    /// Whether it is in the program.
    bundled: bool,
    /// Bytes of its file; null for what is in the program.
    bytes: Option<u64>,
    /// What it lacks to be used; null where nothing is seen.
    lacks: Option<String>,
}

/// What `model check --json` prints.
#[derive(Serialize, JsonSchema)]
struct Checked {
    /// `windowpane/model-check/1`
    schema: &'static str,
    name: String,
    /// SHA-256 of its files and of how they are used.
    hash: String,
    /// Numbers in a vector.
    dimensions: usize,
    /// Cosine of two sentences that mean nearly the same.
    near: f32,
    /// Cosine of two sentences that have nothing to do with each other.
    far: f32,
    /// Whether the first is larger than the second.
    good: bool,
    /// Milliseconds to load it.
    load_ms: u64,
    /// Texts of 500 characters embedded in a second.
    rate: f64,
}

/// Does what is asked of models.
pub fn model(args: ModelArgs, look: Look, common: Common) -> anyhow::Result<ExitCode> {
    match args.what {
        What::List(args) => list(args, look, common),
        What::Add(args) => add(args, look, common),
        What::Check(args) => check(args, look, common),
    }
}

fn places(look: &Look, common: &Common) -> anyhow::Result<ModelPlaces> {
    let preferences = load::preferences(common, &load::settings_of(look))?;
    let settings = &preferences.settings;
    Ok(ModelPlaces::of(settings.embedding_onnxruntime.as_deref(), settings.embedding_models.as_deref()))
}

fn list(args: ListArgs, look: Look, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<List>(&common);
    }
    let places = places(&args.look.over(look), &common)?;
    let rows = places.list();
    let mut printer = Printer::new(&common);
    let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
    if common.json {
        let row = |row: &crate::io::ModelRow| ModelRow {
            name: row.name.clone(),
            bundled: row.bundled,
            bytes: Some(row.bytes).filter(|_| !row.bundled),
            lacks: row.lacks.clone(),
        };
        printer.json(&List {
            schema: "windowpane/model/1",
            onnxruntime: shown(&places.onnxruntime),
            folder: shown(&places.folder),
            models: rows.iter().map(row).collect(),
        })?;
        return printer.done();
    }
    let mut table = Table::new(&[("model", Align::Left), ("size", Align::Right), ("", Align::Left)]);
    for row in &rows {
        let size = if row.bundled { "in the program".to_owned() } else { bytes(row.bytes) };
        let (tone, state) = match &row.lacks {
            Some(lacks) => (Tone::Warning, lacks.as_str()),
            None => (Tone::Kept, "can be used"),
        };
        table.row([Cell::new(&row.name, Tone::Accent), size.into(), Cell::new(state, tone)]);
    }
    printer.table(&table)?;
    if let Some(folder) = shown(&places.folder) {
        printer.remark(&format!("added models lie in {folder}"));
    }
    printer.done()
}

fn add(args: AddArgs, look: Look, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    let places = places(&args.look.over(look), &common)?;
    let own = || args.from.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = args.name.clone().unwrap_or_else(own);
    let to = places.add(&name, &args.from, args.force);
    let to = to.with_context(|| format!("cannot add {}", args.from.display()))?;
    let mut printer = Printer::new(&common);
    printer.remark(&format!("{name} is now in {}; try it: windowpane model check {name}", to.display()));
    printer.done()
}

fn check(args: CheckArgs, look: Look, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<Checked>(&common);
    }
    let places = places(&args.look.over(look), &common)?;
    let begun = Instant::now();
    let embedder = places.load(&args.name)?;
    embedder.ready()?;
    let load_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let texts = ["A cat sits on the mat.", "A kitten rests on a rug.", "Interest rates rose in March."];
    let mut vectors: Vec<Arc<[f32]>> = vec![Arc::from([]); texts.len()];
    let watch = Watch::default();
    embedder.embed(&texts, &watch, &mut |at, vector| {
        if let Some(place) = vectors.get_mut(at) {
            *place = vector;
        }
    })?;
    let (near, far) = match vectors.as_slice() {
        [one, same, other] => (dot(one, same), dot(one, other)),
        _ => (0.0, 0.0),
    };
    let sample = "It is a truth that words of ordinary length fill a passage. ".repeat(9);
    let sample = vec![&sample[..500]; 32];
    let begun = Instant::now();
    embedder.embed(&sample, &watch, &mut |_, _| {})?;
    #[allow(clippy::cast_precision_loss)]
    let rate = sample.len() as f64 / begun.elapsed().as_secs_f64();
    let model = embedder.model();
    let good = near > far;
    let mut printer = Printer::new(&common);
    if common.json {
        printer.json(&Checked {
            schema: "windowpane/model-check/1",
            name: model.name.clone(),
            hash: hex_of(&model.hash),
            dimensions: model.dimensions,
            near,
            far,
            good,
            load_ms,
            rate,
        })?;
    } else {
        let tone = if good { Tone::Kept } else { Tone::Cut };
        let words = if good { "works" } else { "gives vectors without meaning" };
        printer.line(&[(&model.name, Tone::Accent), (" ", Tone::Plain), (words, tone)])?;
        let line = format!(
            "{} numbers to a vector; alike {near:.3}, unlike {far:.3}; loaded in {load_ms} ms; {rate:.0} passages a second",
            model.dimensions
        );
        printer.line(&[(&line, Tone::Plain)])?;
    }
    let done = printer.done()?;
    Ok(if good { done } else { ExitCode::from(1) })
}
