//! Checks of the settings' declarations, of presets, and of what is refused.

use super::listed::Items;
use super::value::{Range, Value};
use super::*;

#[test]
fn sizes_and_amounts_are_read_as_they_are_written() {
    for (text, size) in [
        ("20000", Size::Tokens(20_000)),
        ("20k", Size::Tokens(20_000)),
        ("1.5M", Size::Tokens(1_500_000)),
        ("30_000c", Size::Chars(30_000)),
        ("80%", Size::Percent(80.0)),
        ("-33k", Size::Below(33_000)),
    ] {
        assert_eq!(Size::parse(text), Some(size), "{text}");
        assert_eq!(Size::parse(&size.to_string()), Some(size), "{text}");
    }
    assert_eq!(
        [Size::Percent(80.0), Size::Below(33_000), Size::Chars(5)].map(|size| size.of(200_000)),
        [160_000, 167_000, 2]
    );
    for (text, amount) in [
        ("20000 tokens", Amount::Count(20_000, Unit::Tokens)),
        ("1 turn", Amount::Count(1, Unit::Turns)),
        ("30%", Amount::Percent(30.0)),
        ("80 events", Amount::Count(80, Unit::Events)),
        ("none", Amount::NONE),
    ] {
        assert_eq!(Amount::parse(text), Some(amount), "{text}");
        assert_eq!(Amount::parse(&amount.to_string()), Some(amount), "{text}");
    }
    for wrong in ["", "x", "12 apples", "-", "%", "1e99k", "NaN%"] {
        assert_eq!((Size::parse(wrong), Amount::parse(wrong)), (None, None), "{wrong}");
    }
}

#[test]
fn every_setting_reads_back_what_it_writes() {
    let policy = Policy::default();
    for (_, _, settings) in SECTIONS {
        for setting in *settings {
            let value = (setting.get)(&policy);
            let mut copy = Policy::default();
            assert_eq!((setting.set)(&mut copy, &value), Ok(()), "{}", setting.key);
            assert_eq!((setting.get)(&copy), value, "{}", setting.key);
            assert!(!setting.meaning.trim().is_empty() && !setting.source.is_empty(), "{}", setting.key);
            // A source is something that its reader can look up.
            let begins = setting.source.split([':', ' ']).next().unwrap_or_default();
            assert!(begins.chars().any(char::is_lowercase), "{}: {}", setting.key, setting.source);
            assert_eq!(named(setting.key).map(|found| found.key), Some(setting.key));
        }
    }
}

#[test]
fn every_preset_loads_and_says_where_each_of_its_figures_is_from() {
    for one in PRESETS {
        let (policy, origins) = preset(one.name, None).unwrap_or_else(|faults| panic!("{}: {faults:?}", one.name));
        let table: toml::Table = toml::from_str(one.toml).unwrap();
        for (section, settings) in table.iter().filter(|(name, _)| SECTIONS.iter().any(|(known, ..)| known == name)) {
            for name in settings.as_table().unwrap().keys() {
                let key = format!("{section}.{name}");
                assert!(origins.contains_key(&key), "{}: {key} has no origin", one.name);
            }
        }
        for key in table["origin"].as_table().unwrap().keys() {
            assert!(origins.contains_key(key), "{}: the origin of {key} says nothing, or of nothing", one.name);
        }
        let (profiles, bands) = one.variants();
        let versions = bands.into_iter().flat_map(|(from, to)| [from, to]).chain([None]);
        for whole in [true, false] {
            let text = show(&policy, &origins, &Variants::of_preset(one.name), whole);
            for version in versions.clone() {
                let (own, mut from) = preset(one.name, version.as_deref()).unwrap();
                let (shown, said) = read_noted(&text, version.as_deref(), None).unwrap();
                assert_eq!(shown, own, "{} {version:?}", one.name);
                from.retain(|key, _| whole || said.contains_key(key));
                assert!(!said.is_empty() || from.is_empty(), "{}", one.name);
                assert_eq!(said, from, "{} {version:?}", one.name);
            }
            for profile in &profiles {
                let own = preset(&format!("{}/{profile}", one.name), None).unwrap().0;
                assert_eq!(read_noted(&text, None, Some(profile)).unwrap().0, own, "{}/{profile}", one.name);
            }
        }
    }
}

