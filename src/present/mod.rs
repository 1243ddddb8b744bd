//! What is shown, before anything draws it: safe text, numbers and tables for people. No terminal here.

pub mod beside;
mod came;
mod canvas;
mod diagnosis;
mod done;
mod explain;
mod folded;
pub mod helps;
mod judged;
mod measured;
pub mod memory;
mod name;
mod number;
mod of_summaries;
mod outcome;
mod pairs;
mod passages;
mod place;
mod read_back;
mod referring;
mod refused;
mod remembered;
pub mod ribbon;
mod run_marks;
mod safe;
mod slider;
mod spoken;
mod stages;
mod sweep;
mod table;
pub mod verdict;
pub mod whence;
mod window_diff;
mod words;

pub use canvas::Picture;
pub use diagnosis::{Clause, diagnose, sentence, without_room};
pub use done::measured;
pub use explain::{
    About, REPLAY, REPLAY_SHORT, about_event, about_layer, about_moved, about_setting, about_stage, about_sweep,
    allowed, shown_of, shown_value,
};
pub use judged::{Source, done_calls, judged};
pub use measured::{
    IN_PLACE, KnownSummaries, Measured, MeasuredFact, MeasuredSentence, Quoted, measure, measure_after, nowhere_words,
    summaries, summary_at,
};
pub use name::{event_step, name_in, plain_name};
pub use number::{
    age, bytes, count, counted, dollars, duration, least_score, percent, percentile, price, score, short, times,
};
pub use outcome::{Figure, common_peak, figures};
pub use pairs::{Became, Cell as PairCell, Pair, Pairs, before_tokens, pairs, uncut_tokens};
pub use passages::why;
pub use place::{Place, SIDES, View, shell_word};
pub use referring::{Referring, capital, entry_name, references, referring};
pub use run_marks::RUN_MARKS;
pub use safe::{clip, clip_start, folded, safe, safe_lines, width, without_controls};
pub use slider::{Move, in_tokens, moved, placed, position};
pub use stages::{Acted, Pipeline, StageRow, Sums, held_before, pipeline, switch};
pub use sweep::{Swept, figure_on};
pub use table::{Align, Cell, Column, Table, Tone};
pub use window_diff::{DiffRow, Differs, WindowDiff, window_diff};
pub use words::first_words;
