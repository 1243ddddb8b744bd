//! The base tools of source 3: what each returns, what of it comes into the window, what is refused.

use std::sync::Arc;

use windowpane::engine::{Given, Skill, simulate};
use windowpane::export::{Answer, Call, GivenFile, ToolContext, answer, entry_text};
use windowpane::model::{EventId, Holds, Run, Stage};
use windowpane::policy::{Policy, preset, set};
use windowpane::tokens::Encoding;

use crate::story::Story;

/// A result of 4,000 lines of 10 bytes each: 10,000 tokens, and 2,000 lines more.
fn story() -> Story {
    let mut story = Story::new(1);
    story.user("Read the log.");
    story.ask(None);
    let log: String = (0..6_000).map(|line| format!("line {line:04}\n")).collect();
    story.answer("Reading.", &[("Read", "{\"file_path\": \"build.log\"}", &log)]);
    story.ask(None);
    story
}

fn answered(settings: &[&str], arguments: &[&str]) -> Answer {
    let story = story();
    let (mut policy, _) = preset("internal-agent", None).unwrap();
    for setting in settings {
        set(&mut policy, setting).unwrap();
    }
    let run = simulate(&story.plan(200_000), &policy, &Given::default());
    ask(&story, &run, &policy, arguments)
}

fn ask(story: &Story, run: &Run, policy: &Policy, arguments: &[&str]) -> Answer {
    let sources = story.sources();
    let files = [
        GivenFile {
            id: "a_1".to_owned(),
            name: "paper.pdf".to_owned(),
            bytes: 50_000,
            step: 1,
            own: None,
            picture: None,
            text: Arc::from("# Paper\n\nThe result is 42.\n"),
            blocks: Vec::new(),
        },
        GivenFile {
            id: "a_2".to_owned(),
            name: "later.txt".to_owned(),
            bytes: 5,
            step: 3,
            own: Some(Arc::from("later")),
            picture: None,
            text: Arc::from("later"),
            blocks: Vec::new(),
        },
        GivenFile {
            id: "a_3".to_owned(),
            name: "notes.txt".to_owned(),
            bytes: 23,
            step: 1,
            own: Some(Arc::from("one\r\ntwo\r\n\r\ncafé\r\n")),
            picture: None,
            text: Arc::from("one\r\ntwo\r\n\r\ncafé\r\n"),
            blocks: Vec::new(),
        },
        GivenFile {
            id: "a_4".to_owned(),
            name: "table.csv".to_owned(),
            bytes: 12,
            step: 1,
            own: Some(Arc::from("id,name\n1,é\n")),
            picture: None,
            text: Arc::from("| id | name |\n| -- | ---- |\n| 1 | é |\n"),
            blocks: Vec::new(),
        },
    ];
    let skill = |name: &str| Skill {
        name: Arc::from(name),
        description: Arc::from("what it is for"),
        text: Arc::from(format!("---\nname: {name}\n---\nDo {name}.")),
        block: None,
    };
    let skills = [skill("slack"), skill("secret")];
    let context = ToolContext {
        transcript: &story.transcript,
        sources: &sources,
        run,
        step: run.steps.len() as u32,
        policy,
        files: &files,
        memory: &[],
        beside: &[],
        skills: &skills,
        counted: (Encoding::Estimate, 1.0),
    };
    let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
    answer(&context, &Call::read(&arguments[0], &arguments[1..]).unwrap()).unwrap()
}

#[test]
fn file_read_reads_whole_files_lines_and_bytes() {
    let whole = answered(&[], &["file_read", "vf_1"]);
    assert_eq!((whole.text.len(), whole.tokens), (60_000, 15_000));
    // 15,000 tokens are over 10,000: like any result, its first 1,000 come in, the whole is the next virtual file.
    assert_eq!((whole.sent_tokens < 1_100, whole.file.as_deref()), (true, Some("vf_2")));
    assert!(whole.sent.starts_with("line 0000\n") && whole.sent.contains("vf_2"));
    let lines = answered(&[], &["file_read", "vf_1", "lines=10-11"]);
    assert_eq!((lines.text.as_str(), lines.bytes), ("line 0009\nline 0010\n", Some((90, 110))));
    assert_eq!((&lines.sent, lines.tokens, lines.sent_tokens), (&lines.text, 5, 5));
    let named = answered(&[], &["file_read", "id=vf_1", "end_line=1"]);
    assert_eq!(named.text, "line 0000\n");
    let bytes = answered(&[], &["file_read", "vf_1", "bytes=5-9"]);
    assert_eq!(bytes.text, "0000");
    let beyond = answered(&[], &["file_read", "vf_1", "lines=7000-7001"]);
    assert_eq!((beyond.error, beyond.text.contains("6,000 lines")), (true, true));
}

