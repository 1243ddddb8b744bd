//! Memories in words: what became of one, why it was left out of a pack, what happened to it.

use crate::engine::{LeftOut, Recall};
use crate::inquiry::{Deed, Doer, Happened, Memories};
use crate::memory::{Candidate, Edge, How, LISTED_FROM, MemoryId, Packed, State, Tie, Why};
use crate::policy;

use super::verdict::share;
use super::{About, about_setting, about_stage, count, counted, least_score, safe, score, times};

/// What became of a memory, in a word or two.
#[must_use]
pub fn memory_state(state: State) -> String {
    match (state.into, state.removed, state.promoted) {
        (Some(into), ..) => format!("merged into {}", into.0),
        (None, true, _) => "taken away".to_owned(),
        (None, false, true) => "promoted".to_owned(),
        (None, false, false) => "live".to_owned(),
    }
}

/// How a memory came to be, before the step at which it did.
#[must_use]
pub fn came_to_be(how: How) -> &'static str {
    match how {
        How::Unsupported => "taken out by a model, without support,",
        other => other.name(),
    }
}

/// How many others there are, in words.
#[must_use]
pub fn others(number: usize) -> String {
    counted(number as u64, "other", "others")
}

/// What was looked at for a pack beside the candidates that are shown, in words: `more` of them, and
/// `below` that are less similar than is told of, with the best score among these.
#[must_use]
pub fn beside(more: usize, (below, best): (usize, Option<f32>), told_from: f32) -> Option<String> {
    let more = (more > 0).then(|| others(more));
    let best = best.map_or_else(String::new, |best| format!(", the best {}", score(best, told_from)));
    let share = percent_of_least();
    let below = (below > 0).then(|| match told_from < 0.005 {
        true => format!("{} like it in nothing", others(below)),
        false => format!("{} below {} ({share} of min_score){best}", others(below), least_score(told_from)),
    });
    let parts: Vec<String> = [more, below].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("and {}", parts.join("; ")))
}

/// From which share of the least score on memories are told of.
fn percent_of_least() -> String {
    share(f64::from(LISTED_FROM))
}

/// What did not become memories since there was too much of it, a sentence for each.
#[must_use]
pub fn cut_short(recall: &Recall) -> Vec<String> {
    let session =
        recall.cut_off.then(|| "the session has more text than is remembered; its end was left out".to_owned());
    let files = recall.left_out.iter().map(|LeftOut { name, taken, of }| {
        format!("of {} the first {} of {} bytes became memories", safe(name), count(*taken), count(*of))
    });
    session.into_iter().chain(files).collect()
}

/// Why a memory was taken or left: the setting that decided, and a sentence with its figures.
#[must_use]
pub fn left_out(one: &Candidate, packed: &Packed, settings: &policy::Memory) -> (Option<&'static str>, String) {
    left_with(one, (packed.tokens, packed.budget), settings)
}

/// The least score that a pack takes.
#[must_use]
#[allow(clippy::cast_possible_truncation)]
pub fn least_of(settings: &policy::Memory) -> f32 {
    settings.min_score.0 as f32
}

/// The same, where so many tokens were packed, of so many that might be.
#[must_use]
pub fn left_with(one: &Candidate, (used, of): (u64, u64), settings: &policy::Memory) -> (Option<&'static str>, String) {
    let least = least_of(settings);
    let budget = if settings.budget_tokens > 0 { "memory.budget_tokens" } else { "memory.budget_ratio" };
    match (one.why, one.through) {
        (Why::Taken(number), None) => (None, format!("taken as [{number}]")),
        (Why::Taken(number), Some(through)) => {
            (Some("memory.latent_bridging"), format!("taken as [{number}], found through {}", through.0))
        }
        (Why::Present, _) => (Some("memory.skip_present"), "its text stands in the window anyway".to_owned()),
        (Why::Gone, _) => {
            let why = "its text stood in the window as this was packed; a later stage of this step took it out";
            (Some("memory.skip_present"), why.to_owned())
        }
        (Why::SameStart(other), _) => (None, format!("begins as {} does: one is enough", other.0)),
        (Why::TooMany, _) => (
            Some("memory.max_items"),
            match settings.max_items {
                0 => "none may be taken".to_owned(),
                most => {
                    let better = counted(most, "better one is", "better ones are");
                    format!("{better} as many as may be, whether or not there was room for each")
                }
            },
        ),
        (Why::Unlooked, _) => {
            let twice = count(settings.max_items.saturating_mul(2));
            (
                Some("memory.max_items"),
                format!("only the best {twice} are looked at, and those hold the same beginnings"),
            )
        }
        (Why::OverBudget(needs), _) => {
            let room = used.saturating_add(needs) <= of;
            let why = if room { "packing ended before it" } else { "no room" };
            let (used, of, needs) = (count(used), count(of), counted(needs, "token", "tokens"));
            (Some(budget), format!("{why}: it needs {needs}, and {used} of {of} were taken"))
        }
        (Why::BelowScore, _) => {
            (Some("memory.min_score"), format!("not similar enough: {} is the least", least_score(least)))
        }
    }
}

