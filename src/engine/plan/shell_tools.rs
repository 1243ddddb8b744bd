//! What tools of a project change that only read what they name: what an option says, what they note of what the project
//! needs, and what they rewrite where they are told to.

use super::changes::FileChange;
use super::paths::from_folder;
use super::shell_commands::{all_untold, flagged, name_of, untold};
use super::shell_unknown::{is_one, is_path, may_be_changed, names_path};

/// Tools that read what they name, and write where an option says so or where they are told to rewrite.
const TOOLS: &str = "bandit bazel biome buf bun bundle c++ cargo cc clang clang++ clang-format clang-tidy cmake codespell \
    composer deno docker docker-compose dotnet dprint eslint flake8 g++ gcc go gofmt gofumpt goimports golangci-lint gradle \
    gradlew hatch java javac jest just kubectl ktlint ld make markdownlint markdownlint-cli2 meson mise mix mocha mvn mypy \
    nerdctl ninja nox npm oxlint pdm php phpcs phpstan phpunit pipenv pipx pnpm podman poetry pre-commit prettier \
    pylint pyright pytest rake rspec rubocop ruff rustc rye semgrep shfmt sqlfluff standardrb stylelint swift swiftlint taplo task \
    terraform tflint tofu tox ts-node tsc tsx turbo typos unittest uv vitest vue-tsc yarn zig";
/// Tools that run what is in a box, into which folders may be put.
const BOXES: &[&str] = &["docker", "docker-compose", "nerdctl", "podman"];
/// Parts of words by which a tool is told to rewrite what is there, and of options.
const REWRITES: &[&str] = &["autofix", "codegen", "fix", "fmt", "format", "generate", "write"];
const OPTIONS: &[&str] = &["autocorrect", "autofix", "fix", "inplace", "overwrite", "write"];
/// By which it makes files that nobody names.
const MAKES: &[&str] = &["codegen", "generate"];
/// Parts by which a tool only says what it would rewrite.
const SAYS: &[&str] = &["check", "diff", "dry", "no", "verify"];
/// The same as options of their own.
const CHECKS: &[&str] = &[
    "--check",
    "--check-formatted",
    "--check-only",
    "--diff",
    "--dry-run",
    "--fix-dry-run",
    "--list-different",
    "--validate",
    "--verify",
    "--verify-no-changes",
];
/// Formatters: by which of its words each rewrites files, where it does not by itself, and the ends of those files.
const FORMATTERS: &[(&str, &str, &[&str])] = &[
    ("alejandra", "", &["nix"]),
    ("autoflake", "-i --in-place", &["py"]),
    ("autopep8", "-i --in-place", &["py"]),
    ("biome", "--apply --fix --write", &["js", "jsx", "mjs", "cjs", "ts", "tsx", "json", "jsonc", "css"]),
    ("black", "", &["py", "pyi", "ipynb"]),
    ("buf", "-w --write", &["proto"]),
    ("cargo", "fix --fix fmt", &["rs"]),
    ("clang-format", "-i", &["c", "cc", "cpp", "h", "hh", "hpp", "m", "java", "proto"]),
    ("clang-tidy", "-fix --fix", &["c", "cc", "cpp", "h", "hh", "hpp"]),
    ("deno", "fmt --fix", &["js", "jsx", "ts", "tsx", "json", "jsonc", "md"]),
    ("docformatter", "-i --in-place", &["py"]),
    ("dotnet", "format", &["cs", "vb", "fs"]),
    ("eslint", "--fix", &["js", "jsx", "mjs", "cjs", "ts", "tsx", "vue"]),
    ("go", "fix fmt", &["go"]),
    ("gofmt", "-w", &["go"]),
    ("gofumpt", "-w", &["go"]),
    ("goimports", "-w", &["go"]),
    ("golangci-lint", "--fix fmt", &["go"]),
    ("isort", "", &["py", "pyi"]),
    ("ktlint", "-F --format", &["kt", "kts"]),
    ("markdownlint", "-f --fix", &["md"]),
    ("markdownlint-cli2", "--fix", &["md"]),
    ("mix", "format", &["ex", "exs", "heex"]),
    ("nixfmt", "", &["nix"]),
    ("oxlint", "--fix", &["js", "jsx", "mjs", "cjs", "ts", "tsx", "vue"]),
    (
        "prettier",
        "-w --write",
        &[
            "js", "jsx", "mjs", "cjs", "ts", "tsx", "vue", "json", "css", "scss", "less", "html", "md", "mdx", "yaml",
            "yml",
        ],
    ),
    ("pyupgrade", "", &["py"]),
    ("rubocop", "-a -A --auto-correct --autocorrect --autocorrect-all", &["rb", "rake"]),
    ("ruff", "--fix format", &["py", "pyi", "ipynb"]),
    ("rustfmt", "", &["rs"]),
    ("shfmt", "-w --write", &["sh", "bash"]),
    ("sqlfluff", "fix format", &["sql"]),
    ("standardrb", "--fix", &["rb"]),
    ("stylelint", "--fix", &["css", "scss", "less"]),
    ("stylua", "", &["lua"]),
    ("swiftformat", "", &["swift"]),
    ("swiftlint", "--autocorrect --fix", &["swift"]),
    ("taplo", "fmt format", &["toml"]),
    ("terraform", "fmt", &["tf", "tfvars"]),
    ("tofu", "fmt", &["tf", "tfvars"]),
    ("yapf", "-i --in-place", &["py"]),
    ("zig", "fmt", &["zig"]),
];
/// The same of tools that rewrite files of any language.
const REWRITERS: &[(&str, &str)] =
    &[("codespell", "-w --write-changes"), ("pre-commit", "run"), ("typos", "-w --write-changes")];
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
    ("rye", &["pyproject.toml", "requirements.lock"]),
    ("uv", &["pyproject.toml", "uv.lock"]),
    ("yarn", &["package.json", "yarn.lock"]),
];

