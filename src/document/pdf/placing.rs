//! Blocks as the places of their texts tell that they are. Reading where texts stand takes a third of the time that the
//! rest does: what was looked for in vain on many pages on end is looked for no more, but where something points to it.

use std::rc::Rc;

use unpdf::model::Block;

use super::accents;
use super::around::with_around;
use super::calls::with_calls;
use super::items::with_items;
use super::ligatures;
use super::lines::{Lines, order_tables};
use super::narrow::with_narrow;
use super::parting::parted_blocks;
use super::rtl::with_rtl;
use super::scripts::with_scripts;
use super::sides::with_sides;
use super::sparse::with_tables;
use super::wrapped::with_wrapped;

/// Makes of blocks what their places tell: of all that may be it, or of what clearly is.
type Mend = fn(Vec<Block>, bool, &mut dyn FnMut() -> Option<Rc<Lines>>) -> Vec<Block>;

/// These, in their order.
const MENDS: [Mend; 9] = [
    |blocks, all, lines| with_scripts(blocks, all, lines),
    |blocks, all, lines| if all { with_sides(blocks, lines) } else { blocks },
    |blocks, all, lines| if all { with_calls(blocks, lines) } else { blocks },
    |blocks, all, lines| parted_blocks(blocks, all, lines),
    |blocks, all, lines| with_wrapped(blocks, all, lines),
    |blocks, all, lines| with_items(blocks, all, lines),
    |blocks, all, lines| with_tables(blocks, all, lines),
    |blocks, all, lines| with_around(blocks, all, lines),
    |blocks, all, lines| if all { with_narrow(blocks, lines) } else { blocks },
];
/// Pages on end on which one of these is looked for in vain, and their share of all.
const VAIN_LEAST: u32 = 8;
const VAIN_SHARE: u32 = 32;

/// For each of the mends, the pages on end on which it was looked for in vain.
#[derive(Default)]
pub struct Placing {
    vain: [u32; MENDS.len()],
    /// The same for signs that are drawn over others.
    over: u32,
}

impl Placing {
    /// The blocks of a page as they stand on it; `lines` reads that where it is needed.
    pub fn placed(
        &mut self,
        mut blocks: Vec<Block>,
        pages: u32,
        lines: &mut dyn FnMut() -> Option<Rc<Lines>>,
    ) -> Vec<Block> {
        order_tables(&mut blocks, &mut *lines);
        let most = VAIN_LEAST.max(pages / VAIN_SHARE);
        self.drawn_over(&mut blocks, most, lines);
        blocks = with_rtl(blocks, &mut *lines);
        for (mend, vain) in MENDS.iter().zip(&mut self.vain) {
            let (before, mut looked) = (shape(&blocks), false);
            blocks = mend(blocks, *vain < most, &mut || {
                looked = true;
                lines()
            });
            if looked {
                *vain = if shape(&blocks) == before { *vain + 1 } else { 0 };
            }
        }
        blocks
    }

    /// Mends what is drawn over other signs: accents, and what is moved over a blank.
    fn drawn_over(&mut self, blocks: &mut [Block], most: u32, lines: &mut dyn FnMut() -> Option<Rc<Lines>>) {
        let (apart, parted) = (accents::may_stand_apart(blocks), ligatures::may_be_parted(blocks));
        if self.over >= most || !(apart || parted) {
            return;
        }
        let Some(lines) = lines() else { return };
        let is_composed = apart && accents::composed(blocks, &lines);
        let is_joined = parted && ligatures::joined(blocks, &lines);
        self.over = if is_composed || is_joined { 0 } else { self.over + 1 };
    }
}

/// How many blocks and tables there are, and parts of paragraphs.
fn shape(blocks: &[Block]) -> (usize, usize, usize) {
    let parts = |block: &Block| if let Block::Paragraph(paragraph) = block { paragraph.content.len() } else { 0 };
    let tables = blocks.iter().filter(|block| matches!(block, Block::Table(_))).count();
    (blocks.len(), tables, blocks.iter().map(parts).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpdf::model::Paragraph;

    #[test]
    fn what_is_looked_for_in_vain_is_looked_for_no_more_but_where_something_points_to_it() {
        let (mut placing, mut looked) = (Placing::default(), 0);
        let mut page = |text: &str| {
            let blocks = vec![Block::Paragraph(Paragraph::heading(text, 1))];
            let before = looked;
            placing.placed(blocks, 20, &mut || {
                looked += 1;
                None
            });
            looked > before
        };
        assert!((0..VAIN_LEAST).all(|_| page("A heading")));
        assert!(!page("A heading"));
        assert!(page("A heading 2 Another"));
    }
}
