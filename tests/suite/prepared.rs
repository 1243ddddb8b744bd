//! What is loaded beside the conversation: instructions within their budgets, skills, the memory index, base tools.

use std::sync::Arc;

use windowpane::engine::{
    Given, InstructionFile, Loaded, Plan, Prepared, ProjectText, Scope, Skill, WasLoaded, front_matter, prepare,
    simulate, touched,
};
use windowpane::model::*;
use windowpane::policy::{Policy, set};

use crate::story::Story;

fn policy(settings: &[&str]) -> Policy {
    let mut policy = Policy::default();
    for setting in settings {
        set(&mut policy, setting).unwrap_or_else(|fault| panic!("{fault}"));
    }
    policy
}

fn plan() -> Plan {
    let mut story = Story::new(1);
    story.user("First.");
    for _ in 0..2 {
        story.ask(None);
        story.answer("Done.", &[("Read", "{\"file_path\": \"packages/api/main.rs\"}", "text")]);
        story.user("Next.");
    }
    story.ask(None);
    story.plan(10_000)
}

fn file(scope: Scope, folder: &str, text: &str) -> InstructionFile {
    let file = ProjectText { name: Arc::from(format!("{folder}/CLAUDE.md")), text: Arc::from(text), block: BlockId(0) };
    InstructionFile { scope, folder: folder.to_owned(), file, was_loaded: WasLoaded::No }
}

fn loaded(files: Vec<InstructionFile>) -> Loaded {
    Loaded { instructions: files, touched: vec![(2, "packages/api/main.rs".to_owned())], ..Loaded::default() }
}

fn of_layer(pieces: &[Prepared], layer: Layer) -> Vec<&Prepared> {
    pieces.iter().filter(|piece| piece.layer == layer).collect()
}

#[test]
fn instruction_files_have_budgets_and_say_where_they_were_cut() {
    let files = vec![
        file(Scope::User, "", &"u".repeat(5_000)),
        file(Scope::Root, "", &"r".repeat(4_000)),
        file(Scope::Parent, "", &"p".repeat(3_900)),
        file(Scope::Parent, "", &"q".repeat(3_000)),
        file(Scope::Parent, "", &"z".repeat(50)),
    ];
    let pieces = prepare(&loaded(files), &plan(), &policy(&["instructions.on=true", "skills.listing=none"]));
    let cut: Vec<(u64, &str)> = pieces
        .iter()
        .map(|piece| match piece.content[0] {
            Made::Part(_, 0, to, _) => (to, piece.decided.as_ref().map_or("", |event| &*event.rule)),
            _ => panic!("{piece:?}"),
        })
        .collect();
    // 4,000 of 5,000; 4,000; 3,900; 100 of what is left of 12,000; nothing.
    assert_eq!(
        cut,
        [
            (4_000, "instructions.max_chars"),
            (4_000, ""),
            (3_900, ""),
            (100, "instructions.total_chars"),
            (0, "instructions.total_chars"),
        ]
    );
    // What all of them have with the one that is cut: 4,000 + 4,000 + 3,900 + 3,000.
    let decided = pieces[3].decided.as_ref().unwrap();
    assert_eq!((decided.threshold, decided.measured), (Some(12_000), Some(14_900)));
    assert_eq!(pieces[0].content[1], Made::Text("\n[truncated]".into()));
    assert_eq!((pieces[0].fate, pieces[1].fate), (Fate::Truncated, Fate::Verbatim));
}

#[test]
fn equal_instructions_are_loaded_once_the_outermost_wins() {
    let files = vec![
        file(Scope::User, "", "one\n\ntwo\n"),
        file(Scope::Root, "", "one\ntwo"),
        file(Scope::Parent, "", "three"),
    ];
    let fates = |settings: &[&str]| -> Vec<Fate> {
        let settings = [&["instructions.on=true", "skills.listing=none"], settings].concat();
        prepare(&loaded(files.clone()), &plan(), &policy(&settings)).iter().map(|piece| piece.fate).collect()
    };
    assert_eq!(fates(&[]), [Fate::Verbatim, Fate::Deduplicated, Fate::Verbatim]);
    assert_eq!(fates(&["instructions.dedupe=false"]), [Fate::Verbatim; 3]);
}

