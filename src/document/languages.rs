//! Programming languages by the endings of their files.

use crate::model::file_name;

use super::input::extension;

/// Endings and languages.
const LANGUAGES: &[(&str, &str)] = &[
    ("ada adb ads", "Ada"),
    ("asm s", "Assembly"),
    ("awk", "AWK"),
    ("bash sh zsh ksh fish", "Shell"),
    ("bat cmd", "Batch"),
    ("c h", "C"),
    ("cc cpp cxx hh hpp hxx ino", "C++"),
    ("clj cljs cljc edn", "Clojure"),
    ("cmake", "CMake"),
    ("cob cbl", "COBOL"),
    ("coffee", "CoffeeScript"),
    ("cr", "Crystal"),
    ("cs csx", "C#"),
    ("css", "CSS"),
    ("cu cuh", "CUDA"),
    ("d", "D"),
    ("dart", "Dart"),
    ("diff patch", "Diff"),
    ("dockerfile containerfile", "Dockerfile"),
    ("elm", "Elm"),
    ("erl hrl", "Erlang"),
    ("ex exs", "Elixir"),
    ("f f77 f90 f95 for", "Fortran"),
    ("fs fsi fsx", "F#"),
    ("glsl vert frag hlsl wgsl", "Shading language"),
    ("go", "Go"),
    ("gradle groovy", "Groovy"),
    ("graphql gql", "GraphQL"),
    ("hs lhs", "Haskell"),
    ("java", "Java"),
    ("jl", "Julia"),
    ("js mjs cjs jsx", "JavaScript"),
    ("kt kts", "Kotlin"),
    ("less", "Less"),
    ("lisp lsp cl el scm ss rkt", "Lisp"),
    ("lua", "Lua"),
    ("m mm", "Objective-C"),
    ("makefile mk", "Makefile"),
    ("ml mli", "OCaml"),
    ("nim", "Nim"),
    ("nix", "Nix"),
    ("pas pp", "Pascal"),
    ("php phtml", "PHP"),
    ("pl pm", "Perl"),
    ("proto", "Protocol Buffers"),
    ("ps1 psm1 psd1", "PowerShell"),
    ("py pyi pyw", "Python"),
    ("r", "R"),
    ("rb rake gemspec", "Ruby"),
    ("rs", "Rust"),
    ("sass scss", "Sass"),
    ("scala sc sbt", "Scala"),
    ("sol", "Solidity"),
    ("sql", "SQL"),
    ("svelte", "Svelte"),
    ("swift", "Swift"),
    ("tcl", "Tcl"),
    ("tex sty cls bib", "TeX"),
    ("tf tfvars hcl", "HCL"),
    ("ts mts cts tsx", "TypeScript"),
    ("v sv vhd vhdl", "Hardware description"),
    ("vb vbs", "Visual Basic"),
    ("vim", "Vim script"),
    ("vue", "Vue"),
    ("zig", "Zig"),
];

/// Names of files, without an ending, and languages.
const NAMES: &[(&str, &str)] = &[
    ("makefile gnumakefile bsdmakefile", "Makefile"),
    ("dockerfile containerfile", "Dockerfile"),
    ("jenkinsfile", "Groovy"),
    ("cmakelists.txt", "CMake"),
    ("gemfile rakefile vagrantfile podfile brewfile guardfile fastfile berksfile capfile", "Ruby"),
    ("snakefile sconstruct sconscript", "Python"),
    ("justfile", "Just"),
    ("build workspace", "Starlark"),
    (".bashrc .bash_profile .bash_aliases .profile .zshrc .zshenv .zprofile .envrc", "Shell"),
    (".vimrc", "Vim script"),
];

/// The language that the name of a file tells, in lower case.
#[must_use]
pub fn of_name(name: &str) -> Option<&'static str> {
    let has = |(names, _): &&(&str, &str)| names.split(' ').any(|known| known == name);
    NAMES.iter().find(has).map(|row| row.1)
}

/// The language that a file's name or ending tells; `Dockerfile.dev` is a `Dockerfile`.
#[must_use]
pub fn of_file(name: &str) -> Option<&'static str> {
    let file = file_name(name).to_lowercase();
    let stem = file.rsplit_once('.').map_or("", |(stem, _)| stem);
    of_name(&file).or_else(|| of(&extension(name))).or_else(|| of_name(stem))
}

/// The language of a file's ending.
#[must_use]
pub fn of(extension: &str) -> Option<&'static str> {
    let has = |(endings, _): &&(&str, &str)| endings.split(' ').any(|known| known == extension);
    LANGUAGES.iter().find(has).map(|row| row.1)
}

/// Whether a language is called so.
#[must_use]
pub fn is_name(name: &str) -> bool {
    LANGUAGES.iter().any(|row| row.1.eq_ignore_ascii_case(name))
}
