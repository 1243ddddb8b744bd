//! The records of one thread as a tree, and the branch that is the window now.
//!
//! A session file only grows. Every record names the one before it; when the user goes back to an earlier message,
//! the next record names that one, and what stood after it is left. Not every fork means that: parallel calls fork
//! too, and so do hooks. A fork leaves something only where a person's or the model's message stands after it; the
//! notices that led to such a message, by the records that it names, are left with it.

use std::collections::{HashMap, HashSet};

use crate::model::BlockId;

use super::record::{Key, Parent, Sort};

/// Notices and attachments in a row that are looked through for what they belong to.
const CLIMB: usize = 1_000;

/// Nodes that are passed at most to find the ends of branches that are not the window.
const WALKS: usize = 400_000_000;

/// A record's id, where it has one, and its line.
pub(super) type Named = (Option<Key>, u32);

/// What stands before everything: records that hold nothing at the beginning of a thread stand for it, so that what
/// names them as its parent goes back to the beginning.
const ROOT: NodeId = NodeId(0);

/// Index of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct NodeId(u32);

struct Node {
    /// The node before it in the window that it came into.
    before: Option<NodeId>,
    /// The node that its record names as the one before.
    named: Option<NodeId>,
    /// The first that came after it and is no turn; none once a turn has.
    after: After,
    /// Where a compaction put it again.
    again: Option<NodeId>,
    sort: Sort,
    /// Whether a turn names it as what came before, be it through other notices.
    leads: bool,
    /// Its blocks: first, and one past the last.
    blocks: (u32, u32),
    /// Its index in `active`, if it is there.
    place: u32,
    /// Whether a compaction took it out of the window.
    compacted: bool,
    /// Whether no window has held it yet: it was logged while another branch was the window.
    aside: bool,
}

/// What came first after a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// Nothing yet.
    Open,
    /// Results or a notice.
    Node(NodeId),
    /// A turn.
    Turn,
}

/// The node that a record stands in.
#[derive(Clone, Copy)]
struct Stands {
    node: NodeId,
    /// The record's line; 0 where it holds nothing, and the node is that of the record before it.
    line: u32,
    /// The blocks that the record holds of the node's: first, and one past the last.
    blocks: (u32, u32),
}

/// Of a record that holds nothing.
const NOWHERE: Stands = Stands { node: ROOT, line: 0, blocks: (0, 0) };

/// The records of one thread.
pub(super) struct Tree {
    nodes: Vec<Node>,
    by_record: HashMap<Key, Stands>,
    active: Vec<NodeId>,
    /// Places in `active` that hold turns, ascending.
    turns: Vec<u32>,
    /// Blocks that were taken back.
    gone: HashSet<u32>,
    /// Records before which nothing stands, and those that follow them: none of a message.
    begins: HashSet<Key>,
    /// The nodes of such records.
    begun: HashSet<NodeId>,
    /// Nodes that were passed to find the ends of branches that are not the window.
    walked: usize,
}

impl Default for Tree {
    fn default() -> Tree {
        let (nodes, active, turns) = (Vec::new(), Vec::new(), Vec::new());
        let (gone, begins, begun) = (HashSet::new(), HashSet::new(), HashSet::new());
        let mut tree = Tree { nodes, by_record: HashMap::new(), active, turns, gone, begins, begun, walked: 0 };
        tree.make(None, None, Sort::Other, (0, 0));
        tree.enter(ROOT);
        tree
    }
}

impl Tree {
    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    /// The node of a record: of those that compactions made again from it, the one in the window.
    pub fn find(&self, record: Key) -> Option<NodeId> {
        let mut id = self.by_record.get(&record)?.node;
        while self.stands(id).is_none()
            && let Some(again) = self.node(id).and_then(|node| node.again).filter(|again| *again > id)
        {
            id = again;
        }
        Some(id)
    }

