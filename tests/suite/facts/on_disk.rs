//! Facts that a compaction took and that stand in files: of which the window names some, and the agent reads some again.

use serde_json::{Value, json};
use windowpane::inquiry::{Back, Sight, Trace};
use windowpane::present::verdict::{change, verdict};

use super::build::Log;
use super::runner::{open, traced};

const KEY: &str = "QX-77413";

fn told(log: &Log) -> (Trace, String) {
    super::runner::told(log, KEY)
}

fn seen(trace: &Trace) -> Option<Sight> {
    trace.best_at(trace.need.step()).map(|(_, stay)| stay.sight)
}

fn compacts(log: Log) -> Log {
    log.compacts(json!({"trigger": "auto", "preTokens": 167_000}), "The parser was mended. Nothing is open.")
}

/// A file was read that says it; then what `before` the compaction and `behind` it.
fn read(before: impl Fn(Log) -> Log, behind: impl Fn(Log) -> Log) -> Log {
    let log = Log::new().user("Read the notes.").calls("c1", "Read", json!({"file_path": "/w/notes.md"}));
    let log = before(log.result("c1", &format!("1→The key is {KEY}.")).says("Read."));
    behind(compacts(log)).user("What is the key in the notes?").says("I do not know.").user("So long.")
}

#[test]
fn a_file_that_a_compaction_leaves_the_name_of_is_a_pointer() {
    let (trace, said) = told(&read(|log| log, named));
    assert_eq!((seen(&trace), trace.in_window), (Some(Sight::Pointer), false), "{said}");
    assert!(said.contains("Still retrievable from the file /w/notes.md. Not read since."), "{said}");
    let changed = |name: &'static str, input: Value| {
        move |log: Log| {
            let log = log.user("Clean up.").calls("c2", name, input.clone());
            log.result("c2", "The file has been updated.").says("Cleaned.")
        }
    };
    let edit = |old: &str, new: &str| json!({"file_path": "/w/notes.md", "old_string": old, "new_string": new});
    let written = json!({"file_path": "/w/notes.md", "content": "Nothing.\n"});
    for log in [
        read(|log| log, |log| log),
        read(changed("Write", written), named),
        read(changed("Edit", edit("QX-77413", "none")), named),
        read(changed("Edit", edit("77413", "3")), named),
        read(changed("Bash", json!({"command": "sed -i '1d' /w/./notes.md"})), named),
        read(changed("Bash", json!({"command": "cd /w/x && rm -rf ../../w"})), named),
    ] {
        let (trace, said) = told(&log);
        assert_eq!(seen(&trace), Some(Sight::Gone), "{said}");
        assert!(!said.contains("retrievable"), "{said}");
    }
    let (trace, _) = told(&read(changed("Edit", edit("The key", "Its key")), named));
    assert_eq!(seen(&trace), Some(Sight::Pointer), "what is changed beside it leaves it there");
}

fn named(log: Log) -> Log {
    log.attachment(json!({"type": "compact_file_reference", "filename": "/w/notes.md", "displayPath": "notes.md"}))
}

fn runs(command: &'static str) -> impl Fn(Log) -> Log {
    move |log| log.user("Go on.").shell("c2", command, "Done.").says("Done.")
}

