//! From arguments to a run: the user's settings, the transcript, its counts.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::config::SETTINGS;
use crate::content::{Sources, Watch};
use crate::engine::{Counting, Known, Loaded, Replay, fit_to_reports, recorded};
use crate::io::{
    CountCache, Ground, Opened, Preferences, cache_folder, config_folder, named_file, open,
    preferences as read_preferences, unpacked,
};
use crate::memory::Store;
use crate::model::{Body, Op, Run, SourceId, SourceKind, Thread, ThreadId, Transcript, Warning};
use crate::policy::Policy;
use crate::tokens::{Counts, Encoding, Models};
use crate::transcript::{GiveError, by_name, give_system, give_tools, holds_system, holds_tools};

use super::args::{ColorArg, Common, Look, StepArg};
use super::attached::Attached;
use super::attaching::BuiltIn;
use super::fail::usage;
use super::meaning::Meaning;
use super::memory::Recalls;
use super::model_calls::ModelCalls;
use super::progress::told;
use super::project_files;
use super::simulated::{LastPlan, check, is_simulated, policy_of};

/// The options that stand over the user's settings: those of the same names, and what `--set` says of a setting that is
/// not a policy's.
pub fn settings_of(look: &Look) -> Vec<(&str, String)> {
    let window = look.window.map(|tokens| tokens.to_string());
    let given = [("model", look.model.clone()), ("window", window), ("encoding", look.encoding.clone())];
    let named = given.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let set =
        look.set.iter().filter_map(|set| set.split_once('=')).filter_map(|(key, value)| Some((setting(key)?, value)));
    set.map(|(key, value)| (key, value.to_owned())).chain(named).collect()
}

/// The user's setting that a key of `--set` names; all others are the policy's. `embedding.models` is another way to
/// write `embedding_models`: a policy's keys look so.
fn setting(key: &str) -> Option<&'static str> {
    let plain = key.trim().replace('.', "_");
    SETTINGS.iter().map(|info| info.key).find(|known| *known == key.trim() || (known.contains('_') && *known == plain))
}

/// Whether a key of `--set` is one of the user's settings.
pub fn is_setting(key: &str) -> bool {
    setting(key).is_some()
}

/// The last step that the options look at.
pub fn last_step(look: &Look) -> u32 {
    match look.step {
        Some(StepArg::Number(step)) => step,
        Some(StepArg::Last) | None => u32::MAX,
    }
}

/// What the user chose: the config file, with options over it.
pub fn preferences(common: &Common, options: &[(&str, String)]) -> anyhow::Result<Preferences> {
    let options: Vec<(&str, &str)> = options.iter().map(|(key, value)| (*key, value.as_str())).collect();
    read_preferences(common.config.as_deref(), config_folder().as_deref(), &options)
        .map_err(|error| usage(error.to_string()))
}

/// What is known of the terminal's looks. `--color` stands over `NO_COLOR`.
pub fn ground(common: &Common) -> Ground {
    let found = Ground::from_environment();
    let no_color = match common.color {
        Some(ColorArg::Always) => false,
        Some(ColorArg::Never) => true,
        Some(ColorArg::Auto) | None => found.no_color,
    };
    Ground { no_color, ..found }
}

/// A transcript that is open, and everything that is known beside it.
pub struct Session {
    /// What was understood.
    pub transcript: Arc<Transcript>,
    /// Where its text is.
    pub sources: Sources,
    /// What the user chose.
    pub preferences: Preferences,
    pub models: Models,
    counts: Counts,
    cache: CountCache,
    /// The files and pages that come in at some step.
    pub attached: Attached,
    /// What a harness loads: instruction files, skills, the memory index.
    pub loaded: Loaded,
    /// The language model that may be asked.
    pub model_calls: ModelCalls,
    /// The plan that replays were made with last.
    pub last_plan: LastPlan,
    /// What compares passages by meaning.
    pub meaning: Meaning,
    /// A store without memories. What the texts of memories tell is read once for all copies of it.
    pub memory_texts: OnceLock<Store>,
    /// What replays that are still held remember.
    pub recalls: Recalls,
}

/// Bytes counted between two looks at the clock and at the wish to stop.
const PORTION: u64 = 2 << 20;
/// Time between two hand-overs of newer counts.
const PAUSE: Duration = Duration::from_millis(400);

