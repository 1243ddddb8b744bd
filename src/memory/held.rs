//! Whether a text that is near a sentence can say it: it has the figures and names of that, says something of them, and
//! denies nothing of it. What it means beside that is for others to judge.

use std::collections::BTreeSet;

use super::claim::Claim;
use super::figure::{figures_among, is_same};
use super::lexer::{Word, is_figure, words};
use super::measure::Support;
use super::near::{Backing, Said, Sources};
use super::numeral::counted;
use super::sense::{ends_clause, stem};
use super::sides::{opposed, sides_of};
use super::subject::subject_of;
use super::words::{exact, is_silent};

/// Share of a sentence's words that another must have to deny it: with fewer, it speaks of something else.
const SHARE_TO_DENY: f64 = 0.6;
/// Words behind which a word joined by a hyphen says how something is: "is read-only".
const BEING: &[&str] = &["am", "are", "be", "become", "becomes", "been", "being", "is", "stay", "stays", "was", "were"];
/// Letters by which a name is known in its other forms: Germany and German.
const STEM: usize = 4;
/// Sentences of more characters are not read for what they need: a page is no sentence.
const LONGEST: usize = 4_000;

/// What a text must have to say a sentence.
#[derive(Clone, Debug)]
pub struct Needs {
    claim: Claim,
    said: Said,
    sentence: String,
    /// Its figures, and names of code.
    figures: Vec<String>,
    /// Names that are words joined by hyphens, the longest first, each as its words.
    names: Vec<Vec<String>>,
    /// Its amounts, each with its unit, and its times of day: the number alone may be one of something else.
    amounts: Vec<String>,
    /// Words that name somebody or some place.
    called: Vec<String>,
    /// Whether it says something beside them.
    speaks: bool,
}

/// Why a text that is near a sentence does not say it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lack {
    /// It only names things.
    Words,
    /// It has not this figure or name.
    Name(String),
    /// It denies what the sentence affirms, or affirms what that denies.
    Denied,
    /// It says nearly its words otherwise round: the opposite, or of something else.
    Turned,
}

impl Needs {
    /// What a sentence needs.
    #[must_use]
    pub fn of(sentence: &str) -> Needs {
        let read = sentence.get(..sentence.floor_char_boundary(LONGEST)).unwrap_or_default();
        let claim = Claim::of(read);
        let plain = exact(read);
        let mut names = names_of(&words(&plain));
        names.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let mut figures: Vec<String> = claim.looked_up().map(str::to_owned).collect();
        // A name of several words is looked for as a whole.
        figures.retain(|figure| is_figure(figure) || !names.iter().any(|name| name.contains(figure)));
        figures.dedup();
        let amounts = figures_among(&counted(&plain)).into_iter().map(|figure| figure.text);
        Needs {
            said: Said::of(read),
            sentence: read.to_owned(),
            figures,
            names,
            amounts: amounts.filter(|figure| figure.contains([' ', ':'])).collect(),
            called: called(read).into_iter().map(str::to_lowercase).collect(),
            speaks: speaks(read),
            claim,
        }
    }

    /// Why a text does not say it; `None` where it may. `nearest`: the sentence of the text that is most like it.
    #[must_use]
    pub fn lack(&self, text: &str, nearest: &str) -> Option<Lack> {
        if self.speaks && !speaks(text) {
            return Some(Lack::Words);
        }
        if let Some(figure) = self.figure_not_in(text).or_else(|| self.amount_not_in(text)) {
            return Some(Lack::Name(figure));
        }
        if let Some(name) = self.name_not_in(text) {
            return Some(Lack::Name(name));
        }
        let number = f64::from(u32::try_from(self.said.number()).unwrap_or(u32::MAX));
        let claim = Claim::of(nearest);
        // The opposite of a word stands in its place.
        let opposed = f64::from(u32::try_from(self.opposed_in(nearest)).unwrap_or(0));
        let share = self.said.share_in(&Said::of(nearest));
        if let Some(name) = self.begins_otherwise(text, nearest, share * number) {
            return Some(Lack::Name(name));
        }
        if number <= 0.0 || share + opposed / number < SHARE_TO_DENY {
            return None;
        }
        if let Some(name) = self.called_otherwise(text, nearest) {
            return Some(Lack::Name(name));
        }
        match claim.contradicts(&self.claim) {
            true => Some(Lack::Denied),
            false => claim.is_against(&self.claim).then_some(Lack::Turned),
        }
    }

