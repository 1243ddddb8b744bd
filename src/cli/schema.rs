//! `--schema`: the JSON Schema of a command's output, from the types that are printed.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::process::ExitCode;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

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

/// What a command prints that prints objects of two types: there is no value of it, only its schema.
pub struct Either<A, B>(PhantomData<(A, B)>);

impl<A: JsonSchema, B: JsonSchema> JsonSchema for Either<A, B> {
    fn schema_name() -> Cow<'static, str> {
        Cow::Owned(format!("{} or {}", A::schema_name(), B::schema_name()))
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"anyOf": [generator.subschema_for::<A>(), generator.subschema_for::<B>()]})
    }
}
