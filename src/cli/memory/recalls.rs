//! Memories that were read for one policy and serve another: of attached files only their texts become memories, by
//! whatever limits they were made.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::engine::{Plan, Prepared, Recall, reads_memories_alike};
use crate::policy::Policy;

/// What replays that are still held remember.
#[derive(Default)]
pub struct Recalls(Mutex<Vec<Known>>);

/// What memories were read from.
struct Known {
    plan: Weak<Plan>,
    prepared: Vec<Prepared>,
    policy: Policy,
    recall: Weak<Recall>,
}

impl Recalls {
    /// The memories of a history with pieces of the same texts beside it, as a policy reads them.
    pub fn known(&self, plan: &Arc<Plan>, prepared: &[Prepared], policy: &Policy) -> Option<Arc<Recall>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let serves = |known: &&Known| {
            std::ptr::eq(known.plan.as_ptr(), Arc::as_ptr(plan))
                && reads_memories_alike(&known.policy, policy)
                && say_the_same(&known.prepared, prepared)
        };
        all.iter().filter(serves).find_map(|known| known.recall.upgrade())
    }

    /// Memories of the same history by the same vectors, layers and signals, however they are divided and compared.
    pub fn like(&self, plan: &Arc<Plan>, policy: &Policy) -> Option<Arc<Recall>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let reads = |policy: &Policy| {
            let memory = &policy.memory;
            (memory.model.clone(), memory.ingest_layers.clone(), memory.signals.clone())
        };
        let serves = |known: &&Known| {
            std::ptr::eq(known.plan.as_ptr(), Arc::as_ptr(plan)) && reads(&known.policy) == reads(policy)
        };
        all.iter().filter(serves).find_map(|known| known.recall.upgrade())
    }

    /// Keeps some for as long as somebody else does.
    pub fn keep(&self, plan: &Arc<Plan>, prepared: &[Prepared], policy: &Policy, recall: &Arc<Recall>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.recall.strong_count() > 0 && known.plan.strong_count() > 0);
        all.push(Known {
            plan: Arc::downgrade(plan),
            prepared: prepared.to_vec(),
            policy: policy.clone(),
            recall: Arc::downgrade(recall),
        });
    }
}

/// Whether pieces have the same texts at the same steps, whatever was decided of them.
fn say_the_same(one: &[Prepared], other: &[Prepared]) -> bool {
    let same = |(one, other): (&Prepared, &Prepared)| {
        (one.step, one.file, one.layer) == (other.step, other.file, other.layer)
            && one.content == other.content
            && one.label == other.label
            && one.text == other.text
    };
    one.len() == other.len() && one.iter().zip(other).all(same)
}
