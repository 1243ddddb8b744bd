//! Tests of what a text must have to say a sentence.

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
        ("the discount goes up by 20 percent", "The discount decreases by 20 percent."),
        ("without the proxy uploads fail", "The upload works without the proxy."),
        ("backups are kept 14 days or more", "Backups are kept for at most 14 days."),
        ("the north wall measures 12 metres", "The north wall is 12 feet long."),
        ("Alice approves the releases", "Bob approves releases and Alice reviews code."),
        ("the backup starts at 10:30 pm", "The backup starts at 10:30 am."),
        ("standup is at 9:15", "Standup is at 9:45 now."),
        ("the build runs for two hours", "The build runs for three hours."),
        ("the cache expires after 5 minutes", "The cache expires after 5 seconds."),
        ("the cache expires after five minutes", "The cache expires after 5 seconds."),
        ("uploads may have 20 MB", "Uploads may have 20 GB."),
        ("keep three replicas", "Keep two replicas."),
        ("keep three replicas", "Keep 2 replicas."),
        ("keep 3 replicas", "Keep two replicas."),
        ("the retry limit is seven", "The retry limit is 5."),
        ("the retry limit is seven", "The retry limit is five."),
        ("the retry limit is 7", "The retry limit is five."),
        ("the limit is seven", "The limit is 5."),
        ("the limit is seven", "The limit is five."),
        ("the limit is twenty-five", "The limit is 52."),
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
        ("the retry limit is seven", "The retry limit is 7, it was 5 before."),
        ("the retry limit is 7", "The retry limit is seven."),
        ("the limit is twenty-five", "The limit is 25."),
        ("two reviewers must approve a merge", "Both reviewers must approve a merge."),
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

#[test]
fn the_same_and_the_opposite_are_told_apart_in_other_words() {
    for (fact, text) in [
        ("the printer lacks toner", "The printer on the second floor is out of toner."),
        ("Alice is forbidden to merge", "Alice is not allowed to merge."),
        ("the port is not closed", "The port is open."),
        ("the nightly job does not succeed", "The nightly job fails."),
        ("caching is turned off in production", "The cache must be disabled in production."),
    ] {
        assert_eq!(lack(fact, text), None, "{fact} = {text}");
    }
    for (fact, text) in [
        ("caching is turned on in production", "The cache must be disabled in production."),
        ("the licence is mentioned in the readme", "The licence is missing from the readme."),
        ("keep the old index", "Remove the old index."),
        ("the backup is complete", "The backup is incomplete."),
    ] {
        assert_eq!(lack(fact, text), Some(Lack::Denied), "{fact} / {text}");
    }
    // What both deny they may still tell otherwise.
    assert_eq!(lack("do not deploy before the tests", "Do not deploy after the tests."), Some(Lack::Turned));
    assert_eq!(lack("the second server is slow", "The third server is slow."), Some(Lack::Turned));
}

#[test]
fn what_is_planned_supposed_or_was_so_once_is_told_as_that() {
    assert_eq!(lack("the docs were updated", "The docs should be updated."), Some(Lack::Open));
    assert_eq!(lack("the disk is full", "If the disk is full, delete the logs."), Some(Lack::Open));
    assert_eq!(lack("logs go to Splunk", "Logs formerly went to Splunk."), Some(Lack::Past));
    assert_eq!(lack("the disk is full", "The alert reads: the disk is full."), None);
}

#[test]
fn another_name_stands_in_the_place_of_one() {
    assert_eq!(lack("deploy with Helm", "Deploy with Ansible."), name("helm"));
    assert_eq!(lack("Karl wrote the importer", "Lena wrote the importer."), name("karl"));
    assert_eq!(lack("deploy with Helm", "We deploy with Helm, Ansible is gone."), None);
    assert_eq!(lack("Alice approves the releases", "Alice approves releases and Bob reviews code."), None);
}
