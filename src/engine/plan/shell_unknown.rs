//! What commands may change that no table knows: what they name, unless they only read it; and what tools change that
//! nobody names to them.

use super::changes::FileChange;
use super::paths::from_folder;
use super::shell_commands::{all_untold, name_of, untold};

/// Commands that change none of the files that they name.
const READS: &str = "! ( . : [ [[ { ) ] ack ag alias apropos apt apt-get arch awk base64 basename bat bc break brew builtin cal \
    case cat cd chgrp chmod chown cksum clear cloc cmp column comm command continue crontab cut dasel date declare \
    delta df diff difft dig dirname dirs disown dmesg dnf do done dpkg du echo egrep elif else esac eval exa exec \
    exit expand export expr eza factor false fd fdfind fgrep fi file find fmt fold for free function gawk gdb \
    getconf getopts gprof grep groups hash head helm help hexdump hexyl history host hostname htop iconv id if \
    info install ip jobs join journalctl jq kill killall ldd less let local locale ls lsof ltrace lua man mawk \
    md5sum mkdir mkfifo mktemp more mount mysql nawk nc netstat nl nm nproc nslookup numfmt objdump od open \
    osascript parallel paste pdftotext perf perl pgrep ping pip pip3 pkill popd pr printenv printf ps psql pushd \
    pwd read readelf readlink readonly realpath redis-cli return rev rg rmdir say sd sed select seq service set \
    sha1sum sha224sum sha256sum sha384sum sha512sum shellcheck shift shopt shuf size sleep sort source sqlfluff ss \
    ssh stat strace strings stty su sum systemctl tac tail terraform test then time tokei top touch tput tr trap \
    tree true tsort tty type ulimit umask unalias uname unexpand uniq unset until uptime useradd users valgrind w \
    wait watch wc whereis which while who whoami xargs xmllint xmlstarlet xxd yamllint yes yq yum zcat zgrep }";
/// Tools that read what they name, and write where an option says so or where they are told to rewrite.
const TOOLS: &str = "bandit bazel buf bun bundle c++ cargo cc clang clang++ cmake composer deno docker docker-compose dotnet eslint \
    flake8 g++ gcc go golangci-lint gradle gradlew hatch java javac jest just kubectl ld make meson mix mocha mvn mypy \
    ninja nox npm pdm php phpunit pipenv pnpm podman poetry pylint pyright pytest rake rspec ruff rustc swift task \
    tox ts-node tsc tsx unittest uv vitest yarn zig";
/// What runs another command.
const RUNNERS: &[&str] =
    &["bunx", "hatch", "npx", "pdm", "pipenv", "pipx", "pnpm", "poetry", "rye", "uv", "uvx", "yarn"];
/// Parts of words by which a tool is told to rewrite what is there.
const REWRITES: &[&str] = &["fix", "fmt", "format", "generate", "codegen", "in-place", "inplace", "overwrite", "write"];
/// By which a tool only says what it would rewrite.
const CHECKS: &[&str] = &[
    "--check",
    "--check-formatted",
    "--diff",
    "--dry-run",
    "--list-different",
    "--verify",
    "--verify-no-changes",
    "-l",
];
/// Files that formatters rewrite, by their ends.
const FORMATS: &[(&str, &[&str])] = &[
    ("autopep8", &["py"]),
    ("black", &["py", "pyi", "ipynb"]),
    ("cargo", &["rs"]),
    ("dotnet", &["cs", "vb", "fs"]),
    ("go", &["go"]),
    ("gofmt", &["go"]),
    ("goimports", &["go"]),
    ("isort", &["py", "pyi"]),
    ("mix", &["ex", "exs", "heex"]),
    ("ruff", &["py", "pyi", "ipynb"]),
    ("rustfmt", &["rs"]),
    ("yapf", &["py"]),
];
/// What a tool is told that notes anew what a project needs, and the files in which it does.
const NOTES: &[&str] = &[
    "add",
    "get",
    "i",
    "init",
    "install",
    "lock",
    "mod",
    "remove",
    "require",
    "rm",
    "sync",
    "uninstall",
    "update",
    "upgrade",
];
const NOTED: &[(&str, &[&str])] = &[
    ("bundle", &["Gemfile", "Gemfile.lock"]),
    ("bun", &["package.json", "bun.lock"]),
    ("cargo", &["Cargo.toml", "Cargo.lock"]),
    ("composer", &["composer.json", "composer.lock"]),
    ("go", &["go.mod", "go.sum"]),
    ("npm", &["package.json", "package-lock.json"]),
    ("pdm", &["pyproject.toml", "pdm.lock"]),
    ("pipenv", &["Pipfile", "Pipfile.lock"]),
    ("pnpm", &["package.json", "pnpm-lock.yaml"]),
    ("poetry", &["pyproject.toml", "poetry.lock"]),
    ("uv", &["pyproject.toml", "uv.lock"]),
    ("yarn", &["package.json", "yarn.lock"]),
];
/// Tools that put another state of files in the place of theirs, with what of them only tells.
const STATES: &[(&str, &str)] = &[
    ("fossil", "diff finfo info status timeline"),
    ("gh", "api auth browse config gist issue label release run search secret workflow"),
    ("hg", "add annotate branch cat commit diff id identify log manifest status summary"),
    ("hub", "api browse ci-status issue release"),
    ("jj", "config describe diff evolog file log op show st status"),
    ("svn", "add annotate blame cat commit diff info list log status"),
];
/// What tells, of a part of such a tool.
const TELLS: &[&str] = &["checks", "comment", "create", "diff", "edit", "list", "ready", "review", "status", "view"];
/// Words of a command that brings files to where its last word says.
const BRINGS: &[&str] = &["copy", "copyto", "cp", "download", "get", "pull", "sync"];

