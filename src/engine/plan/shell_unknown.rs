//! What commands may change that no table knows: what they name, unless they only read it.

use super::changes::FileChange;
use super::shell_commands::{all_untold, given_to, name_of, untold};
use super::shell_tools::{formatted, is_asked, of_tool, only_says};

/// Commands that change none of the files that they name.
const READS: &str = "! ( ) . : [ [[ ] ack actionlint ag alias apropos apt apt-get arch awk b2sum base64 \
    basename bat batcat bc break brew builtin bzcat bzgrep cal case cat cd checkov chgrp chmod chown cksum clear \
    cloc cmp colordiff column comm command continue crc32 crontab csvcut csvgrep csvlook csvstat cut dasel date \
    deadcode declare delta df diff diffstat difft dig dirname dirs disown dmesg dnf do done dpkg du duf dust \
    echo egrep elif else esac eval exa exec exit expand export expr eza factor false fd fdfind ffprobe fgrep fi file \
    find fmt fold for free function fx fzf gawk gdb getconf getopts gitleaks glow govulncheck gprof grep gron groups \
    hadolint hash head helm help hexdump hexyl history host hostname htop hunspell iconv id identify if \
    ifconfig info install ip jless jobs join journalctl jq jsonlint kill killall ldd less let loc local locale ls \
    lsb_release lsblk lscpu lsd lsof ltrace lua lzcat lzgrep man mawk md5 md5sum mdcat mediainfo mkdir mkfifo mktemp \
    more mount mysql nawk nc ncdu netcat netstat nl nm nproc nslookup numfmt objdump od open osascript otool \
    parallel paste pbcopy pbpaste pdffonts pdfinfo pdftotext perf perl pgrep pidof ping pip pip3 pkill popd pr \
    printenv printf procs ps psql pstree pushd pwd pycodestyle pydocstyle pygmentize radon read readelf readlink \
    readonly realpath redis-cli return rev rg rmdir say scc scutil sd sed select seq service set sha1 sha1sum \
    sha224sum sha256sum sha384sum sha512sum shellcheck shift shopt shuf size sleep sort source ss ssh stat \
    staticcheck strace strings stty su sum sysctl systemctl tac tail test then tig time tldr tokei top touch tput tr \
    tracepath traceroute trap tree trivy true tsort tty type ulimit umask unalias uname unexpand uniq unset until \
    uptime useradd users uuidgen vale valgrind vmstat vulture w wait wasm-objdump watch wc whereis which while who \
    whoami xargs xclip xmllint xmlstarlet xsel xxd xzcat xzgrep yamllint yes yq yum zcat zcmp zdiff zgrep zipinfo \
    zless zmore zstdcat zstdgrep { }";
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
    if let Some(found) = of_state(name, rest, &words) {
        return found;
    }
    // A tool may note what it brings.
    match (of_bringer(name, rest, &words), of_tool(name, rest, &words)) {
        (None, None) => of_unknown(name, rest, &words),
        (brought, noted) => brought.into_iter().chain(noted).flatten().collect(),
    }
}

/// What a tool puts in the place of files that has another state of them, or of what it has elsewhere.
fn of_state(name: &str, rest: &[&str], words: &[&str]) -> Option<Vec<FileChange>> {
    let (_, tells) = STATES.iter().find(|(own, _)| *own == name)?;
    let first = words.first().copied().unwrap_or_default();
    if words.get(1) == Some(&"download") {
        let into = given_to(rest, 'D', "dir").or_else(|| given_to(rest, 'O', "output"));
        return Some(vec![all_untold(into.unwrap_or("."))]);
    }
    let told = is_one(first, tells) || words.get(1).is_some_and(|word| TELLS.contains(word));
    Some(if told || first.is_empty() { Vec::new() } else { vec![all_untold(".")] })
}

/// What a command brings from somewhere to where its last word says.
fn of_bringer(name: &str, rest: &[&str], words: &[&str]) -> Option<Vec<FileChange>> {
    let named = match name {
        "scp" => words,
        _ => words.get(words.iter().take(3).position(|word| BRINGS.contains(word))? + 1..)?,
    };
    let [from @ .., to] = named else { return None };
    let brought = from.iter().map(|from| brought(from, to, rest)).filter(|change| !is_far(&change.path));
    (!from.is_empty()).then(|| brought.collect())
}

/// What a command may change of which nothing is known but its words.
fn of_unknown(name: &str, rest: &[&str], words: &[&str]) -> Vec<FileChange> {
    if let Some(found) = formatted(name, rest, words) {
        return found;
    }
    if only_says(rest) {
        return Vec::new();
    }
    // Where nothing is named, what is there is rewritten.
    let found = may_be_changed(rest);
    if is_asked(&[name]) || is_asked(rest) {
        let is_named = words.iter().any(|word| names_path(word));
        return if is_named { found } else { vec![all_untold(".")] };
    }
    found
}

/// What words name, each of which may be changed.
pub(super) fn may_be_changed(rest: &[&str]) -> Vec<FileChange> {
    named(rest).map(all_untold).collect()
}

/// What a shell of Windows is told to do, in one word or in several: which of its commands only read is not looked into.
pub(super) fn of_windows(rest: &[&str]) -> Vec<FileChange> {
    let words: Vec<&str> = rest.iter().flat_map(|word| word.split_whitespace()).collect();
    may_be_changed(&words)
}

/// What words of a command name: of a flag, what it is given at once.
fn named<'t>(rest: &'t [&'t str]) -> impl Iterator<Item = &'t str> {
    let own = rest.iter().map(|word| match (word.strip_prefix("--"), word.strip_prefix('-')) {
        (Some(long), _) => long.split_once('=').map_or("", |(_, value)| value),
        (None, Some(short)) => short.char_indices().nth(1).map_or("", |(at, _)| short.get(at..).unwrap_or_default()),
        (None, None) => word,
    });
    own.filter(|word| may_be_path(word) && !is_far(word))
}

/// Whether a word is a path, and surely no name of something else.
pub(super) fn names_path(word: &str) -> bool {
    word.contains(['.', '/']) && is_path(word)
}

pub(super) fn is_path(word: &str) -> bool {
    may_be_path(word) && !word.contains(' ')
}

/// The same where a path may have blanks in it, other than as what a program is told: `.output stdout`.
fn may_be_path(word: &str) -> bool {
    let is_sign = |sign: char| (sign.is_whitespace() && sign != ' ') || "=;|<>(\"'".contains(sign);
    let is_told = word.contains(' ') && word.starts_with('.') && !["./", "../"].iter().any(|own| word.starts_with(own));
    !word.is_empty() && !word.contains(is_sign) && !is_told
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
            "powershell -Command \"Remove-Item d/f\"",
            "cmd /c del d/f",
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
            "dasel put -f d/f -v 1 a",
            "xmlstarlet ed -L -u /a -v 1 d/f",
            "python3 - d/f <<'E'\nimport sys\nE",
            "bash -s d/f <<'E'\ntrue\nE",
        ] {
            assert!(meets(script), "{script}");
        }
        for (script, file) in [("trash \"my notes.md\"", "/w/my notes.md"), ("pdftotext d/f.pdf", "/w/d/f.txt")] {
            assert!(written(script, "").iter().any(|change| change.concerns(file, "/w")), "{script}");
        }
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
            "xmlstarlet sel -t -v /a d/f && dasel -f d/f a",
            "pdftotext d/f -",
        ] {
            assert!(!meets(script), "{script}");
        }
    }
}
