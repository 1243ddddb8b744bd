//! Memories on disk: kept once, by whom, whatever happens meanwhile.

use rusqlite::Connection;

use super::*;

fn memory(text: &str, uses: u32) -> KeptMemory {
    KeptMemory {
        scope: "user".to_owned(),
        owner: "me".to_owned(),
        source_type: "conversation".to_owned(),
        text: text.to_owned(),
        how: "preserved".to_owned(),
        uses,
        promoted: false,
        source: "a.jsonl".to_owned(),
        bytes: Some([3, 9]),
        ..KeptMemory::default()
    }
}

#[test]
fn memories_are_kept_once_from_run_to_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("below/memories.db");
    let mut file = MemoryFile::open(&path).unwrap();
    assert_eq!(file.add(&[memory("The port is 8080.", 1), memory("Tabs.", 0)]).unwrap(), 2);
    drop(file);
    let mut file = MemoryFile::open(&path).unwrap();
    assert_eq!(file.add(&[memory("the  port is 8080.", 4)]).unwrap(), 0);
    let other = KeptMemory { owner: "you".to_owned(), bytes: None, ..memory("Tabs.", 2) };
    assert_eq!(file.add(std::slice::from_ref(&other)).unwrap(), 1);
    assert_eq!(file.all().unwrap().memories, [memory("The port is 8080.", 4), memory("Tabs.", 0), other]);
}

#[test]
fn two_may_write_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    std::thread::scope(|scope| {
        for who in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut file = MemoryFile::open(path).unwrap();
                for number in 0..10 {
                    file.add(&[memory(&format!("{who} says {number}"), 0)]).unwrap();
                }
            });
        }
    });
    assert_eq!(MemoryFile::open(&path).unwrap().all().unwrap().memories.len(), 40);
}

#[test]
fn a_damaged_file_is_put_aside_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    for number in 1..3 {
        std::fs::write(&path, vec![b'x'; 5_000]).unwrap();
        let told = MemoryFile::open(&path).unwrap_err().to_string();
        let kept = folder.path().join(format!("memories.db.damaged-{number}"));
        assert!(told.contains("damaged") && told.contains(&kept.display().to_string()), "{told}");
        assert_eq!(std::fs::read(&kept).unwrap(), vec![b'x'; 5_000]);
    }
    assert!(MemoryFile::open(&path).unwrap().all().unwrap().memories.is_empty());
}

#[test]
fn a_newer_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    drop(MemoryFile::open(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let told = MemoryFile::open(&path).unwrap_err().to_string();
    assert!(told.contains("newer") && path.exists(), "{told}");
}

/// A session that is one part.
fn whole(session: &str) -> Layer<'_> {
    Layer { session, part: "", user: "me", agent: None, at_work: "" }
}

/// What is told of memories: text, uses, and how they are related.
fn told(read: Read) -> Vec<(String, u32, Vec<String>)> {
    let kinds = |memory: &KeptMemory| memory.edges.iter().map(|edge| edge.kind.clone()).collect();
    read.memories.iter().map(|memory| (memory.text.clone(), memory.uses, kinds(memory))).collect()
}

#[test]
fn a_session_that_is_kept_again_replaces_what_it_said_and_does_not_see_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = MemoryFile::open(&folder.path().join("memories.db")).unwrap();
    file.keep(whole("one"), true, &[memory("The port is 80.", 2), memory("Tabs.", 0)]).unwrap();
    assert!(file.before("one").unwrap().memories.is_empty());
    assert_eq!(file.before("two").unwrap().memories.len(), 2);
    // Another session uses one of them, time and again.
    let used = KeptMemory { known: true, ..memory("The port is 80.", 3) };
    for _ in 0..2 {
        file.keep(whole("two"), true, &[used.clone(), memory("Noon.", 1)]).unwrap();
    }
    let of = |file: &MemoryFile| {
        told(file.all().unwrap()).into_iter().map(|(text, uses, _)| (text, uses)).collect::<Vec<_>>()
    };
    let said = |rows: &[(&str, u32)]| rows.iter().map(|(text, uses)| ((*text).to_owned(), *uses)).collect::<Vec<_>>();
    assert_eq!(of(&file), said(&[("The port is 80.", 5), ("Tabs.", 0), ("Noon.", 1)]));
    assert_eq!(told(file.before("two").unwrap())[0].1, 2, "its own uses are not told to it");
    file.keep(whole("one"), true, &[memory("The port is 80.", 1)]).unwrap();
    assert_eq!(of(&file), said(&[("The port is 80.", 4), ("Noon.", 1)]));
    file.add(&[memory("Noon.", 0)]).unwrap();
    file.keep(whole("two"), true, &[]).unwrap();
    assert_eq!(of(&file), said(&[("The port is 80.", 1), ("Noon.", 0)]), "somebody else wrote it too");
}