    /// Words of which an opposite stands there; another number may be the same amount of a larger unit.
    fn opposed_in(&self, text: &str) -> usize {
        let sides = |text: &str| sides_of(&counted(&exact(text)));
        let (own, there) = (sides(&self.sentence), sides(text));
        opposed(&own, &there).filter(|stem| !is_figure(stem)).count()
    }

    /// The name that it begins with, where the other begins with another: both have a capital, or one verb. A capital
    /// may also follow what is done by somebody. `shared`: how many of its words the other has, beside the name enough.
    fn begins_otherwise(&self, text: &str, nearest: &str, shared: f64) -> Option<String> {
        let own = subject_of(&self.sentence)?;
        let beside = self.said.number().saturating_sub(own.name.split_whitespace().count());
        if shared < SHARE_TO_DENY * f64::from(u32::try_from(beside.max(1)).unwrap_or(u32::MAX)) {
            return None;
        }
        let alike = |text: &str, name: &str| {
            let text = text.to_lowercase();
            name.to_lowercase().split_whitespace().any(|word| {
                let begins = word.get(..word.floor_char_boundary(STEM)).unwrap_or(word);
                text.split(|sign: char| !sign.is_alphanumeric()).any(|word| word.starts_with(begins))
            })
        };
        let by = || nearest.split_once(" by ").and_then(|(_, by)| called(by).into_iter().next().or(begins_called(by)));
        let another = match subject_of(nearest) {
            Some(other) if other.verb == own.verb || (other.is_great && own.is_great) => Some(other.name),
            Some(_) => None,
            None => by().filter(|_| own.is_great),
        };
        let is_other = another.is_some_and(|name| !alike(&self.sentence, name));
        (is_other && !alike(text, own.name)).then(|| own.name.to_lowercase())
    }

    /// A name for which another stands there.
    fn called_otherwise(&self, text: &str, nearest: &str) -> Option<String> {
        let (own, there) = (self.sentence.to_lowercase(), text.to_lowercase());
        let alike = |text: &str, name: &str| {
            let begins = name.get(..name.floor_char_boundary(STEM)).unwrap_or(name);
            text.split(|sign: char| !sign.is_alphanumeric()).any(|word| word.starts_with(begins))
        };
        let missing = self.called.iter().find(|name| !alike(&there, name))?;
        let another = called(nearest).into_iter().any(|name| !alike(&own, &name.to_lowercase()));
        another.then(|| missing.clone())
    }

    /// An amount of which the text has only another, or the same number of something else.
    fn amount_not_in(&self, text: &str) -> Option<String> {
        if self.amounts.is_empty() {
            return None;
        }
        let told: Vec<String> = figures_among(&counted(&exact(text))).into_iter().map(|figure| figure.text).collect();
        let bare = |figure: &str| figure.split(' ').next().unwrap_or_default().to_owned();
        let is_there = |figure: &String| {
            let has = |one: &String| is_same(one, figure) || *one == bare(figure) || bare(one) == *figure;
            told.iter().any(has)
        };
        self.amounts.iter().find(|figure| !is_there(figure)).cloned()
    }

    fn figure_not_in(&self, text: &str) -> Option<String> {
        if self.figures.is_empty() {
            return None;
        }
        let wanted = std::iter::once(&*self.sentence);
        let read = Sources::of(&[Backing::said(text)], wanted, &|_, _| Support::Stands);
        self.figures.iter().find(|figure| !read.has(figure)).cloned()
    }

