//! Every setting changes some run, or what comes into one; those that cannot are listed with the reason.

use std::sync::Arc;

use windowpane::engine::{
    Given, InstructionFile, Loaded, Plan, ProjectText, READ_BEFORE, Scope, Skill, WasLoaded, counts_alike, prepare,
    simulate,
};
use windowpane::model::{BlockId, Run};
use windowpane::policy::{Policy, SECTIONS, Value, named, set};

use crate::story::session;

/// Sections whose effect is on documents and memories, tested where these are chosen from and packed.
const ELSEWHERE: &[(&str, &str)] = &[
    ("files", "how an attached file is converted, cut or referred to is tested with documents"),
    ("chunks", "what is chosen of a document is tested with chunks"),
    ("memory", "what is ingested and packed is tested with memories; the index's lines here"),
];

/// Settings that change something else than the windows of a run.
const OTHER: &[(&str, &str)] = &[
    ("window.model", "the table's row: windows and prices are tested with replays from the command line"),
    ("cache.marker", "it splits a system prompt when that is given"),
    ("instructions.names", "the names are looked for when a folder is read"),
    ("instructions.first_name", "the names are looked for when a folder is read"),
    ("instructions.user_folder", "it is looked into when a folder is read"),
    ("instructions.exclude", "folders are left out when they are read"),
    ("summarise.remember", "what is preserved before a compaction is tested with memories"),
    ("replay.originals", "only where a transcript holds both; tested on real sessions"),
    ("replay.manual", "only where a transcript holds a compaction that the user asked for"),
];