/// Compilers that write what they make beside what they read, unless an option says where or that they only check; and the
/// ends of what they make.
const COMPILERS: &[(&str, &[&str])] = &[("tsc", JAVASCRIPT), ("vue-tsc", JAVASCRIPT)];
/// See [`COMPILERS`].
const JAVASCRIPT: &[&str] = &["cjs", "js", "js.map", "jsx", "mjs", "tsbuildinfo"];
/// Options by which they write nothing, in small letters.
const WRITES_NOTHING: &[&str] =
    &["--all", "--help", "--init", "--listfilesonly", "--noemit", "--showconfig", "--version", "-?", "-h", "-v"];

/// What such a tool changes; `None` of others.
pub(super) fn of_tool(name: &str, rest: &[&str], words: &[&str]) -> Option<Vec<FileChange>> {
    if !is_one(name, TOOLS) {
        return None;
    }
    let first = words.first().copied().unwrap_or_default();
    let mut found: Vec<FileChange> = noted(name).filter(|_| first.is_empty() || NOTES.contains(&first)).collect();
    // What another program is given.
    found.extend(rest.get(1..).map(may_be_changed).unwrap_or_default().into_iter().filter(|_| first == "run"));
    found.extend(told_by_options(name, rest));
    found.extend(compiled(name, rest));
    if BOXES.contains(&name) {
        found.extend(mounted(rest));
    }
    let makes = words.iter().take(3).any(|word| word.split([':', '-']).any(|part| MAKES.contains(&part)));
    found.extend(match formatted(name, rest, words) {
        _ if only_says(rest) => Vec::new(),
        _ if makes => vec![all_untold(".")],
        Some(found) => found,
        None if !(is_asked(rest) || rewrites(name, rest)) => Vec::new(),
        None if words.iter().any(|word| names_path(word)) => may_be_changed(rest),
        None => vec![all_untold(".")],
    });
    Some(found)
}