/// What a setting has to do with a candidate; where none decided, the pack itself.
#[must_use]
pub fn about_candidate(one: &Candidate, packed: &Packed, settings: &policy::Memory) -> About {
    let (key, why) = left_out(one, packed, settings);
    let title = format!("memory {}: {why}", one.id.0);
    match key.and_then(policy::named) {
        Some(setting) => About { title, ..about_setting(setting, None) },
        None => About { title, ..about_stage(crate::model::Stage::Pack) },
    }
}

/// A memory: whose it is, how it came to be, where it is used.
#[must_use]
pub fn about_memory(memories: &Memories, id: MemoryId) -> Option<About> {
    let (memory, state) = (memories.store.get(id)?, memories.store.state(id));
    let seen = match memory.scope {
        policy::Scope::Session => "Only this session sees it.",
        policy::Scope::User => "Every session of the user sees it.",
        policy::Scope::Agent => "Every session of the agent sees it.",
    };
    let born = match memory.born {
        0 => "It was there before the session.".to_owned(),
        step => format!("It was {} at step {step}.", came_to_be(memory.how)),
    };
    Some(About {
        title: format!("memory {}: {}", id.0, memory_state(state)),
        text: format!("{born} {seen} It was packed {}.", times(state.uses.into())),
        source: "source 2: ingest(), pack(), preserve(), reconcile()".to_owned(),
    })
}

/// A tie between memories.
#[must_use]
pub fn about_tie(tie: Tie) -> About {
    let (text, source) = match tie {
        Tie::Contradicts => (
            "Two memories are much alike, and one denies what the other says. Both stay: memory.include_edges names it in a pack.",
            "source 2: contradiction detection; memory.contradict_at",
        ),
        Tie::Related => (
            "Two chunks of one text are about the same in other words. One brings the other into a pack.",
            "source 2: latentBridging; memory.bridge_at, memory.bridge_words",
        ),
        Tie::MadeFrom | Tie::Became => (
            "What another memory says word for word was merged into that; memories about the same were made one, with all that they say.",
            "source 2: reconcile(); memory.merge_at, memory.consolidate_at",
        ),
    };
    About { title: tie.name().to_owned(), text: text.to_owned(), source: source.to_owned() }
}

/// The sentences of a summary, held against what they are from.
#[must_use]
pub fn about_aligned() -> About {
    About {
        title: "the sentences of a summary".to_owned(),
        text:
            "Each sentence stands beside the one that it is most like of the texts that the summary stands for, with the \
               share of its words that stand there. From 0.60 on, where its figures stand together in a text that \
               denies, orders and relates the same, it has support. Where what comes nearest says otherwise, or a \
               figure or words that tell what it is about stand nowhere, it has none. All else is open."
                .to_owned(),
        source: "no model is asked: words and figures are compared".to_owned(),
    }
}

/// The facts that a summary keeps and loses.
#[must_use]
pub fn about_facts() -> About {
    About {
        title: "the facts of a window".to_owned(),
        text: "A fact is a sentence that holds a figure or an identifier; a line of code that sets nothing is none. The \
               summary keeps it in its own words, in other words (all of its figures, with their units, and 60 % of its \
               words in one sentence that turns nothing round), or it is lost."
            .to_owned(),
        source: "no model is asked: words and figures are compared".to_owned(),
    }
}

/// What did something to memories.
#[must_use]
pub fn about_deeds(happened: &Happened) -> About {
    use crate::model::Stage;
    let stage = match happened.by {
        Doer::Pack => Stage::Pack,
        Doer::Preserve => Stage::Preserve,
        Doer::Reconcile => Stage::Reconcile,
        Doer::Ingest => {
            return About {
                title: format!("+ ingest at step {}", happened.step),
                text: "Texts are divided and become memories, unless one says the same already. What contradicts \
                       another is related to it."
                    .to_owned(),
                source: "source 2: ingest(); memory.ingest, memory.chunk_size, memory.similar_at, memory.dedupe_at"
                    .to_owned(),
            };
        }
    };
    let about = about_stage(stage);
    About { title: format!("{} at step {}", about.title, happened.step), ..about }
}

