//! From arguments to a policy, and to replays under it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::content::Watch;
pub use crate::engine::own_preset;
use crate::engine::{
    Given, Known, Plan, Replay, Served, Shift, agent_version, counts_alike, follows_paths, own_version, prepare,
    touched,
};
use crate::io::policy_named;
use crate::model::{Run, ThreadId, Transcript, Trigger};
use crate::policy::{Fault, Policy, paired, set};
use crate::present::Place;

use super::args::{Look, TrackArg};
use super::fail::usage;
use super::load::{Session, is_setting};

/// A policy, and what it is called.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// A preset's name or a file's, with the settings that differ.
    pub name: String,
    /// The policy.
    pub policy: Policy,
}

/// The plan that was made last: most questions are about one thread.
#[derive(Default)]
pub struct LastPlan(Mutex<Option<(ThreadId, Policy, Arc<Plan>)>>);

/// Whether the options ask for the simulated track.
pub fn is_simulated(look: &Look) -> bool {
    look.track == Some(TrackArg::Simulated)
        || !look.policy.is_empty()
        || policy_settings(look).next().is_some()
        || !look.file.is_empty()
        || !look.url.is_empty()
        || [&look.folder, &look.skills, &look.memory_index].iter().any(|given| given.is_some())
}

/// The assignments of `--set` that are a policy's.
pub fn policy_settings(look: &Look) -> impl Iterator<Item = &String> {
    look.set.iter().filter(|set| !is_setting(set.split_once('=').map_or(set, |(key, _)| key)))
}

/// Refuses options that contradict each other or name nothing, before anything long begins.
pub fn check(look: &Look) -> anyhow::Result<()> {
    if look.track == Some(TrackArg::Recorded) && is_simulated(look) {
        return Err(usage("--track recorded and a policy or file contradict each other: leave one out"));
    }
    if let Some(at) = &look.at {
        at.parse::<Place>().map_err(|why| usage(format!("--at: {why}")))?;
    }
    for name in &look.policy {
        named(name, None)?;
    }
    over(&mut Policy::default(), policy_settings(look))
}

/// The policy of a name, for an agent's version.
pub fn named(name: &str, version: Option<&str>) -> anyhow::Result<Policy> {
    policy_named(name, version).map(|(policy, _)| policy).map_err(|error| usage(error.to_string()))
}

/// Puts the settings of `--set` over a policy.
pub fn over<'a>(policy: &mut Policy, settings: impl Iterator<Item = &'a String>) -> anyhow::Result<()> {
    for assignment in settings {
        set(policy, assignment).map_err(|fault| match fault {
            // A sentence of its own; the others begin with what was given.
            Fault::UnknownKey { .. } => usage(format!("--set: {fault}")),
            _ => usage(format!("--set {fault}")),
        })?;
    }
    Ok(())
}

/// The policy of a name as it is for the agent of a transcript, with `--set` over it; without a name the agent's own.
pub fn policy_of(transcript: &Transcript, name: Option<&str>, look: &Look) -> anyhow::Result<Chosen> {
    let name = name.unwrap_or_else(|| own_preset(transcript));
    let mut policy = named(name, own_version(transcript).as_deref())?;
    over(&mut policy, policy_settings(look))?;
    paired(&policy).map_err(|fault| usage(fault.to_string()))?;
    Ok(Chosen { name: called(name, look), policy })
}

/// What a policy of a name is called, with `--set` over it.
pub fn called(name: &str, look: &Look) -> String {
    let settings = policy_settings(look).map(String::as_str);
    std::iter::once(name).chain(settings).collect::<Vec<&str>>().join(" ")
}

impl Session {
    /// The policy of a name as it is for this session's agent: see [`policy_of`].
    pub fn policy(&self, name: Option<&str>, look: &Look) -> anyhow::Result<Chosen> {
        policy_of(&self.transcript, name, look)
    }

    /// The one policy that the options name.
    pub fn chosen(&self, look: &Look) -> anyhow::Result<Chosen> {
        match look.policy.as_slice() {
            [] => self.policy(None, look),
            [name] => self.policy(Some(name), look),
            _ => Err(usage("one --policy is enough here; compare takes two")),
        }
    }

    /// A thread made ready for replays under a policy and those like it. Counts and reads what has not been yet.
    pub fn replay(&self, id: ThreadId, policy: &Policy, watch: &Watch) -> anyhow::Result<Replay> {
        self.replay_to(id, (policy, u32::MAX), watch)
    }

