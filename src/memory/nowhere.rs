//! Words of a summary's sentence that stand nowhere in what was summarised, nor near anything that does: who or what a
//! sentence makes up. A model tells what happened in words of its own: those with which any work is told prove nothing.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::LazyLock;

use memchr::memmem;
use rayon::prelude::*;

use super::measure::{Aligned, Support};
use super::near::{Backing, Sources};
use super::numeral::is_number_in_words;
use super::words::{has_hump, is_silent, stem_of};

/// Share of its words in one sentence from which on a sentence is taken to be told from that.
const DRAWN_FROM: f64 = 0.6;
/// Words of a summary that are looked for at most, and bytes that are looked through for all of them.
const WORDS: usize = 400;
const BYTES: usize = 2 << 30;
/// Letters of a word, or of its stem, at least: what is shorter stands in others.
const SHORTEST: usize = 4;
/// Words of a sentence at most in which one that stands nowhere tells enough.
const FEW: usize = 5;
/// Sentences of a short text: fewer than these.
const SHORT: usize = 20;

/// Words with which any work is told, whatever it was.
const OF_ANY_WORK: &str = "ability able accept access account achieve across act action active activity actual \
    adapt add additional address adjust affect again agent agree aim allow alternative analysis analyze answer \
    apparent appear apply approach appropriate area ask aspect assist assistant associate assume assumption \
    attempt automatic available avoid aware base basic because become before begin behave behavior behind being \
    below best better between bigger block break brief bring build bypass call cannot capability capture careful \
    case category cause certain change check choice choose clarify clean clear close code combine come command \
    comment common compare complete complex component comprehensive concept concern conclude conclusion condition \
    confirm conflict confuse consider consist consolidate constraint contain content context continue contribute \
    control conversation convert correct correspond could cover create critical current custom data deal debug \
    decide decision deep default define demonstrate demonstration depend describe design desire detail detect \
    determine develop development differ difference different direct discover discuss display distinct document \
    done due during each earlier early easy effect effort either element eliminate else emphasize enable encounter \
    end enhance ensure entire environment error essential establish evaluate even event eventually every evidence \
    exact examine example except exclude execute exist expand expect experience explain explicit explore express \
    extend extensive extra extract fact fail failure fall false far feature feedback few fewer field figure file \
    fill final find fine finish first fit fix flat flow focus follow form format forward found full function \
    functionality further future gather general generate get give given goal good grace greater group guidance \
    guide guideline half handle happen hard have heavy help hence here hidden high higher highlight history hold \
    however idea identical identify ignore immediate impact implement implementation implication important improve \
    include incomplete incorporate incorrect increase incremental indeed independent indicate individual inform \
    information initial input inquire inside inspect instance instead instruct instruction integrate intend intent \
    intention interact interest introduce investigate invoke involve issue item iterate itself job keep key know \
    known lack large larger last late later latest lead learn least leave left leftover less let level leverage \
    like likely limit limitation line list little local locate location logic long longer look loss lot low lower \
    made main maintain major make manage manipulate manner manual many mark match matter may mean meaning \
    mechanism meet mention message method middle minimal minor miss missing mode modify modification more moreover \
    most move much multiple must name native natural nature near necessary need never new next none normal note \
    nothing notice now number object observe obtain obvious occur off often old once one ongoing only open operate \
    operation opportunity option order organize original other otherwise outcome output outside over overall \
    overview own pair parallel part particular partial path pattern pause pending perform perhaps period persist \
    phase pick piece place plan please point portion possible potential practice prefer preference prepare \
    preparation present preserve prevent previous primary prior prioritize problem proceed process produce \
    progress project promising prompt proper propose protect prove provide purpose push put quality question quick \
    raise range rather reach react read ready real realize really reason receive recent recommend record redo \
    reduce refer reference reflect refine refuse regard reject relate relation relationship relevant rely remain \
    remember remind reminder repeat replace report represent request require requirement research resolve resource \
    respect respond response rest restructure result resume retain retrieve retrieval retry return reveal review \
    revise rewrite rewrote right role root rule run safe said same satisfy save say scenario scope search second \
    section seem select send separate sequence sequential serve session set setup several share short shorter \
    should show side sign significant similar simple simply simultaneous since single situation skip slight small \
    smaller solution solve some something soon sort source specific specify stage standard start state statement \
    status stay step still stop straightforward strategy structure style subject subsequent such suggest \
    suggestion suitable sum summarize summary supply support suppose sure suspect switch system systematic tackle \
    take talk target task team technical technique tell temporary tend term test text than thing think third \
    though thought through throughout time tool top topic total touch toward track transform translate treat tried \
    trigger true try turn twice type typical under underlying understand unexpected unfinished unique unit unless \
    unresolved unsolved until update upon usage use useful user usual valid validate value variety various verify \
    version via view visible want way well whatever when whenever whereas wherever whether while whole whose why \
    wish within without word work workflow worth wrap write written wrong wrote yet";