/// The sign and the name of what did something.
#[must_use]
pub fn doer(by: Doer) -> (&'static str, &'static str) {
    use crate::model::Stage;
    match by {
        Doer::Ingest => (Stage::Admit.mark(), "ingest"),
        Doer::Pack => (Stage::Pack.mark(), Stage::Pack.name()),
        Doer::Preserve => (Stage::Preserve.mark(), Stage::Preserve.name()),
        Doer::Reconcile => (Stage::Reconcile.mark(), Stage::Reconcile.name()),
    }
}

/// What was done, in a few words; the memory's own words stand beside it. Untrusted where it quotes a signal phrase.
#[must_use]
pub fn deed_words(deed: &Deed, memories: &Memories) -> String {
    let merged = |verb: &str, one: &crate::memory::Merged| {
        let of: Vec<String> = one.of.iter().map(|id| id.0.to_string()).collect();
        let kept = match one.kept {
            0 => String::new(),
            1 => ", with 1 sentence that only one had".to_owned(),
            more => format!(", with {more} sentences that not all had"),
        };
        format!("{} {verb} {} ({:.2}){kept}", of.join(", "), one.into.0, one.score)
    };
    match deed {
        Deed::Wrote(id) => format!("became memory {}", id.0),
        Deed::Skipped(at, like) => match memories.recall.report.skipped.get(*at).map(|skipped| skipped.why) {
            Some(crate::memory::Skip::Similar(_, score)) => format!("skipped: {} says it ({score:.2})", like.0),
            _ => format!("skipped: {} has the same words", like.0),
        },
        Deed::Preserved(id, Some(phrase)) => format!("fact {} by “{phrase}”", id.0),
        Deed::Preserved(id, None) => format!("fact {}", id.0),
        Deed::Known(number) => format!("{} known already", counted((*number).into(), "fact was", "facts were")),
        Deed::Packed(id, number) => format!("[{number}] memory {}", id.0),
        Deed::Promoted(id, uses) => format!("{} promoted: packed {}", id.0, times((*uses).into())),
        Deed::Merged(one) => merged("merged into", one),
        Deed::Consolidated(one) => merged("made one with", one),
        Deed::Untied(edge) => format!("relation removed: {}", edge_words(edge)),
    }
}

/// A relation by the numbers of both memories.
#[must_use]
pub fn edge_words(edge: &Edge) -> String {
    format!("{} {} {}", edge.from.0, edge.kind.name(), edge.to.0)
}

/// What was done at a step as one line.
#[must_use]
pub fn happened_words(happened: &Happened) -> String {
    let number = |test: &dyn Fn(&Deed) -> bool| happened.deeds.iter().filter(|deed| test(deed)).count() as u64;
    let some = |number: u64, one: &str, more: &str| (number > 0).then(|| counted(number, one, more));
    let known = happened.deeds.iter().find_map(|deed| match deed {
        Deed::Known(number) => Some(format!("{} known already", count(u64::from(*number)))),
        _ => None,
    });
    let parts = match happened.by {
        Doer::Ingest => [
            some(number(&|deed| matches!(deed, Deed::Wrote(_))), "memory written", "memories written"),
            some(number(&|deed| matches!(deed, Deed::Skipped(..))), "text skipped", "texts skipped"),
            None,
        ],
        Doer::Pack => [
            Some(match number(&|_| true) {
                0 => "nothing packed".to_owned(),
                1 => "1 memory packed".to_owned(),
                more => format!("{} memories packed", count(more)),
            }),
            None,
            None,
        ],
        Doer::Preserve => [
            some(number(&|deed| matches!(deed, Deed::Preserved(..))), "fact preserved", "facts preserved"),
            known,
            None,
        ],
        Doer::Reconcile => [
            some(number(&|deed| matches!(deed, Deed::Promoted(..))), "promoted", "promoted"),
            some(number(&|deed| matches!(deed, Deed::Merged(_) | Deed::Consolidated(_))), "merge", "merges"),
            some(number(&|deed| matches!(deed, Deed::Untied(_))), "relation removed", "relations removed"),
        ],
    };
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_is_not_shown_as_what_it_is_below() {
        let of = |best, from| beside(0, (2, Some(best)), from).unwrap_or_default();
        assert_eq!(of(0.21, 0.3), "and 2 others below 0.30 (75 % of min_score), the best 0.21");
        assert_eq!(of(0.298, 0.3), "and 2 others below 0.30 (75 % of min_score), the best 0.298");
        assert_eq!(of(0.7499, 0.75), "and 2 others below 0.75 (75 % of min_score), the best 0.7499");
        assert_eq!(of(0.0, 0.0), "and 2 others like it in nothing");
    }
}
