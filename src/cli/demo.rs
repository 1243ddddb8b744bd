//! `windowpane demo`: the examples that come with the program. They need no file and no network.

use std::process::ExitCode;

use clap::Args;

use crate::content::Watch;
use crate::io::open_bytes;

use super::args::{Common, Look};
use super::fail::usage;
use super::load::{self, Session};
use super::screen;
use super::show::{self, ShowArgs};

/// Every example: its name, and the session, packed.
const LESSONS: &[(&str, &[u8])] =
    &[("lost-fact", include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo/lost-fact.jsonl.gz")))];

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// The lesson; without one, the first.
    lesson: Option<String>,
    #[command(flatten)]
    look: Look,
    #[command(flatten)]
    common: Common,
}

/// Inspects a built-in example.
pub fn demo(args: DemoArgs, look: Look, common: Common) -> anyhow::Result<ExitCode> {
    let (look, common) = (args.look.over(look), args.common.over(common));
    let wanted = args.lesson.as_deref();
    let found = LESSONS.iter().find(|(name, _)| wanted.is_none_or(|wanted| wanted == *name));
    let Some((name, packed)) = found else {
        let known: Vec<&str> = LESSONS.iter().map(|(name, _)| *name).collect();
        return Err(usage(format!("there is no lesson {:?}; there are {}", wanted.unwrap_or(""), known.join(", "))));
    };
    if screen::wanted(&common) {
        let (own_look, own_common) = (look.clone(), common.clone());
        return screen::screen(Some(name.as_ref()), "windowpane demo", &look, &common, move |name, watch| {
            match LESSONS.iter().find(|(lesson, _)| *lesson == name) {
                Some((_, packed)) => {
                    let preferences = load::preferences(&own_common, &load::settings_of(&own_look))?;
                    let opened = open_bytes(&format!("demo/{name}.jsonl"), packed, watch)?;
                    Session::of(opened.transcript, opened.sources, preferences, &own_look)
                }
                // A session that was chosen from the list.
                None => Session::open_watched(name.as_ref(), &own_look, &own_common, watch),
            }
        });
    }
    let preferences = load::preferences(&common, &load::settings_of(&look))?;
    let opened = open_bytes(&format!("demo/{name}.jsonl"), packed, &Watch::default())?;
    let session = Session::of(opened.transcript, opened.sources, preferences, &look)?;
    show::print(&session, &ShowArgs::of(look, common))
}
