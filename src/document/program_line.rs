//! Lines that programs read: settings, commands, code. A line with a `#` above them is a comment.

/// Commands that no sentence begins with.
const COMMANDS: &[&str] = &[
    "apt",
    "apt-get",
    "aws",
    "brew",
    "bundle",
    "cargo",
    "cd",
    "chmod",
    "chown",
    "conda",
    "cp",
    "curl",
    "dnf",
    "docker",
    "docker-compose",
    "echo",
    "export",
    "gcloud",
    "gem",
    "git",
    "grep",
    "gradle",
    "helm",
    "journalctl",
    "kubectl",
    "ls",
    "mkdir",
    "mv",
    "mvn",
    "npm",
    "npx",
    "openssl",
    "pip",
    "pip3",
    "pnpm",
    "psql",
    "python",
    "python3",
    "rm",
    "rsync",
    "scp",
    "sed",
    "ssh",
    "sudo",
    "systemctl",
    "tar",
    "terraform",
    "ufw",
    "wget",
    "yarn",
    "yum",
];
/// What lines of code begin with that end in a colon, and what they hold besides.
const BLOCKS: &[(&str, &str)] = &[("class ", ""), ("def ", "("), ("for ", " in "), ("while ", "")];
/// How other lines of code end, and such as are whole.
const ENDS: &[&str] = &[";", "{", "}", "; then", "; do"];
const WHOLE: &[&str] = &["fi", "done", "else:", "try:"];
/// Words that stand in sentences, and hardly in commands.
const OF_SENTENCES: &[&str] = &["is", "are", "was", "the", "a", "an", "and", "or", "you", "we"];
/// Words before a name that is set.
const SETS: &[&str] = &["export ", "set ", "local ", "readonly ", "declare ", "alias ", "let ", "const ", "var "];
/// Values of settings that are written behind their name alone.
const SWITCHES: &[&str] = &["yes", "no", "on", "off", "true", "false"];

/// Whether a line looks as one that a program reads, and people hardly write. One that is set in as Markdown has its code
/// is none: it says itself what it is.
pub fn is_program_line(line: &str) -> bool {
    if line.starts_with("    ") || line.starts_with('\t') {
        return false;
    }
    let line = line.trim();
    is_setting(line) || is_command(line) || is_code(line)
}

fn is_name(word: &str) -> bool {
    word.starts_with(|sign: char| sign.is_ascii_alphabetic() || "_.\"'".contains(sign))
        && word.chars().all(|sign| sign.is_ascii_alphanumeric() || "_.-/[]\"'".contains(sign))
}

/// Whether a line sets something: `name = value`, `name: value`, `[section]`, a row of addresses or times, a pattern of files.
fn is_setting(line: &str) -> bool {
    let set = SETS.iter().find_map(|word| line.strip_prefix(word));
    // A name of one sign is that of a quantity.
    let least = if set.is_some() { 1 } else { 2 };
    let set = set.unwrap_or(line);
    if let Some((name, rest)) = set.find(['=', ':']).map(|at| set.split_at(at))
        && let name = name.trim_end_matches([' ', '\t', '?', '+', '>', '<', '~', '!'])
        && name.len() >= least
        && is_name(name)
    {
        // What stands in a sentence begins with a capital letter, or goes on.
        let is_value = |value: &str| {
            let is_short = value.split_whitespace().count() <= 2;
            (value.is_empty() || value.starts_with(' '))
                && is_short
                && !name.starts_with(|sign: char| sign.is_uppercase())
        };
        return match rest.strip_prefix(':') {
            Some(value) => value.starts_with('=') || is_value(value),
            None => !rest.starts_with("== "),
        };
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [one] => is_section(one) || is_pattern(one),
        [name, value] if is_name(name) && (SWITCHES.contains(value) || value.starts_with('/')) => true,
        [first, _, ..] if is_address(first) => true,
        [times @ .., _] => times.len() > 4 && times.iter().take(5).all(|word| is_time(word)),
        [] => false,
    }
}

fn is_section(word: &str) -> bool {
    word.strip_prefix('[')
        .and_then(|word| word.strip_suffix(']'))
        .is_some_and(|name| name.len() > 1 && !name.contains("]("))
}

/// Whether a word stands for files: `/target`, `node_modules/`, `*.o`.
fn is_pattern(word: &str) -> bool {
    let is_one = word.len() > 1 && !word.contains("://");
    is_one && (word.starts_with('/') || word.ends_with('/') || word.starts_with("*.") || word.starts_with("**/"))
}

