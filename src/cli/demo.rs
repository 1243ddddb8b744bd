//! `windowpane demo`: the examples that come with the program. They need no file and no network.

use std::process::ExitCode;

use clap::Args;

use crate::content::Watch;
use crate::io::open_bytes;

use super::args::{Common, Look};
use super::attaching::BuiltIn;
use super::fail::usage;
use super::inspect::at_place;
use super::load::{self, Session};
use super::screen;
use super::show::{self, ShowArgs};

/// An example.
struct Lesson {
    name: &'static str,
    /// The session, packed.
    session: &'static [u8],
    documents: &'static [BuiltIn],
}

/// Every example.
const LESSONS: &[Lesson] = &[Lesson {
    name: "lost-fact",
    session: include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo/lost-fact.jsonl.gz")),
    documents: &[BuiltIn(
        "gateway-notes.txt",
        60,
        include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/demo/gateway-notes.txt")),
    )],
}];

impl Lesson {
    fn open(&self, look: &Look, common: &Common, watch: &Watch) -> anyhow::Result<Session> {
        let preferences = load::preferences(common, &load::settings_of(look))?;
        let opened = open_bytes(&format!("demo/{}.jsonl", self.name), self.session, watch)?;
        Session::of(opened, preferences, look, self.documents, watch)
    }
}

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
    let found = LESSONS.iter().find(|lesson| wanted.is_none_or(|wanted| wanted == lesson.name));
    let Some(lesson) = found else {
        let known: Vec<&str> = LESSONS.iter().map(|lesson| lesson.name).collect();
        return Err(usage(format!("there is no lesson {:?}; there are {}", wanted.unwrap_or(""), known.join(", "))));
    };
    if screen::wanted(&common) {
        let (own_look, own_common) = (look.clone(), common.clone());
        return screen::screen(Some(lesson.name.as_ref()), "windowpane demo", &look, &common, move |name, watch| {
            match LESSONS.iter().find(|lesson| lesson.name == name) {
                Some(lesson) => lesson.open(&own_look, &own_common, watch),
                // A session that was chosen from the list.
                None => Session::open_watched(name.as_ref(), &own_look, &own_common, watch),
            }
        });
    }
    let session = lesson.open(&look, &common, &Watch::default())?;
    show::print(&session, &ShowArgs::of(at_place(&look)?, common))
}
