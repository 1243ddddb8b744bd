//! What touches the world beside the terminal: files, spools, folders, caches.

mod adapt;
mod attached_texts;
mod cache;
mod day;
mod documents;
#[cfg(feature = "fastembed")]
mod embedder;
mod files;
mod heap;
mod large;
mod memories;
mod models;
#[cfg(feature = "fastembed")]
mod onnx;
mod open;
mod page;
mod policies;
mod process;
mod project_files;
mod redirect;
mod server;
mod sessions;
mod settings;
mod siblings;
mod spool;
mod vectors;
mod worker;
mod workspace;
mod write;

pub use attached_texts::{Room, TOPICS, texts_beside};
pub use cache::{CountCache, cache_folder};
pub use documents::DocumentCache;
pub use files::FileBytes;
pub use heap::keep_freed_memory;
pub use large::{Gathering, LargeDocument};
pub use memories::{
    KeptEdge, KeptMemory, Layer as KeptLayer, MemoryFile, MemoryFileError, Read, memory_path, session_of,
};
pub use models::{ModelPlaces, ModelRow};
pub use open::{OpenFileError, Opened, open, open_bytes};
pub use page::{FetchError, PAGE_BYTES_MAX, Page, fetch};
pub use policies::{PolicyError, base_in, base_of, line_of, policy_named, policy_text, set_in, variants_named};
pub use project_files::{
    ProjectFile, ProjectFiles, Unloaded, instruction_files, read as read_project_file, skill_files,
};
pub use server::{
    AnswerCache, AskError, Endpoint, EndpointError, KeptAnswer, Patience, Progress, Reply, Request, Said, Stopped, ask,
    shown_address,
};
pub use sessions::{Gists, Roots, SessionFile, find_sessions, own_roots, session_gist};
pub use settings::{Ground, Preferences, PreferencesError, config_folder, preferences, theme, theme_names};
pub use siblings::{FolderSiblings, head_of};
pub use spool::{NamedFile, named_file, packing_of, read_once, unpacked};
pub use vectors::VectorCache;
pub use worker::{Bounds, Converter, Job, WORKER_ARGUMENT, serve_if_asked};
pub use workspace::{Workspace, WorkspaceError, file_identity};
pub use write::write_whole;
