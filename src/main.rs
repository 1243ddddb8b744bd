//! The program.

/// Documents and transcripts are read in very many small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    windowpane::cli::main()
}