/// For each key, what it is set to, over which other settings.
const CHANGED: &[(&str, &str, &[&str])] = &[
    ("window.size", "5000", &["summarise.on=true"]),
    ("reserve.output", "3000", &[]),
    ("reserve.summary", "3000", &[]),
    ("reserve.headroom", "3000", &[]),
    ("limits.tool_calls", "1", &[]),
    ("limits.tool_definitions", "50", &["limits.base_tools=true"]),
    ("limits.base_tools", "true", &[]),
    ("instructions.on", "true", &[]),
    ("instructions.organisation", "false", &["instructions.on=true"]),
    ("instructions.user", "false", &["instructions.on=true"]),
    ("instructions.parents", "false", &["instructions.on=true"]),
    ("instructions.children", "false", &["instructions.on=true"]),
    ("instructions.scoped", "false", &["instructions.on=true"]),
    ("instructions.max_chars", "5", &["instructions.on=true"]),
    ("instructions.total_chars", "9", &["instructions.on=true"]),
    ("instructions.marker", "…", &["instructions.on=true", "instructions.max_chars=5"]),
    ("instructions.dedupe", "false", &["instructions.on=true"]),
    ("instructions.repeat", "true", &["instructions.on=true"]),
    ("skills.listing", "bodies", &[]),
    ("skills.required", "slack", &[]),
    ("skills.allowed", "slack", &[]),
    ("skills.prohibited", "slack", &[]),
    ("skills.large_files", "true", &[]),
    ("skills.max_tokens", "2", &["skills.listing=bodies"]),
    ("memory.index_lines", "1", &[]),
    ("tool_results.on", "true", &["tool_results.virtual_over=100"]),
    ("tool_results.virtual_over", "100", &["tool_results.on=true"]),
    ("tool_results.virtual_head", "40", &["tool_results.on=true", "tool_results.virtual_over=100"]),
    (
        "tool_results.keep",
        "tail",
        &["tool_results.on=true", "tool_results.virtual_over=300", "tool_results.virtual_head=100"],
    ),
    (
        "tool_results.head_share",
        "0.2",
        &[
            "tool_results.on=true",
            "tool_results.virtual_over=300",
            "tool_results.virtual_head=200",
            "tool_results.keep=middle_cut",
        ],
    ),
    (
        "tool_results.workspace",
        "true",
        &["tool_results.on=true", "tool_results.virtual_over=300", "tool_results.virtual_head=100"],
    ),
    (
        "tool_results.virtual_files",
        "false",
        &["tool_results.on=true", "tool_results.virtual_over=300", "tool_results.virtual_head=100"],
    ),
    (
        "tool_results.messages",
        "false",
        &["tool_results.on=true", "tool_results.virtual_over=50", "tool_results.virtual_head=0"],
    ),
    ("tool_results.message_total", "200", &["tool_results.on=true", "tool_results.virtual_head=50"]),
    ("tool_results.per_tool", "Read=100", &["tool_results.on=true"]),
    ("tool_results.per_tool_head", "Read=20", &["tool_results.on=true", "tool_results.per_tool=Read=100"]),
    (
        "tool_results.exclude_tools",
        "*",
        &["tool_results.on=true", "tool_results.virtual_over=300", "tool_results.virtual_head=100"],
    ),
    ("microcompact.on", "true", &["microcompact.at=0"]),
    ("microcompact.at", "50%", &["microcompact.on=true"]),
    (
        "microcompact.at_boundary",
        "true",
        &[
            "microcompact.on=true",
            "microcompact.at=100%",
            "summarise.on=true",
            "summarise.at=3000",
            "summarise.keep_tail=2000 tokens",
        ],
    ),
    (
        "microcompact.boundary_total",
        "300",
        &[
            "microcompact.on=true",
            "microcompact.at=100%",
            "tool_results.virtual_head=20",
            "summarise.on=true",
            "summarise.at=3000",
            "summarise.measure=last_usage",
            "summarise.target=100",
            "summarise.keep_tail=500 tokens",
        ],
    ),
    ("microcompact.keep", "1 results", &["microcompact.on=true", "microcompact.at=0"]),
    ("microcompact.keep_turns", "2", &["microcompact.on=true", "microcompact.at=0", "microcompact.keep=none"]),
    ("microcompact.min_freed", "2000", &["microcompact.on=true", "microcompact.at=0"]),
    ("microcompact.tools", "Read", &["microcompact.on=true", "microcompact.at=0"]),
    ("microcompact.exclude_tools", "Read", &["microcompact.on=true", "microcompact.at=0"]),
    ("microcompact.clear_inputs", "true", &["microcompact.on=true", "microcompact.at=0"]),
    ("microcompact.spare_referenced", "true", &["microcompact.on=true", "microcompact.at=0"]),
    ("microcompact.superseded", "true", &["microcompact.on=true", "microcompact.at=0", "microcompact.keep=20 results"]),
    ("microcompact.marker", "gone", &["microcompact.on=true", "microcompact.at=0"]),
    ("thinking.clear", "true", &[]),
    ("thinking.keep_turns", "3", &["thinking.clear=true"]),
    ("collapse.on", "true", &["collapse.at=20%", "collapse.keep=3 rounds", "collapse.min_freed=300"]),
    ("collapse.at", "20%", &["collapse.on=true", "collapse.keep=3 rounds", "collapse.min_freed=300"]),
    ("collapse.keep", "3 rounds", &["collapse.on=true", "collapse.at=20%"]),
    ("collapse.min_freed", "300", &["collapse.on=true", "collapse.at=20%", "collapse.keep=3 rounds"]),
    (
        "collapse.order",
        "last",
        &[
            "collapse.on=true",
            "collapse.at=20%",
            "collapse.keep=3 rounds",
            "collapse.min_freed=300",
            "summarise.on=true",
            "summarise.at=40%",
        ],
    ),
    ("summarise.on", "true", &["summarise.at=3000"]),
    ("summarise.at", "3000", &["summarise.on=true"]),
    ("summarise.at_least", "5000", &["summarise.on=true", "summarise.at=3000"]),
    ("summarise.at_most", "2000", &["summarise.on=true", "summarise.at=3000"]),
    ("summarise.at_events", "30", &["summarise.on=true", "summarise.at=100%"]),
    ("summarise.of", "effective", &["summarise.on=true", "reserve.summary=3000", "summarise.at=60%"]),
    ("summarise.measure", "last_usage", &["summarise.on=true", "summarise.at=3000"]),
    ("summarise.keep_head", "3 events", &["summarise.on=true", "summarise.at=3000"]),
    ("summarise.keep_tail", "3 rounds", &["summarise.on=true", "summarise.at=3000"]),
    ("summarise.keep_roles", "user", &["summarise.on=true", "summarise.at=3000", "summarise.keep_tail=1000 tokens"]),
    ("summarise.keep_layers", "system,user", &["summarise.on=true", "summarise.at=3000"]),
    (
        "summarise.split_at_turns",
        "true",
        &["summarise.on=true", "summarise.at=3000", "summarise.keep_tail=1000 tokens"],
    ),
    ("summarise.target", "100", &["summarise.on=true", "summarise.at=3000"]),
    ("summarise.expected", "60", &["summarise.on=true", "summarise.at=3000"]),
    ("summarise.by", "truncate", &["summarise.on=true", "summarise.at=3000", "summarise.target=500"]),
    (
        "summarise.fallback_head",
        "0.6",
        &["summarise.on=true", "summarise.at=3000", "summarise.target=500", "summarise.by=truncate"],
    ),
    ("summarise.input_max", "500", &["summarise.on=true", "summarise.at=3000", "summarise.target=300"]),
    ("summarise.whole_window", "true", &["summarise.on=true", "summarise.at=3000"]),
    (
        "summarise.reinject_files",
        "2",
        &["summarise.on=true", "summarise.at=3000", "summarise.target=300", "summarise.reinject_file_tokens=100"],
    ),
    (
        "summarise.reinject_file_tokens",
        "50",
        &["summarise.on=true", "summarise.at=3000", "summarise.target=300", "summarise.reinject_files=2"],
    ),
    (
        "summarise.reinject_file_over",
        "name",
        &[
            "summarise.on=true",
            "summarise.at=3000",
            "summarise.target=300",
            "summarise.reinject_files=2",
            "summarise.reinject_file_tokens=50",
        ],
    ),
    ("summarise.prior_window_file", "true", &["summarise.on=true", "summarise.at=3000"]),
    ("reactive.on", "true", &["window.size=3000"]),
    (
        "reactive.drop_share",
        "0.8",
        &["reactive.on=true", "window.size=3000", "summarise.target=800", "reactive.keep_tail=none"],
    ),
    (
        "reactive.target_share",
        "0.1",
        &["reactive.on=true", "window.size=3000", "summarise.target=800", "reactive.keep_tail=none"],
    ),
    ("reactive.keep_tail", "none", &["reactive.on=true", "window.size=3000", "summarise.target=300"]),
    ("drop.oldest_tool_results", "true", &["drop.at=3000", "drop.to=2000"]),
    ("drop.oldest_turns", "true", &["drop.at=3000", "drop.to=2000"]),
    ("drop.at", "3000", &["drop.oldest_turns=true", "drop.to=2000"]),
    ("drop.to", "1000", &["drop.oldest_turns=true", "drop.at=3000"]),
    ("notice.on", "true", &[]),
    (
        "notice.files",
        "false",
        &["notice.on=true", "tool_results.on=true", "tool_results.virtual_over=300", "tool_results.virtual_head=100"],
    ),
    (
        "notice.max_files",
        "1",
        &["notice.on=true", "tool_results.on=true", "tool_results.virtual_over=300", "tool_results.virtual_head=100"],
    ),
    ("notice.keep", "all", &["notice.on=true"]),
    ("cache.mode", "off", &[]),
    ("cache.boundary", "false", &[]),
    ("cache.min_tokens", "2000", &[]),
];

