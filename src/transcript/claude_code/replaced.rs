//! Results that were sent as something else than their records say: a record behind them tells what the model got.

use std::collections::HashSet;

use crate::content::count_chars;
use crate::model::{
    BlockId, BlockKind, Body, Coding, Cut, CutShape, Fate, Layer, Made, Op, Record, Role, Shortened, Shortening,
};
use crate::transcript::build::Draft;
use crate::transcript::stored::Stored;

use super::content::{call_of, text_of};
use super::cut::cut;
use super::fields::Fieldset;
use super::record::What;
use super::weave::Weaver;

/// What the model got in place of results, each with the call that it is of.
pub(super) fn replacements(line: Stored<'_>, fields: &Fieldset<'_>) -> What {
    let list = fields.other("replacements").map(|list| list.items()).unwrap_or_default();
    let replacement = |item: &super::super::scan::Value<'_>| {
        let item = item.fields();
        let (call, text) = (call_of(&item, "toolUseId")?, item.text("replacement")?);
        let draft = Draft::new(BlockKind::ToolResult, Layer::ToolResults, text_of(line, text)).call(Some(call));
        let cut = cut(text.bytes, || count_chars(text.bytes, Coding::Json)).map(Box::new);
        Some(Draft { cut, ..draft })
    };
    let found: Vec<Draft> = list.iter().filter_map(replacement).collect();
    if found.is_empty() { What::Nothing("content-replacement".into()) } else { What::Replaced(found) }
}

impl Weaver<'_> {
    /// Puts what the model got into the place of results: from the beginning where they were not sent yet, else from now
    /// on.
    pub(super) fn replace(&mut self, results: Vec<Draft>, record: Record) {
        let window: HashSet<BlockId> = self.tree.window().into_iter().collect();
        let since = self.thread.ops.iter().rev().take_while(|op| !matches!(op, Op::Request(_)));
        let fresh: HashSet<BlockId> = since
            .filter_map(|op| match op {
                Op::Add(id) => Some(*id),
                _ => None,
            })
            .collect();
        let mut shortened = Vec::new();
        for draft in results {
            let Some(id) = self.result_to_replace(&draft, &window) else { continue };
            if fresh.contains(&id) {
                self.sent_as(id, draft);
            } else {
                let message = self.store.builder.message(Role::User, record, None, None);
                let stand_in = self.store.builder.block(message, Draft { call: None, cut: None, ..draft });
                shortened.push(Shortened { block: id, fate: Fate::Truncated, content: Made::Block(stand_in).into() });
            }
        }
        if !shortened.is_empty() {
            self.thread.ops.push(Op::Shorten(Box::new(Shortening { record, blocks: shortened })));
        }
    }

    /// The text in the window that answers the newest call of the id, where it says something else.
    fn result_to_replace(&self, draft: &Draft, window: &HashSet<BlockId>) -> Option<BlockId> {
        let call = draft.call?;
        let is = |id: &&BlockId| {
            let block = self.store.builder.transcript.block(**id);
            window.contains(*id)
                && block.is_some_and(|block| {
                    block.call == Some(self.store.named.of(call))
                        && matches!(block.body, Body::Text { .. })
                        && block.body.hash() != draft.body.hash()
                })
        };
        self.store.results.get(&call)?.iter().rfind(is).copied()
    }

    /// The model was never sent more of a result than that; its record keeps the whole.
    fn sent_as(&mut self, id: BlockId, draft: Draft) {
        let Some(block) = self.store.builder.transcript.blocks.get_mut(id.0 as usize) else { return };
        let whole = std::mem::replace(&mut block.body, draft.body);
        let told = draft.cut.unwrap_or_else(|| {
            let (shape, rest) = (CutShape::Pointer, None);
            Box::new(Cut { shape, original_chars: None, original_tokens: None, rest, copy_ends_early: false })
        });
        let chars = if let Body::Text { chars, .. } = &whole { Some(*chars) } else { None };
        block.cut = Some(Box::new(Cut { original_chars: chars, ..*told }));
        block.original.get_or_insert_with(|| Box::new(whole));
    }
}
