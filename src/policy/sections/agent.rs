//! What an agent loads beside the conversation: instruction files and skills.

use crate::policy::declare::section;
use crate::policy::value::choice;

section! {
    /// Instruction files: which are found, how much of each is loaded.
    instructions: Instructions {
        /// Whether instruction files of the working folder are loaded.
        on: bool = false, 0..=0 "", Instant, "source 5: persistent instruction file pattern";
        /// Names of instruction files, looked for in each folder in this order; one that ends in / is a folder of them.
        names: Vec<String> = ["CLAUDE.md", "AGENTS.md", "CLAUDE.local.md", ".claude/CLAUDE.md", ".claude/rules/"].map(String::from).to_vec(), 0..=50 "", Recount, "source 5: hierarchical loading";
        /// Whether of these names only the first that a folder has is loaded.
        first_name: bool = false, 0..=0 "", Recount, "Codex's documentation: at most one file per directory";
        /// Whether the organisation's file is loaded.
        organisation: bool = true, 0..=0 "", Instant, "source 5: scoped context assembly";
        /// Whether the user's file is loaded.
        user: bool = true, 0..=0 "", Instant, "source 5: scoped context assembly";
        /// The folder of the user's files, in their home folder.
        user_folder: String = ".claude".to_owned(), 0..=200 "", Recount, "source 5: user level (~/.claude/CLAUDE.md)";
        /// Whether the folders from the project's root down to the working folder are walked.
        parents: bool = true, 0..=0 "", Instant, "source 5: parent directories (walk upward)";
        /// Whether the other folders of the project are walked towards the active file.
        children: bool = true, 0..=0 "", Instant, "source 5: child directories (walk downward into active file's tree)";
        /// Whether a folder's file is loaded only once a file below that folder is touched.
        scoped: bool = true, 0..=0 "", Instant, "source 5: use path-based scoping";
        /// Patterns of folders that are never looked into (as in `.ckignore`).
        exclude: Vec<String> = ["node_modules/", "dist/", "target/", ".git/"].map(String::from).to_vec(), 0..=200 "", Recount, "source 5: scout-block, .ckignore";
        /// Characters kept of each file.
        max_chars: u64 = 4_000, 0..=10_000_000 "characters", Recount, "source 5: MAX_INSTRUCTION_FILE_CHARS";
        /// Characters kept of all files together.
        total_chars: u64 = 12_000, 0..=100_000_000 "characters", Recount, "source 5: MAX_TOTAL_INSTRUCTION_CHARS";
        /// What stands where a file was cut.
        marker: String = "[truncated]".to_owned(), 0..=200 "", Recount, "source 5: truncation marker";
        /// Whether a text that was loaded already (equal up to blank lines) is left out; the outermost stays.
        dedupe: bool = true, 0..=0 "", Instant, "source 5: dedupe by content hash";
        /// Whether the instructions are put in again with every prompt of the user.
        repeat: bool = false, 0..=0 "", Instant, "source 5: re-injects rules on every user prompt";
    }
}

choice! {
    /// What an agent is told of its skills.
    Listing {
        /// Nothing.
        None = "none",
        /// Each name and description.
        Descriptions = "descriptions",
        /// Each whole file.
        Bodies = "bodies",
    }
}

section! {
    /// Skills: what is listed of them, and which.
    skills: Skills {
        /// What is put into the system prompt of each skill.
        listing: Listing = Listing::Descriptions, 0..=0 "", Instant, "source 3: the list of available skills is injected into the system prompt";
        /// Skills whose whole text is loaded from the start.
        required: Vec<String> = Vec::new(), 0..=1_000 "", Instant, "source 3: required skills";
        /// Skills that may be listed; empty: all.
        allowed: Vec<String> = Vec::new(), 0..=1_000 "", Instant, "source 3: allowed skills";
        /// Skills that are never listed.
        prohibited: Vec<String> = Vec::new(), 0..=1_000 "", Instant, "source 3: prohibited skills";
        /// Whether the built-in skill that explains the file tools is listed.
        large_files: bool = false, 0..=0 "", Instant, "source 3: a large_files skill";
        /// Tokens kept of a skill that is loaded; 0: all.
        max_tokens: u64 = 0, 0..=10_000_000 "tokens" endless_at 0, Instant, "Claude Code's documentation: skills at most 5,000 tokens each";
    }
}
