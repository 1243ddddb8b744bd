//! Documents as commands open them: converted in the worker or out of the cache.

use std::path::Path;

use anyhow::Context;

use crate::chunk::Chooser;
use crate::content::{ReadAt, Watch};
use crate::document::{Conversion, Limits};
use crate::io::{
    Converter, DocumentCache, FileBytes, Job, ModelPlaces, NamedFile, Preferences, VectorCache, cache_folder,
    named_file, read_once,
};
use crate::policy::Policy;

use super::fail::say;

/// Bytes of Markdown of one document.
pub const MARKDOWN_MAX: u64 = 256 << 20;

/// Where converted documents are kept, if the user's settings let them.
pub fn documents(preferences: &Preferences) -> DocumentCache {
    DocumentCache::open(cache_folder().filter(|_| preferences.settings.cache).as_deref())
}

/// The bytes of a document that the user names, `-` for standard input, and whether they can be read again by that name.
/// One that breaks off is told of.
pub fn bytes_of(path: &Path, watch: &Watch) -> anyhow::Result<(FileBytes, bool)> {
    let name = path.to_string_lossy();
    let read = match path == Path::new("-") {
        true => read_once(std::io::stdin().lock(), watch),
        false => named_file(path, watch),
    };
    let NamedFile { bytes, again, broken } = read.with_context(|| format!("cannot read {name}"))?;
    tell_of_end(&name, broken, watch);
    Ok((bytes, again))
}

/// Tells of what broke off, where nobody stopped it.
pub fn tell_of_end(name: &str, broken: Option<String>, watch: &Watch) {
    if let Some(why) = broken.filter(|_| !watch.is_cancelled()) {
        say(&format!("warning: {name} breaks off: {why}"));
    }
}

/// What opens documents and ranks their passages.
pub struct Reader {
    converter: Converter,
    documents: DocumentCache,
    vectors: Option<VectorCache>,
    models: ModelPlaces,
}

impl Reader {
    /// As the user's settings say.
    pub fn new(preferences: &Preferences) -> anyhow::Result<Reader> {
        let folder = cache_folder().filter(|_| preferences.settings.cache);
        let settings = &preferences.settings;
        Ok(Reader {
            converter: Converter::new(std::env::current_exe().context("cannot find this program")?),
            documents: documents(preferences),
            vectors: VectorCache::open(folder.as_deref()),
            models: ModelPlaces::of(settings.embedding_onnxruntime.as_deref(), settings.embedding_models.as_deref()),
        })
    }

    /// The first `max_bytes` of a file's document; `-` is standard input.
    pub fn open(&self, path: &Path, max_bytes: u64, watch: &Watch) -> anyhow::Result<Conversion> {
        let (bytes, again) = bytes_of(path, watch)?;
        self.convert(&path.to_string_lossy(), Some(path).filter(|_| again), &bytes, None, max_bytes, watch)
    }

    /// The document of bytes, within limits or its first `max_bytes`.
    pub fn convert(
        &self,
        name: &str,
        path: Option<&Path>,
        bytes: &dyn ReadAt,
        limits: Option<&Limits>,
        max_bytes: u64,
        watch: &Watch,
    ) -> anyhow::Result<Conversion> {
        let job = Job { name, path, bytes, limits, max_bytes, watch };
        self.documents.convert(&self.converter, &job).map_err(|_| anyhow::anyhow!("stopped"))
    }

    /// Brings in the vectors that a choice wants, by the policy's model. `tell` is called now and then meanwhile.
    pub fn refine(
        &self,
        chooser: &mut Chooser,
        policy: &Policy,
        watch: &Watch,
        tell: &mut dyn FnMut(&Chooser),
    ) -> anyhow::Result<()> {
        if !chooser.wants_vectors() {
            return Ok(());
        }
        let embedder = self.models.load(&policy.chunks.model)?;
        let store = self.vectors.as_ref().map(|vectors| vectors as &dyn crate::chunk::Store);
        chooser.refine(embedder.as_ref(), store, watch, tell)?;
        Ok(())
    }
}
