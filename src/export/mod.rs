//! The packed prompt of a step, in the forms that APIs and people take, with the origin of every byte.

mod anthropic;
mod arrange;
mod base_tools;
mod dialog;
mod fields;
mod gather;
mod json;
mod manifest;
mod markdown;
mod neutral;
mod notes;
mod openai;
mod output;
mod quote;
mod schema;
mod sweep;
mod tool;
mod wire;

pub use base_tools::{Answer, Call, CallError, GivenFile, Kind, ToolContext, ToolFile, answer, extracted, skill_path};
pub use manifest::{From, Manifest, ManifestRange, ManifestSource, Written, manifest};
pub use neutral::{Pack, PackEntry, SCHEMA};
pub use notes::Note;
pub use output::Range;
pub use quote::{Origin, Quote};
pub use sweep::{BillRow, Sweep, sweep_csv};

use crate::content::{ContentError, Sources};
use crate::model::{Body, Breakpoint, EntryId, Layer, Made, Role, Run, Track, Transcript};

macro_rules! forms {
    ($( $variant:ident, $name:literal, $about:literal; )*) => {
        /// A form of export.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Form { $( #[doc = $about] $variant, )* }

        impl Form {
            /// Every form.
            pub const ALL: &[Form] = &[ $( Form::$variant, )* ];

            /// Its name in `--as`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Form::$variant => $name, )* }
            }

            /// What it is, in one sentence.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $( Form::$variant => $about, )* }
            }
        }
    };
}

forms! {
    Markdown, "markdown", "Markdown with a heading for each entry.";
    Text, "text", "Plain text with a line that names each entry.";
    Anthropic, "anthropic", "The body of a request to Anthropic's Messages API.";
    OpenAi, "openai", "The body of a request to OpenAI's Chat Completions API.";
    Json, "json", "Every entry with its layer, fate and text.";
}

/// An export: its text, the origin of every byte of it, and what it could not say.
#[derive(Debug)]
pub struct Packed {
    /// The whole output.
    pub text: String,
    /// Where its bytes came from: in order, without gaps.
    pub ranges: Vec<Range>,
    /// What was left out, moved or stood in for.
    pub notes: Vec<Note>,
}

/// What an export says at its beginning.
struct Head<'a> {
    model: Option<&'a str>,
    max_tokens: u64,
    step: u32,
    steps: usize,
    track: &'static str,
    format: &'a str,
    /// The recorded request's marks for a cache, and the one by which it left the places to the provider.
    breakpoints: &'a [Breakpoint],
    automatic: Option<quote::Text>,
}

/// Room for the answer that a request asks for; every model grants it.
const MAX_TOKENS: u64 = 4096;

/// Packs the window of a step. `model` replaces the recorded one.
///
/// # Errors
/// Where a source cannot be read.
pub fn pack(
    transcript: &Transcript,
    sources: &Sources,
    run: &Run,
    step: u32,
    model: Option<&str>,
    form: Form,
) -> Result<Packed, ContentError> {
    let mut items = gather::gather(transcript, sources, run, step)?;
    let breakpoints = run.breakpoints(transcript, step);
    let head = Head {
        model: model.or(run.model_at(step)),
        max_tokens: MAX_TOKENS,
        step,
        steps: run.steps.len(),
        track: track_name(run.track),
        format: transcript.format,
        breakpoints,
        automatic: automatic(sources, breakpoints)?,
    };
    let mut out = output::Output::default();
    let mut notes = notes::Notes::default();
    unlogged(run, step, &mut notes);
    match form {
        Form::Markdown => markdown::write_markdown(&head, &items, &mut out),
        Form::Text => markdown::write_text(&head, &items, &mut out),
        Form::Json => neutral::write(&head, &items, &mut out),
        Form::Anthropic | Form::OpenAi => {
            if head.model.is_none() {
                notes.say("the transcript names no model: give one with --model", None);
            }
            items = wire::as_recorded(items, transcript, sources, run, step, form)?;
            let write = if form == Form::Anthropic { anthropic::write } else { openai::write };
            write(&head, items, &mut notes, &mut out);
        }
    }
    let (text, ranges) = out.finish();
    Ok(Packed { text, ranges, notes: notes.list() })
}

/// The mark by which the recorded request left it to the provider what to cache.
fn automatic(sources: &Sources, breakpoints: &[Breakpoint]) -> Result<Option<quote::Text>, ContentError> {
    let Some(mark) = breakpoints.iter().find(|mark| mark.block.is_none()) else { return Ok(None) };
    // Origins name the entry that shows a text, and no entry shows this.
    Ok(wire::mark_of(quote::Text::made(sources.text(mark.span)?)))
}

/// The text of an entry; `None` for what is no text.
///
/// # Errors
/// Where a source cannot be read.
pub fn entry_text(
    transcript: &Transcript,
    sources: &Sources,
    run: &Run,
    id: EntryId,
) -> Result<Option<String>, ContentError> {
    let Some(entry) = run.entry(id) else { return Ok(None) };
    content_text(transcript, sources, run, &entry.content)
}

/// The text of what an entry consists of; `None` where it has none.
///
/// # Errors
/// Where a source cannot be read.
pub fn content_text(
    transcript: &Transcript,
    sources: &Sources,
    run: &Run,
    content: &[Made],
) -> Result<Option<String>, ContentError> {
    let shows = |made: &Made| match made {
        Made::Block(id) => transcript.block(*id).is_some_and(|block| matches!(block.body, Body::Text { .. })),
        _ => true,
    };
    if !content.iter().any(shows) {
        return Ok(None);
    }
    let content: Vec<Made> = content.iter().filter(|made| shows(made)).cloned().collect();
    // Whose text it is, only origins would tell.
    Ok(Some(quote::Reader { transcript, sources, run }.content(&content, EntryId(0))?.joined()))
}

fn unlogged(run: &Run, step: u32, notes: &mut notes::Notes) {
    let totals = run.totals_at(step);
    let tokens = totals.map_or(0, |totals| totals.layers[Layer::Unlogged as usize]);
    if tokens > 0 {
        notes.say(
            format!("about {tokens} tokens of the request are not in the transcript (usually system prompt and tools)"),
            None,
        );
    }
}

fn track_name(track: Track) -> &'static str {
    match track {
        Track::Recorded => "recorded",
        Track::Simulated => "simulated",
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Developer => "developer",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}