#[test]
fn a_file_that_a_command_may_have_changed_is_no_pointer_and_one_that_it_read_is() {
    for (command, sight) in [
        ("for f in a.md notes.md; do sed -i 's/key is.*/none/' $f; done", Sight::Gone),
        ("for f in *.md; do sed -i '1d' \"$f\"; done", Sight::Gone),
        ("find . -name '*.md' -exec sed -i '1d' {} +", Sight::Gone),
        ("ls *.md | xargs rm", Sight::Gone),
        ("git ls-files | xargs -n1 sed -i '1d'", Sight::Gone),
        ("tar xzf a.tgz", Sight::Gone),
        ("unzip -o a.zip", Sight::Gone),
        ("git stash pop", Sight::Gone),
        ("git apply p.diff", Sight::Gone),
        ("git checkout -- notes.md", Sight::Gone),
        ("patch -p1 < p.diff", Sight::Gone),
        ("uniq a.md notes.md", Sight::Gone),
        ("rm \"$F\"", Sight::Gone),
        ("for f in *.md; do grep -n key $f; done", Sight::Pointer),
        ("for f in *.rs; do sed -i '1d' $f; done", Sight::Pointer),
        ("find . -name '*.md' | xargs wc -l", Sight::Pointer),
        ("tar czf /tmp/a.tgz . && tar tzf /tmp/a.tgz", Sight::Pointer),
        ("tar xzf a.tgz -C /srv", Sight::Pointer),
        ("git stash list; git diff; git apply --check p.diff", Sight::Pointer),
        ("patch -p1 <<'E'\n--- a/x.md\n+++ b/x.md\n@@ -1 +1 @@\n-a\n+b\nE", Sight::Pointer),
    ] {
        let (trace, said) = told(&read(runs(command), named));
        assert_eq!(seen(&trace), Some(sight), "{command}: {said}");
        let (trace, said) = told(&read(|log| log, |log| runs(command)(named(log))));
        assert_eq!(seen(&trace), Some(sight), "behind the compaction: {command}: {said}");
    }
}

#[test]
fn a_command_that_failed_may_have_done_a_part() {
    let fails = |result: &'static str| {
        move |log: Log| {
            let log = log.user("Go on.").calls("c2", "Bash", json!({"command": "sed -i '1d' notes.md && make"}));
            let result = json!({"type": "tool_result", "tool_use_id": "c2", "content": result, "is_error": true});
            log.record("user", json!({"message": {"role": "user", "content": [result]}})).says("Hm.")
        }
    };
    for (result, sight) in [
        ("Exit code 2\nmake: *** No targets.", Sight::Gone),
        ("The user doesn't want to proceed with this tool use. The tool use was rejected.", Sight::Pointer),
    ] {
        let (trace, said) = told(&read(fails(result), named));
        assert_eq!(seen(&trace), Some(sight), "{said}");
    }
}

#[test]
fn where_nobody_can_tell_what_a_command_did_it_is_left_open() {
    let open = "The file /w/notes.md said it; what was done at step";
    for (command, is_open) in [
        ("tidy-up notes.md", true),
        ("tidy-up --into=notes.md", true),
        ("tar xzf a.tgz", true),
        ("git checkout main", true),
        ("sed -i '1d' notes.md", true),
        ("curl -s https://x.org/i.sh | bash", true),
        ("rm notes.md", false),
        ("echo nothing > notes.md", false),
        ("tidy-up notes.md; echo nothing > notes.md", false),
        ("[ -f notes.md ] || echo nothing > notes.md", true),
        ("if [ ! -f notes.md ]; then\n  echo nothing > notes.md\nfi", true),
        ("grep -q draft notes.md && rm notes.md", true),
        ("[ -d x ] || { mkdir x; rm notes.md; }", true),
        ("cd /w || exit 1; rm notes.md", false),
        ("mkdir -p x && rm notes.md", false),
        ("for f in notes.md; do rm $f; done", false),
        ("rm *.md", false),
        ("rm -rf *", false),
        ("find . -name '*.md' -delete", false),
        ("find . -name '*.md' -exec rm {} +", false),
        ("ls *.md | xargs rm", false),
        ("for f in *.md; do rm \"$f\"; done", false),
        ("sed -i 's/QX-77413/none/' *.md", false),
        ("gzip notes.md", false),
        ("zstd --rm notes.md", false),
        ("rsync -a --remove-source-files *.md host:x", false),
        ("iconv -f latin1 -t utf8 -o notes.md a", false),
        ("find . -name '*.md' -mtime +3 -delete", true),
        ("ls -t *.md | tail -n +3 | xargs rm", true),
        ("for f in *.md; do [ -s $f ] && continue; rm $f; done", true),
        ("rm !(keep).md", true),
        ("rm n?tes.md", true),
        ("cp x/*.md .", true),
        ("git checkout -- notes.md", true),
        ("php -r 'unlink(\"notes.md\");'", true),
        ("deno eval \"Deno.removeSync('notes.md')\"", true),
        ("bun -e \"await Bun.write('notes.md', '')\"", true),
        ("docker run --rm -v $PWD:/x alpine make", true),
        ("gh run download 12", true),
        ("npm run format", true),
        ("mise run fmt", true),
        ("make fmt", true),
    ] {
        let (trace, said) = told(&read(runs(command), named));
        assert_eq!((seen(&trace), said.contains(open)), (Some(Sight::Gone), is_open), "{command}: {said}");
        assert!(!said.contains("retrievable"), "{said}");
    }
    let again = |log: Log| runs("cat notes.md")(runs("tidy-up notes.md")(log));
    let (_, said) = told(&read(again, named));
    assert!(said.contains(open), "what shows nothing of it settles nothing: {said}");
}