#[test]
fn instructions_are_scoped_by_path_and_by_level() {
    let files = vec![
        file(Scope::Organisation, "", "organisation"),
        file(Scope::User, "", "user"),
        file(Scope::Root, "", "root"),
        file(Scope::Parent, "", "parent"),
        file(Scope::Child, "packages/api", "api"),
        file(Scope::Child, "packages/web", "web"),
    ];
    let steps = |settings: &[&str]| -> Vec<u32> {
        let settings = [&["instructions.on=true", "skills.listing=none"], settings].concat();
        prepare(&loaded(files.clone()), &plan(), &policy(&settings)).iter().map(|piece| piece.step).collect()
    };
    assert_eq!(steps(&[]), [1, 1, 1, 1, 2], "the api's come in once a file below is touched, the web's never");
    assert_eq!(steps(&["instructions.scoped=false"]), [1; 6]);
    assert_eq!(steps(&["instructions.children=false"]), [1; 4]);
    let inner = ["instructions.organisation=false", "instructions.user=false", "instructions.parents=false"];
    assert_eq!(steps(&inner), [1, 2]);
    assert_eq!(steps(&["instructions.on=false"]), [0u32; 0]);
}

/// Source 5's path-based scoping, from the arguments of a call to the piece that comes in.
#[test]
fn a_path_calls_its_rule_in_whatever_its_client_names_the_argument() {
    let api = "/home/u/p/packages/api/main.rs";
    let names = [
        "file_path",
        "filePath",
        "path",
        "absolute_path",
        "target_file",
        "TargetFile",
        "notebook_path",
        "target_notebook",
        "relative_workspace_path",
        "filename",
        "uri",
    ];
    for name in names {
        let mut story = Story::new(1);
        story.user("Go on.");
        story.ask(None);
        let path = if name == "uri" { format!("file://{api}") } else { api.to_owned() };
        story.answer("I look.", &[("edit", &format!("{{\"why\": \"to see\", \"{name}\": \"{path}\"}}"), "text")]);
        story.ask(None);
        let plan = story.plan(10_000);
        let rule = |paths: &str| file(Scope::Root, "", &format!("---\npaths: {paths}\n---\nthe rule"));
        let files = vec![rule("packages/api/**"), rule("packages/web/**"), file(Scope::Child, "packages/api", "api")];
        let touched = touched(&plan, &story.transcript, &story.sources());
        let loaded = Loaded { instructions: files, touched, ..Loaded::default() };
        let pieces = prepare(&loaded, &plan, &policy(&["instructions.on=true", "skills.listing=none"]));
        assert_eq!(pieces.iter().map(|piece| piece.step).collect::<Vec<_>>(), [2, 2], "{name}");
    }
}

#[test]
fn a_rule_that_names_its_paths_comes_in_with_the_first_of_them_and_without_its_front_matter() {
    let rule = |paths: &str| file(Scope::Root, "", &format!("---\n{paths}\n---\nthe rule for {paths}"));
    let files = vec![
        rule("paths: [\"packages/api/**\"]"),
        rule("globs: packages/web/**, **/*.py"),
        rule("description: for all"),
    ];
    let made = |settings: &[&str]| -> Vec<(u32, bool, &str)> {
        let settings = [&["instructions.on=true", "skills.listing=none"], settings].concat();
        let pieces = prepare(&loaded(files.clone()), &plan(), &policy(&settings));
        let text = |piece: &Prepared| {
            let Made::Part(_, from, to, _) = piece.content[0] else { panic!("{piece:?}") };
            let texts = files.iter().map(|file| &*file.file.text);
            texts
                .filter_map(|text| text.get(from as usize..to as usize))
                .find(|text| text.starts_with("the rule"))
                .unwrap()
        };
        pieces.iter().map(|piece| (piece.step, piece.fixed, text(piece))).collect()
    };
    let all = (1, true, "the rule for description: for all");
    assert_eq!(made(&[]), [all, (2, false, "the rule for paths: [\"packages/api/**\"]")]);
    assert_eq!(made(&["instructions.scoped=false"]).len(), 3);
}

#[test]
fn a_rule_knows_when_its_paths_are_touched_again() {
    let touched = [(2, "packages/api/a.rs"), (3, "README.md"), (4, "packages/api/b.rs"), (4, "packages/api/c.rs")];
    let loaded = Loaded {
        instructions: vec![
            file(Scope::Root, "", "for all"),
            file(Scope::Root, "", "---\npaths: packages/api/**\n---\nthe rule"),
            file(Scope::Child, "packages/api", "api"),
        ],
        touched: touched.map(|(step, path)| (step, path.to_owned())).to_vec(),
        ..Loaded::default()
    };
    let anew = |settings: &[&str]| -> Vec<(u32, Vec<u32>)> {
        let settings = [&["instructions.on=true", "skills.listing=none"], settings].concat();
        let pieces = prepare(&loaded, &plan(), &policy(&settings));
        pieces.iter().map(|piece| (piece.step, piece.anew.to_vec())).collect()
    };
    assert_eq!(anew(&[]), [(1, vec![]), (2, vec![4]), (2, vec![4])]);
    assert_eq!(anew(&["instructions.scoped=false"]), [(1, vec![]), (1, vec![]), (1, vec![])]);
}