#[test]
fn parts_of_a_session_and_earlier_steps_delete_nothing_of_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = MemoryFile::open(&folder.path().join("memories.db")).unwrap();
    let part = |part| Layer { session: "one", part, user: "me", agent: None, at_work: "" };
    let texts = |read: Read| read.memories.into_iter().map(|memory| memory.text).collect::<Vec<_>>();
    file.keep(part("main"), true, &[memory("A.", 0), memory("B.", 0)]).unwrap();
    let done = file.keep(part("helper"), true, &[memory("C.", 0)]).unwrap();
    assert_eq!(
        (done, texts(file.all().unwrap())),
        (Done { new: 1, gone: 0 }, ["A.", "B.", "C."].map(String::from).into())
    );
    assert!(file.before("one").unwrap().memories.is_empty(), "all of a session is its own future");
    assert_eq!(file.before("on").unwrap().memories.len(), 3);
    // Read to an earlier step, it adds.
    let early = file.keep(part("main"), false, &[memory("A.", 0), memory("D.", 0)]).unwrap();
    assert_eq!((early, file.all().unwrap().memories.len()), (Done { new: 1, gone: 0 }, 4));
    let again = file.keep(part("main"), true, &[memory("A.", 0)]).unwrap();
    assert_eq!((again, texts(file.all().unwrap())), (Done { new: 0, gone: 2 }, ["A.", "C."].map(String::from).into()));
}

#[test]
fn what_two_sessions_said_stays_while_one_of_them_says_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = MemoryFile::open(&folder.path().join("memories.db")).unwrap();
    for session in ["one", "two"] {
        file.keep(whole(session), true, &[memory("A.", 0)]).unwrap();
    }
    file.keep(whole("one"), true, &[]).unwrap();
    assert_eq!(told(file.all().unwrap()).len(), 1);
}

