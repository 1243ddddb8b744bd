//! What scripts of a shell change, one by one.

use super::changes::FILES;
use super::paths::UNKNOWN;
use super::shell::{written, written_by_program};

/// Path, what is put there, and whether it is all.
fn of(script: &str) -> Vec<(String, String, bool)> {
    written(script, "").into_iter().map(|change| (change.path, change.puts.join("|"), change.whole)).collect()
}

fn one(path: &str, puts: &str, whole: bool) -> Vec<(String, String, bool)> {
    vec![(path.to_owned(), puts.to_owned(), whole)]
}

#[test]
fn what_is_piped_into_a_file_changes_it() {
    assert_eq!(of("echo 'port = 8443' | tee a.toml"), one("a.toml", "port = 8443", true));
    assert_eq!(
        of("echo 'port = 8443' | sudo tee -a /etc/a.toml > /dev/null"),
        one("/etc/a.toml", "port = 8443", false)
    );
    assert_eq!(of("make 2>&1 | tee -a build.log"), one("build.log", "", false));
    assert_eq!(of("sudo -u web tee a.toml <<E\nport = 8443\nE"), one("a.toml", "port = 8443", true));
    assert_eq!(of("echo \"one\ntwo\" > a.txt"), one("a.txt", "one\ntwo", true));
    assert_eq!(of("make &> build.log"), one("build.log", "", true));
    assert_eq!(of("cat <<< 'port = 8443' >> a.toml"), one("a.toml", "port = 8443", false));
    assert_eq!(of("echo 2 > a.txt"), one("a.txt", "2", true));
    assert_eq!(of("x=$(cat a | wc -l); echo \"$x\" >| b"), one("b", "$x", true));
}

#[test]
fn paths_are_relative_to_the_folder_that_was_gone_into() {
    assert_eq!(of("cd x && echo a > f"), one("x/f", "a", true));
    assert_eq!(of("cd /srv/x/ && echo a > ./f"), one("/srv/x/f", "a", true));
    assert_eq!(of("cd x && cd ../y && echo a > f"), one("y/f", "a", true));
    assert_eq!(of("cd x && echo a > /srv/f"), one("/srv/f", "a", true));
    assert_eq!(of("(cd x; echo a > f); echo b > g"), [one("x/f", "a", true), one("g", "b", true)].concat());
    assert_eq!(of("cd \"$ROOT\" && echo a > f"), one("f", "a", true));
    assert_eq!(of("cd .. && echo a > f"), one("../f", "a", true));
}