/// How much of a run is counted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// What one step's window holds.
    Step,
    /// Everything.
    All,
}

/// One history of windows of a session, counted.
pub struct View {
    /// The history.
    pub run: Run,
    /// The step that was asked for, from 1.
    pub step: u32,
    /// The policy that it was replayed under, by its name; `None` on the recorded track.
    pub policy: Option<String>,
    /// That replay and its policy.
    pub replayed: Option<(Replay, Policy)>,
}

impl Session {
    /// Opens what the arguments name.
    pub fn open(path: &Path, look: &Look, common: &Common) -> anyhow::Result<Session> {
        let watch = Watch::default();
        told("reading:", &watch, || Session::open_watched(path, look, common, &watch))
    }

    /// The same, watched.
    pub fn open_watched(path: &Path, look: &Look, common: &Common, watch: &Watch) -> anyhow::Result<Session> {
        let preferences = preferences(common, &settings_of(look))?;
        check(look)?;
        if let Some(name) = &look.format_in {
            by_name(name).map_err(|error| usage(error.to_string()))?;
        }
        let opened = open(path, look.format_in.as_deref(), watch)?;
        let mut session = Session::of(opened, preferences, look, &[], watch)?;
        if common.quiet {
            session.model_calls.quietly();
        }
        Ok(session)
    }

    /// Takes a transcript that is open already, with documents that come with it.
    pub fn of(
        opened: Opened,
        preferences: Preferences,
        look: &Look,
        built_in: &[BuiltIn],
        watch: &Watch,
    ) -> anyhow::Result<Session> {
        check(look)?;
        let Opened { mut transcript, mut sources, .. } = opened;
        let marker = policy_of(&transcript, look.policy.first().map(String::as_str), look)?.policy.cache.marker;
        for (path, give) in [(&look.system, Give::System), (&look.tools, Give::Tools)] {
            let Some(path) = path else { continue };
            let shown = path.display();
            if give.is_held(&transcript) {
                let message = format!("{} {shown} is not used: the transcript holds {}", give.option(), give.what());
                transcript.warnings.push(Warning { source: SourceId(0), line: 0, message });
                continue;
            }
            let bytes = named_file(path, &Watch::default()).with_context(|| format!("cannot open {shown}"))?.bytes;
            let id = sources.add(path.to_string_lossy(), SourceKind::Attached, Arc::new(bytes));
            transcript = match give {
                Give::System => give_system(transcript, &sources, id, &marker),
                Give::Tools => give_tools(transcript, &sources, id),
            }
            .map_err(|error| match error {
                GiveError::Content(error) => anyhow::Error::from(error),
                fault @ GiveError::Fault { .. } => usage(format!("{} {shown}: {fault}", give.option())),
            })?;
        }
        let (transcript, loaded) = project_files::load(transcript, &mut sources, look)?;
        let (transcript, attached) = Attached::open(transcript, &mut sources, &preferences, look, built_in, watch)?;
        let models = models(&preferences)?;
        let mut transcript = match &preferences.settings.model {
            Some(model) => of_model(transcript, model, &models),
            None => transcript,
        };
        let unused = preferences.settings.window.and_then(|window| unused(&transcript, window));
        transcript.warnings.extend(unused);
        let cache = CountCache::open(cache_folder().filter(|_| preferences.settings.cache));
        let counts = Counts::default();
        cache.lend(&counts);
        let last_plan = LastPlan::default();
        let model_calls = ModelCalls::of(&preferences.settings, look)?;
        Ok(Session {
            transcript: Arc::new(transcript),
            sources,
            preferences,
            models,
            counts,
            cache,
            attached,
            loaded,
            model_calls,
            last_plan,
            meaning: Meaning::default(),
            memory_texts: OnceLock::new(),
            recalls: Recalls::default(),
        })
    }

