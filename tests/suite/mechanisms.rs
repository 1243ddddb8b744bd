//! One test for each mechanism that sources 3 and 4 name of a window's history, and for what source 5 has beside its
//! layers. The README's table names them.

use windowpane::engine::{Given, simulate};
use windowpane::model::*;
use windowpane::policy::preset;

use crate::replayed::{policy, run, stages};
use crate::story::Story;

/// The entries of a step's window that are of a fate.
pub fn of_fate(run: &Run, step: u32, fate: Fate) -> Vec<&Entry> {
    run.window(step).into_iter().filter_map(|id| run.entry(id)).filter(|entry| entry.fate == fate).collect()
}

pub fn text(words: usize) -> String {
    "word ".repeat(words)
}

/// A session in which a command prints `chars` characters, and the model answers `after` more times.
pub fn with_output(chars: usize, after: usize) -> Story {
    let mut story = Story::new(1);
    story.system("You are an agent.");
    story.user("Run the build.");
    story.ask(None);
    story.answer("I run it.", &[("Bash", "{\"command\": \"make\"}", &"x".repeat(chars))]);
    for number in 0..after {
        story.ask(None);
        story.answer(&format!("Answer number {number}."), &[]);
        story.user("And then?");
    }
    story.ask(None);
    story
}

#[test]
fn virtual_files_hold_what_is_too_long() {
    // 60,000 characters are 15,000 tokens at four characters each: over 10,000, so 1,000 stay.
    let plan = with_output(60_000, 0).plan(200_000);
    let run = run(&plan, &["tool_results.on=true"]);
    let cut = of_fate(&run, 2, Fate::Truncated);
    assert_eq!(cut.len(), 1);
    assert_eq!(cut[0].content[0], Made::Part(cut[0].block().unwrap(), 0, 4_000, false));
    assert_eq!(cut[0].original_tokens, 15_000);
    assert_eq!(cut[0].tokens, 1_000 + 34, "1,000 tokens and the pointer");
    assert_eq!(
        (run.files.len(), run.files[0].born, run.files[0].tokens, run.files[0].shown),
        (1, 2, 15_000, (1_000, 0))
    );
    let event = stages(&run, Stage::Truncate)[0];
    assert_eq!((event.threshold, event.measured), (Some(10_000), Some(15_000)));
    let exactly = with_output(40_000, 0).plan(200_000);
    assert!(self::run(&exactly, &["tool_results.on=true"]).files.is_empty(), "10,000 is not over 10,000");
}

/// "So the agent knows what has and hasn't been read" (source 3).
#[test]
fn what_was_read_of_a_file_is_told_by_range() {
    let plan = with_output(60_000, 0).plan(200_000);
    for (keep, told) in [
        ("tail", " <file_read start_token=14000 end_token=15000 /> </file>"),
        (
            "head_tail",
            " <file_read start_token=0 end_token=500 /> <file_read start_token=14500 end_token=15000 /> </file>",
        ),
        (
            "middle_cut",
            " <file_read start_token=0 end_token=500 /> <file_read start_token=14500 end_token=15000 /> </file>",
        ),
    ] {
        let keep = format!("tool_results.keep={keep}");
        let run = run(&plan, &["tool_results.on=true", "notice.on=true", &keep]);
        let window = run.window(2);
        let notice = window.iter().filter_map(|id| run.entry(*id)).find(|entry| entry.layer == Layer::Notices);
        let Made::Written(written) = &notice.unwrap().content[0] else { panic!("{notice:?}") };
        assert!(written.text(&run).contains(told), "{keep}: {}", written.text(&run));
        // Two parts are never joined without a word between them.
        let cut = of_fate(&run, 2, Fate::Truncated)[0];
        let parts = cut.content.windows(2).any(|two| matches!(two, [Made::Part(..), Made::Part(..)]));
        assert!(!parts, "{:?}", cut.content);
    }
    let before = VirtualFile { born: 1, holds: Holds::Before(EventId(1)), tokens: 9_000, shown: (0, 0) };
    assert_eq!(before.ranges().count(), 0, "a window that was replaced was never read as a file");
}

#[test]
fn user_messages_become_virtual_files_too() {
    let mut story = Story::new(1);
    story.user(&"y".repeat(60_000));
    story.ask(None);
    let plan = story.plan(200_000);
    assert_eq!(run(&plan, &["tool_results.on=true"]).files.len(), 1);
    assert!(run(&plan, &["tool_results.on=true", "tool_results.messages=false"]).files.is_empty());
}