#[test]
fn a_preset_follows_the_agents_version() {
    let at = |version| preset("claude-code", version).unwrap().0.summarise.at;
    assert_eq!(at(Some("2.1.20")), Size::Below(45_000));
    assert_eq!(at(Some("2.1.25")), Size::Below(33_000));
    assert_eq!(at(None), Size::Below(33_000));
    assert_eq!(preset("claude-code@2.0.76", None).unwrap().0.summarise.at, Size::Below(45_000));
    let refused = |name: &str| preset(name, Some("2.1.20")).unwrap_err().remove(0).to_string();
    assert_eq!(refused("claude-code@abc"), "claude-code@abc: \"abc\" is no version, as 2.1.20");
    assert_eq!(refused("none@1.0"), "none@1.0: the figures of none are the same in every version");
    assert!(preset("none", Some("1.0")).is_ok(), "the transcript's own version is no question");
    let clears = |version| preset("claude-code", Some(version)).unwrap().0.microcompact.on;
    assert_eq!(["2.1.9", "2.1.12", "2.1.22", "2.1.100"].map(clears), [false, true, true, false]);
    let saves = |version| preset("claude-code", version).unwrap().0.tool_results;
    assert!(!saves(Some("2.1.1")).virtual_files && saves(Some("2.1.2")).virtual_files && saves(None).virtual_files);
    let measure = |version| preset("codex", version).unwrap().0.summarise.measure;
    assert_eq!([Some("0.40.0"), Some("0.63.0")].map(measure), [MeasureOf::LastUsage; 2]);
    assert_eq!([Some("0.64.0"), Some("0.94.0")].map(measure), [MeasureOf::LastUsageAndReasoning; 2]);
    assert_eq!([Some("0.95.0"), Some("0.98.0")].map(measure), [MeasureOf::LastUsagePlusResultsAndReasoning; 2]);
    assert_eq!([Some("0.99.0"), None].map(measure), [MeasureOf::LastUsagePlusNewAndReasoning; 2]);
    let gemini = |version| preset("gemini-cli", version).unwrap().0.summarise.at;
    let half = [Some("0.18.0"), Some("0.35.3"), None].map(gemini);
    assert_eq!(half, [Size::Percent(50.0); 3]);
    assert_eq!([Some("0.1.19"), Some("0.12.0"), Some("0.17.1")].map(gemini), [Size::Percent(70.0); 3]);
    assert_eq!(gemini(Some("0.18.0-preview.0")), Size::Percent(50.0));
    let codex = |measured| measure(None).is_due(measured, 100);
    assert!(!codex(99) && codex(100), "Codex compacts at its limit");
    assert!(!MeasureOf::AfterStages.is_due(100, 100) && MeasureOf::AfterStages.is_due(101, 100));
}

#[test]
fn what_no_setting_says_of_an_agent_is_told_where_its_figures_are() {
    let (policy, origins) = preset("gemini-cli", None).unwrap();
    let shown = show(&policy, &origins, &Variants::of_preset("gemini-cli"), true);
    let line = shown.lines().find(|line| line.starts_with("boundary_total = 50000")).unwrap();
    assert!(line.contains("compression's own budget") && line.contains("to 30 lines"), "{line}");
}