    /// The same for who looks at no step after one: no model is asked for what comes later.
    pub fn replay_to(&self, id: ThreadId, (policy, last): (&Policy, u32), watch: &Watch) -> anyhow::Result<Replay> {
        let known = self.known()?.under(policy);
        let plan = self.plan(id, &known, policy, watch)?;
        let given = self.given(id, &known, &plan, policy, watch)?;
        let given = Given { recall: self.recall((&plan, &given.prepared), policy, None, watch)?, ..given };
        let answers = self.answers(&plan, &given, (policy, last), watch)?;
        let given = Given { answers, ..given };
        Ok(Replay::new(plan, Arc::new(given), policy.clone()))
    }

    fn plan(&self, id: ThreadId, known: &Known, policy: &Policy, watch: &Watch) -> anyhow::Result<Arc<Plan>> {
        let mut last = self.last_plan.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((thread, of, plan)) = &*last
            && *thread == id
            && counts_alike(of, policy)
        {
            return Ok(Arc::clone(plan));
        }
        let counting = self.counting(self.thread(id)?, known);
        let made = Plan::made(&counting, known, id, policy, watch);
        let plan = Arc::new(made.ok_or_else(|| anyhow::anyhow!("stopped before it was ready"))?);
        self.save_counts();
        *last = Some((id, policy.clone(), Arc::clone(&plan)));
        Ok(plan)
    }

    /// What a replay is given beside the history. Instructions, skills, attached files and pages come in here.
    fn given(&self, id: ThreadId, known: &Known, plan: &Plan, policy: &Policy, watch: &Watch) -> anyhow::Result<Given> {
        let thread = self.thread(id)?;
        let served = Served::of(known, thread, plan);
        let mut loaded = self.loaded.clone();
        if policy.instructions.on && loaded.instructions.iter().any(follows_paths) {
            loaded.touched = touched(plan, &self.transcript, &self.sources);
        }
        let mut prepared = prepare(&loaded, plan, policy);
        let counter = known.counter(thread);
        let attached = self.attached.prepared(&self.transcript, thread, counter, policy, watch)?;
        let files = self.attached.listed(&attached);
        prepared.extend(attached);
        prepared.sort_by_key(|piece| piece.step);
        Ok(Given { served, prepared, files, shifts: self.shifts(plan)?, kept: self.has_kept()?, ..Given::default() })
    }

    /// The agent's own figures where its version changes, against those that its preset is taken with.
    fn shifts(&self, plan: &Plan) -> anyhow::Result<Vec<Shift>> {
        let mut shifts: Vec<Shift> = Vec::new();
        if self.transcript.session.versions.is_empty() {
            return Ok(shifts);
        }
        let name = own_preset(&self.transcript);
        let mut now = agent_version(&self.transcript);
        let from = Arc::new(named(name, now)?);
        for (step, ask) in (1u32..).zip(&plan.asks) {
            let version = self.transcript.session.version_at(ask.record);
            if version != now {
                now = version;
                let to = Arc::new(named(name, version)?);
                // What was recorded stands over what is known of a version: until a compaction that these figures do
                // not explain and the ones before do, those before hold.
                let before = shifts.last().map_or(&from, |shift| &shift.to);
                let at = |policy: &Policy| policy.summarise.at.of(ask.window_tokens);
                let shown = plan.boundaries.iter().find(|one| one.step >= step && one.trigger == Some(Trigger::Auto));
                let tokens = shown.and_then(|one| Some((one.step, one.tokens_before?)));
                let other = tokens.filter(|(_, tokens)| (at(before)..at(&to)).contains(tokens));
                let step = other.map_or(step, |(step, _)| step + 1);
                shifts.push(Shift { step, from: from.clone(), to });
            }
        }
        Ok(shifts)
    }

    /// A thread's windows under the policy that the options name, looked at up to a step.
    pub fn simulated(
        &self,
        id: ThreadId,
        look: &Look,
        last: u32,
        watch: &Watch,
    ) -> anyhow::Result<(Run, Chosen, Replay)> {
        let chosen = self.chosen(look)?;
        let replay = self.replay_to(id, (&chosen.policy, last), watch)?;
        Ok((replay.run(&chosen.policy), chosen, replay))
    }
}
