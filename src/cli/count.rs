//! `windowpane count`: tokens of any text.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;

use crate::present::{Align, Cell, Table, Tone, bytes, count as shown};
use crate::tokens::{Encoding, Streamed, count_stream};

use super::args::{Common, Look};
use super::fail::{self, say};
use super::print::Printer;
use super::{load, schema};

/// Arguments of `count`.
#[derive(Debug, Args)]
pub struct CountArgs {
    /// The files; - is standard input.
    #[arg(value_name = "FILE", required_unless_present = "schema")]
    files: Vec<PathBuf>,
    /// The encoding to count with.
    #[arg(long, value_name = "NAME")]
    encoding: Option<String>,
    /// Count with this model's encoding.
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Print the JSON Schema of this command's output.
    #[arg(long)]
    schema: bool,
    #[command(flatten)]
    common: Common,
}

/// What `count --json` prints.
#[derive(Serialize, JsonSchema)]
struct Counted {
    /// `windowpane/count/1`
    schema: &'static str,
    /// The encoding.
    encoding: &'static str,
    /// Whether it is the model's own; else the counts are estimates.
    exact: bool,
    /// Every file, in the order given.
    files: Vec<FileRow>,
    /// Tokens of all files.
    tokens: u64,
}

/// One file.
#[derive(Serialize, JsonSchema)]
struct FileRow {
    path: String,
    tokens: u64,
    chars: u64,
    bytes: u64,
    lines: u64,
    /// Whether the count may be off by a few: the file has no place where it can be cut for certain.
    approximate: bool,
}

/// Counts the files.
pub fn count(args: CountArgs, look: &Look, outer: Common) -> anyhow::Result<ExitCode> {
    let common = args.common.over(outer);
    if args.schema {
        return schema::print::<Counted>(&common);
    }
    let look = Look { encoding: args.encoding, model: args.model, ..Look::default() }.over(look.clone());
    let preferences = load::preferences(&common, &load::settings_of(&look))?;
    let (encoding, exact) = encoding(&preferences)?;
    let printer = Printer::new(&common);
    let (mut rows, mut unread) = (Vec::new(), false);
    for path in &args.files {
        let name = path.to_string_lossy().into_owned();
        match load::stream(path).and_then(|stream| count_stream(stream, encoding)) {
            Ok(Streamed { tokens, chars, bytes, lines, cut }) => {
                rows.push(FileRow { path: name, tokens, chars, bytes, lines, approximate: cut });
            }
            // A file that cannot be read takes nothing from the others.
            Err(why) => {
                say(&format!("error: cannot read {name}: {why}"));
                unread = true;
            }
        }
    }
    let counted =
        if rows.is_empty() && unread { ExitCode::SUCCESS } else { print(&common, printer, rows, encoding, exact)? };
    Ok(if unread { fail::unread() } else { counted })
}

fn print(
    common: &Common,
    mut printer: Printer,
    rows: Vec<FileRow>,
    encoding: Encoding,
    exact: bool,
) -> anyhow::Result<ExitCode> {
    let tokens = rows.iter().map(|row| row.tokens).sum();
    if common.json {
        printer.json(&Counted {
            schema: "windowpane/count/1",
            encoding: encoding.name(),
            exact,
            files: rows,
            tokens,
        })?;
        return printer.done();
    }
    let mut table = Table::new(&[
        ("tokens", Align::Right),
        ("characters", Align::Right),
        ("size", Align::Right),
        ("lines", Align::Right),
        ("file", Align::Left),
    ]);
    for row in &rows {
        table.row([
            Cell::new(&shown(row.tokens), Tone::Accent),
            shown(row.chars).into(),
            bytes(row.bytes).into(),
            shown(row.lines).into(),
            row.path.as_str().into(),
        ]);
    }
    if rows.len() > 1 {
        let empty = Cell::default();
        table.row([
            Cell::new(&shown(tokens), Tone::Title),
            empty.clone(),
            empty.clone(),
            empty,
            Cell::new("in all", Tone::Title),
        ]);
    }
    printer.table(&table)?;
    printer.remark(&format!("counted with {}{}", encoding.name(), if exact { "" } else { ": an estimate" }));
    printer.done()
}

/// The encoding that is asked for by name or by model, else the one of today's models.
fn encoding(preferences: &crate::io::Preferences) -> anyhow::Result<(Encoding, bool)> {
    let settings = &preferences.settings;
    if let Some(encoding) = settings.encoding {
        return Ok((encoding, encoding.is_exact()));
    }
    let Some(model) = &settings.model else { return Ok((Encoding::O200kBase, true)) };
    let counter = load::models(preferences)?.counter(model);
    Ok((counter.encoding, counter.exact))
}