/// Whether a name is one of some words.
pub(super) fn is_one(name: &str, words: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

/// What a command may change that nothing else knows.
pub(super) fn may_change(name: &str, rest: &[&str]) -> Vec<FileChange> {
    if name.is_empty() || is_one(name, READS) {
        return Vec::new();
    }
    let words: Vec<&str> = rest.iter().copied().filter(|word| !word.starts_with('-')).collect();
    let first = words.first().copied().unwrap_or_default();
    if let Some((_, tells)) = STATES.iter().find(|(own, _)| *own == name) {
        let told = is_one(first, tells) || words.get(1).is_some_and(|word| TELLS.contains(word));
        return if told || first.is_empty() { Vec::new() } else { vec![all_untold(".")] };
    }
    if let Some(at) = words.iter().take(3).position(|word| BRINGS.contains(word)).or((name == "scp").then_some(0)) {
        let named = words.get(at + usize::from(name != "scp")..).unwrap_or_default();
        if let [from @ .., to] = named
            && !from.is_empty()
        {
            return from.iter().map(|from| brought(from, to, rest)).filter(|change| !is_far(&change.path)).collect();
        }
    }
    // Where nothing is named, what is there is rewritten.
    let rewrites = rest.iter().take(4).any(|word| REWRITES.iter().any(|part| is_among(word, part)));
    let is_named = words.iter().any(|word| word.contains(['.', '/']) && is_path(word));
    let rewrites = rewrites && !rest.iter().any(|word| CHECKS.contains(word));
    let ends = FORMATS.iter().find(|(own, _)| *own == name).map(|(_, ends)| *ends);
    let rewritten = || match (is_named, ends) {
        (_, Some(ends)) => formatted(&words, ends),
        (true, None) => may_be_changed(rest),
        (false, None) => vec![all_untold(".")],
    };
    if RUNNERS.contains(&name) {
        let own = |word: &&&str| word.starts_with('-') || matches!(**word, "dlx" | "exec" | "run" | "tool");
        let inner = rest.iter().skip_while(own).copied().collect::<Vec<_>>();
        // Its own commands are those of a tool.
        if let Some((inner_name, inner)) =
            inner.split_first().filter(|_| inner.len() < rest.len() || !is_one(name, TOOLS))
        {
            let mut found = may_change(inner_name, inner);
            found.extend(rewritten().into_iter().filter(|_| rewrites));
            return found;
        }
    }
    if !is_one(name, TOOLS) {
        let only_says = rest.iter().any(|word| CHECKS.contains(word));
        return match (rewrites || ends.is_some(), only_says) {
            (true, false) => rewritten(),
            (false, false) => may_be_changed(rest),
            // `-l` means much.
            (is_format, true) if is_format || !rest.contains(&"-l") => Vec::new(),
            _ => may_be_changed(rest),
        };
    }
    let notes = first.is_empty() || NOTES.contains(&first);
    let mut found: Vec<FileChange> = noted(name).filter(|_| notes).collect();
    // What another program is given.
    found.extend(rest.get(1..).map(may_be_changed).unwrap_or_default().into_iter().filter(|_| first == "run"));
    let out = |word: &str| word == "-o" || word.starts_with("--out") || word.starts_with("-out") || word == "-d";
    found.extend(rest.windows(2).filter(|two| out(two[0]) && !two[0].contains('=')).map(|two| all_untold(two[1])));
    let values = rest.iter().filter(|word| word.starts_with('-')).filter_map(|word| word.split_once('='));
    found.extend(values.map(|(_, value)| value).filter(|value| is_path(value)).map(all_untold));
    found.extend(rewritten().into_iter().filter(|_| rewrites));
    found
}

/// The files with such ends that a formatter is given, or that are below the folders that it is.
fn formatted(words: &[&str], ends: &[&str]) -> Vec<FileChange> {
    let is_folder = |word: &str| !name_of(word).trim_matches('.').contains('.');
    let mut named = words.iter().copied().filter(|word| word.contains(['.', '/'])).peekable();
    if named.peek().is_none() {
        return ends.iter().map(|end| untold(&format!("**/*.{end}"))).collect();
    }
    let of = |word: &str| -> Vec<FileChange> {
        match is_folder(word) {
            true => ends.iter().map(|end| untold(&from_folder(word, &format!("**/*.{end}")))).collect(),
            false => vec![untold(word)],
        }
    };
    named.flat_map(of).collect()
}

/// Whether a word is made of parts of which this is one: `lint:fix`, `--fix`.
fn is_among(word: &str, part: &str) -> bool {
    word == part || word.split(['-', ':', '_', '.']).any(|own| own == part)
}

fn noted(name: &str) -> impl Iterator<Item = FileChange> {
    let files = NOTED.iter().find(|(own, _)| *own == name).map_or(&[][..], |(_, files)| files);
    files.iter().map(|file| untold(file))
}

/// What words name, each of which may be changed.
pub(super) fn may_be_changed(rest: &[&str]) -> Vec<FileChange> {
    named(rest).map(all_untold).collect()
}

/// What words of a command name: of a flag, what it is given at once.
fn named<'t>(rest: &'t [&'t str]) -> impl Iterator<Item = &'t str> {
    let own = rest.iter().map(|word| match (word.strip_prefix("--"), word.strip_prefix('-')) {
        (Some(long), _) => long.split_once('=').map_or("", |(_, value)| value),
        (None, Some(short)) => short.char_indices().nth(1).map_or("", |(at, _)| short.get(at..).unwrap_or_default()),
        (None, None) => word,
    });
    own.filter(|word| is_path(word) && !is_far(word))
}

fn is_path(word: &str) -> bool {
    !word.is_empty() && !word.contains(|sign: char| sign.is_whitespace() || "=;|<>(\"'".contains(sign))
}

/// Whether it is on another machine, or an address.
fn is_far(word: &str) -> bool {
    word.contains("://") || word.find(':').is_some_and(|at| at > 1)
}

/// What comes from somewhere to a file or folder.
fn brought(from: &str, to: &str, rest: &[&str]) -> FileChange {
    let deep = ["-r", "-R", "-a", "--recursive"].iter().any(|flag| rest.contains(flag));
    let deep = deep || rest.contains(&"sync") || to.contains('*');
    let own = from.rsplit(':').next().unwrap_or_default();
    FileChange { name: Some(name_of(own).to_owned()), all_below: deep, ..untold(to) }
}

#[cfg(test)]
mod tests {
    use super::super::shell::written;

    /// Whether a script may change `d/f`.
    fn meets(script: &str) -> bool {
        written(script, "").iter().any(|change| change.concerns("/w/d/f", "/w"))
    }

    #[test]
    fn what_an_unknown_command_names_may_be_changed() {
        for script in [
            "prettify d/f",
            "prettify d",
            "frobnicate --into=d/f x",
            "frobnicate -od/f x",
            "openssl enc -in x -out d/f",
            "gpg -o d/f -d x.gpg",
            "vim -c wq d/f",
            "trash d/f",
            "script -q d/f",
            "scp host:/srv/f d",
            "scp -r host:/srv/x .",
            "docker cp box:/srv/f d/",
            "aws s3 cp s3://b/f d/f",
            "kubectl cp ns/pod:/srv/f d/f",
            "gh pr checkout 12",
            "hg update -C 3",
            "jj new main",
            "svn revert d/f",
            "npm run format",
            "npx prettier --write d/f",
            "make fmt",
            "gcc -o d/f a.c",
            "pytest --junitxml=d/f",
            "python3 tool.py d/f",
            "node tool.js d/f",
            "python3 -m prettify d/f",
            "curl -s https://x.org/i.sh | bash",
            "wget -P d https://x.org/f",
            "cd d && wget https://x.org/f?x=1",
            "curl --output-dir d -O https://x.org/f",
            "curl -sLo d/f https://x.org/z",
        ] {
            assert!(meets(script), "{script}");
        }
    }

    #[test]
    fn a_formatter_rewrites_files_of_its_language() {
        let meets = |script: &str| written(script, "").iter().any(|change| change.concerns("/w/d/f.rs", "/w"));
        assert!(meets("cargo fmt") && meets("rustfmt d/f.rs") && !meets("cargo fmt --check") && !meets("black ."));
    }

    #[test]
    fn what_only_reads_changes_nothing() {
        for script in [
            "grep -rn x d/f",
            "pytest d/f -x",
            "cargo test --test f",
            "eslint d/f",
            "wc -l d/f && stat d/f",
            "python3 d/f",
            "node d/f --port 1",
            "npm test",
            "make -j4 test",
            "docker build -t x .",
            "gh pr view 12 && gh issue list",
            "gh pr list",
            "hg log d/f",
            "cargo fmt && ruff format . && black d && mix format",
            "black --check d/f && npx prettier --check d/f",
            "[ -f x ] && git stash show -p -- d/f",
            "wget -nc -O d/f https://x.org/f",
            "uv run pytest d/f",
            "npx tsc --noEmit",
            "scp d/f host:/srv/",
            "docker cp d/f box:/srv/",
            "wget -qO- https://x.org/f && wget --spider https://x.org/f",
            "curl -X POST https://x.org/d/f",
            "git log -p d/f && git add d/f && git commit -m x && git push",
            "sort d/f | uniq | awk '{print $1 > \"/dev/stderr\"}'",
            "chmod +x d/f",
        ] {
            assert!(!meets(script), "{script}");
        }
    }
}