    /// A name may stand there as one word, or as several; not as a part of another name of the sentence.
    fn name_not_in(&self, text: &str) -> Option<String> {
        if self.names.is_empty() {
            return None;
        }
        let mut rest = exact(text).to_lowercase();
        for name in &self.names {
            let joined = name.join("-");
            let all: BTreeSet<String> = words(&rest).iter().map(|word| stem(&word.text)).collect();
            let squeezed: String = rest.chars().filter(|sign| sign.is_alphanumeric()).collect();
            if !squeezed.contains(&name.concat()) && !name.iter().all(|word| all.contains(&stem(word))) {
                return Some(joined);
            }
            rest = rest.replace(&joined, " ");
        }
        None
    }
}

/// The words of a text that name somebody or some place: they have a capital and begin nothing, or own something.
fn called(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut begins = true;
    let mut rest = text;
    while let Some(from) = rest.find(char::is_alphanumeric) {
        begins |= rest.get(..from).is_some_and(|between| between.contains(['.', '!', '?', ':', '\n', '"', '\u{201c}']));
        rest = rest.get(from..).unwrap_or_default();
        let end = rest.find(|sign: char| !(sign.is_alphanumeric() || sign == '_')).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let owns = after.starts_with("'s ") || after.starts_with("\u{2019}s ");
        let plain = word.chars().skip(1).all(char::is_lowercase) && word.chars().count() > 1;
        let lower = word.to_lowercase();
        let silent = is_silent(&lower) || lower == "let";
        if plain && word.starts_with(char::is_uppercase) && (!begins || owns) && !silent {
            found.push(word);
        }
        (begins, rest) = (false, after);
    }
    found
}

/// The first word of a text, where it has a capital.
fn begins_called(text: &str) -> Option<&str> {
    let word = text.split(|sign: char| !sign.is_alphanumeric()).next()?;
    Some(word).filter(|word| word.starts_with(char::is_uppercase))
}

/// Whether a text has a word that is no figure and no part of a name or path, or sets a name to something.
pub(super) fn speaks(text: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric());
        let letters = word.chars().all(|sign| sign.is_alphabetic() || matches!(sign, '\'' | '\u{2019}'));
        !word.is_ascii() || (word.len() > 1 && letters)
    };
    let mut tokens = text.split_whitespace();
    let first = tokens.next().unwrap_or_default();
    let Some(second) = tokens.next() else {
        // A script without blanks says all in one word, and a setting has its value behind a mark.
        let value = |mark| first.split_once(mark).is_some_and(|(name, value)| !name.is_empty() && !value.is_empty());
        return !first.is_ascii() || value('=') || value(':');
    };
    [first, second].into_iter().chain(tokens).any(is_word)
}