#[test]
fn what_was_merged_is_told_by_its_heir_alone_until_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = MemoryFile::open(&folder.path().join("memories.db")).unwrap();
    file.keep(whole("one"), true, &[memory("A.", 2)]).unwrap();
    let heir = KeptMemory {
        how: "merged".to_owned(),
        around: Some("Before: x".to_owned()),
        rewritten: true,
        edges: vec![KeptEdge { to: memory("C.", 0).id(), kind: "contradicts".to_owned(), score: 0.5 }],
        ..memory("A. B.", 6)
    };
    let into = Some(heir.id());
    let merged = [
        KeptMemory { known: true, heir: into.clone(), ..memory("A.", 0) },
        KeptMemory { heir: into, ..memory("B.", 4) },
        heir.clone(),
        memory("C.", 0),
    ];
    for _ in 0..2 {
        file.keep(whole("two"), true, &merged).unwrap();
    }
    let row = |text: &str, uses, kinds: &[&str]| {
        (text.to_owned(), uses, kinds.iter().map(|kind| (*kind).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(told(file.all().unwrap()), [row("A. B.", 6, &["contradicts"]), row("C.", 0, &[])]);
    let first = &file.all().unwrap().memories[0];
    assert_eq!((&first.around, first.rewritten), (&heir.around, true));
    // Each session sees what the other said, and nothing that holds its own words.
    assert_eq!(told(file.before("two").unwrap()), [row("A.", 2, &[])]);
    assert_eq!(told(file.before("one").unwrap()), [row("B.", 4, &[]), row("C.", 0, &[])]);
    file.keep(whole("two"), true, &[]).unwrap();
    assert_eq!(told(file.all().unwrap()), [row("A.", 2, &[])]);
}

#[test]
fn a_file_of_the_first_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let first = Connection::open(&path).unwrap();
    first.execute_batch(super::open::VERSIONS[0]).unwrap();
    first.pragma_update(None, "user_version", 1).unwrap();
    let insert = "INSERT INTO memories (scope, owner, key, source_type, text, how, uses, promoted, source)
                  VALUES (?1, ?2, CAST(?3 AS BLOB), 'note', ?3, 'written', 7, 1, '')";
    first.execute(insert, ["user", "me", "Tabs."]).unwrap();
    first.execute(insert, ["session", "s1", "Noon."]).unwrap();
    drop(first);
    let file = MemoryFile::open(&path).unwrap();
    let read = file.all().unwrap().memories;
    assert_eq!(
        read.iter().map(|one| (&*one.text, one.uses, one.promoted)).collect::<Vec<_>>(),
        [("Tabs.", 7, true), ("Noon.", 7, true)]
    );
    assert_eq!(read[1].owner, "me/s1", "a session is one of its user");
    assert_eq!(told(file.before("s1").unwrap()).len(), 1);
}

#[test]
fn names_with_slashes_are_brought_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let old = Connection::open(&path).unwrap();
    super::open::VERSIONS[..3].iter().for_each(|step| old.execute_batch(step).unwrap());
    old.pragma_update(None, "user_version", 3).unwrap();
    let insert = "INSERT INTO memories (scope, owner, key, source_type, text, how, source)
                  VALUES (?1, ?2, CAST(?3 AS BLOB), 'note', ?3, 'written', '')";
    let rows = [
        ("session", "a/b/c", "Told by its session.", "c#main"),
        ("session", "a/b/d", "Of whom?", "x"),
        ("session", "me/b/d", "Mine.", "x"),
        ("session", "50%/d", "Half.", "d"),
        ("user", "ops", "Of a user.", "x"),
        ("agent", "a/1", "Of an agent.", "x#main"),
    ];
    for (scope, owner, text, session) in rows {
        old.execute(insert, [scope, owner, text]).unwrap();
        let said = "INSERT INTO said VALUES (?1, ?2, 1, 0, 0)";
        old.execute(said, (old.last_insert_rowid(), session)).unwrap();
    }
    drop(old);
    let mut file = MemoryFile::open(&path).unwrap();
    let owners = |file: &MemoryFile| file.all().unwrap().memories.into_iter().map(|one| one.owner).collect::<Vec<_>>();
    assert_eq!(owners(&file), ["a%2Fb/c", "%?/a/b/d", "me/b/d", "50%25/d", "ops", "a/1"]);
    assert_eq!(owners(&file)[0], session_of("a/b", "c"));
    assert_ne!(session_of("a/b", "c"), session_of("a", "b/c"));
    // Kept again, what was kept before is replaced: only what is that user's, and that agent's.
    let layer = |user, agent| Layer { session: "x", part: "main", user, agent, at_work: "" };
    assert_eq!(file.keep(layer("me", Some("a/1")), true, &[]).unwrap().gone, 1);
    assert_eq!(file.keep(Layer { part: "", ..layer("ops", None) }, true, &[]).unwrap().gone, 1);
    assert_eq!(owners(&file), ["a%2Fb/c", "%?/a/b/d", "me/b/d", "50%25/d"]);
}

#[test]
fn what_one_user_keeps_deletes_nothing_of_anothers() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = MemoryFile::open(&folder.path().join("memories.db")).unwrap();
    let of = |owner: &str| KeptMemory { owner: owner.to_owned(), ..memory("A.", 0) };
    for user in ["billing", "ops"] {
        let done = file.keep(Layer { user, ..whole("one") }, true, &[of(user)]).unwrap();
        assert_eq!(done, Done { new: 1, gone: 0 });
    }
    let agents = KeptMemory { scope: "agent".to_owned(), ..of("deployer") };
    // Under another scope, it takes the place of what that user had kept of it.
    let users = Layer { user: "ops", at_work: "deployer", ..whole("one") };
    let layer = Layer { agent: Some("deployer"), ..users };
    assert_eq!(file.keep(layer, true, &[agents]).unwrap(), Done { new: 1, gone: 1 });
    let owners = |file: &MemoryFile| file.all().unwrap().memories.into_iter().map(|one| one.owner).collect::<Vec<_>>();
    assert_eq!(owners(&file), ["billing", "deployer"]);
    assert_eq!(file.keep(users, true, &[of("ops")]).unwrap(), Done { new: 1, gone: 1 });
    assert_eq!(owners(&file), ["billing", "ops"]);
    assert!(file.before("one").unwrap().memories.is_empty(), "it is its own future, whoever kept it");
}