    /// The node and the line of a record that holds something.
    pub fn own(&self, record: Key) -> Option<(NodeId, u32)> {
        self.by_record.get(&record).filter(|stands| stands.line > 0).map(|stands| (stands.node, stands.line))
    }

    /// The last block of a record, or of what came before it where it holds none; nothing where that is the beginning.
    ///
    /// `None` where the record is not known.
    pub fn last_of(&self, record: Key) -> Option<Option<BlockId>> {
        let stands = self.by_record.get(&record)?;
        let (from, to) = if stands.line > 0 { stands.blocks } else { self.node(stands.node)?.blocks };
        Some((from..to).next_back().map(BlockId))
    }

    /// Whether the window holds nothing.
    pub fn is_empty(&self) -> bool {
        self.active.iter().all(|id| *id == ROOT)
    }

    /// Puts a node at the end of the window.
    pub fn append(&mut self, (record, line): Named, parent: Parent, sort: Sort, blocks: (u32, u32)) {
        let named = if let Parent::Of(key) = parent { self.find(key) } else { None };
        let node = self.make(self.active.last().copied(), named, sort, blocks);
        self.enter(node);
        if sort == Sort::Other && self.is_beginning(parent) {
            self.begun.insert(node);
            self.begins.extend(record);
        }
        if let Some(record) = record {
            self.by_record.insert(record, Stands { node, line, blocks });
        }
    }

    /// Whether nothing stands before a record: it names none, or a hook or a notice that does not either.
    pub fn is_beginning(&self, parent: Parent) -> bool {
        match parent {
            Parent::None => true,
            Parent::Of(key) => self.begins.contains(&key),
            Parent::Unsaid => false,
        }
    }