/// What a compiler may write beside what it reads: its settings may say otherwise.
fn compiled(name: &str, rest: &[&str]) -> Vec<FileChange> {
    let Some((_, ends)) = COMPILERS.iter().find(|(own, _)| *own == name) else { return Vec::new() };
    let is = |word: &str, options: &[&str]| options.contains(&word.to_ascii_lowercase().as_str());
    let is_off = |at: usize| rest.get(at + 1) == Some(&"false");
    let writes_nothing = rest.iter().enumerate().any(|(at, word)| is(word, WRITES_NOTHING) && !is_off(at));
    let elsewhere = rest.iter().any(|word| is(word, &["--outdir", "--outfile"]));
    if writes_nothing || elsewhere {
        return Vec::new();
    }
    ends.iter().map(|end| untold(&from_folder(".", &format!("**/*.{end}")))).collect()
}

/// What options name to which a tool writes.
fn told_by_options(name: &str, rest: &[&str]) -> impl Iterator<Item = FileChange> {
    let is_java = name == "javac";
    let out = move |word: &str| {
        word == "-o" || word.starts_with("--out") || word.starts_with("-out") || (is_java && word == "-d")
    };
    let behind = rest.windows(2).filter(move |two| out(two[0]) && !two[0].contains('=')).map(|two| two[1]);
    let values = rest.iter().filter(|word| word.starts_with('-')).filter_map(|word| word.split_once('='));
    behind.chain(values.map(|(_, value)| value).filter(|value| is_path(value))).map(all_untold)
}

/// The folders that a box is given, which what it runs may change.
fn mounted(rest: &[&str]) -> Vec<FileChange> {
    let mut words = rest.iter().copied();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let (flag, own) = word.split_once('=').map_or((word, None), |(flag, own)| (flag, Some(own)));
        let folder = match flag {
            "-v" | "--volume" => own.or_else(|| words.next()).and_then(volume),
            "--mount" => own.or_else(|| words.next()).and_then(mount),
            _ => word.strip_prefix("-v").and_then(volume),
        };
        // Others are names of volumes.
        found.extend(folder.filter(|folder| folder.starts_with(['/', '.', '~', '$'])).map(all_untold));
    }
    found
}

/// `folder:there:ro`, unless it is only read.
fn volume(value: &str) -> Option<&str> {
    let mut parts = value.split(':');
    let (folder, how) = (parts.next(), parts.nth(1).unwrap_or_default());
    folder.filter(|_| !how.split(',').any(|how| how == "ro"))
}

/// `type=bind,source=folder,target=there,readonly`, unless it is only read.
fn mount(value: &str) -> Option<&str> {
    let only_reads = value.split(',').any(|part| matches!(part, "readonly" | "readonly=true" | "ro"));
    let folder = |name| value.split(',').find_map(|part| part.strip_prefix(name));
    folder("source=").or_else(|| folder("src=")).filter(|_| !only_reads)
}

/// What a formatter rewrites: the files with its ends that it is given, or that are below the folders that it is; `None` of
/// other commands.
pub(super) fn formatted(name: &str, rest: &[&str], words: &[&str]) -> Option<Vec<FileChange>> {
    let (_, asked, ends) = FORMATTERS.iter().find(|(own, ..)| *own == name)?;
    if only_says(rest) || !(asked.is_empty() || tells_to(rest, asked)) {
        return Some(Vec::new());
    }
    // `./...`
    let named = words.iter().filter(|word| word.contains(['.', '/'])).map(|word| word.trim_end_matches("..."));
    let is_folder = |word: &str| !name_of(word).trim_matches('.').contains('.');
    let has_end =
        |word: &str| name_of(word).rsplit_once('.').is_some_and(|(_, end)| ends.contains(&end) || end.contains('*'));
    let below = |folder: &str| {
        let folder = folder.to_owned();
        ends.iter().map(move |end| untold(&from_folder(&folder, &format!("**/*.{end}"))))
    };
    let (files, others): (Vec<&str>, Vec<&str>) = named.partition(|word| !is_folder(word));
    let mut found: Vec<FileChange> =
        others.iter().copied().flat_map(below).chain(files.iter().chain(&others).copied().map(untold)).collect();
    // What is named may be its settings.
    if others.is_empty() && !files.iter().any(|file| has_end(file)) {
        found.extend(below("."));
    }
    Some(found)
}