/// A shell showed a file that says it; then what `before` the compaction, whose summary says so.
fn shown(command: &str, before: impl Fn(Log) -> Log, summary: &str) -> Log {
    let log = Log::new().user("Look.").shell("c1", command, &format!("The key is {KEY}.")).says("Read.");
    asked(before(log), summary)
}

#[test]
fn a_file_that_a_shell_showed_is_a_pointer_while_a_summary_names_it() {
    let names = "The notes are in docs/notes.md.";
    for (command, before, summary, sight) in [
        ("cat docs/notes.md", "ls", names, Sight::Pointer),
        ("sed -n '1,20p' /w/docs/notes.md", "ls", names, Sight::Pointer),
        ("cd docs && head -n 5 notes.md", "ls", "See /w/docs/notes.md.", Sight::Pointer),
        ("ls x; sudo cat docs/notes.md 2>&1 || true", "ls", names, Sight::Pointer),
        ("bash -c 'cat < docs/notes.md' && ls", "ls", names, Sight::Pointer),
        ("git checkout -- docs/notes.md && cat docs/notes.md", "ls", names, Sight::Pointer),
        ("cat docs/notes.md; rm docs/notes.md", "ls", names, Sight::Gone),
        ("cat docs/notes.md; echo 'The key is QX-77413.'", "ls", names, Sight::Gone),
        ("cat docs/notes.md", "ls", "Nothing is open.", Sight::Gone),
        ("cat docs/notes.md", "ls", "The notes are in notes.md.", Sight::Gone),
        ("cat docs/notes.md", "rm docs/notes.md", names, Sight::Gone),
        ("cat docs/notes.md other.md", "ls", names, Sight::Gone),
        ("make", "ls", names, Sight::Gone),
        ("cat docs/notes.md", "cp docs/notes.md docs/keys.md && rm docs/notes.md", "See docs/keys.md.", Sight::Pointer),
        ("cat docs/notes.md", "mv docs/notes.md keys.md", "See keys.md.", Sight::Pointer),
        ("cat docs/notes.md", "mv docs/notes.md keys.md", names, Sight::Gone),
        ("cat docs/notes.md", "cp -r docs old && rm -r docs", "See old/notes.md.", Sight::Pointer),
        ("cat docs/notes.md", "mv docs/*.md old/", "See old/notes.md.", Sight::Pointer),
        ("cat docs/notes.md", "cat docs/notes.md > keys.md", "See keys.md.", Sight::Pointer),
        ("cat docs/notes.md", "cp docs/notes.md keys.md; sed -i '1d' keys.md", "See keys.md.", Sight::Gone),
        ("cat docs/notes.md", "sed -i '1d' docs/notes.md; cp docs/notes.md keys.md", "See keys.md.", Sight::Gone),
    ] {
        let (trace, said) = told(&shown(command, runs(before), summary));
        assert_eq!(seen(&trace), Some(sight), "{command}, {before}, {summary}: {said}");
    }
    let (_, said) = told(&shown("cat docs/notes.md", runs("mv docs/notes.md keys.md"), "See keys.md."));
    assert!(said.contains("Still retrievable from the file /w/keys.md."), "{said}");
}

