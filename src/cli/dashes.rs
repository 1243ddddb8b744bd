//! Facts that begin with a dash: what can be no option is a fact, and where one was taken for an option it is said how it
//! is given.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error, Parser};

use crate::present::shell_word;

use super::args::Cli;

/// Commands that take facts behind the transcript.
const LAST: [&str; 3] = ["trace", "whatif", "sweep"];
/// Behind this nothing is an option.
const END: &str = "--";

/// Reads the command line; in commands that take facts, arguments that can be no options are facts behind all others.
///
/// # Errors
/// Where it is wrong, or asks for help.
pub fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Cli, Error> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let mut moved = 0;
    loop {
        let error = match Cli::try_parse_from(&arguments) {
            Ok(cli) => return Ok(cli),
            Err(error) => error,
        };
        let Some(at) = unmeant(&error, &arguments) else { return Err(error) };
        let fact = arguments.remove(at);
        // Those that were moved before it come first.
        match arguments.iter().position(|argument| argument == END) {
            Some(end) => arguments.insert(end + 1 + moved, fact),
            None => arguments.extend([END.into(), fact]),
        }
        moved += 1;
    }
}

/// Where the argument stands that was taken for an option and is none: no letter is behind its dashes.
fn unmeant(error: &Error, arguments: &[OsString]) -> Option<usize> {
    let takes_facts = arguments.iter().any(|argument| LAST.iter().any(|name| argument == *name));
    let at = refused(error, arguments).filter(|_| takes_facts && error.kind() == ErrorKind::UnknownArgument)?;
    let behind = arguments.get(at)?.to_str()?.trim_start_matches('-');
    behind.chars().next().is_some_and(|sign| !sign.is_alphabetic()).then_some(at)
}

/// Where the argument stands that a complaint names, of which it may have only the beginning.
fn refused(error: &Error, arguments: &[OsString]) -> Option<usize> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    let begins = given.split([' ', '=']).next()?;
    let mut own = arguments.iter().skip(1).take_while(|argument| *argument != END);
    let is_it = |argument: &OsString| {
        argument.to_str().is_some_and(|text| text.starts_with('-') && text.starts_with(begins) && text != "-")
    };
    own.position(is_it).map(|at| at + 1)
}

/// Adds to a complaint of the command line how such a fact is given, where its command takes facts.
pub fn add_tip(error: &mut Error, arguments: impl Iterator<Item = OsString>) {
    let arguments: Vec<OsString> = arguments.collect();
    let matches = Cli::command().ignore_errors(true).try_get_matches_from(&arguments).ok();
    if let Some(tip) = matches.and_then(|matches| tip(error, matches.subcommand_name()?, &arguments)) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

fn tip(error: &Error, command: &str, arguments: &[OsString]) -> Option<String> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    // An option that was meant lacks its value; one that is given a wrong value was meant as one.
    let unmeant = match error.kind() {
        ErrorKind::UnknownArgument => true,
        ErrorKind::InvalidValue => text(ContextKind::InvalidValue).is_empty(),
        _ => false,
    };
    let given =
        text(ContextKind::InvalidArg).split([' ', '=']).next().filter(|given| unmeant && given.starts_with('-'));
    let whole = || refused(error, arguments).and_then(|at| arguments.get(at)?.to_str());
    let fact = given.map(|given| match given {
        "--fact" => "FACT".into(),
        given => shell_word(whole().filter(|whole| whole.contains(' ')).unwrap_or(given)),
    })?;
    if command == "compare" {
        return Some(format!("a fact that begins with a dash is given as --fact={fact}"));
    }
    let last = || format!("a fact that begins with a dash goes last, behind two dashes: -- {fact}");
    LAST.contains(&command).then(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(arguments: &[&str]) -> Option<String> {
        let arguments: Vec<OsString> = ["windowpane"].iter().chain(arguments).map(OsString::from).collect();
        let error = Cli::try_parse_from(&arguments).err()?;
        let matches = Cli::command().ignore_errors(true).try_get_matches_from(&arguments).ok()?;
        tip(&error, matches.subcommand_name()?, &arguments)
    }

    #[test]
    fn what_can_be_no_option_is_a_fact() {
        let of = |arguments: &[&str]| {
            let all = ["windowpane"].iter().chain(arguments).map(OsString::from);
            let told = format!("{:?}", parse(all).ok()?);
            let facts = told.split_once("facts: [")?.1.split_once(']')?.0.to_owned();
            Some((facts, told.contains("json: true")))
        };
        let told = |facts: &str, json: bool| Some((facts.to_owned(), json));
        assert_eq!(of(&["trace", "s.json", "-5 degrees"]), told("\"-5 degrees\"", false));
        assert_eq!(of(&["trace", "s.json", "-5", "--json"]), told("\"-5\"", true));
        assert_eq!(of(&["whatif", "s.json", "- a task", "--json"]), told("\"- a task\"", true));
        let all = "\"x\", \"-5 m\", \"--- a/b.rs\", \"-q\"";
        assert_eq!(of(&["trace", "-5 m", "s.json", "--- a/b.rs", "--json", "x", "--", "-q"]), told(all, true));
        // What may have been meant as an option is none of a fact's.
        let wrong: [&[&str]; 4] = [
            &["trace", "s.json", "--verbose"],
            &["trace", "s.json", "-z"],
            &["trace", "s.json", "--set it"],
            &["show", "-5 m"],
        ];
        for wrong in wrong {
            assert_eq!(of(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn how_a_fact_that_begins_with_a_dash_is_given_is_told() {
        let last = |fact: &str| Some(format!("a fact that begins with a dash goes last, behind two dashes: -- {fact}"));
        assert_eq!(told(&["trace", "s.json", "--verbose"]), last("--verbose"));
        // Such as are options, or like one.
        assert_eq!(told(&["trace", "s.json", "--fil"]), last("--fil"));
        assert_eq!(told(&["whatif", "s.json", "--set"]), last("--set"));
        assert_eq!(told(&["sweep", "--fact=--flag", "s.json", "--vary", "k=1"]), last("FACT"));
        let compare = "a fact that begins with a dash is given as --fact=--flag";
        assert_eq!(told(&["compare", "s.json", "--fact", "--flag"]).as_deref(), Some(compare));
        // All of it is told.
        assert_eq!(told(&["trace", "s.json", "-x y"]), last("'-x y'"));
        // Nobody meant a fact.
        assert_eq!(told(&["trace", "s.json", "x", "--step", "soon"]), None);
        assert_eq!(told(&["show", "s.json", "--verbose"]), None);
        assert_eq!(told(&["trace", "s.json", "--", "--verbose"]), None);
    }
}