#[test]
fn instructions_come_again_with_every_prompt_where_that_is_wanted() {
    let files = vec![file(Scope::Root, "", "root")];
    let settings = ["instructions.on=true", "instructions.repeat=true", "skills.listing=none"];
    let pieces = prepare(&loaded(files), &plan(), &policy(&settings));
    let again: Vec<(u32, Layer)> = pieces.iter().map(|piece| (piece.step, piece.layer)).collect();
    assert_eq!(again, [(1, Layer::Instructions), (2, Layer::Notices), (3, Layer::Notices)]);
}

fn skill(name: &str) -> Skill {
    Skill {
        name: Arc::from(name),
        description: Arc::from(format!("about {name}")),
        text: Arc::from(format!("the whole of {name}")),
        block: Some(BlockId(0)),
    }
}

#[test]
fn skills_are_listed_in_the_system_prompt_and_loaded_where_required() {
    let loaded = Loaded { skills: vec![skill("jira"), skill("notion"), skill("slack")], ..Loaded::default() };
    let plan = plan();
    let of = |settings: &[&str]| prepare(&loaded, &plan, &policy(settings));
    let listing = |pieces: &[Prepared]| match &of_layer(pieces, Layer::Skills)[0].content[0] {
        Made::Text(text) => text.lines().filter_map(|line| line.strip_prefix("- name: ")).map(str::to_owned).collect(),
        _ => Vec::<String>::new(),
    };
    assert_eq!(listing(&of(&[])), ["jira", "notion", "slack"]);
    assert_eq!(listing(&of(&["skills.large_files=true"])), ["jira", "notion", "slack", "large_files"]);
    assert_eq!(listing(&of(&["skills.allowed=jira,slack", "skills.prohibited=slack"])), ["jira"]);
    let required = of(&["skills.allowed=jira", "skills.required=slack"]);
    assert_eq!(listing(&required), ["jira", "slack"]);
    assert_eq!(&*of_layer(&required, Layer::Skills)[1].label, "slack");
    assert_eq!(of(&["skills.listing=bodies"]).len(), 3);
    assert!(of(&["skills.listing=none"]).is_empty());
    let cut = of(&["skills.listing=bodies", "skills.max_tokens=2"]);
    assert_eq!((cut[0].content[0].clone(), cut[0].fate), (Made::Part(BlockId(0), 0, 8, false), Fate::Truncated));
}

#[test]
fn front_matter_is_read_as_yaml_and_survives_what_is_none() {
    let field =
        |text: &str, name: &str| front_matter(text).into_iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let skill = "---\nname: pdf-processing\ndescription: >\n  Extract text\n  and tables\nmetadata:\n  author: example-org\n  name: inner\n---\n# Text\n---\nname: other\n";
    assert_eq!(field(skill, "name").as_deref(), Some("pdf-processing"));
    assert_eq!(field(skill, "description").as_deref().map(str::trim), Some("Extract text and tables"));
    let sloppy = "---\nname: x\ndescription: use when: asked [or\n---\n";
    assert_eq!(field(sloppy, "description").as_deref(), Some("use when: asked [or"));
    for hostile in
        ["", "---", "---\n", "no front", "---\n&a [*a\n---\n", "--- \n- a\n- b\n---\n", "---\nx: {{{{{{\n---\n"]
    {
        assert!(front_matter(hostile).len() <= 4, "{hostile:?}");
    }
}

#[test]
fn the_memory_index_is_capped_at_200_lines() {
    let text: String = (0..300).map(|line| format!("- topic {line:03}\n")).collect();
    let index = ProjectText { name: Arc::from("MEMORY.md"), text: Arc::from(text), block: BlockId(0) };
    let loaded = Loaded { memory_index: Some(index), ..Loaded::default() };
    let plan = plan();
    let of = |settings: &[&str]| prepare(&loaded, &plan, &policy(settings));
    let pieces = of(&[]);
    assert_eq!(
        (pieces[0].layer, pieces[0].content[0].clone()),
        (Layer::Memory, Made::Part(BlockId(0), 0, 200 * 12, false))
    );
    let event = pieces[0].decided.as_ref().unwrap();
    assert_eq!((event.threshold, event.measured), (Some(200), Some(300)));
    assert_eq!(of(&["memory.index_lines=300"])[0].fate, Fate::Verbatim);
    assert!(of(&["memory.index_lines=0"]).is_empty());
}