#[test]
fn a_profile_differs_from_its_preset() {
    // The figures of the public code's profiles, in one line each.
    let told = |profile: &str| {
        let memory = preset(&format!("memory-harness/{profile}"), None).unwrap().0.memory;
        let (size, overlap) = (memory.chunk_size, memory.chunk_overlap);
        let chunks = if memory.ingest == IngestMode::Chunk { format!(" {size}/{overlap}") } else { String::new() };
        let enrich = format!("{} {}", memory.enrich.name(), memory.enrich_window);
        let bridges = if memory.latent_bridging { " bridged" } else { "" };
        let edges = if memory.include_edges { " edges" } else { "" };
        let (ingest, items, least) = (memory.ingest.name(), memory.max_items, memory.min_score.0);
        let (ratio, preserve, tidies) = (memory.budget_ratio.0, memory.preserve.name(), memory.reconcile);
        format!("{ingest}{chunks}, {enrich}{bridges}, {items} of {least}, {ratio}{edges}, {preserve}, {tidies}")
    };
    for (profile, figures) in [
        ("conversational", "session, none 1, 10 of 0.4, 0.15 edges, rules, false"),
        ("agent-context", "chunk 1600/320, augment 1, 8 of 0.4, 0.15 edges, rules, true"),
        ("knowledge-base", "chunk 1600/320, rewrite 1 bridged, 8 of 0.35, 0.2 edges, rules, false"),
        ("coding", "session, none 1, 5 of 0.45, 0.1, rules, false"),
        ("curated-memory", "chunk 1200/200, none 1 bridged, 8 of 0.45, 0.15, manual, false"),
        ("high-recall", "chunk 1200/200, augment 2 bridged, 15 of 0.25, 0.25 edges, rules, false"),
        ("minimal", "session, none 1, 5 of 0.4, 0.1, rules, false"),
    ] {
        assert_eq!(told(profile), figures, "{profile}");
    }
    let fault = preset("memory-harness/codin", None).unwrap_err().remove(0);
    assert_eq!(
        fault.to_string(),
        "there is no profile \"codin\" of the preset \"memory-harness\"; did you mean \"coding\"?"
    );
    let fault = read_noted("[profiles.fast.set]\n\"summarise.on\" = true\n", None, Some("fat")).unwrap_err().remove(0);
    assert_eq!(fault.to_string(), "there is no profile \"fat\"; did you mean \"fast\"?");
    let fault = read("preset = 3\n", None).unwrap_err().remove(0);
    assert_eq!(fault.to_string(), "preset: is no name in quotes, as preset = \"claude-code\"");
}

#[test]
fn what_is_below_nothing_is_refused_and_a_key_without_its_section_is_known() {
    let fault = read("[microcompact]\nkeep = -4\n", None).unwrap_err().remove(0).to_string();
    assert!(fault.contains("microcompact.keep") && fault.contains("-4 is not within 0 to"), "{fault}");
    let fault = set(&mut Policy::default(), "keep_tail=3").unwrap_err().to_string();
    assert!(fault.contains("did you mean \"summarise.keep_tail\"?"), "{fault}");
}

#[test]
fn a_users_file_names_a_preset_and_what_differs() {
    let policy = read("preset = \"internal-agent\"\nsummarise.target = \"9k\"\n[notice]\non = false\n", None).unwrap();
    assert_eq!((policy.summarise.target, policy.notice.on, policy.tool_results.on), (9_000, false, true));
}

