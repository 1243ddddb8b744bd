//! Facts by meaning: paraphrases that share no words with what was said, by the vectors of the bundled model.

use serde_json::json;
use windowpane::chunk::bundled;
use windowpane::content::Watch;
use windowpane::inquiry::{ByVectors, Fact, Found, Need, Sight, find, find_told, trace};
use windowpane::present::verdict::verdict;

use super::build::{Log, filler};
use super::runner::{Opened, open};

/// What is said, and a sentence that says the same in other words.
const SAID: &[(&str, &str)] = &[
    (
        "The deploy to production is frozen until the audit ends on Friday.",
        "~releases are blocked during the auditors' visit",
    ),
    ("Customers get their money back within two weeks.", "~refunds are paid in fourteen days"),
    ("The admin keeps the credentials of the mail server in the vault.", "~where is the SMTP password stored"),
    ("The meeting was moved from Monday to Thursday morning.", "~the appointment has been rescheduled"),
];

fn session() -> Opened {
    let mut log = Log::new();
    for (turn, (said, _)) in SAID.iter().enumerate() {
        let number = turn * 40 + 1;
        log = log.user(said).shell(&format!("c{turn}"), "ls", &filler(number, 40)).says("Done.");
    }
    open(log.bytes())
}

fn asked(opened: &Opened, fact: &str, most: usize, told: &mut dyn FnMut(Found)) -> Found {
    let vectors = ByVectors { embedder: bundled(), store: None, most };
    let fact = Fact::parse(fact).unwrap();
    find_told(&fact, &opened.transcript, &opened.sources, Some(vectors), &Watch::default(), told)
}

#[test]
fn a_paraphrase_is_found_where_no_word_is_shared() {
    let opened = session();
    for (said, paraphrase) in SAID {
        let found = asked(&opened, paraphrase, usize::MAX, &mut |_| {});
        let (by, threshold) = found.ranked.unwrap();
        assert!(by.contains("meaning"), "{by}");
        let best = found.places.iter().max_by(|one, other| one.score.unwrap().total_cmp(&other.score.unwrap()));
        let best = best.unwrap_or_else(|| panic!("{paraphrase}: nothing from {threshold} on"));
        assert!(best.spot().unwrap().context.contains(&said[..20]), "{paraphrase}: {best:?}");
        assert!(best.score.unwrap() >= threshold);
        // Words alone don't find it.
        let fact = Fact::parse(paraphrase).unwrap();
        let words = find(&fact, &opened.transcript, &opened.sources, None, &Watch::default());
        assert!(words.places.is_empty() && words.compared.is_none(), "{paraphrase}");
    }
}

#[test]
fn what_nobody_said_is_not_found() {
    let opened = session();
    for fact in ["~the colour of the admiral's hat", "~quarterly revenue in Brazil", "~how to bake sourdough bread"] {
        let found = asked(&opened, fact, usize::MAX, &mut |_| {});
        assert!(found.places.is_empty(), "{fact}: {:?}", found.places);
        let (done, all) = found.compared.unwrap();
        assert_eq!(done, all);
    }
}

/// The rule, a compaction with such a summary, and a question.
fn compacted(summary: &str, then: &str) -> Opened {
    let log = Log::new()
        .user("Our production database must never be restarted on Fridays because of the payroll batch.")
        .says("Understood.")
        .user("Please refactor the parser.")
        .says("Refactored.")
        .compacts(json!({"trigger": "auto", "preTokens": 155_000}), summary);
    open(log.user("Go on.").says("Done.").user(then).says("Yes, go ahead.").bytes())
}

const RULE: &str = "~the production database must not be restarted on Fridays";