#[test]
fn a_row_out_of_its_range_or_without_an_end_is_told_of_and_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = MemoryFile::open(&folder.path().join("memories.db")).unwrap();
    let edges = vec![KeptEdge { to: memory("B.", 0).id(), kind: "bridges".to_owned(), score: 0.5 }];
    file.add(&[KeptMemory { edges, ..memory("A.", 2) }, memory("B.", 1), memory("C.", 0), memory("D.", 0)]).unwrap();
    let damage = "UPDATE said SET uses = -3 WHERE memory = 1; UPDATE edges SET score = 1e300;
                  UPDATE memories SET heir = 4 WHERE id = 3; UPDATE memories SET heir = 3 WHERE id = 4";
    file.connection.execute_batch(damage).unwrap();
    let read = file.all().unwrap();
    assert_eq!(read.damaged, ["the uses of memory 1", "the heir of memory 3", "what relates memories 1 and 2"]);
    let of = |text: &str, uses| (text.to_owned(), uses, Vec::<String>::new());
    assert_eq!(told(read), [of("A.", 0), of("B.", 1), of("C.", 0)]);
}

#[test]
fn rows_of_a_memory_that_is_gone_go() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let edges = vec![KeptEdge { to: memory("B.", 0).id(), kind: "bridges".to_owned(), score: 0.5 }];
    let said = [KeptMemory { edges, ..memory("A.", 2) }, memory("B.", 1), memory("C.", 0)];
    let mut file = MemoryFile::open(&path).unwrap();
    file.keep(whole("one"), true, &said).unwrap();
    assert_eq!(*file.repaired(), Repaired::default());
    // As a program leaves it that deletes without looking at what refers to a row.
    let damage = "PRAGMA foreign_keys = off; UPDATE memories SET heir = 2, merged_by = 'x' WHERE id = 3;
                  DELETE FROM memories WHERE id = 2; PRAGMA foreign_keys = on";
    file.connection.execute_batch(damage).unwrap();
    drop(file);
    let mut file = MemoryFile::open(&path).unwrap();
    assert_eq!(
        (file.repaired().removed, file.repaired().unsaid),
        (3, 0),
        "what was said of it, what related it, and what it stood for"
    );
    let read = file.all().unwrap();
    assert!(read.damaged.is_empty() && read.memories.iter().all(|one| one.edges.is_empty()), "{read:?}");
    assert_eq!(read.memories.iter().map(|one| &*one.text).collect::<Vec<_>>(), ["A.", "C."]);
    assert_eq!(file.keep(whole("one"), true, &[memory("A.", 0)]).unwrap(), Done { new: 0, gone: 1 });
    drop(file);
    assert_eq!(*MemoryFile::open(&path).unwrap().repaired(), Repaired::default());
}

#[test]
fn a_memory_of_which_no_row_tells_who_said_it_is_never_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let mut file = MemoryFile::open(&path).unwrap();
    file.add(&[memory("By hand.", 0), memory("Also.", 0)]).unwrap();
    file.keep(whole("one"), true, &[memory("A.", 0)]).unwrap();
    // The row that tells who said it leads nowhere; another is gone.
    let damage = "PRAGMA foreign_keys = off; UPDATE said SET memory = 99 WHERE memory = 1;
                  DELETE FROM said WHERE memory = 2";
    file.connection.execute_batch(damage).unwrap();
    drop(file);
    let mut file = MemoryFile::open(&path).unwrap();
    let repaired = file.repaired().clone();
    assert_eq!((repaired.removed, repaired.unsaid), (1, 2));
    let copy = repaired.copy.unwrap();
    let was = |asked: &str| Connection::open(&copy).unwrap().query_row(asked, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(was("SELECT count(*) FROM said WHERE memory = 99"), 1, "the copy is the file as it was");
    assert_eq!(file.keep(whole("one"), true, &[memory("A.", 0)]).unwrap(), Done { new: 0, gone: 0 });
    let texts: Vec<String> = file.all().unwrap().memories.into_iter().map(|one| one.text).collect();
    assert_eq!(texts, ["By hand.", "Also.", "A."]);
    drop(file);
    assert_eq!(*MemoryFile::open(&path).unwrap().repaired(), Repaired::default());
}

