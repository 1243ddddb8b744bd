//! `--schema`: the JSON Schema of a command's output, from the types that are printed.

use std::process::ExitCode;

use schemars::JsonSchema;

use super::args::Common;
use super::print::Printer;

/// Prints the schema of a type.
pub fn print<T: JsonSchema>(common: &Common) -> anyhow::Result<ExitCode> {
    let schema = schemars::schema_for!(T);
    let mut printer = Printer::new(common);
    printer.bytes(serde_json::to_string_pretty(&schema)?.as_bytes())?;
    printer.bytes(b"\n")?;
    printer.done()
}