#[test]
fn what_is_unknown_or_out_of_range_is_refused_with_path_range_and_nearest_name() {
    let faults = read("[summarise]\ntraget = 5\ntarget = \"lots\"\n[files]\nmode = \"all\"\nmax_lines = 0\n", None);
    let words: Vec<String> = faults.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "files.max_lines = 0: 0 is not within 1 to 100000000 (allowed: 1 to 100000000)",
            "files.mode = \"all\": one of limits, chunks, preload, reference, whole is expected \
             (allowed: limits | chunks | preload | reference | whole)",
            "summarise.target = \"lots\": a whole number is expected (allowed: 0 to 10000000)",
            "there is no setting \"summarise.traget\"; did you mean \"summarise.target\"?",
        ]
    );
    let lists = "[summarise]\nkeep_layers = [\"sistem\"]\nkeep_roles = [\"usr\"]\n[tool_results]\nper_tool = [\"Bash=lots\"]\n\
                 [memory]\ningest_layers = [\"reserve\"]\n";
    let words: Vec<String> = read(lists, None).unwrap_err().iter().map(ToString::to_string).collect();
    assert!(words[0].starts_with("memory.ingest_layers = [\"reserve\"]: there is no layer \"reserve\""), "{words:?}");
    assert!(words[1].contains("there is no layer \"sistem\"; did you mean \"system\"? (allowed: list of system | "));
    assert!(words[2].contains("there is no role \"usr\"; did you mean \"user\"? (allowed: list of system | developer"));
    assert!(words[3].contains("\"lots\" of \"Bash=lots\": a size is a number of tokens"), "{words:?}");
    assert!(words[3].contains("(allowed: list of NAME=SIZE"), "{words:?}");
    let mut policy = Policy::default();
    for wrong in [
        "tool_results.per_tool=Read",
        "tool_results.per_tool==5",
        "tool_results.per_tool=Bash=500%",
        "tool_results.per_tool_head=Bash=99999999999",
        "summarise.keep_layers=free",
    ] {
        assert!(matches!(set(&mut policy, wrong), Err(Fault::Value { .. })), "{wrong}");
    }
    assert_eq!(set(&mut policy, "tool_results.per_tool=Bash=30000c,mcp__*=25k"), Ok(()));
    assert_eq!(set(&mut policy, "summarise.keep_layers=user,system"), Ok(()));
    let why = set(&mut policy, "summarise.at=-999999999999").unwrap_err().to_string();
    assert!(why.contains("999999999999 is not within 0 to 100000000 (allowed: 0 to 100000000"), "{why}");
    assert_eq!(set(&mut policy, "tool_results.virtual_over = 5k"), Ok(()));
    assert_eq!(set(&mut policy, "microcompact.tools=Read,Bash"), Ok(()));
    assert_eq!(set(&mut policy, "summarise.keep_tail=20000 tokens"), Ok(()));
    assert_eq!(policy.tool_results.virtual_over, Size::Tokens(5_000));
    assert_eq!(policy.microcompact.tools, ["Read", "Bash"]);
    assert_eq!(policy.summarise.keep_tail, Amount::Count(20_000, Unit::Tokens));
    assert!(matches!(set(&mut policy, "nonsense"), Err(Fault::NotAnAssignment(_))));
    assert!(matches!(set(&mut policy, "summarise.at=110%"), Err(Fault::Value { .. })));
    for (key, meant) in [
        ("SUMMARISE.AT", "summarise.at"),
        ("virtal_over", "tool_results.virtual_over"),
        ("Min_Freed", "microcompact.min_freed"),
        ("spare_referened", "microcompact.spare_referenced"),
    ] {
        let why = set(&mut policy, &format!("{key}=3")).unwrap_err().to_string();
        assert_eq!(why, format!("there is no setting {key:?}; did you mean {meant:?}?"));
    }
    let why = super::read("presset = \"none\"\n", None).unwrap_err();
    assert_eq!(why[0].to_string(), "there is no setting \"presset\"; did you mean \"preset\"?");
    let why = read("preset = \"claude_code\"\n[summarize]\nat = \"80%\"\n", None).unwrap_err();
    let told: Vec<String> = why.iter().map(ToString::to_string).collect();
    assert!(told[0].ends_with("did you mean \"claude-code\"?") && told[1].ends_with("did you mean \"summarise.at\"?"));
    for key in ["extends", "base"] {
        let why = read(&format!("{key} = \"claude-code\"\n"), None).unwrap_err();
        assert_eq!(why[0].to_string(), format!("there is no setting {key:?}; did you mean \"preset\"?"));
    }
}

#[test]
fn a_list_that_is_not_closed_or_not_of_texts_is_no_name() {
    let mut policy = Policy::default();
    for wrong in ["microcompact.tools=[\"Read\"", "microcompact.tools=[Read, Bash]", "instructions.names=[\"a\", 3]"] {
        let why = set(&mut policy, wrong).unwrap_err().to_string();
        let key = wrong.split('=').next().unwrap();
        assert!(why.starts_with(key) && why.contains("texts in quotes between [ and ]"), "{why}");
    }
    let faults = read("[microcompact]\ntools = \"[\\\"Read\\\"\"\n", None).unwrap_err();
    assert!(faults[0].to_string().starts_with("microcompact.tools = "), "{faults:?}");
    assert_eq!(set(&mut policy, "microcompact.tools=[\"[x]\", \"y\"]"), Ok(()));
    assert_eq!(policy.microcompact.tools, ["[x]", "y"]);
}

#[test]
fn hostile_files_are_refused_without_harm() {
    assert!(matches!(read("preset = \"none", None), Err(faults) if matches!(faults[0], Fault::Syntax(_))));
    assert!(read("preset = 5", None).is_err());
    assert!(read("[summarise.at]\nx = 1", None).is_err());
    assert!(read("summarise = 5", None).is_err());
    assert_eq!(Range(1, 2).check(u64::MAX), Err("18446744073709551615 is not within 1 to 2".to_owned()));
    assert_eq!(Value::from_argument("[\"a\"", Kind::List(Items::Any)), Value::Text("[\"a\"".to_owned()));
}