    fn make(&mut self, before: Option<NodeId>, named: Option<NodeId>, sort: Sort, blocks: (u32, u32)) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        if let Some(before) = before.and_then(|before| self.nodes.get_mut(before.0 as usize)) {
            before.after = match before.after {
                _ if sort == Sort::Turn => After::Turn,
                After::Open => After::Node(id),
                known => known,
            };
        }
        let (compacted, aside, leads) = (false, false, false);
        let (after, again, place) = (After::Open, None, 0);
        self.nodes.push(Node { before, named, after, again, sort, leads, blocks, place, compacted, aside });
        let mut next = named.filter(|_| sort == Sort::Turn);
        while let Some(node) = next.and_then(|lead| self.nodes.get_mut(lead.0 as usize))
            && node.sort == Sort::Other
            && !node.leads
        {
            node.leads = true;
            next = node.named;
        }
        id
    }

    /// A notice, and the notices before it that lead to it, newest first; nothing where it is no notice.
    fn climb(&self, from: Option<NodeId>) -> impl Iterator<Item = NodeId> {
        let notice = |id: Option<NodeId>| id.filter(|id| self.node(*id).is_some_and(|node| node.sort == Sort::Other));
        std::iter::successors(notice(from), move |id| {
            notice(self.node(*id).and_then(|node| node.named.or(node.before)).filter(|before| before < id))
        })
    }

    /// Leaves out of a window the notices that led to turns which are not in it, with what hangs on those. `next`: what
    /// leads to the turn that comes into it.
    fn leave_leads(&self, window: &mut Vec<NodeId>, next: &[NodeId]) {
        let mut stay: HashSet<NodeId> = next.iter().copied().collect();
        for id in window.iter() {
            let turn = self.node(*id).filter(|node| node.sort == Sort::Turn);
            // Those of what was met before have been met too.
            let mut leads = self.climb(turn.and_then(|turn| turn.named.or(turn.before)));
            while leads.next().is_some_and(|id| stay.insert(id)) {}
        }
        let mut gone: HashSet<NodeId> = HashSet::new();
        window.retain(|id| {
            let goes = self.node(*id).filter(|node| node.sort == Sort::Other && *id != ROOT).is_some_and(|node| {
                !stay.contains(id) && (node.leads || node.named.is_some_and(|named| gone.contains(&named)))
            });
            if goes {
                gone.insert(*id);
            }
            !goes
        });
    }

    /// The node that a record names as the one before it, where it stands on another branch than the window: one that
    /// no compaction has ended.
    pub fn elsewhere(&self, parent: Parent) -> Option<NodeId> {
        let Parent::Of(key) = parent else { return None };
        let id = self.find(key)?;
        let other = self.stands(id).is_none() && self.node(id).is_some_and(|node| !node.compacted);
        other.then_some(id)
    }

    /// The node that a record of that sort names, where its own node stands beside the window: another branch has the
    /// named one, or it is a notice, and a turn has come after the named one. That may begin a branch: whether it does
    /// is said by the turn that names the notice.
    pub fn anchor(&self, parent: Parent, sort: Sort) -> Option<NodeId> {
        let Parent::Of(key) = parent else { return None };
        let earlier = || {
            let id = self.find(key).filter(|_| sort == Sort::Other)?;
            let place = self.stands(id)?;
            self.turns.last().is_some_and(|turn| *turn > place).then_some(id)
        };
        if sort == Sort::Turn { None } else { self.elsewhere(parent).or_else(earlier) }
    }

    /// Puts a node at the end of the branch that `anchor` is on, which is not the window now.
    pub fn beside(&mut self, (record, line): Named, anchor: NodeId, sort: Sort, blocks: (u32, u32)) {
        // Each of these walks all of a branch: in a file that has more of them than any session, they stand right behind
        // what they name.
        let path = if self.walked <= WALKS { self.path(anchor) } else { Vec::new() };
        self.walked = self.walked.saturating_add(path.len());
        let end = path.last().copied().unwrap_or(anchor);
        let node = self.make(Some(end), Some(anchor), sort, blocks);
        if let Some(node) = self.nodes.get_mut(node.0 as usize) {
            node.aside = true;
        }
        if let Some(record) = record {
            self.by_record.insert(record, Stands { node, line, blocks });
        }
    }

    /// How many nodes at the end of a window come into one for the first time, having been logged beside it.
    pub fn fresh(&mut self, window: &[NodeId]) -> usize {
        let count = window.iter().rev().take_while(|id| self.node(**id).is_some_and(|node| node.aside)).count();
        for id in window {
            if let Some(node) = self.nodes.get_mut(id.0 as usize) {
                node.aside = false;
            }
        }
        count
    }

    /// Lets the node at the end of the window stand for one that a compaction put there again.
    pub fn again(&mut self, id: NodeId) {
        let end = self.active.last().copied();
        if let Some(node) = self.nodes.get_mut(id.0 as usize) {
            node.again = end;
        }
    }

    fn enter(&mut self, id: NodeId) {
        let place = u32::try_from(self.active.len()).unwrap_or(u32::MAX);
        if let Some(node) = self.nodes.get_mut(id.0 as usize) {
            node.place = place;
            if node.sort == Sort::Turn {
                self.turns.push(place);
            }
            self.active.push(id);
        }
    }

    /// Lets a record of a message stand for the newest node, of which it holds some blocks.
    pub fn also(&mut self, (record, line): Named, blocks: (u32, u32)) {
        if let (Some(record), Some(node)) = (record, self.active.last().copied()) {
            self.by_record.insert(record, Stands { node, line, blocks });
        }
    }

    /// Lets a record that holds nothing stand for the one before it.
    pub fn pass(&mut self, record: Option<Key>, parent: Parent) {
        let named = if let Parent::Of(key) = parent { self.find(key) } else { None };
        if self.is_beginning(parent) {
            self.begins.extend(record);
        }
        if let (Some(record), Some(id)) = (record, named.or_else(|| self.active.last().copied())) {
            self.by_record.entry(record).or_insert(Stands { node: id, ..NOWHERE });
        }
    }

    fn stands(&self, id: NodeId) -> Option<u32> {
        let place = self.node(id)?.place;
        (self.active.get(place as usize) == Some(&id)).then_some(place)
    }

    /// The window that a message after `parent` is said to come into, where that is not the one there is now.
    /// `far` allows windows from before a compaction; without, a branch that no compaction has ended is gone on with.
    pub fn branch(&self, parent: Parent, far: bool) -> Option<Vec<NodeId>> {
        let Parent::Of(key) = parent else { return None };
        let mut anchor = self.find(key)?;
        // Notices and attachments may come before the message that they belong to.
        let mut passed = Vec::new();
        while let Some(node) = self.node(anchor).filter(|node| node.sort == Sort::Other) {
            let Some(next) = node.named.or(node.before).filter(|next| *next < anchor) else { break };
            if passed.len() >= CLIMB {
                return None;
            }
            passed.push(anchor);
            anchor = next;
        }
        passed.reverse();
        let leads = passed.clone();
        let ended = |id: NodeId| self.node(id).is_none_or(|node| node.compacted);
        let Some(place) = self.stands(anchor) else {
            if !far && ended(anchor) {
                return None;
            }
            let mut window = self.path(anchor);
            passed.retain(|id| (self.stands(*id).is_some() || !ended(*id)) && !window.contains(id));
            window.extend(passed);
            return Some(window);
        };
        let at = self.turns.partition_point(|turn| *turn <= place);
        let cut = self.turns.get(at).copied();
        // Notices of this branch were logged beside the window, or after what is left now.
        passed.retain(|id| match self.stands(*id) {
            Some(place) => cut.is_some_and(|cut| place > cut),
            None => !ended(*id),
        });
        if cut.is_none() && passed.is_empty() {
            return None;
        }
        let mut window = self.active.get(..cut.map_or(self.active.len(), |cut| cut as usize))?.to_vec();
        window.extend(passed);
        self.leave_leads(&mut window, &leads);
        Some(window)
    }

    /// The window without the node that holds these blocks.
    pub fn without(&self, blocks: (u32, u32)) -> Vec<NodeId> {
        let other = |id: &NodeId| self.node(*id).is_some_and(|node| node.blocks != blocks);
        self.active.iter().copied().filter(other).collect()
    }

    /// The window without some records, for which what stood before them stands from now on; `None` where it holds none
    /// of them. Of a message of several records only what these hold goes.
    pub fn retract(&mut self, records: &[Key]) -> Option<Vec<NodeId>> {
        let own: Vec<(Key, Stands)> = records.iter().filter_map(|key| Some((*key, self.stands_of(*key)?))).collect();
        let held = own.iter().any(|(_, stands)| self.stands(stands.node).is_some() && self.any_left(stands.blocks));
        self.gone.extend(own.iter().flat_map(|(_, stands)| stands.blocks.0..stands.blocks.1));
        let is_gone = |id: NodeId| self.node(id).is_some_and(|node| !self.any_left(node.blocks));
        let gone: HashSet<NodeId> = own.iter().map(|(_, stands)| stands.node).filter(|id| is_gone(*id)).collect();
        if !held {
            return None;
        }
        let window: Vec<NodeId> = self.active.iter().copied().filter(|id| !gone.contains(id)).collect();
        for (record, stands) in own {
            let mut next = Some(stands.node);
            while let Some(id) = next.filter(|id| gone.contains(id)) {
                next = self.node(id).and_then(|node| node.before).filter(|before| *before < id);
            }
            if let Some(node) = next {
                self.by_record.insert(record, Stands { node, ..NOWHERE });
            }
        }
        Some(window)
    }

    /// The node of a record that holds something, and what of it is the record's.
    fn stands_of(&self, record: Key) -> Option<Stands> {
        self.by_record.get(&record).copied().filter(|stands| stands.line > 0)
    }

    /// Whether some of these blocks are not taken back.
    fn any_left(&self, blocks: (u32, u32)) -> bool {
        (blocks.0..blocks.1).any(|id| !self.gone.contains(&id))
    }

    /// What stands before the first turn of the window, and the notices that lead to a record before which nothing else
    /// stands; `None` where there is no turn.
    pub fn beginning(&self, parent: Parent) -> Option<Vec<NodeId>> {
        let first = *self.turns.first()?;
        let mut window = self.active.get(..first as usize)?.to_vec();
        let named = if let Parent::Of(key) = parent { self.find(key) } else { None };
        let leads = self.climb(named).take_while(|id| self.begun.contains(id));
        let mut leads: Vec<NodeId> = leads.filter(|id| !window.contains(id)).collect();
        leads.reverse();
        window.extend(leads);
        Some(window)
    }

    /// The window in which a node came last, with the results and notices that followed it and led to no turn.
    pub fn path(&self, id: NodeId) -> Vec<NodeId> {
        let mut path = Vec::new();
        let mut next = Some(id);
        while let Some(id) = next {
            path.push(id);
            next = self.node(id).and_then(|node| node.before).filter(|before| *before < id);
        }
        path.reverse();
        let mut last = id;
        while let Some(After::Node(next)) =
            self.node(last).map(|node| node.after).filter(|_| path.len() <= self.nodes.len())
        {
            last = next;
            path.push(last);
        }
        let leads: Vec<NodeId> = self.climb(Some(id)).collect();
        self.leave_leads(&mut path, &leads);
        path
    }

    /// Makes a list of nodes the window.
    pub fn set_window(&mut self, window: Vec<NodeId>) {
        self.active.clear();
        self.turns.clear();
        for id in window {
            self.enter(id);
        }
    }

    /// Begins an empty window, as a compaction does.
    pub fn clear(&mut self) {
        for id in &self.active {
            if let Some(node) = self.nodes.get_mut(id.0 as usize) {
                node.compacted = true;
            }
        }
        self.set_window(Vec::new());
    }

    /// The blocks of a list of nodes.
    pub fn blocks(&self, window: &[NodeId]) -> Vec<BlockId> {
        let ranges = window.iter().filter_map(|id| self.node(*id)).map(|node| node.blocks);
        ranges.flat_map(|(from, to)| from..to).filter(|id| !self.gone.contains(id)).map(BlockId).collect()
    }

    /// The blocks of the window.
    pub fn window(&self) -> Vec<BlockId> {
        self.blocks(&self.active)
    }

    /// The records from `first` to `last` by the names that they give, the first one first, with the results of calls
    /// made side by side: each names its own call, so all but one hang beside that line.
    pub fn between(&self, first: NodeId, last: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut next = Some(last);
        while let Some(id) = next {
            found.push(id);
            if id == first {
                break;
            }
            next = self.node(id).and_then(|node| node.named.or(node.before)).filter(|before| *before < id);
        }
        found.reverse();
        let is_beside = |id: &NodeId| {
            self.node(*id).is_some_and(|node| {
                node.sort == Sort::Results && node.named.is_some_and(|named| found.binary_search(&named).is_ok())
            })
        };
        let beside: Vec<NodeId> =
            (first.0..last.0).map(NodeId).filter(|id| found.binary_search(id).is_err() && is_beside(id)).collect();
        found.extend(beside);
        found.sort_unstable();
        found
    }

    /// The sort and blocks of a node.
    pub fn sort_and_blocks(&self, id: NodeId) -> Option<(Sort, (u32, u32))> {
        self.node(id).map(|node| (node.sort, node.blocks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beyond_many_walks_a_record_beside_the_window_stands_right_behind_what_it_names() {
        let mut tree = Tree::default();
        tree.append((None, 1), Parent::None, Sort::Turn, (0, 1));
        let anchor = NodeId(1);
        for (walked, before) in [(0, anchor), (0, NodeId(2)), (WALKS + 1, anchor)] {
            tree.walked = walked;
            tree.beside((None, 2), anchor, Sort::Results, (1, 2));
            assert_eq!(tree.nodes.last().and_then(|node| node.before), Some(before));
        }
    }
}