/// The stems of [`OF_ANY_WORK`].
static ANY_WORK: LazyLock<HashSet<String>> =
    LazyLock::new(|| OF_ANY_WORK.split_whitespace().map(|word| stem_of(word).into_owned()).collect());

/// Whether a word in small letters is one with which any work is told.
pub(super) fn is_of_any_work(word: &str) -> bool {
    ANY_WORK.contains(&*stem_of(word))
}

/// A word that says what a sentence is about.
struct Telling {
    /// As it is written.
    word: String,
    stem: String,
    /// Whether it names somebody or something: with a capital within the sentence, or as who did it.
    names: bool,
}

/// What a sentence is about.
#[derive(Default)]
struct About {
    words: Vec<Telling>,
    /// Whether it holds code: its words may be told of that.
    has_code: bool,
    /// Names of several words: "Ada Lovelace".
    names: Vec<Vec<String>>,
}

impl About {
    /// Reads a sentence. Code, and names of files, are none of its words: they are figures.
    fn of(text: &str) -> About {
        let (mut about, mut seen) = (About::default(), BTreeSet::new());
        let (mut in_code, mut is_bold, mut last, mut ended) = (false, false, [String::new(), String::new()], true);
        let mut goes_on = false;
        for token in text.split_whitespace() {
            let ticks = token.matches('`').count();
            let was_code = in_code || ticks > 0;
            in_code ^= ticks % 2 == 1;
            let was_bold = is_bold || token.contains("**");
            is_bold ^= token.matches("**").count() % 2 == 1;
            let bare = token.trim_matches(|sign: char| !sign.is_alphanumeric());
            let is_code = was_code || has_hump(bare) || bare.contains(['/', '_', '(', ':', '<', '>', '=', '$', '\\']);
            about.has_code |= is_code;
            let is_words = bare.chars().all(|sign| sign.is_ascii_alphabetic() || matches!(sign, '-' | '\''));
            if is_words && !is_code && !bare.contains('\'') {
                for word in bare.split('-') {
                    let small = word.to_ascii_lowercase();
                    let stem = stem_of(&small).into_owned();
                    // Who counts for himself writes how many in words.
                    let says = small.len() >= SHORTEST && !is_silent(&small) && !is_number_in_words(&small);
                    if says && seen.insert(stem.clone()) {
                        let is_name = word.starts_with(|sign: char| sign.is_ascii_uppercase())
                            && word.contains(|sign: char| sign.is_ascii_lowercase())
                            && !ended
                            && !was_bold;
                        let [first, second] = &last;
                        let does = second == "by" || (first == "by" && matches!(&**second, "the" | "a" | "an"));
                        about.words.push(Telling { word: word.to_owned(), stem, names: is_name || does });
                    }
                }
            }
            let is_part = is_words
                && !is_code
                && !was_bold
                && !is_of_any_work(&bare.to_ascii_lowercase())
                && bare.len() > 1
                && bare.starts_with(|sign: char| sign.is_ascii_uppercase())
                && bare.contains(|sign: char| sign.is_ascii_lowercase())
                && !is_silent(&bare.to_ascii_lowercase());
            match about.names.last_mut().filter(|_| goes_on) {
                Some(name) if is_part => name.push(bare.to_owned()),
                _ if is_part => about.names.push(vec![bare.to_owned()]),
                _ => {}
            }
            goes_on = is_part && token.ends_with(char::is_alphanumeric);
            // What stands before a colon is a heading.
            if is_part && token.ends_with(':') {
                about.names.pop();
            }
            ended = token.ends_with([':', '.', '!', '?', '(', '"', '-', '\u{2014}', '\u{2192}', '*']);
            last = [std::mem::take(&mut last[1]), bare.to_ascii_lowercase()];
        }
        about.names.retain(|name| name.len() > 1);
        about
    }