/// Whether a tool that rewrites files of any language is told to.
fn rewrites(name: &str, rest: &[&str]) -> bool {
    REWRITERS.iter().any(|(own, asked)| *own == name && tells_to(rest, asked))
}

/// Whether words tell a tool one of what it is asked by: a word, a letter among others, or how a long option begins.
fn tells_to(rest: &[&str], asked: &str) -> bool {
    // What is longer is an option of one hyphen.
    let letters: Vec<&str> = rest.iter().copied().filter(|word| word.len() <= 5 && !word.contains('=')).collect();
    asked.split_whitespace().any(|own| {
        let letter = own.strip_prefix('-').and_then(|own| Some(own).filter(|own| own.len() == 1)?.chars().next());
        match letter {
            Some(letter) => flagged(&letters, &[letter]),
            None if own.starts_with('-') => rest.iter().any(|word| {
                word.strip_prefix(own).is_some_and(|behind| behind.is_empty() || behind.starts_with(['-', '=']))
            }),
            None => rest.contains(&own),
        }
    })
}

/// Whether an option or some of the first words tells a tool to rewrite what is there: `lint:fix`, `--fix`.
pub(super) fn is_asked(words: &[&str]) -> bool {
    let (options, others): (Vec<&str>, Vec<&str>) = words.iter().partition(|word| word.starts_with('-'));
    options.iter().chain(others.iter().take(4)).any(|word| {
        let has = |parts: &[&str]| word.split(['-', ':', '_', '=']).any(|part| parts.contains(&part));
        let own = if word.starts_with('-') { OPTIONS } else { REWRITES };
        (has(own) || word.starts_with("--in-place")) && !has(SAYS)
    })
}

/// Whether a tool is told only to say what it would rewrite.
pub(super) fn only_says(words: &[&str]) -> bool {
    words.iter().any(|word| CHECKS.contains(word))
}

fn noted(name: &str) -> impl Iterator<Item = FileChange> {
    let files = NOTED.iter().find(|(own, _)| *own == name).map_or(&[][..], |(_, files)| files);
    files.iter().map(|file| untold(file))
}

#[cfg(test)]
mod tests {
    use super::super::shell::written;

    fn meets(script: &str, file: &str) -> bool {
        written(script, "").iter().any(|change| change.concerns(file, "/w"))
    }