fn is_address(word: &str) -> bool {
    word.split('/').next().is_some_and(|word| word.parse::<std::net::Ipv4Addr>().is_ok())
}

fn is_time(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit() || b"*/,-".contains(&byte)) && !word.starts_with("**")
}

/// Whether a line is a command to a shell.
fn is_command(line: &str) -> bool {
    if line.starts_with("$ ") || line.starts_with("./") || line.starts_with("../") {
        return true;
    }
    let mut words = line.split(' ');
    let first = words.next().unwrap_or_default();
    let is_word = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || "_.-/~".contains(sign);
    if first.is_empty() || !first.chars().all(is_word) || !first.contains(|sign: char| sign.is_ascii_lowercase()) {
        return false;
    }
    let is_option = |word: &str| {
        let name = word.trim_start_matches('-');
        matches!(word.len() - name.len(), 1 | 2) && name.starts_with(|sign: char| sign.is_ascii_alphabetic())
    };
    let rest: Vec<&str> = words.collect();
    let joins = ["&&", "||", "|", ">", ">>", "2>&1"];
    let tells = rest
        .iter()
        .any(|word| is_option(word) || joins.contains(word) || word.starts_with("$(") || word.starts_with("${"));
    tells || COMMANDS.contains(&first) && !rest.is_empty() && !rest.iter().any(|word| OF_SENTENCES.contains(word))
}

/// Whether a line is one of code.
fn is_code(line: &str) -> bool {
    let is_block = |(begins, holds): &(&str, &str)| line.strip_prefix(begins).is_some_and(|rest| rest.contains(holds));
    let words: Vec<&str> = line.split_whitespace().collect();
    let imports = match words.as_slice() {
        ["import", _] | ["import", _, "as", _] | ["from", _, "import", ..] => true,
        ["use", path] => path.contains("::"),
        _ => false,
    };
    let ends = WHOLE.contains(&line) || ENDS.iter().any(|end| line.ends_with(end));
    ends || imports || line.ends_with(':') && BLOCKS.iter().any(is_block) || is_call(line)
}

/// Whether a line calls something: `print("a")`, `a.b(c)`.
fn is_call(line: &str) -> bool {
    let Some((name, rest)) = line.split_once('(') else { return false };
    rest.ends_with(')') && is_name(name) && !name.contains(['[', ']', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_commands_and_code_are_read_by_programs() {
        for line in [
            "host = a",
            "port=1",
            "export PATH=/usr/bin:$PATH",
            "CFLAGS += -O2",
            "flask==2.0",
            "requests>=2.31",
            "db.url: localhost",
            "hosts:",
            "\"name\": \"x\",",
            "[server]",
            "PermitRootLogin no",
            "ErrorLog /var/log/error.log",
            "127.0.0.1 localhost",
            "10.0.0.0/8 dev eth0",
            "0 5 * * 1 backup",
            "/target",
            "*.o",
            "listen 80;",
            "server {",
            "}",
            "sudo apt-get install nginx",
            "./run",
            "$ ls",
            "docker compose up",
            "find . -name x",
            "cat a | sort",
            "tar -xzf a.tgz && cd a",
            "import os",
            "from os import path",
            "def f(x):",
            "class A(B):",
            "for x in y:",
            "print(x)",
            "app.run(debug=True)",
            "let x = 1",
            "SELECT * FROM t;",
        ] {
            assert!(is_program_line(line), "{line}");
        }
    }

    #[test]
    fn what_people_write_is_read_by_people() {
        for line in [
            "",
            "x",
            "words",
            "Ship it.",
            "E = mc^2",
            "If a == b, it ends.",
            "Note: this is what we said",
            "Name: Ada",
            "todo: buy milk and bread and more",
            "See https://example.org/a?b=c for more.",
            "https://example.org/a",
            "make sure that it runs",
            "find the door - it is open",
            "git is a tool",
            "cargo ships are large",
            "and/or what else",
            "- a = b",
            "* x: y",
            "> quoted",
            "| a | b |",
            "|---|---|",
            "![a](b.png)",
            "[a](b)",
            "[1]: http://example.org",
            "```sh",
            "    host = a",
            "\tmake all",
            "Chapter 1",
            "1. First",
            "12 of them came",
            "for example, in the house",
            "import duties are high.",
            "**Bold** words",
            "2024 2025 2026",
        ] {
            assert!(!is_program_line(line), "{line}");
        }
    }
}