#[test]
fn who_asks_for_a_fact_does_not_say_it() {
    let opened =
        compacted("The parser was refactored.", "It is late. May I restart the production database on a Friday?");
    for vectors in [true, false] {
        let fact = Fact::parse(RULE).unwrap();
        let found = match vectors {
            true => asked(&opened, RULE, usize::MAX, &mut |_| {}),
            false => find(&fact, &opened.transcript, &opened.sources, None, &Watch::default()),
        };
        let traced = trace(&fact, &found, &opened.transcript, &opened.sources, &opened.recorded, None);
        assert!(!traced.in_window, "{traced:#?}");
        assert_eq!(traced.loss.map(|loss| loss.step), Some(3), "{traced:#?}");
        assert!(matches!(traced.need, Need::Asked(4, _)), "{:?}", traced.need);
    }
    // Said again beside a question, it is there.
    let opened = compacted("The parser was refactored.", "Never restart the production database on Fridays. Clear?");
    let fact = Fact::parse(RULE).unwrap();
    let found = asked(&opened, RULE, usize::MAX, &mut |_| {});
    let traced = trace(&fact, &found, &opened.transcript, &opened.sources, &opened.recorded, None);
    assert!(traced.in_window, "{traced:#?}");
    let said = verdict(&traced, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
    assert!(said.contains("by meaning, score 0.") && !said.contains("word for word"), "{said}");
}

#[test]
fn what_stands_beside_a_question_counts_by_itself() {
    let session = |then: &str| {
        let log = Log::new()
            .user("Please deploy the billing service. The approval code is HBX-90213-K, use it at the end.")
            .says("ok")
            .compacts(json!({"trigger": "auto", "preTokens": 155_000}), "The parser was mended. Nothing is open.");
        open(log.user("go on").says("ok").user(then).says("I do not have it.").bytes())
    };
    let fact = Fact::parse("~the approval code for the deployment").unwrap();
    let opened = session("Now deploy. Which approval code did I give you?");
    let found = asked(&opened, &fact.text, usize::MAX, &mut |_| {});
    let traced = trace(&fact, &found, &opened.transcript, &opened.sources, &opened.recorded, None);
    // What is left of the message says too little to be near to anything.
    assert!(!traced.in_window && traced.occurrences.iter().all(|one| one.first != Some(3)), "{traced:#?}");
    // What says it beside a question is shown without the question.
    let opened = session("The approval code for the deployment is HBX-90213-K. Which approval code did you have?");
    let found = asked(&opened, &fact.text, usize::MAX, &mut |_| {});
    let last = found.places.last().and_then(|place| place.seen.as_ref()).unwrap();
    assert_eq!(last.says, (0, 52), "{last:?}");
}

#[test]
fn a_summary_that_means_the_like_paraphrases() {
    let opened = compacted("The database in production is not to be rebooted on any Friday.", "Thanks.");
    let fact = Fact::parse(RULE).unwrap();
    let found = asked(&opened, RULE, usize::MAX, &mut |_| {});
    let traced = trace(&fact, &found, &opened.transcript, &opened.sources, &opened.recorded, None);
    let (first, summary) = (&traced.occurrences[0], &traced.occurrences[1]);
    for (one, sight) in [(first, Sight::Paraphrase), (summary, Sight::Summary)] {
        let stay = one.at(4).unwrap();
        let like = stay.like.as_ref().unwrap();
        assert!(stay.sight == sight && like.by_meaning && like.score > 0.5, "{stay:?}");
        assert!(like.sentence.contains("rebooted"), "{stay:?}");
    }
    assert!(traced.in_window && summary.layer == windowpane::model::Layer::Summaries);
}

#[test]
fn that_no_sentence_of_a_summary_is_near_enough_is_all_that_is_told_of_one() {
    let told = |summary: &str, fact: &str| {
        let log = Log::new().user("Use tabs instead of spaces for indentation.").says("Noted.");
        let log = log.compacts(json!({"trigger": "auto", "preTokens": 155_000}), summary);
        let opened = open(log.user("Go on.").says("Done.").user("Thanks.").bytes());
        let found = asked(&opened, fact, usize::MAX, &mut |_| {});
        let fact = Fact::parse(fact).unwrap();
        let traced = trace(&fact, &found, &opened.transcript, &opened.sources, &opened.recorded, None);
        verdict(&traced, &fact, &found, &opened.transcript, &opened.recorded).join(" ")
    };
    let (fact, literal) = ("~Use tabs instead of spaces for indentation", "spaces");
    // In other words it may say it, and does.
    let said = told("The parser was read. Indentation uses tabs.", fact);
    assert!(said.contains("No sentence of the summary is near enough: the nearest has a score of 0."), "{said}");
    // What is as near and denies it is told as that.
    let said = told("Never use tabs instead of spaces for indentation.", fact);
    assert!(said.contains("A sentence of the summary is as near (score 0."), "{said}");
    let said = told("The parser was read.", literal);
    assert!(said.contains("The summary does not say it."), "{said}");
}

#[test]
fn the_nearest_by_words_are_compared_first_and_the_rest_is_told_of_as_it_comes() {
    let mut log = Log::new().user(SAID[0].0);
    for turn in 0..6 {
        log = log.shell(&format!("c{turn}"), "cat log", &filler(turn * 1_000 + 1, 800)).says("Read.");
    }
    let opened = open(log.bytes());
    let mut told: Vec<(u64, u64)> = Vec::new();
    let found = asked(&opened, SAID[0].1, 230, &mut |found| told.push(found.compared.unwrap()));
    let (done, all) = found.compared.unwrap();
    assert!(done == 230 && all > 230, "{done} of {all}");
    assert_eq!(told.get(..2), Some(&[(32, all), (200, all)][..]));
    assert!(told.windows(2).all(|pair| pair[0].0 < pair[1].0));
    assert_eq!(found.places.len(), 1);
    // Asked to stop, it tells what it has.
    let (watch, fact) = (Watch::default(), Fact::parse(SAID[0].1).unwrap());
    watch.cancel();
    let vectors = ByVectors { embedder: bundled(), store: None, most: usize::MAX };
    let stopped = find(&fact, &opened.transcript, &opened.sources, Some(vectors), &watch);
    assert!(stopped.places.is_empty());
}

#[test]
fn a_text_that_is_everywhere_takes_little_room() {
    let mut log = Log::new().user("Go.");
    for turn in 0..1_200 {
        log = log.shell(&format!("c{turn}"), "cat log", &filler(turn * 30 + 1, 30));
    }
    let opened = open(log.says("Read.").bytes());
    let fact = Fact::parse("row").unwrap();
    let found = find(&fact, &opened.transcript, &opened.sources, None, &Watch::default());
    let every = 1_200 * 30;
    assert_eq!(found.places.len() as u64 + found.more, every, "every place is counted");
    assert!(found.places.len() <= 2_500, "{}", found.places.len());
    // The first and the last of each content are kept; what stands around the first thousands is read.
    assert!(found.places[..1_000].iter().all(|place| !place.spot().unwrap().context.is_empty()));
}

/// A weak passage early on, the fact in a user's message, a question before and after it, and a compaction.
fn named(summary: &str) -> Opened {
    let log = Log::new()
        .user("Releases need an account on the code forge; ask the user which name to take if it is not set.")
        .says("Which account do you publish with on the forge?")
        .user("my forge account is marlowe77")
        .says("Thanks.")
        .user("Now tidy the parser.")
        .says("Tidied.")
        .compacts(json!({"trigger": "auto", "preTokens": 155_000}), summary);
    open(log.user("Go on.").says("Done.").bytes())
}

#[test]
fn what_was_found_by_meaning_is_traced_by_its_own_words() {
    let told = |summary: &str, fact: &str| {
        let opened = named(summary);
        let found = asked(&opened, fact, usize::MAX, &mut |_| {});
        let fact = Fact::parse(fact).unwrap();
        let traced = trace(&fact, &found, &opened.transcript, &opened.sources, &opened.recorded, None);
        let said = verdict(&traced, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
        (traced, said)
    };
    let long = format!("{} The user said \"my forge account is marlowe77\". {}", filler(1, 4), filler(5, 4));
    for fact in ["~the user's account name on the forge", "~my forge account is marlowe77"] {
        let (traced, said) = told(&long, fact);
        // The nearest passage is the fact, not the first that is about the like.
        assert_eq!(traced.origin().unwrap().first, Some(2), "{said} {traced:#?}");
        assert!(traced.in_window && said.contains("in a summary, word for word"), "{fact}: {said}");
        let (_, stay) = traced.best_at(4).unwrap();
        assert!(stay.sight == Sight::Summary && stay.like.is_none(), "{stay:?}");
        let (traced, said) = told("The parser was tidied; an account name on the code forge is needed.", fact);
        assert!(!traced.in_window && traced.loss.is_some_and(|loss| loss.step == 4), "{fact}: {said}");
    }
}

#[test]
fn an_answer_in_other_words_repeats_it() {
    let of = |answer: &str| {
        let log = Log::new().user("my forge account is marlowe77").says("Thanks.").user("Now tidy the parser.");
        let opened = open(log.says("Tidied.").user("And the release?").says(answer).user("Fine.").bytes());
        let sentence = "~my forge account is marlowe77";
        let (fact, found) = (Fact::parse(sentence).unwrap(), asked(&opened, sentence, usize::MAX, &mut |_| {}));
        trace(&fact, &found, &opened.transcript, &opened.sources, &opened.recorded, Some(2)).used
    };
    assert!(of("It goes out under your account on the forge, which is called marlowe77, as soon as the tests pass."));
    assert!(!of("The parser of dates is tidy, and all of its tests pass."));
}

#[test]
fn another_script_is_not_compared_by_meaning() {
    let log = Log::new()
        .user("배포 전에 문서를 먼저 정리해 주세요.")
        .says("문서를 정리했습니다.")
        .user("결제 게이트웨이는 금요일에 재시작하지 않는다.")
        .says("알겠습니다.")
        .user("파서를 정리해 주세요.")
        .says("정리했습니다.")
        .compacts(
            json!({"trigger": "auto", "preTokens": 155_000}),
            "The parser was tidied. The payment gateway is not to be restarted on Fridays.",
        );
    let opened = open(log.user("계속하세요.").says("네.").bytes());
    let told = |fact: &str| {
        let found = asked(&opened, fact, usize::MAX, &mut |_| {});
        let fact = Fact::parse(fact).unwrap();
        let traced = trace(&fact, &found, &opened.transcript, &opened.sources, &opened.recorded, None);
        let said = verdict(&traced, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
        (found, traced, said)
    };
    // To the model, all of it is the same.
    let (found, traced, said) = told("~결제 게이트웨이는 금요일에 재시작하지 않는다");
    assert_eq!((found.places.len(), traced.origin().unwrap().first, traced.in_window), (1, Some(2), false), "{said}");
    assert!(said.contains("The summary does not say it in these words;"), "{said}");
    assert!(found.unread.sentence && said.contains("reads English"), "{said}");
    let (found, traced, said) = told("~the payment gateway must never be restarted on a Friday");
    assert!(traced.origin().is_some_and(|origin| origin.layer == windowpane::model::Layer::Summaries), "{said}");
    assert!(found.unread.passages >= 6 && said.contains("what is said there was not compared"), "{said}");
    // What is said in English throughout is told without a doubt.
    let opened = compacted("The parser was refactored.", "Thanks.");
    let found = asked(&opened, RULE, usize::MAX, &mut |_| {});
    assert_eq!(found.unread, windowpane::inquiry::Unread::default());
}

#[test]
fn what_only_names_a_thing_or_has_another_figure_is_near_and_not_the_fact() {
    let fact = "~the mail-relay service has to be moved to port 2525";
    for near in [
        "mail-relay",
        "- mail-relay\n- port-2525",
        "The mail-relay service has to be moved to port 9090.",
        "The mail-relay service does not have to be moved to port 2525.",
    ] {
        let log = Log::new()
            .user("Please note: the mail-relay service has to be moved to port 2525 before Friday.")
            .says("Noted.")
            .user("Please refactor the parser.")
            .says("Refactored.")
            .compacts(json!({"trigger": "auto", "preTokens": 155_000}), "The parser was refactored.");
        let opened = open(log.shell("c1", "cat notes", near).says("Read.").user("Go on.").says("Done.").bytes());
        for vectors in [true, false] {
            let read = Fact::parse(fact).unwrap();
            let found = match vectors {
                true => asked(&opened, fact, usize::MAX, &mut |_| {}),
                false => find(&read, &opened.transcript, &opened.sources, None, &Watch::default()),
            };
            let traced = trace(&read, &found, &opened.transcript, &opened.sources, &opened.recorded, None);
            assert!(!traced.in_window && traced.origin().unwrap().first == Some(1), "{near}: {traced:#?}");
            assert_eq!(traced.occurrences.len(), 1, "{near}: {traced:#?}");
        }
        if near.contains("does not") {
            let found = asked(&opened, fact, usize::MAX, &mut |_| {});
            assert_eq!(found.unlike.all(), 1, "{near}: {:?}", found.unlike);
        }
    }
}

/// A sentence in the middle of a passage about something else.
const AMONG: &str = "Ask the kitchen for three trays of lemon cake and a bowl of plums before the guests sit down. Carry \
    both wrenches with you. The choir sings at nine, the lamps are lit at ten, and the gate stays open all night for \
    the carts that bring the barrels and the hay.";

#[test]
fn a_sentence_that_stands_among_others_is_found_as_it_stands() {
    let text = format!("{}\n\n{AMONG}\n\n{}", filler(1, 5), filler(6, 5));
    let of = |fact: &str, then: &str| {
        let log = Log::new().user("Show the plan.").shell("c1", "cat plan", &text).says("There it is.");
        let opened = open(log.user(then).says("Done.").bytes());
        let found = asked(&opened, fact, usize::MAX, &mut |_| {});
        let words = Fact::parse(fact).unwrap();
        let by_words = find(&words, &opened.transcript, &opened.sources, None, &Watch::default());
        let traced = trace(&words, &found, &opened.transcript, &opened.sources, &opened.recorded, None);
        let said = verdict(&traced, &words, &found, &opened.transcript, &opened.recorded).join(" ");
        assert_eq!(found.places.len(), by_words.places.len(), "{fact}: {found:#?} {by_words:#?}");
        (found, traced, said)
    };
    for fact in ["~Carry both wrenches with you.", "~carry BOTH wrenches with you"] {
        let (found, traced, said) = of(fact, "Thanks.");
        let [place] = found.places.as_slice() else { panic!("{fact}: {:#?}", found.places) };
        assert!(place.score == Some(1.0) && place.quoted, "{place:?}");
        let spot = place.spot().unwrap();
        assert_eq!(&text[spot.range.0 as usize..spot.range.1 as usize], "Carry both wrenches with you");
        assert!(traced.in_window && said.contains("word for word as it was said"), "{said}");
        // Who asks for it does not say it once more, and who denies it neither.
        for then in ["Did it say: carry both wrenches with you?", "You need not carry both wrenches with you."] {
            assert_eq!(of(fact, then).0.places.len(), 1, "{then}");
        }
        // A passage that is near itself is a place once, beside it.
        let (found, ..) = of(fact, "Carry both wrenches with you.");
        assert_eq!(found.places.len(), 2, "{:#?}", found.places);
    }
    assert!(of("~Carry both ladders with you.", "Thanks.").0.places.is_empty());
}
