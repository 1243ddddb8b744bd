//! The program.

fn main() -> std::process::ExitCode {
    windowpane::cli::main()
}