#[test]
fn file_regex_scans_up_to_a_number_of_matches() {
    let found = answered(&["files.regex_matches=3"], &["file_regex", "vf_1", "line 00[01]\\d"]);
    assert!(found.text.starts_with("line 1, bytes 0-9: line 0000\nline 2, bytes 10-19: line 0001\n"), "{}", found.text);
    assert!(found.text.ends_with("[3 of 20 matches are shown.]"), "{}", found.text);
    let fewer = answered(&[], &["file_regex", "vf_1", "^line 59..$", "max_matches=1"]);
    assert!(fewer.text.starts_with("line 5901, bytes 59000-59009: line 5900\n"), "{}", fewer.text);
    assert_eq!(answered(&[], &["file_regex", "vf_1", "nowhere"]).text, "No match.");
    assert!(answered(&[], &["file_regex", "vf_1", "("]).error);
    let huge = "(a{1000}){1000}";
    assert!(answered(&[], &["file_regex", "vf_1", huge]).error, "a pattern that would not fit is refused");
}

#[test]
fn patterns_see_the_lines_that_file_read_shows() {
    let found = |pattern: &str| answered(&[], &["file_regex", "a_3", pattern]).text;
    // The empty line, and none behind the last line break.
    assert_eq!(found("^$"), "line 3, bytes 10-10: \n");
    assert_eq!(found("é$"), "line 4, bytes 15-17: café\n");
    let read = |arguments: &[&str]| {
        Call::read("file_read", &arguments.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>())
    };
    assert!(read(&["a_3", "lines=3-"]).is_ok());
    let both = read(&["a_3", "lines=1-1", "bytes=4-7"]).unwrap_err().to_string();
    assert!(both.contains("do not go together"), "{both}");
    assert_eq!(answered(&[], &["file_read", "a_3", "lines=3-"]).text, "\r\ncafé\r\n");
}

#[test]
fn a_file_that_is_text_is_read_as_it_is_and_extracted_as_it_was_converted() {
    assert_eq!(answered(&[], &["file_read", "a_4"]).text, "id,name\n1,é\n");
    assert_eq!(answered(&[], &["load_file", "a_4"]).text, "id,name\n1,é\n");
    assert_eq!(answered(&[], &["peek_file", "a_4", "3", "7"]).text, "name");
    assert_eq!(answered(&[], &["file_regex", "a_4", "^1"]).text, "line 2, bytes 8-9: 1,é\n");
    assert_eq!(answered(&[], &["extract_file", "a_4"]).file.as_deref(), Some("a_4_text"));
    assert!(answered(&[], &["load_file", "a_4_text"]).text.starts_with("| id | name |"));
    assert_eq!(answered(&[], &["extract_file", "a_3"]).file.as_deref(), Some("a_3"), "it is converted as it is");
}

#[test]
fn load_peek_and_extract_work_on_attachments() {
    for tool in [&["file_read", "a_1"][..], &["peek_file", "a_1", "0", "9"]] {
        let refused = answered(&[], tool);
        assert_eq!((refused.error, refused.text.contains("extract_file")), (true, true));
    }
    assert_eq!(answered(&[], &["load_file", "a_1"]).text, "# Paper\n\nThe result is 42.\n", "all of it, as text");
    let extracted = answered(&[], &["extract_file", "a_1"]);
    assert_eq!(extracted.file.as_deref(), Some("a_1_text"), "the id of a file, not its contents");
    assert!(!extracted.text.contains("42"));
    assert_eq!(answered(&[], &["load_file", "a_1_text"]).text, "# Paper\n\nThe result is 42.\n");
    assert_eq!(answered(&[], &["peek_file", "a_1_text", "9", "19"]).text, "The result");
    let missing = answered(&[], &["load_file", "a_2"]);
    assert_eq!(
        (missing.error, missing.text.contains("a_1 (paper.pdf), a_1_text (paper.pdf.md), a_3 (notes.txt), a_4")),
        (true, true),
        "{}",
        missing.text
    );
}