/// The names of a sentence that are words joined by hyphens: of three or more, or of two that stand where a thing does
/// and not before one, as "a long-running job", nor say how one is.
fn names_of(words: &[Word]) -> Vec<Vec<String>> {
    let (mut found, mut from) = (Vec::new(), 0);
    while from < words.len() {
        let rest = words.get(from..).unwrap_or_default();
        let to = (from + 1 + rest.iter().take_while(|word| word.after == "-").count()).min(words.len());
        let parts = words.get(from..to).unwrap_or_default();
        let says = |word: &Word| word.text.chars().all(char::is_alphabetic) && !is_silent(&word.text);
        let before = from.checked_sub(1).and_then(|at| words.get(at));
        let is_thing = || {
            let ends = parts.last().is_some_and(|word| ends_clause(word.after) || !word.after.contains(' '));
            let next = words.get(to).is_none_or(|word| is_silent(&word.text) || BEING.contains(&&*word.text));
            (ends || next) && before.is_none_or(|word| !BEING.contains(&&*word.text))
        };
        if parts.len() > 1 && parts.iter().all(says) && (parts.len() > 2 || is_thing()) {
            let name: Vec<String> = parts.iter().map(|word| word.text.to_lowercase()).collect();
            if !found.contains(&name) {
                found.push(name);
            }
        }
        from = to;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lack(sentence: &str, text: &str) -> Option<Lack> {
        Needs::of(sentence).lack(text, text)
    }

    fn name(name: &str) -> Option<Lack> {
        Some(Lack::Name(name.to_owned()))
    }

    #[test]
    fn a_text_says_a_sentence_with_its_figures_and_names() {
        let fact = "the mail-relay service has to be moved to port 2525";
        for text in [
            "Please note: the mail-relay service goes to port 2525 before Friday.",
            "MailRelay listens on 2525 from now on",
            "mail_relay: the port becomes 2525",
        ] {
            assert_eq!(lack(fact, text), None, "{text}");
        }
        assert_eq!(lack(fact, "The mail-relay service has to be moved to port 9090."), name("2525"));
        assert_eq!(lack(fact, "mail-relay"), Some(Lack::Words));
        assert_eq!(lack(fact, "- mail-relay\n- src/mail-relay/2525.rs"), Some(Lack::Words));
        assert_eq!(lack(fact, "The mail-relay service does not have to be moved to port 2525."), Some(Lack::Denied));
        assert_eq!(lack("move mail-relay to the new host", "Move web-relay to the new host."), name("mail-relay"));
        assert_eq!(lack("the timeout is 30 seconds", "It gives up after 30000 ms"), None);
        assert_eq!(lack("refunds take 14 days", "Money is back within 2 weeks."), None);
    }

    #[test]
    fn what_has_another_figure_or_turns_it_round_does_not_say_it() {
        let mut missed = Vec::new();
        for (fact, text) in [
            ("the backup starts at 10:30", "The backup starts at 11:30."),
            ("the backup starts at 10:30 pm", "The backup starts at 10:30 am."),
            ("standup is at 9:15", "Standup is at 9:45 now."),
            ("the build runs for two hours", "The build runs for three hours."),
            ("the cache expires after 5 minutes", "The cache expires after 5 seconds."),
            ("the cache expires after five minutes", "The cache expires after 5 seconds."),
            ("uploads may have 20 MB", "Uploads may have 20 GB."),
            ("keep three replicas", "Keep two replicas."),
            ("the price is 15 euros", "The price is 15 dollars."),
            ("refunds take 14 days", "Refunds take 14 weeks."),
            ("errors fell by 12 percent", "Errors fell by 21 percent."),
            ("the release is on 3 May", "The release is on 5 May."),
            ("the meeting is on Tuesday", "The meeting is on Thursday."),
            ("do not restart the payment server", "Restart the payment server."),
            ("restart the payment server", "Do not restart the payment server."),
            ("don't push to the main branch", "Push to the main branch."),
            ("never delete the audit log", "Delete the audit log."),
            ("commit the generated files", "Never commit the generated files."),
            ("avoid using global state", "Use global state."),
            ("the audit log is enabled", "The audit log is disabled."),
            ("enable the audit log", "Disable the audit log."),
            ("turn the fan on", "Turn the fan off."),
            ("compression is on by default", "Compression is off by default."),
            ("allow guests to upload files", "Deny guests to upload files."),
            ("guests are allowed to upload files", "Guests are not allowed to upload files."),
            ("include the test data in the archive", "Exclude the test data from the archive."),
            ("run the migration before the deploy", "Run the migration after the deploy."),
            ("run the migration before the deploy", "Run the deploy before the migration."),
            ("increase the timeout of the worker", "Decrease the timeout of the worker."),
            ("the flag strict is true", "The flag strict is false."),
            ("strict is set to true", "strict is set to false"),
            ("use at least 3 workers", "Use at most 3 workers."),
            ("use no more than 3 workers", "Use no fewer than 3 workers."),
            ("the first retry is logged", "The last retry is logged."),
            ("move the keys from the vault to the box", "Move the keys from the box to the vault."),
            ("lint before the tests run", "Run the tests before lint."),
            ("always ask before you deploy", "Never ask before you deploy."),
            ("show the banner to everyone", "Hide the banner from everyone."),
            ("the endpoint is public", "The endpoint is private."),
            ("the job succeeded", "The job failed."),
            ("the port is open", "The port is closed."),
            ("Alice's box holds the spare key", "Bob's box holds the spare key."),
            ("the spare key is in Alice's box", "The spare key is in Bob's box."),
            ("ask Alice for the key of the lab", "Ask Bob for the key of the lab."),
            ("the primary database is in Paris", "The primary database is in Berlin."),
            ("lock the table while writing", "Unlock the table while writing."),
            ("the minimum is one character", "The maximum is one character."),
            ("latency is higher on the old cluster", "Latency is lower on the old cluster."),
        ] {
            if lack(fact, text).is_none() {
                missed.push(format!("{fact} / {text}"));
            }
        }
        for (fact, text) in [
            ("the build runs for two hours", "The build runs for 2 hours."),
            ("the cache expires after 5 minutes", "The cache expires after 300 seconds."),
            ("refunds are paid in fourteen days", "Customers get their money back within two weeks."),
            ("the backup starts at 10:30 pm", "The backup starts at 22:30."),
            ("do not restart the payment server", "Don't restart the payment server!"),
            ("do not restart the payment server", "The payment server must never be restarted."),
            ("run the migration before the deploy", "Deploy after the migration has run."),
            ("Alice's box holds the spare key", "The spare key is in the box of Alice."),
            ("the audit log is enabled", "We enabled the audit log."),
            ("the primary database is in Paris", "Our primary database stands in Paris, France."),
            ("use at least 3 workers", "Use 3 workers at least."),
            ("the meeting is on Tuesday", "We meet on Tuesday."),
            ("commit the generated files", "Generated files are committed, too."),
            ("ask Alice for the key of the lab", "Alice has the key of the lab."),
        ] {
            missed.extend(lack(fact, text).map(|lack| format!("{fact} = {text}: {lack:?}")));
        }
        assert!(missed.is_empty(), "{missed:#?}");
    }

    #[test]
    fn a_name_that_begins_a_sentence_is_one_and_what_goes_one_way_does_not_go_the_other() {
        let mut wrong = Vec::new();
        for (fact, text) in [
            ("Nairobi runs the second cluster", "Lagos runs the second cluster."),
            ("Tom signs the contracts of the vendor", "Ann signs the contracts of the vendor."),
            ("nginx terminates the TLS traffic", "HAProxy terminates the TLS traffic."),
            ("Vienna is the site of the backup", "Prague is the site of the backup."),
            ("El Paso hosts the archive", "San Jose hosts the archive."),
            ("translate the docs from English into German", "Translate the docs from German into English."),
            ("forward mails from sales to support", "Forward mails from support to sales."),
            ("write the events into the log from the queue", "Write the events into the queue from the log."),
            ("compile TypeScript into JavaScript", "Compile JavaScript into TypeScript."),
            ("Paris hosts the meeting", "Berlin hosts the meeting."),
            ("paris hosts the meeting", "Berlin hosts the meeting."),
            ("Berlin hosts the meeting of the board", "Paris hosts the meeting of the board."),
            ("Alice owns the release", "Bob owns the release."),
            ("Alice approved the budget of the team", "Bob approved the budget of the team."),
            ("New York hosts the meeting", "San Francisco hosts the meeting."),
            ("Postgres stores the sessions", "Redis stores the sessions."),
            ("Kafka is the broker of the events", "RabbitMQ is the broker of the events."),
            ("Paris hosts the meeting", "The meeting is hosted by Berlin."),
            ("Alice will present the demo on Friday", "Bob will present the demo on Friday."),
            ("Lisbon has the spare servers", "Madrid has the spare servers."),
            ("Marta keeps the spare key", "Jonas keeps the spare key."),
            ("convert images into PDFs", "Convert PDFs into images."),
            ("convert A into B", "Convert B into A."),
            ("convert A into B", "Convert B to A."),
            ("turn the CSV into JSON", "Turn the JSON into CSV."),
            ("copy the keys from the vault into the box", "Copy the keys from the box into the vault."),
            ("send events from the worker to the broker", "Send events from the broker to the worker."),
            ("migrate the data from MySQL to Postgres", "Migrate the data from Postgres to MySQL."),
            ("import the users into Keycloak from LDAP", "Import the users into LDAP from Keycloak."),
            ("the exporter pushes metrics into the collector", "The collector pushes metrics into the exporter."),
            ("move the tests to the old folder from the new one", "Move the tests from the old folder to the new one."),
            ("merge the feature branch into main", "Merge main into the feature branch."),
        ] {
            if lack(fact, text).is_none() {
                wrong.push(format!("{fact} / {text}"));
            }
        }
        for (fact, text) in [
            ("Nairobi runs the second cluster", "The second cluster runs in Nairobi."),
            ("Tom signs the contracts of the vendor", "The vendor's contracts are signed by Tom."),
            ("Invoices are sent by mail", "Bills are sent by mail."),
            ("Merge requests need two reviews", "Pull requests need two reviews."),
            ("Rotate keys every month", "Change keys every month."),
            ("The board meets in Oslo", "Board meetings happen in Oslo."),
            ("Friday is the day of the release", "The release is on Friday."),
            ("translate the docs from English into German", "Translate the English docs into German."),
            ("compile TypeScript into JavaScript", "TypeScript is compiled to JavaScript."),
            ("forward mails from sales to support", "Mails of sales go to support."),
            ("Paris hosts the meeting", "The meeting takes place in Paris."),
            ("Paris hosts the meeting", "It is Paris that hosts the meeting."),
            ("Alice owns the release", "The release is owned by Alice."),
            ("Customers get their money back within two weeks", "Clients get their money back within two weeks."),
            ("Staff must wear badges in the lab", "Employees must wear badges in the lab."),
            ("Deploy services on Friday", "Ship services on Friday."),
            ("Restart the payment server at night", "Reboot the payment server at night."),
            ("Authentication uses tokens", "Tokens are used for authentication."),
            ("Tests run before each commit", "Checks run before each commit."),
            ("Backups are kept for 30 days", "Copies are kept for 30 days."),
            ("Always ask before you deploy", "Please ask before you deploy."),
            ("Users sign in with a token", "People sign in with a token."),
            ("Everyone signs in with a token", "Everybody signs in with a token."),
            ("Deployment happens on Friday", "Releasing happens on Friday."),
            ("Logging is on by default", "Tracing of logs is on by default."),
            ("merge the feature branch into main", "The feature branch is merged into main."),
            ("convert A into B", "Make B out of A."),
            ("convert images into PDFs", "Turn the images into PDFs."),
            ("convert A into B", "A is converted to B."),
            ("migrate the data from MySQL to Postgres", "The data goes to Postgres from MySQL."),
            ("send events from the worker to the broker", "The worker sends its events to the broker."),
            ("copy the keys from the vault into the box", "Copy the keys into the box from the vault."),
        ] {
            wrong.extend(lack(fact, text).map(|lack| format!("{fact} = {text}: {lack:?}")));
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }

    #[test]
    fn a_name_within_another_is_not_that_name() {
        let fact = "side-panel-widget is to be called panel-widget";
        assert_eq!(lack(fact, "Added the new side-panel-widget to the docs."), name("panel-widget"));
        assert_eq!(lack(fact, "Rename side-panel-widget to panel-widget."), None);
    }

    #[test]
    fn what_says_how_something_is_may_be_said_in_other_words() {
        for (fact, text) in [
            ("the interface is read-only for guests", "Guests must change nothing through the interface."),
            ("a long-running export may block the page", "The page hangs while an export takes hours."),
            ("keep the docs up-to-date", "Change the docs with each release."),
        ] {
            assert_eq!(lack(fact, text), None, "{fact}");
        }
    }

    #[test]
    fn one_word_says_something_where_it_sets_a_value_or_needs_no_blanks() {
        assert_eq!(lack("the port is 2525", "port=2525"), None);
        assert_eq!(lack("\u{6e2f}\u{53e3}\u{662f} 2525", "\u{6e2f}\u{53e3}\u{662f}2525\u{3002}"), None);
        assert_eq!(lack("mail-relay", "mail-relay"), None, "a name alone asks for no more");
        assert_eq!(lack("", ""), None);
    }
}