#[test]
fn a_file_of_an_earlier_version_is_repaired_before_it_is_brought_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let old = Connection::open(&path).unwrap();
    super::open::VERSIONS[..3].iter().for_each(|step| old.execute_batch(step).unwrap());
    let rows = "PRAGMA user_version = 3; PRAGMA foreign_keys = off; INSERT INTO said VALUES (7, 's', 1, 0, 0);
                INSERT INTO edges VALUES (7, 8, 'bridges', 0.5, 's')";
    old.execute_batch(rows).unwrap();
    drop(old);
    let mut file = MemoryFile::open(&path).unwrap();
    assert_eq!(file.repaired().removed, 2);
    assert_eq!(file.keep(whole("s"), true, &[memory("A.", 0)]).unwrap(), Done { new: 1, gone: 0 });
}

#[test]
fn a_damaged_row_is_left_out_and_a_strange_file_is_put_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let mut file = MemoryFile::open(&path).unwrap();
    file.add(&[memory("Tabs.", 0), memory("Noon.", 0)]).unwrap();
    let damage = "UPDATE memories SET text = CAST(x'ff41' AS TEXT) WHERE text = 'Noon.'";
    file.connection.execute(damage, []).unwrap();
    let read = file.all().unwrap();
    assert_eq!((told(read.clone()).len(), read.damaged), (1, vec!["memory 2".to_owned()]));
    assert_eq!(file.add(&[memory("More.", 0)]).unwrap(), 1);
    file.connection.execute_batch("ALTER TABLE memories RENAME COLUMN text TO words").unwrap();
    drop(file);
    let told = MemoryFile::open(&path).unwrap_err().to_string();
    assert!(told.contains("not laid out as its version says") && told.contains(".damaged-1"), "{told}");
    assert!(MemoryFile::open(&path).unwrap().all().unwrap().memories.is_empty());
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    assert!(MemoryFile::open_to_read(&path).unwrap().is_none() && !path.exists());
    MemoryFile::open(&path).unwrap().add(&[memory("Tabs.", 0)]).unwrap();
    let allow = |file, folder_mode| {
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(file)).unwrap();
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(folder_mode)).unwrap();
    };
    allow(0o400, 0o500);
    let read = MemoryFile::open_to_read(&path).map(|file| file.unwrap().all().unwrap().memories.len());
    allow(0o600, 0o700);
    assert_eq!(read.unwrap(), 1);
}

#[test]
fn an_index_that_tells_of_rows_which_are_not_there_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    MemoryFile::open(&path).unwrap().add(&[memory("The port is 8080.", 1), memory("Tabs.", 0)]).unwrap();
    // A row gets another number while the index is out of sight.
    let hidden: (String, String, i64, String) = {
        let database = Connection::open(&path).unwrap();
        let row = "SELECT name, tbl_name, rootpage, sql FROM sqlite_schema WHERE name = 'memories_heir'";
        let hidden =
            database.query_row(row, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))).unwrap();
        database.pragma_update(None, "writable_schema", true).unwrap();
        database.execute("DELETE FROM sqlite_schema WHERE name = 'memories_heir'", []).unwrap();
        hidden
    };
    {
        let database = Connection::open(&path).unwrap();
        database.pragma_update(None, "foreign_keys", false).unwrap();
        database.execute("UPDATE memories SET id = 9 WHERE id = 2", []).unwrap();
        database.execute("UPDATE said SET memory = 9 WHERE memory = 2", []).unwrap();
        database.pragma_update(None, "writable_schema", true).unwrap();
        let shown = "INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES ('index', ?1, ?2, ?3, ?4)";
        database.execute(shown, hidden).unwrap();
    }
    let seen = |path: &Path| -> i64 {
        let last = "SELECT max(id) FROM memories INDEXED BY memories_heir WHERE heir IS NULL";
        Connection::open(path).unwrap().query_row(last, [], |row| row.get(0)).unwrap()
    };
    assert_eq!(seen(&path), 2);
    let file = MemoryFile::open(&path).unwrap();
    assert_eq!(file.all().unwrap().memories, [memory("The port is 8080.", 1), memory("Tabs.", 0)]);
    drop(file);
    assert_eq!(seen(&path), 9);
    // Once mended it stays so: nothing more is copied.
    drop(MemoryFile::open(&path).unwrap());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().flatten().count(), 2);
}