#[test]
fn load_skill_loads_what_the_workflow_may_use() {
    assert_eq!(answered(&[], &["load_skill", "slack"]).text, "---\nname: slack\n---\nDo slack.");
    let refused = answered(&["skills.prohibited=secret"], &["load_skill", "secret"]);
    assert_eq!((refused.error, refused.text.contains("slack")), (true, true));
    assert!(answered(&[], &["load_skill", "large_files"]).text.contains("extract_file"));
    assert!(answered(&["skills.large_files=false"], &["load_skill", "large_files"]).error);
    assert!(answered(&["skills.allowed=slack"], &["load_skill", "large_files"]).error, "what is allowed is all");
    assert_eq!(answered(&["skills.max_tokens=2"], &["load_skill", "slack"]).text, "---\nname");
}

#[test]
fn every_tool_that_reads_text_reads_skills_by_name_and_by_path() {
    let whole = "---\nname: slack\n---\nDo slack.";
    for id in ["slack", "slack/SKILL.md", "skills/slack/SKILL.md"] {
        for tool in ["file_read", "load_file", "peek_file", "load_skill"] {
            assert_eq!(answered(&[], &[tool, id]).text, whole, "{tool} {id}");
        }
        assert_eq!(answered(&[], &["file_regex", id, "Do .*"]).text, "line 4, bytes 20-29: Do slack.\n", "{id}");
        assert_eq!(answered(&[], &["extract_file", id]).file.as_deref(), Some("slack"), "{id}");
        assert_eq!(answered(&[], &["file_read", id, "lines=2-2"]).text, "name: slack\n", "{id}");
    }
    assert!(answered(&[], &["file_regex", "large_files", "extract_file"]).text.contains("call extract_file"));
    let missing = answered(&[], &["file_read", "none"]);
    assert!(missing.text.ends_with("vf_1 (Read). Skills: slack, secret, large_files."), "{}", missing.text);
    // A file of that id goes first; a skill of that name is still loaded.
    assert_eq!(answered(&[], &["load_file", "a_3"]).text, "one\r\ntwo\r\n\r\ncafé\r\n");
}

#[test]
fn a_skill_that_may_not_be_used_is_no_file_either() {
    for settings in ["skills.prohibited=secret", "skills.allowed=slack"] {
        for id in ["secret", "secret/SKILL.md", "skills/secret/SKILL.md"] {
            for tool in ["file_read", "load_file", "peek_file", "extract_file", "load_skill"] {
                let refused = answered(&[settings], &[tool, id]);
                assert_eq!(
                    (refused.error, refused.text.contains("Do secret")),
                    (true, false),
                    "{settings} {tool} {id}"
                );
                assert!(!refused.text.contains(", secret"), "{settings} {tool} {id}: {}", refused.text);
            }
            assert!(answered(&[settings], &["file_regex", id, "Do"]).error, "{settings} {id}");
        }
    }
    let both = answered(&["skills.prohibited=secret", "skills.required=secret"], &["file_read", "secret"]);
    assert!(both.error, "what is prohibited stays so");
}

#[test]
fn the_window_before_a_compaction_can_be_read_back() {
    let mut story = Story::new(1);
    story.user("The port is QX-77413.");
    for _ in 0..3 {
        story.ask(None);
        story.answer("Reading.", &[("Read", "{\"file_path\": \"a.rs\"}", &"z".repeat(12_000))]);
    }
    story.ask(None);
    let (mut policy, _) = preset("internal-agent", None).unwrap();
    set(&mut policy, "tool_results.on=false").unwrap();
    let run = simulate(&story.plan(5_000), &policy, &Given::default());
    let before = run.files.iter().position(|file| matches!(file.holds, Holds::Before(_))).expect("a compaction");
    let found = ask(&story, &run, &policy, &["file_regex", &format!("vf_{}", before + 1), "QX-\\d+"]);
    assert!(found.text.contains("The port is QX-77413."), "{}", found.text);
}

