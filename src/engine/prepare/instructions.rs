//! Instruction files: scoped, within budgets, equal ones once, put in again with every prompt where that is wanted
//! (source 5: scoped context assembly, instruction file budgets).

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::front::{Paths, rule};
use super::{Loaded, Plan, Prepared, ProjectText, piece};
use crate::content::hash;
use crate::model::{Coding, Contents, Fate, Layer, Made};
use crate::policy::{self, Policy};
use crate::transcript::is_named;

/// Where an instruction file was found, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The organisation's.
    Organisation,
    /// The user's own, for all projects.
    User,
    /// The project's root: the nearest folder upward with a `.git`, else the working folder.
    Root,
    /// A folder between the root and the working folder, or the working folder.
    Parent,
    /// A folder below the working folder, or beside it in the project.
    Child,
}

/// An instruction file.
#[derive(Clone, Debug)]
pub struct InstructionFile {
    /// Where it was found.
    pub scope: Scope,
    /// Its folder, relative to the working folder where it is below it, else to the project's root; of a file of the
    /// user's the folder in their home; else empty for what no path calls in.
    pub folder: String,
    /// Its name and text.
    pub file: ProjectText,
    /// Whether the agent that was recorded had loaded it too.
    pub was_loaded: WasLoaded,
}

/// Whether the recorded requests held an instruction file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WasLoaded {
    /// Not that anybody knows.
    #[default]
    No,
    /// The agent loads it when it starts, and records nothing of it.
    Unrecorded,
    /// The transcript holds its text.
    Recorded,
}

/// The pieces that instruction files make.
#[must_use]
pub fn instructions(loaded: &Loaded, plan: &Plan, policy: &Policy) -> Vec<Prepared> {
    let settings = &policy.instructions;
    if !settings.on {
        return Vec::new();
    }
    let mut seen: HashSet<u64> = HashSet::new();
    let wanted = loaded.instructions.iter().filter(|file| is_wanted(file, settings)).map(Read::of);
    let due = wanted.map(|read| (steps(&read, loaded, settings), read));
    let mut due: Vec<(Vec<u32>, Read)> = due.filter(|(steps, _)| !steps.is_empty()).collect();
    // What is loaded first has the budget first; at one step the outermost.
    due.sort_by_key(|(steps, read)| (steps.first().copied(), read.file.scope));
    let (mut left, mut pieces) = (settings.total_chars, Vec::new());
    for (steps, read) in due {
        let Some((step, later)) = steps.split_first().map(|(step, later)| (*step, later)) else { continue };
        let recorded = read.file.was_loaded == WasLoaded::Recorded;
        let repeated = settings.dedupe && (recorded || !seen.insert(content_hash(&read.file.file.text)));
        // What a path called in is a message of the history; the rest is read again for each prompt (source 5: nested
        // and path rules are lost).
        let fixed = !read.follows_paths() || !settings.scoped;
        // What a path calls in is recorded where the agent loads it; the rest was in every request.
        let held = read.file.was_loaded == WasLoaded::Unrecorded && fixed && step == 1;
        let anew = if fixed || repeated { Arc::default() } else { Arc::from(later) };
        pieces.push(Prepared { fixed, held, anew, ..of_file(&read, step, &mut left, repeated, plan, settings) });
    }
    if settings.repeat {
        let again = repeats(&pieces, plan);
        pieces.extend(again);
    }
    pieces
}

/// An instruction file, and what it says of itself.
struct Read<'a> {
    file: &'a InstructionFile,
    /// The byte at which its body begins.
    body: usize,
    /// Patterns of the paths that it is for.
    patterns: Vec<String>,
}

impl<'a> Read<'a> {
    fn of(file: &'a InstructionFile) -> Self {
        let (body, patterns) = rule(&file.file.text);
        Read { file, body, patterns }
    }

    /// See [`follows_paths`].
    fn follows_paths(&self) -> bool {
        self.file.scope == Scope::Child || !self.patterns.is_empty()
    }
}

/// Whether a policy loads a file, which may have been looked for under another one.
fn is_wanted(file: &InstructionFile, settings: &policy::Instructions) -> bool {
    if !is_named(&file.file.name, &settings.names) {
        return false;
    }
    match file.scope {
        Scope::Organisation => settings.organisation,
        Scope::User => settings.user && (file.folder.is_empty() || file.folder == settings.user_folder),
        Scope::Root => true,
        Scope::Parent => settings.parents,
        Scope::Child => settings.children,
    }
}

/// Whether a file comes in with the first path that it is for: one below its folder, or one that it names itself.
#[must_use]
pub fn follows_paths(file: &InstructionFile) -> bool {
    Read::of(file).follows_paths()
}