#[test]
fn a_line_that_a_search_shows_is_a_pointer_to_the_file_that_it_names() {
    let names = "The notes are in docs/notes.md.";
    for (command, output, sight) in [
        ("grep -rn key docs", "docs/a.md:1:a key\ndocs/notes.md:3:The key is QX-77413.", Sight::Pointer),
        ("rg key | head -5", "docs/notes.md:3:The key is QX-77413.", Sight::Pointer),
        ("git grep key", "docs/notes.md:The key is QX-77413.", Sight::Pointer),
        (
            "head -n 5 a.md docs/notes.md",
            "==> a.md <==\na\n\n==> docs/notes.md <==\nThe key is QX-77413.",
            Sight::Pointer,
        ),
        ("awk '/key/' docs/notes.md", "The key is QX-77413.", Sight::Pointer),
        ("jq -r .key docs/notes.md", "QX-77413", Sight::Pointer),
        ("grep -rn key docs", "docs/a.md:1:The key is QX-77413.\ndocs/notes.md:3:a key", Sight::Gone),
        ("grep -rhn key docs", "3:The key is QX-77413.", Sight::Gone),
        ("head -n 5 docs/notes.md a.md", "==> docs/notes.md <==\na\n\n==> a.md <==\nThe key is QX-77413.", Sight::Gone),
        ("cat a.md docs/notes.md", "The key is QX-77413.", Sight::Gone),
        ("awk '{print $1, $2}' docs/notes.md", "key QX-77413", Sight::Gone),
        ("cat docs/notes.md && echo new | tee docs/notes.md", "The key is QX-77413.\nnew", Sight::Gone),
        ("echo 'key QX-77413' > docs/notes.md; ./run docs/notes.md; rm docs/notes.md", "key QX-77413", Sight::Gone),
        ("echo 'key QX-77413' > docs/notes.md; cat docs/notes.md", "key QX-77413", Sight::Pointer),
    ] {
        let log = Log::new().user("Look.").shell("c1", command, output).says("Read.");
        let (trace, said) = told(&asked(log, names));
        assert_eq!(seen(&trace), Some(sight), "{command}: {said}");
    }
    for (input, output, sight) in [
        (json!({"pattern": "key"}), "docs/notes.md:3:The key is QX-77413.", Sight::Pointer),
        (json!({"pattern": "key", "path": "/w/docs"}), "docs/notes.md:3:The key is QX-77413.", Sight::Pointer),
        (json!({"pattern": "key", "path": "docs/notes.md"}), "3:The key is QX-77413.", Sight::Pointer),
        (json!({"pattern": "key", "output_mode": "content"}), "docs/a.md:3:The key is QX-77413.", Sight::Gone),
    ] {
        let log = Log::new().user("Look.").calls("c1", "Grep", input.clone()).result("c1", output).says("Read.");
        let (trace, said) = told(&asked(log, names));
        assert_eq!(seen(&trace), Some(sight), "{input}: {said}");
    }
}

#[test]
fn what_is_packed_and_unpacked_says_what_it_said() {
    for (command, sight) in [
        ("gzip notes.md; gunzip notes.md.gz", Sight::Pointer),
        ("xz notes.md && mv notes.md.xz /tmp/n.xz && mv /tmp/n.xz notes.md.xz && unxz notes.md.xz", Sight::Pointer),
        ("zstd notes.md && rm notes.md && zstd -d notes.md.zst", Sight::Pointer),
        ("gzip -k notes.md; echo none > notes.md", Sight::Gone),
        ("gzip notes.md; rm notes.md.gz; gunzip notes.md.gz", Sight::Gone),
        ("gzip notes.md", Sight::Gone),
        ("gunzip notes.md.gz", Sight::Gone),
    ] {
        let (trace, said) = told(&read(runs(command), named));
        assert_eq!(seen(&trace), Some(sight), "{command}: {said}");
    }
    // Where it is packed nobody can read it.
    let log = Log::new().user("Look.").shell("c1", "cat notes.md", &format!("The key is {KEY}.")).says("Read.");
    let (_, said) = told(&asked(runs("gzip -k notes.md")(log), "The notes are in notes.md.gz."));
    assert!(!said.contains("retrievable"), "{said}");
}

