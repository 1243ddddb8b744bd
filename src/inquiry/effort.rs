//! What a trial takes that has passages chosen anew: characters of which a model must make vectors. Some tens of windows
//! are embedded in a second, so that a search can afford so many and no more.

use std::sync::atomic::{AtomicU64, Ordering};

use super::whatif::Trials;
use crate::model::{Block, Body, Layer};
use crate::policy::{FilesMode, Policy};

/// Characters that a search embeds for trials: some 400 windows of source 1's size, which takes two cores some seconds.
const AFFORDED: u64 = 200_000;
/// Characters that a window counts for at least: each costs a run of the model.
const LEAST: u64 = 100;

/// What a search has embedded for its trials.
#[derive(Debug, Default)]
pub(super) struct Effort(AtomicU64);

impl Trials<'_> {
    /// Whether a policy can still be tried: what its passages take is then counted. One that needs no new vectors can
    /// always be.
    pub(super) fn affords(&self, policy: &Policy) -> bool {
        let takes = self.embeds(policy);
        let more = |sum: u64| sum.checked_add(takes).filter(|sum| *sum <= AFFORDED);
        takes == 0 || self.effort.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Characters that a policy's windows of the attached files have together; nothing where they are at hand.
    fn embeds(&self, policy: &Policy) -> u64 {
        let chunks = policy.chunks.settings();
        if policy.files.mode != FilesMode::Chunks || !chunks.ranking.embeds() || self.ready.holds(policy) {
            return 0;
        }
        let (window, stride) = (chunks.window.max(LEAST), chunks.window.saturating_sub(chunks.shared()).max(1));
        let transcript = self.subject.transcript;
        let is_attached = |block: &&Block| {
            let source = transcript.sources.get(block.record.source.0 as usize);
            block.layer == Layer::Files && source.is_some_and(|source| source.kind.is_attached())
        };
        let chars = |block: &Block| match &block.body {
            Body::Text { chars, .. } => *chars,
            Body::Media(_) | Body::Hidden(_) => 0,
        };
        let files = transcript.blocks.iter().filter(is_attached).map(chars);
        let divided = files.filter(|chars| *chars > chunks.threshold);
        divided.map(|chars| chars.div_ceil(stride).saturating_mul(window)).fold(0, u64::saturating_add)
    }
}