    /// Those of its words that prove that nothing says it, where some stand nowhere.
    /// `few`: words that it has at least.
    fn made_up(&self, few: usize, is_nowhere: &dyn Fn(&str) -> bool) -> Vec<String> {
        let nowhere: Vec<&Telling> = self.words.iter().filter(|word| is_nowhere(&word.stem)).collect();
        let (missing, all) = (nowhere.len(), self.words.len());
        let tells = match missing {
            0 => false,
            _ if all < few => false,
            // Of one word in a short sentence: the others say of what nothing says it.
            1 => nowhere.iter().any(|word| word.names) || (!self.has_code && all <= FEW),
            _ => nowhere.iter().any(|word| word.names) || missing * 10 >= all * 3,
        };
        nowhere.into_iter().filter(|_| tells).map(|word| word.word.clone()).collect()
    }
}

/// What is looked for of a stem: what its forms have in common, also who does it and its opposite ("blocker",
/// "unstaged").
fn needle(stem: &str) -> &str {
    let long = |rest: &&str| rest.len() >= SHORTEST;
    let stem = ["un", "re", "non"].iter().find_map(|start| stem.strip_prefix(start).filter(long)).unwrap_or(stem);
    ["er", "i"].iter().find_map(|end| stem.strip_suffix(end).filter(long)).unwrap_or(stem)
}

/// Marks sentences that nothing says or denies as without support, where words that tell what they are about stand
/// nowhere in the sources, not even within others. Where most words of such sentences do not stand there, the summary
/// is in another language, and none is marked.
pub(super) fn mark(all: &mut [Aligned], summary: &str, read: &Sources, sources: &[Backing]) {
    let is_open = |one: &Aligned| one.support == Support::Open && one.score < DRAWN_FROM;
    if read.sentences.is_empty() {
        return;
    }
    let open = all.iter_mut().filter(|one| is_open(one));
    let about = open.map(|one| {
        let text = summary.get(one.range.0..one.range.1).unwrap_or_default();
        (About::of(text), one)
    });
    let about: Vec<(About, &mut Aligned)> = about.collect();
    let mut wanted: BTreeMap<&str, bool> = BTreeMap::new();
    let (mut words, mut known) = (0, 0);
    for word in about.iter().flat_map(|(about, _)| &about.words) {
        words += 1;
        let stands = read.has_stem(&word.stem) || ANY_WORK.contains(&word.stem);
        known += usize::from(stands);
        if !stands && needle(&word.stem).len() >= SHORTEST {
            wanted.insert(&word.stem, false);
        }
    }
    let bytes: usize = sources.iter().map(|source| source.text.len()).sum();
    if wanted.is_empty() || known * 2 < words || wanted.len() > WORDS || bytes.saturating_mul(wanted.len()) > BYTES {
        return;
    }
    let stems: Vec<&str> = wanted.keys().copied().collect();
    let found = sources.par_iter().map(|source| {
        let text = source.text.to_ascii_lowercase();
        stems.iter().map(|stem| memmem::find(text.as_bytes(), needle(stem).as_bytes()).is_some()).collect::<Vec<_>>()
    });
    let none = || vec![false; stems.len()];
    let both = |one: Vec<bool>, two: Vec<bool>| one.into_iter().zip(two).map(|(one, two)| one || two).collect();
    let found: Vec<bool> = found.reduce(none, both);
    let nowhere: HashSet<String> =
        stems.iter().zip(&found).filter(|(_, found)| !**found).map(|(stem, _)| (*stem).to_owned()).collect();
    // Where little is told, another word may be another name.
    let few = if read.sentences.len() < SHORT { 3 } else { 2 };
    for (about, one) in about {
        one.nowhere = about.made_up(few, &|stem| nowhere.contains(stem));
        if !one.nowhere.is_empty() {
            one.support = Support::None;
        }
    }
}