#[test]
fn a_line_of_several_files_is_a_pointer_to_all_of_which_it_may_be() {
    let shown = |command: &str, before: &'static str, summary: &str| {
        let log = Log::new().user("Look.").shell("c1", command, &format!("a\nThe key is {KEY}.")).says("Read.");
        told(&asked(runs(before)(log), summary))
    };
    let (both, one) = ("The notes are in a.md and docs/notes.md.", "The notes are in docs/notes.md.");
    for command in ["cat a.md docs/notes.md", "cat a.md; cat docs/notes.md"] {
        let (trace, said) = shown(command, "ls", both);
        assert_eq!(seen(&trace), Some(Sight::Pointer), "{command}: {said}");
        let expected = "Still retrievable from one of the files /w/a.md and /w/docs/notes.md.";
        assert!(said.contains(expected), "{command}: {said}");
    }
    let perhaps = "The file /w/docs/notes.md may say it: it was shown together with others";
    for (before, summary) in [("ls", one), ("rm a.md", both), ("echo none > a.md", both)] {
        let (trace, said) = shown("cat a.md docs/notes.md", before, summary);
        assert_eq!((seen(&trace), said.contains(perhaps)), (Some(Sight::Gone), true), "{before}, {summary}: {said}");
    }
    let (trace, said) = shown("cat a.md docs/notes.md", "rm a.md docs/notes.md", both);
    assert!(seen(&trace) == Some(Sight::Gone) && !said.contains("may say it"), "{said}");
    // What is known to say it is the one.
    let log = Log::new().user("Note it.").shell("c0", &format!("echo 'The key is {KEY}.' > docs/notes.md"), "Done.");
    let log = log.shell("c1", "cat a.md docs/notes.md", &format!("a\nThe key is {KEY}.")).says("Read.");
    let (trace, said) = told(&asked(log, one));
    assert_eq!(seen(&trace), Some(Sight::Pointer), "{said}");
    assert!(said.contains("Still retrievable from the file /w/docs/notes.md."), "{said}");
}

/// What was looked at before a compaction whose summary says so, and a question behind it.
fn asked(log: Log, summary: &str) -> Log {
    let log = log.compacts(json!({"trigger": "auto", "preTokens": 167_000}), summary);
    log.user("What is the key?").says("I do not know.").user("So long.")
}

#[test]
fn what_git_puts_back_says_again_what_it_said() {
    for (commands, sight) in [
        (&["git rebase main", "git rebase --abort"][..], Sight::Pointer),
        (&["git merge x || true", "git merge --abort"], Sight::Pointer),
        (&["git stash", "git stash pop"], Sight::Pointer),
        (&["git rebase main"], Sight::Gone),
        (&["git rebase --abort"], Sight::Gone),
        (&["git rebase main", "tidy-up notes.md", "git rebase --abort"], Sight::Gone),
        (&["git stash", "git switch x", "git stash pop"], Sight::Gone),
        (&["git stash", "git pull", "git stash pop"], Sight::Gone),
    ] {
        let all = |log: Log| commands.iter().fold(log, |log, command| runs(command)(log));
        let (trace, said) = told(&read(all, named));
        assert_eq!(seen(&trace), Some(sight), "{commands:?}: {said}");
    }
}

#[test]
fn a_summary_that_says_that_a_file_is_no_more_names_no_way_back() {
    for (summary, sight) in [
        ("The notes are in docs/notes.md.", Sight::Pointer),
        ("I deleted docs/notes.md.", Sight::Gone),
        ("The notes were in docs/notes.md. I deleted it.", Sight::Gone),
        ("docs/notes.md was removed.", Sight::Gone),
        ("Removed a line from docs/notes.md.", Sight::Pointer),
    ] {
        let (trace, said) = told(&shown("cat docs/notes.md", runs("ls"), summary));
        assert_eq!(seen(&trace), Some(sight), "{summary}: {said}");
    }
}

#[test]
fn commands_run_in_the_folder_that_the_shell_was_in() {
    let inside = |folder: &'static str, command: &'static str| {
        move |log: Log| runs(command)(runs("cd somewhere")(log).in_folder(folder)).in_folder("/w")
    };
    let names = "The notes are in docs/notes.md.";
    for (folder, command, sight) in [
        ("/w/docs", "rm notes.md", Sight::Gone),
        ("/w/docs", "git checkout -- .", Sight::Gone),
        ("/tmp/x", "git checkout .", Sight::Pointer),
        ("/w/src", "rm docs/notes.md", Sight::Pointer),
        ("/w/src", "rm -r ../docs", Sight::Gone),
        ("/tmp/x", "rm /w/docs/notes.md", Sight::Gone),
    ] {
        let (trace, said) = told(&shown("cat docs/notes.md", inside(folder, command), names));
        assert_eq!(seen(&trace), Some(sight), "{command} in {folder}: {said}");
    }
    let log = Log::new().user("Look.").in_folder("/srv/app");
    let log = log.shell("c1", "cat notes.md", &format!("The key is {KEY}.")).says("Read.");
    let log = log.compacts(json!({"trigger": "auto", "preTokens": 167_000}), "See /srv/app/notes.md.");
    let (_, said) = told(&log.user("What is the key?").says("I do not know.").user("So long."));
    assert!(said.contains("Still retrievable from the file /srv/app/notes.md."), "{said}");
}

