//! From arguments to a policy, and to replays under it.

use std::sync::{Arc, Mutex, PoisonError};

use crate::content::Watch;
use crate::engine::{Given, Known, Plan, Replay, counts_alike};
use crate::io::policy_named;
use crate::model::{Run, ThreadId, Transcript};
use crate::policy::{Policy, preset_for, set};
use crate::transcript::by_name;

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
}

/// The assignments of `--set` that are a policy's.
fn policy_settings(look: &Look) -> impl Iterator<Item = &String> {
    look.set.iter().filter(|set| !is_setting(set.split_once('=').map_or(set, |(key, _)| key)))
}

/// Refuses options that contradict each other or name nothing, before anything long begins.
pub fn check(look: &Look) -> anyhow::Result<()> {
    if look.track == Some(TrackArg::Recorded) && is_simulated(look) {
        return Err(usage("--track recorded and a policy or file contradict each other: leave one out"));
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
        set(policy, assignment).map_err(|fault| usage(format!("--set {fault}")))?;
    }
    Ok(())
}

/// The name of the preset that replays what the agent did that wrote a transcript.
pub fn own_preset(transcript: &Transcript) -> &'static str {
    by_name(transcript.format).map_or("internal-agent", |format| preset_for(format.preset))
}

/// The one policy that the options name, with `--set` over it: by its name, else that of the agent.
pub fn policy_of(transcript: &Transcript, look: &Look) -> anyhow::Result<Policy> {
    let name = look.policy.first().map_or_else(|| own_preset(transcript), String::as_str);
    let mut policy = named(name, transcript.session.version.as_deref())?;
    over(&mut policy, policy_settings(look))?;
    Ok(policy)
}

impl Session {
    /// The policy of a name as it is for this session's agent, with `--set` over it; without a name the agent's own.
    pub fn policy(&self, name: Option<&str>, look: &Look) -> anyhow::Result<Chosen> {
        let name = name.unwrap_or_else(|| own_preset(&self.transcript));
        let mut policy = named(name, self.transcript.session.version.as_deref())?;
        over(&mut policy, policy_settings(look))?;
        let settings: Vec<&str> = policy_settings(look).map(String::as_str).collect();
        let gap = if settings.is_empty() { "" } else { " " };
        Ok(Chosen { name: format!("{name}{gap}{}", settings.join(" ")), policy })
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
        let known = self.known()?.under(policy);
        let plan = self.plan(id, &known, policy, watch)?;
        let recall = self.recall(&plan, policy, None, watch)?;
        let given = Given { recall, ..self.given(id, &known, policy, watch)? };
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

    /// What a replay is given beside the history. Attached files and pages come in here.
    fn given(&self, id: ThreadId, known: &Known, policy: &Policy, watch: &Watch) -> anyhow::Result<Given> {
        let thread = self.thread(id)?;
        let model = known.model_of(thread).map(|found| found.info.clone());
        let prepared = self.attached.prepared(&self.transcript, thread, known.counter(thread), policy, watch)?;
        Ok(Given { model, prepared, ..Given::default() })
    }

    /// A thread's windows under the policy that the options name.
    pub fn simulated(&self, id: ThreadId, look: &Look, watch: &Watch) -> anyhow::Result<(Run, Chosen)> {
        let chosen = self.chosen(look)?;
        let run = self.replay(id, &chosen.policy, watch)?.run(&chosen.policy);
        Ok((run, chosen))
    }
}