    /// What the user wishes, with the tables.
    pub fn known(&self) -> anyhow::Result<Known<'_>> {
        let settings = &self.preferences.settings;
        let (encoding, calibrate) = (settings.encoding, settings.calibrate);
        let (model, window) = (settings.model.clone(), settings.window);
        Ok(Known { models: &self.models, model, window, encoding, calibrate })
    }

    /// How a thread is counted.
    pub fn counting(&self, thread: &Thread, known: &Known) -> Counting<'_> {
        let counter = known.counter(thread);
        Counting {
            transcript: &self.transcript,
            sources: &self.sources,
            counts: &self.counts,
            counter,
            calibrates: known.calibrates(counter),
        }
    }

    /// What a thread's recorded windows are counted with.
    pub fn encoding(&self, id: ThreadId) -> Encoding {
        let counter = self.known().and_then(|known| Ok(known.counter(self.thread(id)?)));
        counter.map_or_else(|_| Models::built_in().counter("").encoding, |counter| counter.encoding)
    }

    /// Keeps the counts for the next run. A cache that cannot be written makes that run slower, nothing else.
    pub fn save_counts(&self) {
        let _ = self.cache.save(&self.counts);
    }

    /// The run that the options ask for, counted as far as is wanted.
    pub fn view(&self, look: &Look, wanted: Wanted) -> anyhow::Result<View> {
        self.view_to(look, wanted, u32::MAX)
    }

    /// The same for who looks at one step alone: no model is asked for what comes later.
    pub fn view_step(&self, look: &Look) -> anyhow::Result<View> {
        self.view_to(look, Wanted::Step, last_step(look))
    }

    fn view_to(&self, look: &Look, wanted: Wanted, last: u32) -> anyhow::Result<View> {
        let id = ThreadId(look.thread.unwrap_or(0));
        let (thread, watch) = (self.thread(id)?, Watch::default());
        if is_simulated(look) {
            // A step that is none is told before files are converted and passages embedded for it.
            let asked = |op: &&Op| matches!(op, Op::Request(id) if thread.requests.get(id.0 as usize).is_some());
            step(look.step, thread.ops.iter().filter(asked).count())?;
            let (run, chosen, replay) = told("preparing:", &watch, || self.simulated(id, look, last, &watch))?;
            let step = step(look.step, run.steps.len())?;
            return Ok(View { run, step, policy: Some(chosen.name), replayed: Some((replay, chosen.policy)) });
        }
        let known = self.known()?;
        let mut run = recorded(&self.transcript, id, known.facts(&self.transcript, thread));
        let step = step(look.step, run.steps.len())?;
        let counting = self.counting(thread, &known);
        match wanted {
            Wanted::Step => counting.count_step(&mut run, step, &watch),
            Wanted::All => self.count_all(&counting, &mut run, &watch),
        }
        self.save_counts();
        Ok(View { run, step, policy: None, replayed: None })
    }

    /// What the agent recorded of a thread, all of it counted.
    pub fn recorded(&self, id: ThreadId) -> anyhow::Result<Run> {
        let (thread, known) = (self.thread(id)?, self.known()?);
        let mut run = recorded(&self.transcript, id, known.facts(&self.transcript, thread));
        self.count_all(&self.counting(thread, &known), &mut run, &Watch::default());
        self.save_counts();
        Ok(run)
    }

    fn count_all(&self, counting: &Counting, run: &mut Run, watch: &Watch) {
        let bodies = counting.all_bodies(run);
        self.counts.count_blocks(&self.sources, &bodies, counting.counter, watch, |_, _| {});
        counting.apply(run);
    }

    /// The run of a thread, handed over again and again as its counts come in: estimates first, then the last window,
    /// then everything. Each is made from the one before when its counts are there: two stand in memory at most.
    pub fn follow(&self, id: ThreadId, watch: &Watch, tell: &mut dyn FnMut(Arc<Run>)) -> anyhow::Result<()> {
        let (thread, known) = (self.thread(id)?, self.known()?);
        let mut run = recorded(&self.transcript, id, known.facts(&self.transcript, thread));
        let counting = self.counting(thread, &known);
        counting.apply(&mut run);
        run.provisional = true;
        fit_to_reports(&mut run);
        let mut run = Arc::new(run);
        tell(Arc::clone(&run));
        let bodies = counting.all_bodies(&run);
        let size = |body: &Body| body.spans().map(|span| span.len()).sum::<u64>();
        watch.expect(bodies.iter().map(|body| size(body)).sum());
        let last = run.last_step();
        counting.count_for(&run, last, &Watch::default());
        let mut again = |run: &mut Arc<Run>, provisional| {
            let made = Arc::make_mut(run);
            counting.apply(made);
            made.provisional = provisional;
            if provisional {
                fit_to_reports(made);
            }
            tell(Arc::clone(run));
        };
        again(&mut run, true);
        let (mut told, mut rest) = (Instant::now(), bodies.as_slice());
        while !rest.is_empty() && !watch.is_cancelled() {
            let mut portion = 0;
            let taken = rest.iter().take_while(|body| {
                portion += size(body);
                portion <= PORTION
            });
            let (now, later) = rest.split_at(taken.count().max(1));
            self.counts.count_blocks(&self.sources, now, counting.counter, &Watch::default(), |_, _| {});
            watch.advance(now.iter().map(|body| size(body)).sum());
            rest = later;
            if told.elapsed() > PAUSE && !rest.is_empty() {
                again(&mut run, true);
                told = Instant::now();
            }
        }
        again(&mut run, !rest.is_empty());
        self.save_counts();
        Ok(())
    }

    /// The thread of that number.
    pub fn thread(&self, id: ThreadId) -> anyhow::Result<&Thread> {
        let number = self.transcript.threads.len();
        self.transcript.thread(id).ok_or_else(|| match number {
            0 => anyhow::anyhow!("there is no conversation in it"),
            _ => usage(format!("there is no thread {}: it has 0 to {}", id.0, number - 1)),
        })
    }
}