#[test]
fn a_script_that_was_written_before_changes_what_it_says() {
    let after = |script: &'static str, command: &'static str| {
        move |log: Log| {
            let write = json!({"file_path": "/w/tools/clean.sh", "content": script});
            let log = log.user("Write it.").calls("c7", "Write", write).result("c7", "Written.").says("Written.");
            runs(command)(log)
        }
    };
    let names = "The notes are in docs/notes.md.";
    for (script, command, sight) in [
        ("rm -f docs/notes.md", "bash tools/clean.sh", Sight::Gone),
        ("#!/bin/sh\ncd docs\nrm *.md", "chmod +x tools/clean.sh && ./tools/clean.sh", Sight::Gone),
        ("rm -f src/notes.md", "sh tools/clean.sh", Sight::Pointer),
        ("rm -f docs/notes.md", "cat tools/clean.sh", Sight::Pointer),
    ] {
        let (trace, said) = told(&shown("cat docs/notes.md", after(script, command), names));
        assert_eq!(seen(&trace), Some(sight), "{command}: {script}: {said}");
    }
}

#[test]
fn a_pointer_ends_when_its_file_is_changed() {
    let (trace, _) = told(&read(|log| log, |log| runs("rm notes.md")(named(log))));
    let one = trace.occurrences.iter().find(|one| one.stays.iter().any(|stay| stay.sight == Sight::Pointer)).unwrap();
    let last: Vec<Sight> = one.stays.iter().map(|stay| stay.sight).collect();
    assert!(last.ends_with(&[Sight::Pointer, Sight::Gone]), "{last:?}");
    let steps: Vec<_> = one.stays.windows(2).map(|two| (two[0].to, two[1].from)).collect();
    assert!(steps.iter().all(|(to, from)| *to == Some(from - 1)), "every step once: {steps:?}");
}

/// The agent wrote it to a file by a call.
fn written(name: &str, input: Value, fails: bool) -> Log {
    let log = Log::new().user(&format!("Remember: the release key is {KEY}")).calls("c1", name, input);
    let result = json!({"type": "tool_result", "tool_use_id": "c1", "content": "Done.", "is_error": fails});
    let log = log.record("user", json!({"message": {"role": "user", "content": [result]}})).says("Saved.");
    compacts(log).user("What is the release key?").says("I do not know.").user("So long.")
}

#[test]
fn a_file_that_the_agent_reads_again_by_itself_leaves_open_what_the_model_had() {
    let line = format!("- release key: {KEY}\n");
    let write = |path: &str| json!({"file_path": path, "content": line});
    let edit =
        |path: &str| json!({"file_path": path, "old_string": "# Rules", "new_string": format!("# Rules\n{line}")});
    let memory = "/home/me/.claude/projects/-w/memory/MEMORY.md";
    for (log, path) in [
        (written("Write", write(memory), false), memory),
        (written("Edit", edit("/w/CLAUDE.md"), false), "/w/CLAUDE.md"),
    ] {
        let (trace, said) = told(&log);
        assert_eq!((seen(&trace), trace.in_window), (Some(Sight::Anew), false), "{said}");
        assert!(said.contains(&format!("The file {path} says it, as recorded since step 2.")), "{said}");
        assert!(
            said.contains("no record shows that it did. Whether the model had it from step 3 on is not recorded."),
            "{said}"
        );
        assert!(!said.contains("Lost from") && !said.contains("retrievable"), "{said}");
    }
    for log in [
        written("Write", write("/w/api/CLAUDE.md"), false),
        written("Write", write("/w/CLAUDE.md"), true),
        written("Write", write("/w/notes.md"), false),
    ] {
        let (trace, said) = told(&log);
        assert_eq!(seen(&trace), Some(Sight::Gone), "{said}");
        assert!(said.contains("Lost from step 3 on"), "{said}");
    }
}

