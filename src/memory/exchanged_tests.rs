//! Sentences in which two things have changed places, or how often something is, and denials that are left unsaid.

use super::measure::*;

fn support(source: &str, told: &str) -> Support {
    align(told, &[source]).last().unwrap().support
}

#[test]
fn what_changes_places_is_not_said() {
    for (source, told) in [
        ("We replaced MySQL with Postgres.", "We replaced Postgres with MySQL."),
        ("We replaced Jenkins with Buildkite on host ci-4.", "We replaced Buildkite with Jenkins on host ci-4."),
        ("We swapped Redis for Memcached.", "We swapped Memcached for Redis."),
        ("Anna reviews what Bob writes.", "Bob reviews what Anna writes."),
        ("Mallory signs what Trent drafts.", "Trent signs what Mallory drafts."),
        ("The import is twice as fast as the export.", "The export is twice as fast as the import."),
        ("We fixed the crash by adding a bounds check.", "A bounds check was removed."),
    ] {
        assert_ne!(support(source, told), Support::Stands, "{source} / {told}");
    }
    for (source, told) in [
        ("We replaced MySQL with Postgres.", "MySQL was replaced with Postgres."),
        ("Compare the lexer with the parser.", "Compare the parser with the lexer."),
        ("Anna reviews what Bob writes.", "What Bob writes is reviewed by Anna."),
        ("The lexer is as fast as the parser.", "The parser is as fast as the lexer."),
        ("We fixed the crash by adding a bounds check.", "A bounds check was added."),
        ("Zoë Quill leads project Heron since 2019 and Marc Lind tests it.", "Zoë Quill leads project Heron."),
    ] {
        assert_eq!(support(source, told), Support::Stands, "{source} / {told}");
    }
}

#[test]
fn how_often_something_is_does_not_change() {
    for (source, told) in [
        ("The budget is 120,000 euros for the whole year.", "The monthly budget is 120,000 euros."),
        ("The limit is 900 calls for the entire year.", "The daily limit is 900 calls."),
        ("La sauvegarde tourne chaque lundi.", "La sauvegarde tourne chaque vendredi."),
        ("La sauvegarde tourne chaque nuit.", "La sauvegarde tourne chaque semaine."),
        ("La copia se hace cada noche en el servidor.", "La copia se hace cada semana en el servidor."),
        ("Die Sicherung läuft jede Nacht auf dem Server.", "Die Sicherung läuft jede Woche auf dem Server."),
    ] {
        assert_ne!(support(source, told), Support::Stands, "{source} / {told}");
    }
    for (source, told) in [
        ("The budget is 120,000 euros for the whole year.", "The yearly budget is 120,000 euros."),
        ("Backups run every week.", "Backups run weekly."),
        ("Backups run every night.", "Backups run nightly."),
    ] {
        assert_eq!(support(source, told), Support::Stands, "{source} / {told}");
    }
}

#[test]
fn what_is_excluded_from_a_permission_is_denied() {
    let source = "The cache may be deleted after the migration, but not before.";
    for (source, told) in [
        (source, "The cache must not be deleted before the migration."),
        (source, "The cache may be deleted after the migration."),
        ("Interns may read the logs, but not the keys.", "Interns must not read the keys."),
        ("Guests are allowed to view the board, but not to edit it.", "Guests are not allowed to edit the board."),
        ("Contractors may deploy to staging, but not to production.", "Contractors must not deploy to production."),
    ] {
        assert_eq!(support(source, told), Support::Stands, "{source} / {told}");
    }
    for (source, told) in [
        (source, "The cache may be deleted before the migration."),
        ("Interns may read the logs, but not the keys.", "Interns may read the keys."),
        ("Interns may read the logs, but not the keys.", "Interns may not read the logs."),
    ] {
        assert_eq!(support(source, told), Support::None, "{source} / {told}");
    }
}

#[test]
fn what_a_fact_does_not_support_keeps_nothing_of_it() {
    let fact = "The migration was rolled back on 3 May.";
    assert_eq!(Summary::of("The migration was completed on 3 May.").keeps(fact), Kept::Lost);
    let more = "The migration of the billing database was rolled back on 3 May by Ops after an incident.";
    assert_eq!(Summary::of(more).keeps(fact), Kept::Paraphrase);
}