/// Settings that a plain session of texts and tools cannot show, with the reason.
const UNSEEN: &[(&str, &str)] = &[
    ("summarise.reinject_skills", "no skill is loaded in the midst of the session; tested with skills that are"),
    ("summarise.reinject_skill_tokens", "as above"),
    ("summarise.keep_loaded_skills", "as above"),
    ("summarise.reinject_skills_total", "as above"),
    ("microcompact.estimate", "the session is counted at four characters a token anyway"),
    ("cache.minutes", "the session has no times"),
    ("cache.dynamic", "its system prompt has no marker; compactions.rs has one that does"),
    ("cache.price_read", "the session's model has no price; prices are tested with costs"),
    ("cache.price_write", "as above"),
    ("cache.price_fresh", "as above"),
    ("cache.price_output", "as above"),
];

fn made(plan: &Plan, settings: &[&str]) -> Run {
    let mut policy = Policy::default();
    for setting in settings {
        set(&mut policy, setting).unwrap_or_else(|fault| panic!("{fault}"));
    }
    let file = |scope, folder: &str, text: &str| InstructionFile {
        scope,
        folder: folder.to_owned(),
        file: ProjectText { name: Arc::from(format!("{folder}/CLAUDE.md")), text: Arc::from(text), block: BlockId(0) },
        was_loaded: WasLoaded::No,
    };
    let skill = |name: &str| Skill {
        name: Arc::from(name),
        description: Arc::from("what for"),
        text: Arc::from("all that there is to know of it"),
        block: Some(BlockId(0)),
    };
    let loaded = Loaded {
        instructions: vec![
            file(Scope::Organisation, "", "organisation"),
            file(Scope::User, "", "the user's"),
            file(Scope::Root, "", "the user's"),
            file(Scope::Parent, "", "the folder's"),
            file(Scope::Child, "src", "the child's"),
        ],
        skills: vec![skill("slack"), skill("jira")],
        memory_index: Some(ProjectText { name: Arc::from("index"), text: Arc::from("one\ntwo\n"), block: BlockId(0) }),
        touched: vec![(3, "src/a.rs".to_owned())],
    };
    let prepared = prepare(&loaded, plan, &policy);
    simulate(plan, &policy, &Given { prepared, ..Given::default() })
}