/// The steps at which a file is called in: the first alone, or each where a path that it is for is touched. None where no
/// such path is.
fn steps(read: &Read, loaded: &Loaded, settings: &policy::Instructions) -> Vec<u32> {
    let Read { file, patterns, .. } = read;
    if !settings.scoped || !read.follows_paths() {
        return vec![1];
    }
    let touched = |is_meant: &dyn Fn(&str) -> bool| {
        let touched = loaded.touched.iter().filter(|(_, path)| is_meant(path));
        let mut steps: Vec<u32> = touched.map(|(step, _)| (*step).max(1)).collect();
        steps.dedup();
        steps
    };
    if !patterns.is_empty() {
        let meant = Paths::of(patterns);
        return touched(&|path| meant.hold(path));
    }
    let below = format!("{}/", file.folder.trim_matches('/'));
    let inside = format!("/{below}");
    touched(&|path| path.trim_start_matches("./").starts_with(&below) || path.contains(&inside))
}

/// Equal up to blank lines, equal hash.
fn content_hash(text: &str) -> u64 {
    let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
    hash(lines.join("\n").as_bytes(), Coding::Plain)
}

fn of_file(
    read: &Read,
    step: u32,
    left: &mut u64,
    repeated: bool,
    plan: &Plan,
    settings: &policy::Instructions,
) -> Prepared {
    let ProjectText { name, text, block } = &read.file.file;
    if repeated {
        // Nothing of it is sent; which text that is stays known.
        let mut made = piece(plan, Layer::Instructions, name, Made::Part(*block, 0, 0, false).into(), "");
        super::cut(&mut made, plan, text, "instructions.dedupe", 0, 0);
        (made.step, made.front, made.fate, made.estimated) = (step, step == 1, Fate::Deduplicated, false);
        if let Some(event) = &mut made.decided {
            (event.threshold, event.measured) = (None, None);
            event.why = Cow::Borrowed("The same text is loaded from another place already: it is left out.");
        }
        return made;
    }
    // What it says of itself is for the harness.
    let start = read.body;
    let text = text.get(start..).unwrap_or_default();
    let chars = text.chars().count() as u64;
    let (most, rule) = match settings.max_chars.min(*left) {
        most if chars <= most => (chars, None),
        most if settings.max_chars <= *left => (most, Some(("instructions.max_chars", settings.max_chars, chars))),
        most => {
            let together = settings.total_chars.saturating_sub(*left).saturating_add(chars);
            (most, Some(("instructions.total_chars", settings.total_chars, together)))
        }
    };
    *left -= most;
    let end =
        usize::try_from(most).ok().and_then(|most| text.char_indices().nth(most)).map_or(text.len(), |(at, _)| at);
    let mut shown = text.get(..end).unwrap_or_default().to_owned();
    let mut content = Contents::from(Made::Part(*block, start as u64, (start + end) as u64, false));
    // Source 5: no file is dropped silently. Where there is no room for anything of it, its name says what the marker is of.
    if rule.is_some() {
        let of = if most == 0 { &**name } else { "" };
        let marker = format!("{of}\n{}", settings.marker);
        shown.push_str(&marker);
        content.push(Made::Text(Cow::Owned(marker)));
    }
    let mut made = piece(plan, Layer::Instructions, name, content, &shown);
    if let Some((rule, threshold, measured)) = rule {
        super::cut(&mut made, plan, text, rule, threshold, measured);
        if let Some(event) = &mut made.decided {
            event.why = Cow::Borrowed(if most == 0 {
                "All instruction files together may have {threshold characters}, which those before it have: only its name is sent, with a marker."
            } else if rule == "instructions.max_chars" {
                "The instruction file has {measured characters}, over {threshold}: its beginning is loaded."
            } else {
                "All instruction files together may have {threshold characters}: with this one, which is cut, they have {measured}."
            });
        }
    }
    (made.step, made.front) = (step, step == 1);
    made
}

/// The same pieces again with every later prompt of the user (source 5: re-injects rules on every user prompt).
fn repeats(pieces: &[Prepared], plan: &Plan) -> Vec<Prepared> {
    let mut steps: Vec<u32> = plan.items.iter().filter(|item| item.is_prompt()).map(|item| item.born).collect();
    steps.dedup();
    let mut again = Vec::new();
    for step in steps.into_iter().filter(|step| *step > 1) {
        for one in pieces.iter().filter(|one| one.step < step && one.tokens > 0 && one.fate != Fate::Deduplicated) {
            // It comes in as a reminder, and like any message of the history it may be summarised.
            again.push(Prepared {
                step,
                front: false,
                fixed: false,
                held: false,
                anew: Arc::default(),
                layer: Layer::Notices,
                decided: None,
                ..one.clone()
            });
        }
    }
    again
}