    #[test]
    fn a_formatter_rewrites_files_of_its_language_where_it_is_told_to() {
        for (script, file) in [
            ("cargo fmt", "/w/d/f.rs"),
            ("cargo clippy --fix --allow-dirty", "/w/d/f.rs"),
            ("rustfmt d/f.rs", "/w/d/f.rs"),
            ("black .", "/w/d/f.py"),
            ("black --config pyproject.toml", "/w/d/f.py"),
            ("ruff check --fix", "/w/d/f.py"),
            ("ruff format d/", "/w/d/f.py"),
            ("prettier --write .", "/w/d/f.md"),
            ("npx prettier -w d/f.md", "/w/d/f.md"),
            ("eslint --fix src d/f.ts", "/w/d/f.ts"),
            ("go fmt ./...", "/w/d/f.go"),
            ("gofmt -l -w d/f.go", "/w/d/f.go"),
            ("shfmt -w d/f.sh", "/w/d/f.sh"),
            ("clang-format -i d/f.c", "/w/d/f.c"),
            ("terraform fmt -recursive", "/w/d/f.tf"),
            ("rubocop -A", "/w/d/f.rb"),
            ("isort d/f.py", "/w/d/f.py"),
            ("npm run format", "/w/d/f.md"),
            ("npm run lint:fix", "/w/d/f.md"),
            ("yarn format", "/w/d/f.md"),
            ("mise run fmt", "/w/d/f.md"),
            ("make fmt", "/w/d/f.md"),
            ("just fmt", "/w/d/f.md"),
            ("uv run poe codegen", "/w/d/f.md"),
            ("go generate ./...", "/w/d/f.go"),
            ("codespell -w d/f", "/w/d/f"),
            ("typos -w", "/w/d/f"),
            ("yapf -ri .", "/w/d/f.py"),
            ("autopep8 -ir .", "/w/d/f.py"),
            ("ruff check --fix-only", "/w/d/f.py"),
            ("biome check --apply-unsafe", "/w/d/f.ts"),
            ("clang-tidy -fix-errors d/f.c", "/w/d/f.c"),
            ("npm run lint -- --max-warnings 0 --fix", "/w/d/f.ts"),
            ("pnpm -r --filter web run lint --fix", "/w/d/f.ts"),
            ("pre-commit run --all-files", "/w/d/f"),
            ("go get a/x b/y", "/w/go.mod"),
            ("go get a/x b/y", "/w/go.sum"),
            ("uv sync --extra a b", "/w/uv.lock"),
            ("tsc", "/w/d/f.js"),
            ("npx tsc -p d && node d/f.js", "/w/d/f.js"),
            ("tsc --noEmit false", "/w/f.js"),
            ("pnpm exec vue-tsc --build", "/w/d/f.js.map"),
            ("tsc --outDir d", "/w/d/f.js"),
        ] {
            assert!(meets(script, file), "{script}");
        }
        for (script, file) in [
            ("black .", "/w/d/f.rs"),
            ("cargo fmt --check", "/w/d/f.rs"),
            ("cargo fmt -- --check", "/w/d/f.rs"),
            ("cargo check && cargo clippy --all-targets", "/w/d/f.rs"),
            ("cargo metadata --format-version 1", "/w/d/f.rs"),
            ("black --check --diff d/f.py", "/w/d/f.py"),
            ("ruff check d/f.py --output-format json", "/w/d/f.py"),
            ("ruff format --check d/f.py", "/w/d/f.py"),
            ("mypy d/f.py", "/w/d/f.py"),
            ("prettier d/f.md", "/w/d/f.md"),
            ("prettier --check d/f.md && prettier -l d/f.md", "/w/d/f.md"),
            ("eslint --format json d/f.ts", "/w/d/f.ts"),
            ("eslint --fix-dry-run d/f.ts", "/w/d/f.ts"),
            ("tsc --noEmit -p d", "/w/d/f.ts"),
            ("tsc --noEmit -p d", "/w/d/f.js"),
            ("tsc --outDir out", "/w/d/f.js"),
            ("tsc", "/w/d/f.ts"),
            ("tsc --version", "/w/d/f.js"),
            ("gofmt -l d/f.go", "/w/d/f.go"),
            ("shellcheck d/f.sh && shfmt -d d/f.sh", "/w/d/f.sh"),
            ("clang-format d/f.c", "/w/d/f.c"),
            ("clang-format -style=file d/f.c", "/w/d/f.c"),
            ("ruff check --fixable E501 d/f.py", "/w/d/f.py"),
            ("codespell d/f", "/w/d/f"),
            ("npm run format:check", "/w/d/f.md"),
            ("pytest d/test_format.py", "/w/d/test_format.py"),
            ("docker ps --format '{{.Names}}'", "/w/d/f.md"),
        ] {
            assert!(!meets(script, file), "{script}");
        }
    }

    #[test]
    fn what_runs_in_a_box_may_change_the_folders_that_it_is_given() {
        for script in [
            "docker run --rm -v $PWD:/x alpine sh -c 'rm /x/d/f'",
            "docker run -v \"$(pwd)\":/x alpine make",
            "docker run --volume=./d:/x alpine make",
            "docker run --rm -v$PWD:/x alpine make",
            "docker compose run -v .:/x app make",
            "podman run --mount type=bind,source=/w/d,target=/x alpine make",
        ] {
            assert!(meets(script, "/w/d/f"), "{script}");
        }
        for script in [
            "docker run --rm -v $PWD:/x:ro alpine make",
            "docker run -v data:/x alpine make",
            "docker run --mount type=bind,src=/w/d,dst=/x,readonly alpine make",
            "docker run -v /srv:/x alpine make",
            "docker run --rm alpine make",
        ] {
            assert!(!meets(script, "/w/d/f"), "{script}");
        }
    }
}