#[test]
fn the_base_tools_are_defined_in_every_window_and_count_against_the_cap() {
    let plan = plan();
    let settings = ["limits.base_tools=true"];
    let given = |policy: &Policy| Given { prepared: prepare(&Loaded::default(), &plan, policy), ..Given::default() };
    let with = policy(&settings);
    let run = simulate(&plan, &with, &given(&with));
    let tools = |run: &Run| run.window(3).iter().filter(|id| run.entry(**id).unwrap().layer == Layer::Tools).count();
    assert_eq!(tools(&run), 6);
    let capped = policy(&[settings[0], "limits.tool_definitions=200"]);
    let run = simulate(&plan, &capped, &given(&capped));
    assert!(tools(&run) < 6 && run.totals[0].layers[Layer::Tools as usize] <= 200);
}

#[test]
fn what_is_cut_when_it_comes_in_comes_in_first() {
    let files = vec![file(Scope::User, "", &"u".repeat(5_000)), file(Scope::Root, "", &"r".repeat(9_000))];
    let (plan, with) =
        (plan(), policy(&["instructions.on=true", "limits.base_tools=true", "limits.tool_definitions=200"]));
    let given = Given { prepared: prepare(&loaded(files), &plan, &with), ..Given::default() };
    let run = simulate(&plan, &with, &given);
    let told: Vec<(Stage, u64, u64)> = run
        .events_at(1)
        .map(|(_, event)| (event.stage, event.tokens_before.unwrap(), event.tokens_after.unwrap()))
        .collect();
    let names: Vec<Stage> = told.iter().map(|(stage, ..)| *stage).collect();
    assert_eq!(names, [Stage::Admit, Stage::Limit], "one event of all that is cut");
    assert!(told.windows(2).all(|pair| pair[0].2 == pair[1].1), "each goes on from the one before: {told:?}");
    assert!(told[1..].iter().all(|(_, before, after)| after < before), "a limit takes away: {told:?}");
    assert_eq!((told[0].1, told[1].2), (0, run.totals[0].used()));
    let shown = windowpane::present::pipeline(&run, 1, None).unwrap();
    let figures: Vec<_> = shown.stages.iter().take(2).map(windowpane::present::StageRow::tokens).collect();
    assert_eq!(figures, [(0, told[0].2), (told[1].1, told[1].2)], "the same on the screen");
    for (at, entry) in run.entries.iter().enumerate().filter(|(_, entry)| entry.made_by.is_some()) {
        let event = &run.events[entry.made_by.unwrap().0 as usize];
        assert!(event.made.contains(&EntryId(at as u32)), "{entry:?} of {event:?}");
    }
}

/// 1,000 tokens counted of 3,000 reported: 2,000 are not recorded.
#[test]
fn instructions_that_the_recorded_agent_loaded_stand_in_place_of_what_is_not_recorded() {
    let mut story = Story::new(1);
    story.user(&"a".repeat(4_000));
    story.ask(Some(Usage { input: 3_000, ..Usage::default() }));
    let plan = story.plan(200_000);
    let first = |chars: usize, was_loaded: WasLoaded, setting: &str| {
        let file = InstructionFile { was_loaded, ..file(Scope::Root, "", &"r".repeat(chars)) };
        let policy = policy(&["instructions.on=true", "skills.listing=none", setting]);
        let prepared = prepare(&loaded(vec![file]), &plan, &policy);
        let run = simulate(&plan, &policy, &Given { prepared, ..Given::default() });
        let totals = &run.totals[0];
        let of = |layer: Layer| totals.layers[layer as usize];
        (totals.reported, totals.used(), of(Layer::Instructions), of(Layer::Unlogged))
    };
    assert_eq!(first(1_600, WasLoaded::Unrecorded, "instructions.max_chars=4000"), (Some(3_000), 3_000, 400, 1_600));
    // Another agent never read them: they come on top.
    assert_eq!(first(1_600, WasLoaded::No, "instructions.max_chars=4000"), (None, 3_400, 400, 2_000));
    // What the transcript holds stands there already.
    assert_eq!(first(1_600, WasLoaded::Recorded, "instructions.max_chars=4000"), (Some(3_000), 3_000, 0, 2_000));
    // The agent had all of it, the policy cuts it.
    let (_, used, shown, rest) = first(1_600, WasLoaded::Unrecorded, "instructions.max_chars=400");
    assert_eq!((used, rest), (3_000 - 400 + shown, 1_600));
    assert!((100..120).contains(&shown), "{shown}");
    // More than was there it cannot have loaded: it comes on top, whole or cut.
    let wide = "instructions.max_chars=100000";
    assert_eq!(first(8_000, WasLoaded::Unrecorded, wide), (None, 5_000, 2_000, 2_000));
    let (_, used, shown, rest) = first(447 << 10, WasLoaded::Unrecorded, "instructions.max_chars=4000");
    assert_eq!((used, rest), (3_000 + shown, 2_000));
    // Of two that have no room together the first was there.
    let files = ["r", "s"].map(|sign| InstructionFile {
        was_loaded: WasLoaded::Unrecorded,
        ..file(Scope::Root, "", &sign.repeat(4_800))
    });
    let policy = policy(&["instructions.on=true", "skills.listing=none", wide]);
    let prepared = prepare(&loaded(files.to_vec()), &plan, &policy);
    let run = simulate(&plan, &policy, &Given { prepared, ..Given::default() });
    assert_eq!((run.totals[0].used(), run.totals[0].layers[Layer::Unlogged as usize]), (4_200, 800));
    assert_eq!(run.totals[0].layers[Layer::Instructions as usize], 2_400);
}