/// What a summary leaves is over the window still, and is summarised harder at once: each of the two replaced a window
/// of its own.
#[test]
fn two_compactions_of_a_step_have_a_window_before_each() {
    let mut story = Story::new(1);
    story.user("Go on with the plan.");
    for part in 0..8 {
        story.ask(None);
        story.answer("Working.", &[("Read", "{}", &format!("MARK-{part}-4455\n{}", "z ".repeat(5_000)))]);
    }
    story.ask(None);
    let last = [0, 1, 2].map(|part| format!("LAST-{part}-7766\n{}", "z ".repeat(10_000)));
    story.answer("Three more.", &[("Read", "{}", &*last[0]), ("Read", "{}", &last[1]), ("Read", "{}", &last[2])]);
    story.ask(None);
    let (mut policy, _) = preset("internal-agent", None).unwrap();
    for setting in [
        "tool_results.on=false",
        "summarise.keep_tail=13000 tokens",
        "summarise.at=85%",
        "summarise.target=9000",
        "summarise.by=truncate",
        "reactive.on=true",
        "reactive.keep_tail=2000 tokens",
    ] {
        set(&mut policy, setting).unwrap();
    }
    let run = simulate(&story.plan(18_000), &policy, &Given::default());
    let step = run.steps.len() as u32;
    let before = |holds: Holds| match holds {
        Holds::Before(event) => Some(event),
        Holds::Whole(_) => None,
    };
    let files = run.files.iter().enumerate().filter(|(_, file)| file.born == step);
    let files: Vec<(usize, EventId)> = files.filter_map(|(at, file)| Some((at, before(file.holds)?))).collect();
    let event = |id: EventId| &run.events[id.0 as usize];
    assert_eq!(files.iter().map(|(_, id)| event(*id).stage).collect::<Vec<_>>(), [Stage::Summarise, Stage::Reactive]);
    let words = (0..8).map(|part| format!("MARK-{part}-4455")).chain((0..3).map(|part| format!("LAST-{part}-7766")));
    let words: Vec<String> = words.collect();
    let held = |(at, id): (usize, EventId)| -> Vec<bool> {
        let took = event(id).took.iter();
        let sources = story.sources();
        let texts = took.filter_map(|one| entry_text(&story.transcript, &sources, &run, *one).unwrap());
        let text = texts.collect::<Vec<_>>().join("\n");
        let held: Vec<bool> = words.iter().map(|word| text.contains(word.as_str())).collect();
        let file = format!("vf_{}", at + 1);
        let found =
            words.iter().map(|word| ask(&story, &run, &policy, &["file_regex", &file, word]).text.contains(word));
        assert_eq!(found.collect::<Vec<_>>(), held, "{file}: {words:?}");
        held
    };
    let held: Vec<Vec<bool>> = files.into_iter().map(held).collect();
    assert_ne!(held[0], held[1]);
}

#[test]
fn wrong_calls_are_refused_in_a_sentence() {
    let read = |name: &str, arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
        Call::read(name, &arguments).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(
        read("file_read", &[]),
        Err("file_read takes id [start_line] [end_line] [start_byte] [end_byte]: id is missing".to_owned())
    );
    assert!(read("file_raed", &[]).unwrap_err().contains("file_read"));
    assert!(read("file_read", &["vf_1", "start_line=x"]).unwrap_err().contains("whole number"));
    assert!(read("load_file", &["a", "b"]).unwrap_err().contains("one too many"));
    assert_eq!(read("file_regex", &["vf_1", "a=b"]), Ok(()), "a pattern may hold an equals sign");
    let missing = Err("file_regex takes id pattern [max_matches]: pattern is missing".to_owned());
    assert_eq!(read("file_regex", &["id=vf_1"]), missing);
}

#[test]
fn a_pattern_may_look_like_an_argument_that_has_its_value_or_would_leave_none() {
    let found = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["file_regex"].iter().chain(arguments).copied().collect();
        answered(&[], &arguments).text
    };
    let (csv, none) = ("line 1, bytes 0-2: id,name\n", "No match.");
    for arguments in [["a_4", "id=7"], ["id=a_4", "id=7"], ["a_4", "max_matches=1"]] {
        assert_eq!(found(&arguments), none, "{arguments:?}");
    }
    for arguments in
        [&["a_4", "id"][..], &["a_4", "pattern=id"], &["a_4", "max_matches=1", "id"], &["pattern=id", "id=a_4"]]
    {
        assert_eq!(found(arguments), csv, "{arguments:?}");
    }
}