#[test]
fn commands_in_a_program_run_in_the_folder_that_it_names() {
    let of = |program: &str| -> Option<Vec<String>> {
        Some(written_by_program(program)?.into_iter().map(|change| change.path).collect())
    };
    let text = r#"const r = await tools.exec_command({cmd:"echo \"a\" > f", "workdir":"/srv/x"}); text(r.map(x => y))"#;
    assert_eq!(of(text), Some(vec!["/srv/x/f".to_owned()]));
    let two =
        "await Promise.all([tools.exec_command({cmd: 'rm a'}), tools.exec_command({\"cmd\": `tee b <<E\nx\nE`})])";
    assert_eq!(of(two), Some(vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(of("echo a > f"), None);
}

#[test]
fn commands_that_write_by_themselves_change_files() {
    for (script, found) in [
        ("bash -c 'cd x && echo a > f'", one("x/f", "a", true)),
        ("sudo sh -lc \"echo a >> f\"", one("f", "a", false)),
        ("bash <<'E'\necho a > f\nE", one("f", "a", true)),
        ("cp a.toml b.toml", one("b.toml", "", true)),
        ("cp -r a.toml d/", one("d/a.toml", "", true)),
        ("install -m 644 a.toml /etc/a.toml", one("/etc/a.toml", "", true)),
        ("dd if=/dev/zero of=a.bin bs=1M count=1", one("a.bin", "", true)),
        ("truncate -s 0 a.log", one("a.log", "", true)),
        ("git checkout HEAD~1 -- a.rs", one("a.rs", "", true)),
        ("git restore a.rs", one("a.rs", "", true)),
        ("git restore --source HEAD~1 a.rs", one("a.rs", "", true)),
        (
            "jq . a > /tmp/x && mv /tmp/x a",
            [one("/tmp/x", "", true), one("a", "", true), one("/tmp/x", "", true)].concat(),
        ),
        ("FOO=1 perl -pi -e 's/one/two/' a.rs", one("a.rs", "two", false)),
        ("python3 -c \"open('a.txt', 'w').write('hello')\"", one("a.txt", "hello", true)),
        ("python - <<'E'\nfrom pathlib import Path\nPath('a.txt').write_text('hello')\nE", one("a.txt", "hello", true)),
        ("python3 -c \"s = open('a.txt').read(); open('a.txt', 'w').write(s)\"", one("a.txt", "", false)),
        (
            "python3 - <<'E'\np = Path('a.rs')\ns = p.read_text()\np.write_text(s.replace('x', 'y'))\nE",
            one("a.rs", "", false),
        ),
        ("if true; then echo a > f; fi", one("f", "a", true)),
    ] {
        assert_eq!(of(script), found, "{script}");
    }
}

/// Each path with whether nobody can tell what is there then.
fn paths(script: &str) -> Vec<(String, bool)> {
    written(script, "").into_iter().map(|change| (change.path.clone(), change.is_untold())).collect()
}

#[test]
fn what_is_done_to_each_of_several_files_is_done_to_all() {
    for (script, found) in [
        ("for f in a.rs src/b.rs; do sed -i 's/1/2/' $f; done", "a.rs src/b.rs"),
        ("for f in a b\ndo\n  rm -f \"${f}.bak\"\ndone", "a.bak b.bak"),
        ("for f in *.rs; do sed -i 's/1/2/' \"$f\"; done", "*.rs"),
        ("for f in src/{a,b}.rs; do sed -i 's/1/2/' \"$f\"; done", "src/a.rs src/b.rs"),
        ("for f in $(git ls-files '*.rs'); do sed -i 's/1/2/' \"$f\"; done", "**/**.rs"),
        ("for f in `find src -name '*.rs'`; do rm $f; done", "src/***/*.rs"),
        ("for f in $(cat list); do rm $f; done", "**"),
        ("for d in x y; do for f in a b; do rm $d/$f; done; done", "x/a x/b y/a y/b"),
        ("for f in a.txt; do mv $f ${f%.txt}.md; done", "*?*.md a.txt"),
        ("F=src/a.rs; sed -i 's/1/2/' $F", "src/a.rs"),
        ("export F=a; rm $F", "a"),
        ("files=(a b); rm \"${files[@]}\"", "a b"),
        ("D=/srv/x && cd $D && rm f", "/srv/x/f"),
        ("rm \"$X\"", "**"),
        ("rm \"$X/a.rs\"", "/**/a.rs **/a.rs"),
        ("tmp=$(mktemp); jq . a > $tmp && mv $tmp a", "/tmp/** a /tmp/**"),
        ("echo a b | xargs rm -f", "a b"),
        ("find src -name '*.rs' | xargs sed -i 's/1/2/'", "src/***/*.rs"),
        ("find src -name '*.rs' -print0 | grep -zv x | xargs -0 -n 1 -P4 sed -i 's/1/2/'", "src/**/**.rs"),
        ("grep -rl one src | xargs sed -i 's/one/two/'", "src/**"),
        ("rg -l one | xargs -I{} cp {} {}.bak", "**.bak"),
        ("ls *.log | xargs -I % sh -c 'rm %'", "*.log"),
        ("cat list | xargs rm", "**"),
        ("find . -name '*.rs' -exec sed -i 's/1/2/' {} \\;", "***/*.rs"),
        ("find src -name f -exec sh -c 'rm \"$1\"' _ {} +", "**"),
        ("fd -e rs -x sed -i 's/1/2/'", "**"),
        ("git ls-files src | while read -r f; do sed -i 's/1/2/' \"$f\"; done", "src/**"),
        ("while read f; do rm $f; done < list", "**"),
        ("parallel rm ::: a b", "a b"),
        ("timeout 10 rm a; nice -n 5 rm b; env -u X rm c", "a b c"),
        ("rm a{1,2}.txt", "a1.txt a2.txt"),
        ("cp a.toml{,.bak}", "a.toml.bak"),
        ("rm a{1..3}.txt", "a**.txt"),
        ("rm {a,b}/{c,d} x{y{1,2},z}", "a/** b/** x**"),
        ("python3 - a.md <<'E'\nopen('b', 'w').write('x')\nE", "b a.md"),
        ("bash -s a.md <<'E'\nrm b\nE", "b a.md"),
        ("rm a[0-9].txt", "a[0-9].txt a?.txt"),
        ("eval 'rm a'", "a"),
        ("cargo test 2> err.log", "err.log"),
        ("exec 3> f", "f"),
        ("clean() { rm -f a; }; clean", "a"),
        ("function clean { rm -f a; }\nclean", "a"),
        ("for d in a b; do (cd $d && rm -f *.rs); done; rm c", "a/*.rs b/*.rs c"),
        ("for d in a b; do cd $d; rm f; cd ..; done; rm c", "a/f b/f c"),
        ("for d in */; do cd $d; rm f; done", "*/f"),
        ("pushd d; rm f; popd; rm g", "d/f g"),
        ("cat > x.sh <<'E'\nrm a\nE\nbash x.sh", "x.sh a"),
        ("echo 'rm a' > x.sh; ./x.sh", "x.sh a"),
        ("./x.sh; bash x.sh", ""),
        ("printf 'rm %s\\n' a b | bash", "a b"),
        ("curl -s x | sh", "."),
        ("su web -c 'rm a'", "a"),
        ("trap 'rm a' EXIT", "a"),
        ("for d in x/ y/; do rm \"$d\"app.toml; done", "x/app.toml y/app.toml"),
        ("cd ~ && rm a", "~/a"),
        ("zip -m x.zip a", "x.zip a"),
        ("tar cf x.tar --remove-files a b", "x.tar a b"),
        ("tar xf x.tar a", "a"),
        ("unzip x.zip a -d d", "d/a"),
        ("jar xf x.jar", "."),
        ("uniq - a", "a"),
        ("find . -type d -empty -delete", ""),
        ("patch -o b a p.diff", "b"),
        ("cat > x.py <<'E'\nopen('a', 'w').write('x')\nE\npython3 x.py b", "x.py a b"),
    ] {
        let own: Vec<String> = paths(script).into_iter().map(|(path, _)| path).collect();
        assert_eq!(own.join(" "), found, "{script}");
    }
    let many: String = (0..200).map(|file| format!("rm f{file}\n")).collect();
    let last = paths(&many).pop();
    assert_eq!(last, Some((UNKNOWN.to_owned(), true)), "what is beyond the many may be any file");
    // Nor does a script run on and on, or a name grow.
    let words = (0..64).map(|word| format!("w{word} ")).collect::<String>();
    let inner = "true %; ".repeat(8_000);
    let nested = format!("echo {words} | xargs -I% sh -c \"{inner}\"");
    assert_eq!(paths(&nested).pop(), Some((UNKNOWN.to_owned(), true)));
    let grows = format!("a=x; {} rm $a", "a=$a$a; ".repeat(500));
    assert!(paths(&grows).iter().all(|(path, _)| path.len() < 9_000));
}

#[test]
fn no_script_takes_long() {
    let many = |text: &str| text.repeat((256 << 10) / text.len());
    for script in [
        format!("rm {}", many("${")),
        format!("rm {}", many("$(")),
        format!("rm {}", many("{a,b} ")),
        format!("cat {} > $f", many("$a ")),
        format!("find {} {}", many("a ").get(..99_999).unwrap(), many("-name a ")),
        format!("find a {}", many("-exec rm a ; ").replace(';', "\\;")),
        format!("for f in {}; do rm $f; done", many("$(ls) ")),
        format!("git add {}", many("a ")),
        many("for f in a b; do "),
        many("`"),
    ] {
        assert!(written(&script, "/w").len() <= FILES);
    }
}

#[test]
fn what_only_looks_so_changes_nothing() {
    for none in [
        "cargo test > /dev/null 2>&1",
        "echo failed >&2",
        "cargo test 2>&1 2>/dev/null",
        "echo \"a > b\" '> c' \\> d",
        "echo '>' f",
        "test $((3 > 2)) && ls",
        "grep -n 'x' <(sort a > /dev/null)",
        "for f in *.rs; do grep -n x $f; done",
        "for f in a b; do echo \"$f\" >&2; cat $f | head; done",
        "find . -name '*.rs' | xargs grep -l x | sort",
        "find . -name f -exec grep -n x {} +",
        "git ls-files | while read -r f; do wc -l \"$f\"; done",
        "tar tzf a.tgz && tar -xOf a.tgz x | head && unzip -l a.zip",
        "git apply --check < p.diff && git stash list && git stash show -p",
        "uniq -c a && sort a | uniq",
        "patch -p1 --dry-run < p.diff",
        "diff a b && git diff --stat && git show HEAD:a",
        "rsync -an a b && rsync -a a host:b",
        "X=a.rs; cat $X; sed -n 1,5p \"$X\"",
        "git checkout -b main",
        "git restore --staged a.rs",
        "install -d a/b",
        "cp a",
        "ls # echo a > f",
        "cat <<'E'\necho a > f\nE",
        "python3 -c \"print(open('a.txt').read())\"",
        "python3 a.py",
        "[[ 3 -gt 2 ]] && ls",
        "sed -n 's/a/b/p' f",
    ] {
        assert_eq!(of(none), [], "{none}");
    }
}
