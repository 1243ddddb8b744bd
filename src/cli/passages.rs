//! Choosing for the screen: the document and the vectors of the last question stay, so that the next is answered at
//! once.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::chunk::{Chooser, Ranking, Selection, Settings, Strategy};
use crate::content::Watch;
use crate::model::ThreadId;
use crate::policy::FilesMode;
use crate::tui::documents::{Choice, InWindow, Medium, Wanted};

use super::load::Session;
use super::prepare::Preparer;

/// Time between two hand-overs of a better choice.
const PAUSE: Duration = Duration::from_millis(120);

/// Chooses from the documents of a session.
pub struct PassageChooser {
    session: Arc<Session>,
    /// The file and the embedding model of the last question, and what came of it.
    last: Mutex<Option<(usize, String, Chooser)>>,
}

impl PassageChooser {
    /// From the documents of a session.
    pub fn new(session: Arc<Session>) -> PassageChooser {
        PassageChooser { session, last: Mutex::new(None) }
    }

    /// Chooses under the policy that is asked for: by words at once, then as vectors come.
    pub fn choose(&self, wanted: &Wanted, watch: &Watch, tell: &mut dyn FnMut(Choice)) {
        let attached = &self.session.attached;
        let Some(file) = attached.files.get(wanted.file) else { return };
        let policy = &*wanted.policy;
        let settings = policy.chunks.settings();
        let task = wanted.task.clone().unwrap_or_else(|| {
            let thread = self.session.thread(ThreadId(0)).ok();
            let session = &self.session;
            thread.map_or_else(String::new, |thread| attached.task(&session.transcript, thread, file.step, policy))
        });
        let Ok(document) = attached.ranked(file, policy, watch) else { return };
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut chooser = match last.take() {
            Some((known, model, mut chooser))
                if known == wanted.file
                    && model == policy.chunks.model
                    && Arc::ptr_eq(chooser.document(), &document) =>
            {
                chooser.change(&settings, watch);
                if chooser.task() != task {
                    chooser.ask(&task);
                }
                chooser
            }
            _ => Chooser::new(document, &settings, &task, watch),
        };
        // Limits that were not in force when the file was opened take a conversion.
        let mut in_window = None;
        if attached.is_at_hand(file, policy) {
            in_window = attached.in_window(file, policy, watch).ok().flatten();
        }
        let mut medium = self.medium(wanted, in_window.as_ref(), watch);
        tell(told(wanted, &chooser, &in_window, &medium, None));
        if in_window.is_none() && policy.files.mode != FilesMode::Chunks && !watch.is_cancelled() {
            in_window = attached.in_window(file, policy, watch).ok().flatten();
            medium = self.medium(wanted, in_window.as_ref(), watch);
            tell(told(wanted, &chooser, &in_window, &medium, None));
        }
        let mut before = Instant::now();
        let done = match &attached.reader {
            Some(reader) if chooser.wants_vectors() && medium.is_none() => {
                reader.refine(&mut chooser, policy, watch, &mut |better| {
                    if before.elapsed() > PAUSE {
                        before = Instant::now();
                        tell(told(wanted, better, &in_window, &medium, None));
                    }
                })
            }
            _ => Ok(()),
        };
        // Whoever asks anew meanwhile hears of that alone.
        if !watch.is_cancelled() {
            tell(told(wanted, &chooser, &in_window, &medium, done.err().map(|why| format!("{why:#}"))));
        }
        *last = Some((wanted.file, policy.chunks.model.clone(), chooser));
    }

    /// The picture or the sound that a file is, as the policy that is asked for has it.
    fn medium(&self, wanted: &Wanted, in_window: Option<&InWindow>, watch: &Watch) -> Option<Arc<Medium>> {
        let session = &self.session;
        let file = session.attached.files.get(wanted.file)?;
        let counter = session.known().ok()?.counter(session.thread(ThreadId(0)).ok()?);
        let preparer = Preparer { attached: &session.attached, policy: &wanted.policy, counter, watch };
        preparer.medium(file, in_window).ok().flatten().map(Arc::new)
    }
}

/// The state of a choice, as the screen shows it.
fn told(
    wanted: &Wanted,
    chooser: &Chooser,
    in_window: &Option<InWindow>,
    medium: &Option<Arc<Medium>>,
    failed: Option<String>,
) -> Choice {
    let selection = chooser.selection();
    Choice {
        wanted: wanted.clone(),
        document: chooser.document().clone(),
        division: chooser.division().clone(),
        settings: chooser.settings().clone(),
        heat: heat(chooser, &selection, chooser.settings()),
        selection,
        task: chooser.task().to_owned(),
        progress: chooser.progress(),
        failed,
        in_window: in_window.clone(),
        medium: medium.clone(),
    }
}

/// How near each candidate is, from 0 to 1: against the nearest and the farthest of them, so that differences show.
#[allow(clippy::cast_possible_truncation)]
fn heat(chooser: &Chooser, selection: &Selection, settings: &Settings) -> Vec<f32> {
    let by_meaning = settings.ranking != Ranking::Lexical && chooser.division().strategy == Strategy::Windows;
    let near = |at: usize| {
        let cosine = chooser.scores().cosines.get(at).copied().flatten().filter(|_| by_meaning);
        cosine.or_else(|| {
            chooser.scores().lexical.get(at).filter(|_| !by_meaning || selection.provisional).map(|score| *score as f32)
        })
    };
    let known: Vec<f32> = (0..chooser.division().pieces.len()).filter_map(near).collect();
    let most = known.iter().copied().fold(f32::MIN, f32::max);
    let least = known.iter().copied().fold(f32::MAX, f32::min);
    let span = (most - least).max(f32::EPSILON);
    (0..selection.candidates.len()).map(|at| near(at).map_or(0.0, |near| (near - least) / span)).collect()
}
