//! Compactions: what the records of one say that the window is after it.

use std::collections::HashSet;

use crate::model::{BlockId, Compaction, Op, RewindCause, Role};

use super::content::sums_up;
use super::record::{Boundary, Parent, Saying, Sort, What};
use super::store::index;
use super::tree::{Named, NodeId};
use super::weave::{Here, Weaver, with};

/// A record that a compaction keeps.
struct Kept {
    named: Named,
    /// The node that it stands in, where the compaction names only the first and the last record.
    from: Option<NodeId>,
    sort: Sort,
    /// Its own blocks.
    blocks: (u32, u32),
}

impl Weaver<'_> {
    pub(super) fn compacted(&mut self, at: usize, boundary: Boundary, here: Here) {
        let mut summary = None;
        // A stream marks its summary only as written by no person; nothing a person said comes before it.
        let mut marked = None;
        let mut waits = true;
        for line in self.lines.get(at + 1..).unwrap_or_default() {
            match self.parsed(*line).map(|parsed| &parsed.what) {
                Some(What::Said(said)) if said.saying == Saying::Summary => summary = Some(*line),
                Some(What::Said(said)) => {
                    if said.synthetic && said.saying == Saying::Other && waits {
                        marked = Some(*line);
                    }
                    waits &= marked.is_none() && said.saying == Saying::Other;
                    continue;
                }
                Some(What::Answered(_) | What::Compacted(_)) | None => {}
                _ => continue,
            }
            break;
        }
        let summary = summary.or(marked);
        let mut blocks = (0, 0);
        let mut named = (None, 0);
        if let Some(line) = summary
            && let Some(parsed) = self.all.get_mut(line as usize)
        {
            self.summaries.insert(line);
            let (record, when) = (parsed.record, parsed.at);
            named = (parsed.uuid, record.line);
            if let What::Said(mut said) = std::mem::replace(&mut parsed.what, What::Damaged) {
                sums_up(&mut said.drafts);
                blocks = self.store.message(Role::User, record, when, None, with(record, said.drafts));
            }
        }
        self.compact(boundary, blocks, (here.named(), named), here);
    }

    /// The window becomes the summary and what is kept. `names` are the boundary's and the summary's ids.
    pub(super) fn compact(&mut self, boundary: Boundary, summary: (u32, u32), names: (Named, Named), here: Here) {
        if let Some(last) = boundary.after.and_then(|key| self.tree.elsewhere(Parent::Of(key))) {
            self.rewind(self.tree.path(last), RewindCause::Edited, here.record);
        }
        let kept = self.kept(&boundary);
        self.tree.clear();
        self.keep_tools();
        let kept_first = boundary.anchor.is_some() && boundary.anchor == names.0.0;
        if !kept_first {
            self.tree.append(names.1, Parent::Unsaid, Sort::Turn, summary);
        }
        for Kept { named, from, sort, blocks } in kept {
            self.tree.append(named, Parent::Unsaid, sort, blocks);
            if let Some(from) = from {
                self.tree.again(from);
            }
        }
        if kept_first {
            self.tree.append(names.1, Parent::Unsaid, Sort::Turn, summary);
        }
        // What comes after either of the two records comes after all that the compaction left.
        self.tree.also(names.0, (0, 0));
        self.tree.also(names.1, (0, 0));
        let window = self.tree.window();
        self.store.builder.name(window.len());
        self.compactions.push((self.thread.ops.len(), here.at));
        self.thread.ops.push(Op::Compact(Box::new(Compaction {
            record: here.record,
            trigger: boundary.trigger,
            tokens_before: boundary.before,
            tokens_after: boundary.left,
            window,
            summariser: None,
            inferred: false,
        })));
        self.asked = None;
        self.last = Some(here.record);
    }

    /// The records that a compaction keeps, as far as they are there.
    fn kept(&self, boundary: &Boundary) -> Vec<Kept> {
        let mut seen = HashSet::new();
        let once = boundary.kept.iter().filter(|key| seen.insert(**key));
        let named = once.filter_map(|key| Some(((Some(*key), 0), self.tree.own(*key)?)));
        let mut kept: Vec<(Named, (NodeId, Option<u32>))> =
            named.map(|(name, (node, line))| ((name.0, line), (node, Some(line)))).collect();
        if kept.is_empty()
            && self.store.builder.has_room()
            && let Some((head, tail)) = boundary.segment
            && let (Some(head), Some(tail)) = (self.tree.find(head), self.tree.find(tail))
        {
            kept = self.tree.between(head, tail).into_iter().map(|id| ((None, 0), (id, None))).collect();
        }
        kept.into_iter()
            .filter_map(|(named, (node, line))| {
                let (sort, blocks) = self.tree.sort_and_blocks(node)?;
                let from = line.is_none().then_some(node);
                Some(Kept { named, from, sort, blocks: line.map_or(blocks, |line| self.of_line(blocks, line)) })
            })
            .collect()
    }

    /// Those of a message's blocks that stand in one line.
    pub(super) fn of_line(&self, blocks: (u32, u32), line: u32) -> (u32, u32) {
        let stands =
            |id: &u32| self.store.builder.transcript.block(BlockId(*id)).is_some_and(|block| block.record.line == line);
        let Some(first) = (blocks.0..blocks.1).find(stands) else { return (blocks.0, blocks.0) };
        let count = (first..blocks.1).take_while(stands).count();
        (first, first + index(count))
    }
}
