//! What is said where a fact that begins with a dash was taken for an option.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error};

use crate::present::shell_word;

use super::args::Cli;

/// Commands that take facts behind the transcript.
const LAST: [&str; 3] = ["trace", "whatif", "sweep"];

/// Adds to a complaint of the command line how such a fact is given, where its command takes facts.
pub fn add_tip(error: &mut Error) {
    let matches = Cli::command().ignore_errors(true).try_get_matches().ok();
    if let Some(tip) = matches.and_then(|matches| tip(error, matches.subcommand_name()?)) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

fn tip(error: &Error, command: &str) -> Option<String> {
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
    let fact = given.map(|given| if given == "--fact" { "FACT".into() } else { shell_word(given) })?;
    if command == "compare" {
        return Some(format!("a fact that begins with a dash is given as --fact={fact}"));
    }
    let last = || format!("a fact that begins with a dash goes last, behind two dashes: -- {fact}");
    LAST.contains(&command).then(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn told(arguments: &[&str]) -> Option<String> {
        let arguments = ["windowpane"].iter().chain(arguments);
        let error = Cli::try_parse_from(arguments.clone()).err()?;
        let matches = Cli::command().ignore_errors(true).try_get_matches_from(arguments).ok()?;
        tip(&error, matches.subcommand_name()?)
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
        // Nobody meant a fact.
        assert_eq!(told(&["trace", "s.json", "x", "--step", "soon"]), None);
        assert_eq!(told(&["show", "s.json", "--verbose"]), None);
        assert_eq!(told(&["trace", "s.json", "--", "--verbose"]), None);
    }
}