#[test]
fn what_stands_over_a_preset_stands_over_its_bands_when_it_is_written_out() {
    let mine = "preset = \"claude-code\"\n[summarise]\nat = \"50%\"\n[profiles.fast.set]\n\"microcompact.keep\" = \"1 turn\"\n";
    let (policy, origins) = read_noted(mine, None, None).unwrap();
    let mut variants = Variants::of(mine, None);
    let text = show(&policy, &origins, &variants, true);
    for (version, profile) in [(None, None), (Some("2.1.15"), None), (Some("2.1.15"), Some("fast"))] {
        let own = read_noted(mine, version, profile).unwrap().0;
        assert_eq!(read_noted(&text, version, profile).unwrap().0, own, "{version:?} {profile:?}\n{text}");
        if profile.is_some() {
            let of_profile =
                show(&read_noted(mine, None, profile).unwrap().0, &origins, &Variants::of(mine, profile), true);
            assert_eq!(read(&of_profile, version), Ok(own));
        }
    }
    variants.without(&["reserve.output", "microcompact.on"]);
    assert!(!variants.toml().contains("reserve.output") && variants.toml().contains("microcompact.at"));
    assert!(!Variants::of_preset("claude-code@2.1.15").toml().contains("versions"), "a version is settled");
}

#[test]
fn the_bands_of_a_file_are_of_the_agent_that_its_preset_is_of() {
    // Codex's versions lie below every band of Claude Code's.
    let codex = Some("codex@0.98.0");
    for (name, other) in [("claude-code", codex), ("codex", Some("claude-code@0.1.0"))] {
        let (policy, origins) = preset(name, None).unwrap();
        let shown = show(&policy, &origins, &Variants::of_preset(name), true);
        let own = format!("{name}@0.1.0");
        for version in [other, Some(own.as_str()), Some("0.1.0"), None] {
            assert_eq!(read(&shown, version), Ok(preset(name, version).unwrap().0), "{name} {version:?}");
        }
        // Shown again, it is the same file.
        let again = read_noted(&shown, None, None).unwrap();
        assert_eq!(show(&again.0, &again.1, &Variants::of(&shown, None), true), shown);
    }
    let band = "[[versions]]\nto = \"99\"\n[versions.set]\n\"summarise.target\" = 900\n";
    let target = |text: &str, version| read(text, version).unwrap().summarise.target;
    let mine = format!("preset = \"claude-code\"\n{band}");
    assert_eq!((target(&mine, codex), target(&mine, Some("claude-code@2.1.30"))), (20_000, 900));
    // Who names no agent means whichever there is.
    assert_eq!(
        [band.to_owned(), format!("preset = \"five-layer\"\n{band}")].map(|text| target(&text, codex)),
        [900; 2]
    );
    let named = band.replacen('\n', "\nagent = \"codex\"\n", 1);
    assert_eq!(
        (target(&named, codex), target(&named, Some("claude-code@2.1.30"))),
        (900, Policy::default().summarise.target)
    );
    let wrong = read(&band.replacen('\n', "\nagent = \"codec\"\n", 1), None).unwrap_err();
    assert_eq!(wrong[0].to_string(), "[[versions]] 1: there is no preset \"codec\"; did you mean \"codex\"?");
}

#[test]
fn bands_profiles_and_origins_are_checked_whether_they_are_asked_for_or_not() {
    let words = |text: &str| -> Vec<String> {
        read(text, None).map_or_else(|faults| faults.iter().map(ToString::to_string).collect(), |_| Vec::new())
    };
    assert_eq!(
        words(
            "[[versions]]\nto = \"2.x\"\nform = 1\n[versions.set]\n\"summarise.atx\" = 3\n\"summarise.at\" = \"500%\"\n"
        ),
        [
            "[[versions]] 1: \"form\" is none of agent, from, to, set, origin, or not what is expected there",
            "[[versions]] 1: summarise.at = \"500%\": a share of the window is 0% to 100% (allowed: 0 to 100000000 tokens, N%, Nc, -N)",
            "[[versions]] 1: there is no setting \"summarise.atx\"; did you mean \"summarise.at\"?",
            "[[versions]] 1: to = \"2.x\" is no version, as 2.1.20",
        ]
    );
    assert_eq!(
        words("[profiles.fast.set]\n\"summarise.onn\" = true\n"),
        ["[profiles.fast]: there is no setting \"summarise.onn\"; did you mean \"summarise.on\"?"]
    );
    assert_eq!(
        words("[origin]\n\"nope.x\" = \"measured: x\"\n\"summarise.at\" = \"guess\"\n"),
        [
            "[origin]: there is no setting \"nope.x\"",
            "[origin]: summarise.at: it says \"measured: …\", \"documented: …\" or \"estimated: …\"",
        ]
    );
    assert_eq!(words("versions = 3\nprofiles = 4\n").len(), 2);
    assert_eq!(
        preset("claud", None).unwrap_err()[0].to_string(),
        "there is no preset \"claud\"; did you mean \"claude-code\"?"
    );
}