/// Marks sentences that are said of somebody whom no source names: all else of it may stand there.
pub(super) fn mark_names(all: &mut [Aligned], summary: &str, sources: &[Backing]) {
    let is_near = |one: &Aligned| one.support == Support::Open && one.score >= DRAWN_FROM;
    let is_told = |one: &&mut Aligned| (one.support == Support::Stands || is_near(one)) && one.score < 1.0;
    let texts: LazyCell<Vec<String>, _> =
        LazyCell::new(|| sources.iter().map(|source| source.text.to_ascii_lowercase()).collect());
    let (mut left, bytes) = (WORDS, sources.iter().map(|source| source.text.len()).sum::<usize>());
    for one in all.iter_mut().filter(is_told) {
        let words = summary.get(one.range.0..one.range.1).unwrap_or_default();
        for name in About::of(words).names {
            if left == 0 || bytes.saturating_mul(name.len()) > BYTES {
                return;
            }
            left = left.saturating_sub(name.len());
            let stands = |word: &String| texts.iter().any(|text| text.contains(&word.to_ascii_lowercase()));
            if !name.iter().all(stands) {
                one.support = Support::None;
                one.nowhere.push(name.join(" "));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::measure::align;
    use super::*;

    const TEXT: &str = "Please delete the old build and write a script that prints random numbers. \
                        I deleted the build folder and created the script number_generator.py with four lines. \
                        The command python was not found, so the script was run with python3 and printed the sum. \
                        The user asked for a list of all files in the workspace folder.";

    fn of(told: &str) -> (Support, Vec<String>) {
        let found = align(told, &[TEXT]);
        (found[0].support, found[0].nowhere.clone())
    }

    #[test]
    fn what_is_made_up_is_told_by_words_that_stand_nowhere() {
        for (told, word) in [
            ("The build was run again by the janitor.", "janitor"),
            ("The user wants all files of the folder to be encrypted before Friday.", "Friday"),
            ("The folder of the workspace was renamed after the wish of Falcon.", "Falcon"),
            ("The invoices of the customers were mailed with the list.", "invoices"),
        ] {
            let (support, nowhere) = of(told);
            assert!(
                support == Support::None && nowhere.iter().any(|one| one == word),
                "{told} {support:?} {nowhere:?}"
            );
        }
    }

    #[test]
    fn what_is_said_of_somebody_whom_nothing_names_has_no_support() {
        for (told, name) in [
            ("Omar Reyes deleted the build folder and created the script number_generator.py.", Some("Omar Reyes")),
            ("The build folder was deleted by Omar Reyes.", Some("Omar Reyes")),
            ("I deleted the build folder and created the script number_generator.py.", None),
            ("The build folder was deleted, and the script number_generator.py was created.", None),
        ] {
            let (support, nowhere) = of(told);
            match name {
                Some(name) => assert!(
                    support == Support::None && nowhere.iter().any(|one| name.contains(one.as_str())),
                    "{told} {support:?} {nowhere:?}"
                ),
                None => assert!(support == Support::Stands && nowhere.is_empty(), "{told} {support:?} {nowhere:?}"),
            }
        }
    }

    #[test]
    fn what_is_told_in_other_words_stays_open() {
        for told in [
            "Implementing error handling for the missing command of the user.",
            "Initial request: explicit demonstration of script capabilities.",
            // In a short text it may be another name.
            "The user is Falcon.",
            "The generator of `number_generator.py` was subsequently verified.",
            "Three remaining files are still undeleted.",
            "The missing python command is the current blocker of printing.",
        ] {
            assert_eq!((of(told).0, of(told).1.len()), (Support::Open, 0), "{told}");
        }
        // In another language all of its words are others.
        assert_eq!(of("Der Nutzer wollte eine Liste aller Dateien der script folder Ablage sehen.").1.len(), 0);
    }
}