#[test]
fn what_ends_a_way_back_is_told_at_its_own_step_and_not_as_a_compaction() {
    let edits = |log: Log| {
        let input = json!({"file_path": "/w/notes.md", "old_string": KEY, "new_string": "none"});
        log.user("Go on.").calls("c2", "Edit", input).result("c2", "Updated.").says("Done.")
    };
    let removed = "the file /w/notes.md was removed or moved";
    let perhaps = "perhaps still in the file /w/notes.md, which step";
    for (told, log) in [
        (removed, read(|log| log, |log| runs("rm /w/notes.md")(named(log)))),
        ("the file /w/notes.md was changed and no longer says it", read(|log| log, |log| edits(named(log)))),
        (perhaps, read(|log| log, |log| runs("git stash pop")(named(log)))),
    ] {
        let opened = open(log.bytes());
        let (fact, found, trace) = traced(&opened, &opened.recorded, KEY);
        let stays = &trace.occurrences[0].stays;
        let rows: Vec<String> = stays.iter().filter_map(|stay| change(stay, &opened.recorded, false)).collect();
        assert_eq!(rows.len(), 2, "{rows:?}");
        assert!(rows[0].contains("compacted away") && rows[1].contains(told), "{rows:?}");
        assert!(!rows[1].contains("compact"), "{rows:?}");
        let said = verdict(&trace, &fact, &found, &opened.transcript, &opened.recorded).join(" ");
        let step = stays.last().unwrap().from;
        let sentence = format!("At step {step} the last way back to it ended: {told}.");
        assert!(told == perhaps || said.contains(&sentence), "{said}");
        let told: Vec<bool> = stays.iter().map(|stay| stay.is_of_file(&opened.recorded)).collect();
        assert_eq!(told[1..], [false, true], "the compaction is named where it was: {stays:?}");
    }
}

#[test]
fn a_file_that_a_call_behind_the_compaction_made_of_another_is_named_by_that_call() {
    for (commands, path) in [
        (&["mv notes.md b.txt"][..], "/w/b.txt"),
        (&["cp /w/notes.md /srv/b.txt", "rm notes.md"], "/srv/b.txt"),
        (&["cp /w/notes.md /srv/b.txt && rm /w/notes.md"], "/srv/b.txt"),
    ] {
        let behind = |log: Log| commands.iter().fold(named(log), |log, command| runs(command)(log));
        let (trace, said) = told(&read(|log| log, behind));
        let back = trace.best_at(trace.need.step()).and_then(|(_, stay)| stay.back.clone());
        assert_eq!(back, Some(Back::Path(path.to_owned())), "{commands:?}: {said}");
    }
}

#[test]
fn a_file_whose_text_was_cleared_can_be_read_again_while_its_call_stands() {
    let log = |behind: &dyn Fn(Log) -> Log| {
        let log = Log::new().user("Read the notes.").calls("c1", "Read", json!({"file_path": "/w/notes.md"}));
        let log = log.result("c1", &format!("1→The key is {KEY}.")).says("Read.").clears(&["c1"]);
        behind(log.user("Go on.").says("Done."))
            .user("What is the key in the notes?")
            .says("I do not know.")
            .user("Bye.")
    };
    let (trace, said) = told(&log(&|log| log));
    assert_eq!((seen(&trace), trace.in_window), (Some(Sight::Pointer), false), "{said}");
    assert!(said.contains("cleared as a stale result"), "{said}");
    assert!(said.contains("Still retrievable from the file /w/notes.md. Not read since."), "{said}");
    // Once the call is gone, nothing names the file.
    let (trace, said) = told(&log(&compacts));
    assert_eq!(seen(&trace), Some(Sight::Gone), "{said}");
    let written = json!({"file_path": "/w/notes.md", "content": "Nothing.\n"});
    let (trace, said) =
        told(&log(&|log| log.calls("c2", "Write", written.clone()).result("c2", "Written.").says("So.")));
    assert_eq!(seen(&trace), Some(Sight::Marker), "{said}");
}