#[test]
fn codex_builds_all_of_its_initial_context_again() {
    let (policy, _) = preset("codex", None).unwrap();
    for layer in ["instructions", "skills", "memory", "notices"] {
        assert!(policy.summarise.keep_layers.iter().any(|kept| kept == layer), "{layer}");
    }
}

#[test]
fn a_figure_is_measured_only_in_the_versions_that_it_was_measured_in() {
    let said = |version: &str| {
        let (policy, origins) = preset("claude-code", Some(version)).unwrap();
        (policy.summarise.at, origins["summarise.at"].evidence.name())
    };
    let (at, evidence) = said("2.0.76");
    assert_eq!(evidence, "measured");
    for before in ["1.0.98", "2.0.75"] {
        assert_eq!(said(before), (at, "estimated"), "{before}");
        // What the threshold is of, and is compared with, is known no better than the threshold.
        let (_, origins) = preset("claude-code", Some(before)).unwrap();
        for key in ["summarise.of", "summarise.measure"] {
            assert_eq!(origins[key].evidence.name(), "estimated", "{key} of {before}");
        }
    }
}

#[test]
fn what_is_changed_in_a_shown_policy_stands_over_the_bands_that_were_shown_with_it() {
    let (policy, origins) = preset("claude-code", None).expect("a preset");
    let shown = show(&policy, &origins, &Variants::of_preset("claude-code"), true);
    let at = |text: &str, version: &str| {
        let read = read(text, Some(version)).expect("a policy");
        (read.summarise.at, read.reserve.output, read.microcompact.on)
    };
    let (own, _) = preset("claude-code", Some("2.1.20")).expect("a preset");
    assert_eq!(at(&shown, "2.1.20"), (own.summarise.at, own.reserve.output, true), "as it was shown");
    let edited = shown.replacen("\nat = -33000", "\nat = -60000", 1);
    assert_ne!(edited, shown);
    let written = read("[summarise]\nat = -60000", None).expect("a policy").summarise.at;
    assert_eq!(at(&edited, "2.1.20"), (written, own.reserve.output, true), "one value was written");
    assert!(!Variants::of(&edited, None).toml().contains("\"summarise.at\""));
    // A band of one's own is none that was copied.
    let banded = "[summarise]\nat = 5000\n[[versions]]\nto = \"2\"\n[versions.set]\n\"summarise.at\" = 900";
    let banded = read(banded, Some("1")).expect("a policy").summarise.at;
    assert_eq!(banded, read("[summarise]\nat = 900", None).expect("a policy").summarise.at);
}

#[test]
fn nothing_below_a_window_is_the_window_and_a_fraction_is_told_as_one() {
    let mut policy = Policy::default();
    set(&mut policy, "summarise.at=-0").expect("a size");
    assert_eq!((policy.summarise.at, policy.summarise.at.of(1_000)), (Size::Below(0), 1_000));
    let shown = show(&policy, &Origins::new(), &Variants::default(), false);
    assert_eq!(read(&shown, None).expect("a policy").summarise.at, Size::Below(0), "{shown}");
    let refused = |assignment: &str| set(&mut Policy::default(), assignment).expect_err("a fault").to_string();
    assert!(refused("summarise.at=80.5").contains("a size is expected, not a fraction"));
    assert!(refused("summarise.target=80.5").contains("a whole number is expected, not a fraction"));
}

#[test]
fn where_zero_is_no_limit_the_setting_says_so_in_its_row_and_in_words() {
    let all = || SECTIONS.iter().flat_map(|(_, _, settings)| settings.iter());
    let endless: Vec<&str> = all().filter(|setting| setting.endless_at_zero).map(|setting| setting.key).collect();
    assert_eq!(
        endless,
        [
            "limits.tool_calls",
            "limits.tool_definitions",
            "skills.max_tokens",
            "files.image_side",
            "tool_results.message_total",
            "microcompact.boundary_total",
            "summarise.at_events",
            "summarise.at_most",
        ]
    );
    for setting in all().filter(|setting| setting.endless_at_zero) {
        assert!(setting.meaning.contains("0: ") && setting.range.0 == 0, "{}", setting.key);
    }
}
