//! What a step's stages took out of the window, told where the side after them is empty.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::config::{Role, Theme};
use crate::model::{ALL_LAYERS, EntryId, Layer, Run};
use crate::present::{Became, Pair, PairCell, before_tokens, count, counted, name_in, short};
use crate::tui::inspect::Inspect;
use crate::tui::line::{Line, bar};
use crate::tui::main_screen::repeats;

/// Of the largest pieces, so many are named.
const LARGEST: usize = 5;
/// Rows and columns from which on it says something: a blank, the sum, a blank and four layers.
const LEAST: (u16, u16) = (7, 30);
/// Columns of a layer's name, its pieces and its tokens.
const NAME: u16 = 14;
const PIECES: u16 = 7;
const TOKENS: u16 = 8;

/// What was taken, and nothing but a summary or a marker stands for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Pieces and tokens in all.
    sum: (u64, u64),
    /// Per layer: pieces and tokens, the largest first.
    layers: Vec<(Layer, u64, u64)>,
    /// The largest pieces.
    largest: Vec<(EntryId, u64)>,
}

impl Taken {
    /// What the rows of a step took.
    #[must_use]
    pub fn of(run: &Run, step: u32, rows: &[Pair]) -> Taken {
        let mut taken = Taken::default();
        let mut layers = vec![(0, 0); Layer::COUNT];
        for row in rows {
            let Some(PairCell::Entry(id, became @ Became::Changed(stage, _))) = row.left else { continue };
            let Some(entry) = run.entry(id) else { continue };
            if stage.is_history() || entry.life_at(step).is_some() {
                continue;
            }
            let tokens = before_tokens(run, id, became);
            taken.sum = (taken.sum.0 + 1, taken.sum.1 + tokens);
            if let Some((pieces, all)) = layers.get_mut(entry.layer as usize) {
                (*pieces, *all) = (*pieces + 1, *all + tokens);
            }
            taken.largest.push((id, tokens));
        }
        let all = ALL_LAYERS.iter().map(|info| info.layer).zip(layers);
        taken.layers =
            all.filter(|(_, (pieces, _))| *pieces > 0).map(|(layer, (one, all))| (layer, one, all)).collect();
        taken.layers.sort_by_key(|(layer, _, tokens)| (std::cmp::Reverse(*tokens), *layer as usize));
        taken.largest.sort_by_key(|(id, tokens)| (std::cmp::Reverse(*tokens), *id));
        taken.largest.truncate(LARGEST);
        taken
    }

    /// Draws it into an area that nothing else stands in; nothing where there is too little room.
    pub fn draw(&self, buffer: &mut Buffer, theme: &Theme, area: Rect, view: &Inspect) {
        if self.sum.0 < 2 || area.height < LEAST.0 || area.width < LEAST.1 {
            return;
        }
        let place = Rect { x: area.x + 2, width: area.width - 3, ..area };
        let mut line = Line::new(buffer, theme, place, 1);
        line.put(&format!("{} gone", counted(self.sum.0, "piece", "pieces")), Role::Title);
        line.put(&format!(" · {}", counted(self.sum.1, "token", "tokens")), Role::Text);
        let room = usize::from(area.height - 3);
        let most = self.layers.first().map_or(0, |(.., tokens)| *tokens);
        for (y, (layer, pieces, tokens)) in (3u16..).zip(self.layers.iter().take(room)) {
            let mut line = Line::new(buffer, theme, place, y);
            line.field(layer.info().title, NAME, Role::Layer(*layer));
            line.right(&count(*pieces), PIECES, Role::Dim);
            line.right(&short(*tokens), TOKENS, Role::Text);
            line.skip(1);
            let columns = line.left();
            line.put(&bar(*tokens, most, columns, "█"), Role::Layer(*layer));
        }
        let from = self.layers.len() + 4;
        let named = usize::from(area.height).saturating_sub(from + 1).min(self.largest.len());
        if named < 2 {
            return;
        }
        let from = u16::try_from(from).unwrap_or(u16::MAX);
        Line::new(buffer, theme, place, from).put("the largest of them", Role::Title);
        for (y, (id, tokens)) in (from + 1..).zip(self.largest.iter().take(named)) {
            let Some(entry) = view.index.run().entry(*id) else { continue };
            let mut line = Line::new(buffer, theme, place, y);
            let mut right = line.split_right(TOKENS);
            right.right(&count(*tokens), TOKENS, Role::Text);
            line.field(entry.layer.info().tag, 8, Role::Layer(entry.layer));
            if !entry.label.is_empty() && !repeats(entry.layer, &entry.label) {
                line.put(&name_in(&entry.label, usize::from(line.left()) * 2 / 3), Role::Text);
                line.put(" ", Role::Dim);
            }
            if let Some(words) = view.previews.get(id) {
                line.put(words, Role::Dim);
            }
        }
    }

    /// The entries that it names, whose first words are wanted.
    pub fn named(&self) -> impl Iterator<Item = EntryId> {
        self.largest.iter().map(|(id, _)| *id)
    }
}