#[test]
fn usage_notices_count_themselves_and_list_the_files() {
    let plan = with_output(60_000, 1).plan(200_000);
    let run = run(&plan, &["tool_results.on=true", "notice.on=true"]);
    for step in 1..=3 {
        let notices: Vec<&Entry> = run
            .window(step)
            .into_iter()
            .filter_map(|id| run.entry(id))
            .filter(|entry| entry.layer == Layer::Notices)
            .collect();
        assert_eq!(notices.len(), 1, "the newest only");
        let Made::Written(written) = &notices[0].content[0] else { panic!("{notices:?}") };
        let Written::Budget { consumed, available, files, .. } = *written else { panic!("{written:?}") };
        assert_eq!(consumed, run.totals[step as usize - 1].used());
        assert_eq!(consumed + available, 200_000);
        assert_eq!(files, u32::from(step > 1));
        let words = written.text(&run);
        assert!(words.contains(&format!("{consumed} tokens consumed, {available} available")));
        assert_eq!(words.contains("<file id='vf_1'"), step > 1, "{words}");
        assert_eq!(words.contains("<file_read start_token=0 end_token=1000 />"), step > 1, "{words}");
    }
    assert_eq!(self::run(&plan, &["notice.on=true", "notice.keep=all"]).window(3).len(), plan.items.len() + 3);
}

#[test]
fn compaction_over_80_percent_keeps_the_window_before_as_a_virtual_file() {
    // Three results of 3,000 tokens each in a window of 10,000: the third takes it over 8,000.
    let mut story = Story::new(1);
    story.user("Read the files.");
    for _ in 0..3 {
        story.ask(None);
        story.answer("Reading.", &[("Read", "{\"file_path\": \"a.rs\"}", &"z".repeat(12_000))]);
    }
    story.ask(None);
    let plan = story.plan(10_000);
    let (mut policy, _) = preset("internal-agent", None).unwrap();
    policy.tool_results.on = false;
    let run = simulate(&plan, &policy, &Given::default());
    let made = stages(&run, Stage::Summarise);
    assert_eq!(made.iter().map(|event| event.step).collect::<Vec<_>>(), [4]);
    assert_eq!(made[0].threshold, Some(8_000));
    assert!(made[0].measured.is_some_and(|measured| measured > 8_000));
    let before = |file: &&VirtualFile| matches!(file.holds, Holds::Before(id) if run.events[id.0 as usize] == *made[0]);
    let file = run.files.iter().find(before).expect("the window before");
    assert!(file.tokens > 9_000);
    let summary = of_fate(&run, 4, Fate::Summarised);
    assert!(summary[0].content.iter().any(|made| matches!(made, Made::Written(Written::PriorWindow { .. }))));
}

#[test]
fn a_cap_on_tool_calls_marks_where_it_would_strike() {
    let mut story = Story::new(1);
    story.user("Go.");
    for _ in 0..4 {
        story.ask(None);
        story.answer("", &[("Bash", "{}", "done")]);
    }
    story.ask(None);
    let run = run(&story.plan(10_000), &["limits.tool_calls=2"]);
    let struck: Vec<u32> = stages(&run, Stage::Limit).iter().map(|event| event.step).collect();
    assert_eq!(struck, [4], "the third call stands in the window of the fourth request");
    let event = stages(&run, Stage::Limit)[0];
    assert!(event.tokens_before.is_some() && event.tokens_before == event.tokens_after, "{event:?}");
    assert!(event.sentence().starts_with("The task made 3 tool calls, over 2: "), "{}", event.sentence());
}

#[test]
fn dropping_the_oldest_results_first_and_then_the_oldest_turns() {
    let mut story = Story::new(1);
    story.user("Go.");
    for number in 0..4 {
        story.ask(None);
        let input = format!("{{\"command\": \"step {number}\"}}");
        story.answer("Working.", &[("Bash", &input, &"r".repeat(4_000))]);
    }
    story.ask(None);
    let plan = story.plan(3_500);
    let (policy, _) = preset("drop-oldest", None).unwrap();
    let run = simulate(&plan, &policy, &Given::default());
    let dropped = stages(&run, Stage::Drop);
    assert!(!dropped.is_empty());
    assert!(run.totals.iter().zip(run.steps.iter()).all(|(totals, step)| totals.used() <= step.window_tokens));
    let last = run.window(5);
    let results = last.iter().filter(|id| run.entry(**id).unwrap().layer == Layer::ToolResults).count();
    assert!(results < 4, "the oldest are gone");
}

#[test]
fn history_compaction_at_120k_into_one_summary_of_40k() {
    // Parts of 15,000 tokens each.
    let run = |system: &str, parts: usize| {
        let mut story = Story::new(1);
        story.system(system);
        for number in 0..parts {
            story.user(&format!("Part {number}. We must keep the number {number}77. {}", text(12_000)));
            story.ask(None);
            story.answer("Noted.", &[]);
        }
        story.user("Now summarise.");
        story.ask(None);
        let (policy, _) = preset("aixtools", None).unwrap();
        simulate(&story.plan(200_000), &policy, &Given::default())
    };
    let long = run(&text(20_000), 7);
    assert!(long.totals.last().unwrap().used() > 120_000 && stages(&long, Stage::Summarise).is_empty());
    let run = run("You are an agent.", 9);
    let made = stages(&run, Stage::Summarise);
    assert_eq!(made[0].threshold, Some(120_000));
    let after = run.window(made[0].step);
    let kinds: Vec<Layer> = after.iter().map(|id| run.entry(*id).unwrap().layer).collect();
    assert_eq!(kinds, [Layer::System, Layer::Summaries], "the result replaces the entire history");
    assert!(run.entry(after[1]).unwrap().tokens <= 40_000);
}