/// Instructions, an index, a skill and files that are all cut at one step, and a step later again; and definitions of tools
/// over their cap.
#[test]
fn a_stage_leaves_one_event_at_a_step_whatever_it_cuts() {
    let plan = plan();
    let cut = |step: u32, stage: Stage, name: &str, original: u64| {
        let event = Event { why: format!("{name} is cut.").into(), ..Event::new(step, stage, "files.max_tokens") };
        let whole = Prepared::whole(step, Layer::Files, name, Made::Text(name.to_owned().into()).into(), 10);
        Prepared { original, fate: Fate::Truncated, decided: Some(event), ..whole }
    };
    for (instructions, files) in [(0, 2), (1, 1), (2, 0), (3, 3), (2, 20)] {
        let long =
            |number: usize| file(Scope::Parent, &format!("p{number}"), &format!("{number}{}", "x".repeat(6_000)));
        let index =
            ProjectText { name: Arc::from("MEMORY.md"), text: Arc::from("- topic\n".repeat(300)), block: BlockId(0) };
        let loaded = Loaded {
            instructions: (0..instructions).map(long).collect(),
            memory_index: Some(index),
            ..Loaded::default()
        };
        let policy = policy(&["instructions.on=true", "limits.base_tools=true", "limits.tool_definitions=1"]);
        let mut prepared = prepare(&loaded, &plan, &policy);
        for step in [1, 2] {
            let each = (0..files).flat_map(|number| {
                let name = |kind: &str| format!("{kind}{number}-{step}.txt");
                [cut(step, Stage::Limit, &name("cut"), 100 + number), cut(step, Stage::Select, &name("chosen"), 50)]
            });
            prepared.extend(each);
        }
        prepared.sort_by_key(|piece| piece.step);
        let run = simulate(&plan, &policy, &Given { prepared, ..Given::default() });
        let mut seen = std::collections::HashSet::new();
        for event in &run.events {
            assert!(seen.insert((event.step, event.stage)), "{} twice at {}", event.stage.name(), event.step);
        }
        for step in [1, 2] {
            let own: Vec<&Event> = run.events_at(step).map(|(_, event)| event).collect();
            assert!(own.windows(2).all(|two| two[0].tokens_after == two[1].tokens_before), "{own:#?}");
            let Some(limit) = own.iter().find(|event| event.stage == Stage::Limit) else {
                assert!(step == 2 && files == 0, "no limit at step {step} for {files} files");
                continue;
            };
            let decisions = limit.decisions();
            assert_eq!(limit.made.len(), decisions.iter().map(|one| one.made.len()).sum::<usize>());
            assert!(decisions.windows(2).all(|two| two[0].tokens_after == two[1].tokens_before));
            assert_eq!(limit.tokens_before, decisions[0].tokens_before);
            let sentence = limit.sentence();
            for number in 0..files.min(3) {
                assert!(sentence.contains(&format!("cut{number}-{step}.txt is cut.")), "{sentence}");
            }
            if step == 1 {
                assert!(sentence.contains("MEMORY.md: The memory index has 300 lines"), "{sentence}");
                assert!(sentence.contains("not sent") || decisions.len() > 12, "{sentence}");
            }
            for (id, entry) in limit.made.iter().filter_map(|id| Some((id, run.entry(*id)?))) {
                assert_eq!(limit.own(*id).made.as_slice(), [*id], "each has a decision of its own");
                assert_eq!(entry.made_by.map(|id| id.0 as usize), run.events.iter().position(|event| event == *limit));
            }
        }
    }
}