#[test]
fn what_is_read_before_a_replay_changes_nothing_of_one_that_is_given_the_same() {
    let plan = session(3, 160, 120).plan(8_000);
    let run = |policy: &Policy| simulate(&plan, policy, &Given::default());
    let base = run(&Policy::default());
    for (section, _, settings) in SECTIONS.iter().filter(|(name, ..)| READ_BEFORE.contains(name)) {
        for setting in settings.iter() {
            let mut policy = Policy::default();
            let numbers = [setting.range.0, setting.range.1].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
            let values = [Value::Bool(true), Value::Bool(false)].into_iter().chain(numbers.map(Value::Int));
            let names = setting.allowed();
            let values = values.chain(names.split(" | ").map(|name| Value::Text(name.to_owned())));
            for value in values {
                if (setting.set)(&mut policy, &value).is_ok() {
                    assert_eq!(run(&policy), base, "{section}: {}={value}", setting.key);
                }
            }
        }
    }
}

#[test]
fn every_setting_changes_a_run_or_says_why_not() {
    let mut story = session(3, 160, 120);
    // What a made-up session lacks: the same call again and again, and a long message of the user.
    let same = story.words(80);
    for _ in 0..3 {
        story.answer("Once more.", &[("Read", "{\"file_path\": \"src/same.rs\"}", &same)]);
        story.ask(None);
    }
    let long = story.words(300);
    story.user(&long);
    story.ask(None);
    for (_, _, settings) in SECTIONS {
        for setting in *settings {
            let rows = CHANGED.iter().filter(|(key, ..)| *key == setting.key).count();
            let other = [OTHER, UNSEEN].concat().iter().filter(|(key, _)| *key == setting.key).count();
            let elsewhere = ELSEWHERE.iter().any(|(section, _)| *section == setting.section());
            let counted = setting.section() == "window" && rows + other == 0;
            assert!(rows + other == 1 || elsewhere || counted, "{} is not accounted for", setting.key);
        }
    }
    let (plan, mut dead) = (story.plan(8_000), Vec::new());
    for (key, value, over) in CHANGED {
        assert!(named(key).is_some(), "{key}");
        let with = format!("{key}={value}");
        let changed = [*over, &[with.as_str()]].concat();
        if made(&plan, over) == made(&plan, &changed) {
            dead.push(*key);
        }
    }
    assert_eq!(dead, Vec::<&str>::new(), "these change nothing");
}

#[test]
fn settings_of_the_window_ask_for_other_counts() {
    let base = Policy::default();
    for assignment in [
        "window.model=gpt-4o",
        "window.encoding=estimate",
        "window.count=json",
        "window.calibrate=false",
        "replay.originals=true",
    ] {
        let mut other = base.clone();
        set(&mut other, assignment).unwrap();
        assert!(!counts_alike(&base, &other), "{assignment}");
    }
    let mut smaller = base.clone();
    set(&mut smaller, "window.size=5000").unwrap();
    assert!(counts_alike(&base, &smaller));
}