#[test]
fn fallback_truncation_keeps_a_quarter_of_the_start_and_the_rest_of_the_end() {
    let mut story = Story::new(1);
    for letter in ["a", "b", "c", "d"] {
        story.user(&letter.repeat(8_000));
        story.ask(None);
        story.answer("Yes.", &[]);
    }
    story.user("go");
    story.ask(None);
    let plan = story.plan(10_000);
    let settings = [
        "summarise.on=true",
        "summarise.at=7000",
        "summarise.by=truncate",
        "summarise.target=1018",
        "summarise.keep_tail=none",
    ];
    let run = run(&plan, &settings);
    let event = stages(&run, Stage::Summarise)[0];
    let summary = run.entry(event.made[0]).unwrap();
    let parts: Vec<(u64, bool)> = summary
        .content
        .iter()
        .filter_map(|made| match made {
            Made::Part(_, from, to, _) => Some((*to - *from, *from == 0)),
            _ => None,
        })
        .collect();
    // 1,018 tokens less the note of 18: 250 from the start, 750 from the end.
    assert_eq!(parts.first(), Some(&(1_000, true)), "{parts:?}");
    assert!(
        summary.content.iter().any(|made| matches!(made, Made::Written(Written::Removed { .. }))),
        "the annotation"
    );
    assert!(parts.iter().skip(1).all(|(bytes, from_start)| !from_start && *bytes <= 3_000), "{parts:?}");
}

#[test]
fn usage_notices_record_what_was_read_of_attached_files() {
    let plan = with_output(60_000, 1).plan(200_000);
    let file = |id: &str, name: &str, born, uses| Listed {
        id: id.into(),
        name: name.into(),
        size: 32_000,
        unit: "bytes",
        born,
        uses,
    };
    let files = vec![
        file("f_01", "image.png", 1, vec![Use::Whole]),
        file("f_02", "it's <b>\n.txt", 2, vec![Use::Bytes(10, 20), Use::Bytes(40, 60)]),
        file("f_03", "later.pdf", 3, Vec::new()),
    ];
    let given = Given { files, ..Given::default() };
    let policy = policy(&["tool_results.on=true", "notice.on=true"]);
    let run = simulate(&plan, &policy, &given);
    let words = |step: u32| {
        let mut window = run.window(step).into_iter().rev().filter_map(|id| run.entry(id));
        let notice = window.find(|entry| entry.layer == Layer::Notices).unwrap();
        let Made::Written(written) = &notice.content[0] else { panic!("{notice:?}") };
        assert_eq!(notice.tokens, written.tokens());
        written.text(&run)
    };
    let first = "<file id='f_01' name='image.png' size='32000 bytes'> <file_read /> </file>";
    assert!(words(1).contains(first) && !words(1).contains("f_02"), "{}", words(1));
    let second = "name='it&apos;s &lt;b&gt; .txt' size='32000 bytes'> <file_read start_byte=10 end_byte=20 /> <file_read start_byte=40 end_byte=60 /> </file>";
    assert!(words(2).contains(first) && words(2).contains(second) && words(2).contains("id='vf_1'"), "{}", words(2));
    assert!(words(3).contains("name='later.pdf' size='32000 bytes'> </file>"), "{}", words(3));
    // The newest few.
    let few = self::policy(&["tool_results.on=true", "notice.on=true", "notice.max_files=2"]);
    let run = simulate(&plan, &few, &given);
    let notice = run.window(3).into_iter().filter_map(|id| run.entry(id)).find(|entry| entry.layer == Layer::Notices);
    let Some(Made::Written(written)) = notice.map(|notice| &notice.content[0]) else { panic!("{notice:?}") };
    let words = written.text(&run);
    assert!(words.contains("vf_1") && words.contains("f_03") && !words.contains("f_02"), "{words}");
}

#[test]
fn a_call_that_writes_a_summary_is_not_summarised_itself() {
    // Its log holds what it was asked, and says how much was sent: all that it is to summarise stands elsewhere.
    let mut story = Story::new(1);
    story.user("Your task is to create a detailed summary of the conversation so far.");
    let usage = |input| Some(Usage { input, output: Some(6_000), ..Usage::default() });
    story.ask(usage(168_494));
    story.answer("This is what was done.", &[]);
    let plan = story.plan(200_000);
    for preset in ["claude-code", "five-layer", "internal-agent"] {
        let policy = windowpane::policy::preset(preset, None).unwrap().0;
        let run = simulate(&plan, &policy, &Given::default());
        let first = |event: &&Event| event.step == 1 && event.stage == Stage::Summarise;
        assert_eq!(run.events.iter().find(first), None, "{preset}");
    }
    // A first request that holds a conversation has something to summarise.
    let mut story = Story::new(1);
    story.user("Go.");
    story.answer(&"I go. ".repeat(100), &[]);
    story.user("And?");
    story.ask(usage(168_494));
    let run = run(&story.plan(200_000), &["summarise.on=true", "summarise.at=80%"]);
    assert_eq!(run.events.iter().filter(|event| event.stage == Stage::Summarise).count(), 1);
}