/// The transcript as one of another model.
fn of_model(mut transcript: Transcript, model: &str, models: &Models) -> Transcript {
    for request in transcript.threads.iter_mut().flat_map(|thread| &mut thread.requests) {
        request.model = Some(model.into());
    }
    if models.find(model).is_none() {
        let message = format!(
            "{model:?} is in no table of models: its window and its tokens are assumed, its price is not known"
        );
        transcript.warnings.push(Warning { source: SourceId(0), line: 0, message });
    }
    transcript
}

/// What to say of a window that was given, where the transcript states another one.
fn unused(transcript: &Transcript, window: u64) -> Option<Warning> {
    let requests = transcript.threads.first().map(|thread| thread.requests.as_slice()).unwrap_or_default();
    let stated =
        requests.iter().rev().find_map(|request| request.window_tokens).or(transcript.session.window_tokens)?;
    let message = format!(
        "a window of {window} was given and is not used: the transcript states one of {stated}; --set window.size={window} \
         replays it with yours"
    );
    (stated != window).then_some(Warning { source: SourceId(0), line: 0, message })
}

enum Give {
    System,
    Tools,
}

impl Give {
    /// Whether the transcript holds it itself.
    fn is_held(&self, transcript: &Transcript) -> bool {
        match self {
            Give::System => holds_system(transcript),
            Give::Tools => holds_tools(transcript),
        }
    }

    fn what(&self) -> &'static str {
        match self {
            Give::System => "a system prompt",
            Give::Tools => "the tools' definitions",
        }
    }

    fn option(&self) -> &'static str {
        match self {
            Give::System => "--system",
            Give::Tools => "--tools",
        }
    }
}

/// A file's bytes in order, or those of standard input; packed ones are unpacked in passing.
pub fn stream(path: &Path) -> std::io::Result<Box<dyn std::io::Read>> {
    if path == Path::new("-") {
        return unpacked(std::io::stdin().lock());
    }
    if path.is_dir() {
        return Err(std::io::Error::new(std::io::ErrorKind::IsADirectory, "it is a folder"));
    }
    unpacked(std::fs::File::open(path)?)
}

/// The table of models, with the user's files over it.
pub fn models(preferences: &Preferences) -> anyhow::Result<Models> {
    let mut models = Models::built_in().clone();
    let settings = &preferences.settings;
    for (key, path) in [("models", &settings.models), ("prices", &settings.prices)] {
        let Some(path) = path else { continue };
        let text = std::fs::read_to_string(path)
            .map_err(|why| usage(preferences.wrong(key, format!("cannot read {path}: {why}")).to_string()))?;
        models = models.with(&text).map_err(|error| usage(format!("{path}: {error}")))?;
    }
    Ok(models)
}

/// The step's number, where the run has it.
pub fn step(asked: Option<StepArg>, steps: usize) -> anyhow::Result<u32> {
    let last = u32::try_from(steps).unwrap_or(u32::MAX);
    match asked.unwrap_or(StepArg::Last) {
        _ if last == 0 => Err(anyhow::anyhow!("there is no request in it, so it has no window")),
        StepArg::Last => Ok(last),
        StepArg::Number(number) if number <= last => Ok(number),
        StepArg::Number(number) => Err(usage(format!("there is no step {number}: the last is {last}"))),
    }
}