#[test]
fn a_changed_byte_is_damage_and_the_row_comes_back_when_its_session_is_kept_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let said = [memory("The port is 8080.", 0), memory("Tabs.", 0), memory("Noon.", 0)];
    let changes = [
        "UPDATE memories SET text = 'The port is 8081.' WHERE id = 1",
        "UPDATE memories SET scope = 'usdr' WHERE id = 1",
        "UPDATE memories SET owner = 'mf' WHERE id = 1",
        "UPDATE memories SET source = 'x' WHERE id = 1",
        "UPDATE memories SET sum = NULL WHERE id = 1",
        "UPDATE memories SET first = 7, last = 9 WHERE id = 1",
    ];
    for (number, change) in (1..).zip(changes) {
        let mut file = MemoryFile::open(&path).unwrap();
        file.keep(whole("one"), true, &said).unwrap();
        let first: i64 = file.connection.query_row("SELECT min(id) FROM memories", [], |row| row.get(0)).unwrap();
        file.connection.execute(&change.replace("id = 1", &format!("id = {first}")), []).unwrap();
        assert_eq!(file.all().unwrap().damaged, [format!("memory {first}")], "{change}");
        drop(file);
        let mut file = MemoryFile::open(&path).unwrap();
        let repaired = file.repaired().clone();
        assert_eq!(repaired.damaged, [format!("memory {first}")], "{change}");
        let copy = folder.path().join(format!("memories.db.repaired-{number}"));
        assert_eq!(repaired.copy.as_deref(), Some(&*copy));
        assert!(copy.exists());
        assert_eq!(file.all().unwrap().memories.len(), 2);
        assert_eq!(file.keep(whole("one"), true, &said).unwrap(), Done { new: 1, gone: 0 }, "{change}");
        drop(file);
        assert_eq!(*MemoryFile::open(&path).unwrap().repaired(), Repaired::default());
    }
}

#[test]
fn texts_that_an_earlier_version_held_for_one_are_two_and_its_rows_stay_what_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let old = Connection::open(&path).unwrap();
    super::open::VERSIONS[..4].iter().for_each(|step| old.execute_batch(step).unwrap());
    let row = "PRAGMA user_version = 4;
               INSERT INTO memories (scope, owner, key, source_type, text, how, source)
               VALUES ('user', 'me', x'00', 'note', 'The limit is 10 Mb.', 'written', '');
               INSERT INTO said VALUES (1, '', 1, 2, 0)";
    old.execute_batch(row).unwrap();
    drop(old);
    let mut file = MemoryFile::open(&path).unwrap();
    assert_eq!(*file.repaired(), Repaired::default());
    let add = ["The limit is 10 Mb.", "the  limit is 10 Mb.", "The limit is 10 MB."].map(|text| memory(text, 0));
    assert_eq!(file.add(&add).unwrap(), 1);
    assert_eq!(file.add(&add).unwrap(), 0);
    assert_eq!(told(file.all().unwrap()).iter().map(|one| one.1).collect::<Vec<_>>(), [2, 0]);
}

#[test]
fn a_file_that_lost_all_its_bytes_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    assert!(!MemoryFile::open(&path).unwrap().repaired().was_empty, "a new one");
    assert!(!MemoryFile::open(&path).unwrap().repaired().was_empty);
    for bytes in [&b""[..], b"x"] {
        std::fs::write(&path, bytes).unwrap();
        assert!(MemoryFile::open(&path).unwrap().repaired().was_empty);
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memories.db");
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    if made.is_ok_and(|status| status.success()) {
        assert!(MemoryFile::open_to_read(&path).is_err() && MemoryFile::open(&path).is_err());
    }
}
