//! The embedding models there are: the one in the program, and those that the user added to a folder.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use directories::ProjectDirs;
use sha2::{Digest, Sha256};

use crate::chunk::{BUNDLED, EmbedError, Embedder};

/// Bytes of a small file of a model.
const SMALL_MAX: u64 = 64 << 20;
/// Models that are listed.
const LISTED_MAX: usize = 500;
/// What a model's folder holds, under any of these names: the graph, then what goes with it.
const GRAPHS: &[&str] = &["model.onnx", "onnx/model.onnx", "model_optimized.onnx"];
const TOKENIZER: &str = "tokenizer.json";
const BESIDE: &[&str] = &[
    "config.json",
    "special_tokens_map.json",
    "tokenizer_config.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
];

/// Where models and the library that runs them lie.
#[derive(Clone, Debug, Default)]
pub struct ModelPlaces {
    /// The ONNX Runtime library.
    pub onnxruntime: Option<PathBuf>,
    /// The folder of added models.
    pub folder: Option<PathBuf>,
    /// The program to start for an added model.
    pub program: PathBuf,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelRow {
    /// Its name. That of an added model is its folder's: untrusted.
    pub name: String,
    /// Whether it is compiled in.
    pub bundled: bool,
    /// Its folder.
    pub folder: Option<PathBuf>,
    /// Bytes of its graph.
    pub bytes: u64,
    /// What it lacks to be used; `None` where it lacks nothing that can be seen without loading it.
    pub lacks: Option<String>,
}

impl ModelPlaces {
    /// What is set, else what the environment says (`ORT_DYLIB_PATH`) and the platform's data folder.
    #[must_use]
    pub fn of(onnxruntime: Option<&str>, folder: Option<&str>) -> ModelPlaces {
        let named = std::env::var_os("ORT_DYLIB_PATH").filter(|path| !path.is_empty()).map(PathBuf::from);
        let own = || ProjectDirs::from("", "", "windowpane").map(|places| places.data_dir().join("models"));
        ModelPlaces {
            onnxruntime: onnxruntime.map(PathBuf::from).or(named),
            folder: folder.map(PathBuf::from).or_else(own),
            // A program that cannot be found is told where it is to be started.
            program: std::env::current_exe().unwrap_or_default(),
        }
    }

    /// The models there are: that in the program first, then the added ones by name.
    #[must_use]
    pub fn list(&self) -> Vec<ModelRow> {
        let lacks = (!cfg!(feature = "bundled-model")).then(|| "this program was built without it".to_owned());
        let mut rows = vec![ModelRow { name: BUNDLED.to_owned(), bundled: true, folder: None, bytes: 0, lacks }];
        let entries = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok());
        let mut added: Vec<ModelRow> = entries
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
            .filter(|(name, _)| name != BUNDLED && is_name(name))
            .take(LISTED_MAX)
            .map(|(name, folder)| self.row(name, folder))
            .collect();
        added.sort_by(|one, other| one.name.cmp(&other.name));
        rows.extend(added);
        rows
    }

    fn row(&self, name: String, folder: PathBuf) -> ModelRow {
        let graph = graph_of(&folder);
        let bytes = graph.as_ref().and_then(|path| fs::metadata(path).ok()).map_or(0, |about| about.len());
        let lacks = match &self.onnxruntime {
            _ if graph.is_none() => Some(format!("its folder holds no {}", GRAPHS.join(" or "))),
            _ if !folder.join(TOKENIZER).is_file() => Some(format!("its folder holds no {TOKENIZER}")),
            _ if !cfg!(feature = "fastembed") => Some("this program was built without ONNX Runtime".to_owned()),
            None => Some(NO_LIBRARY.to_owned()),
            Some(library) if !library.is_file() => Some(format!("there is no library {}", library.display())),
            Some(_) => None,
        };
        ModelRow { name, bundled: false, folder: Some(folder), bytes, lacks }
    }

    /// Copies a model's files from a folder to that of the added models, under a name.
    ///
    /// # Errors
    /// A name that cannot be, a folder that is no model's, a name that is taken (unless `force`), what the system
    /// reports.
    pub fn add(&self, name: &str, from: &Path, force: bool) -> io::Result<PathBuf> {
        let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidInput, why);
        if !is_name(name) || name == BUNDLED {
            return Err(wrong(format!("{name:?} cannot be the name of an added model")));
        }
        let graph = graph_of(from).ok_or_else(|| wrong(format!("it holds no {}", GRAPHS.join(" or "))))?;
        if !from.join(TOKENIZER).is_file() {
            return Err(wrong(format!("it holds no {TOKENIZER}")));
        }
        let folder = self.folder.as_ref().ok_or_else(|| io::Error::other("there is no folder for models"))?;
        fs::create_dir_all(folder)?;
        let to = folder.join(name);
        if to.exists() && !force {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, format!("there is a model {name:?} already")));
        }
        // It appears whole or not at all.
        let building = tempfile::Builder::new().prefix(".adding-").tempdir_in(folder)?;
        fs::copy(&graph, building.path().join("model.onnx"))?;
        let weights = graph.with_extension("onnx_data");
        if weights.is_file() {
            fs::copy(weights, building.path().join("model.onnx_data"))?;
        }
        for file in [TOKENIZER].iter().chain(BESIDE) {
            let (source, target) = (from.join(file), building.path().join(file));
            if source.is_file() {
                fs::create_dir_all(target.parent().unwrap_or(building.path()))?;
                fs::copy(source, target)?;
            }
        }
        if to.exists() {
            fs::remove_dir_all(&to)?;
        }
        fs::rename(building.keep(), &to)?;
        Ok(to)
    }

    /// Loads a model.
    ///
    /// # Errors
    /// An unknown name, or a model or library that cannot be loaded.
    pub fn load(&self, name: &str) -> Result<Arc<dyn Embedder>, EmbedError> {
        let failed = |why: String| EmbedError::Load { name: name.to_owned(), why };
        if name == BUNDLED {
            #[cfg(feature = "bundled-model")]
            return Ok(Arc::new(crate::chunk::bundled()));
            #[cfg(not(feature = "bundled-model"))]
            return Err(failed("this program was built without it".to_owned()));
        }
        let rows = self.list();
        let Some(row) = rows.iter().find(|row| row.name == name && !row.bundled) else {
            let known = rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(EmbedError::Unknown { name: name.to_owned(), known });
        };
        if let Some(lacks) = &row.lacks {
            return Err(failed(lacks.clone()));
        }
        self.load_added(row).map_err(failed)
    }

    #[cfg(feature = "fastembed")]
    fn load_added(&self, row: &ModelRow) -> Result<Arc<dyn Embedder>, String> {
        let (Some(library), Some(folder)) = (&self.onnxruntime, &row.folder) else {
            return Err(NO_LIBRARY.to_owned());
        };
        let model = super::embedder::AddedModel::load(&self.program, &row.name, folder, library)?;
        Ok(Arc::new(model))
    }

    #[cfg(not(feature = "fastembed"))]
    #[allow(clippy::unused_self)]
    fn load_added(&self, _: &ModelRow) -> Result<Arc<dyn Embedder>, String> {
        Err("this program was built without ONNX Runtime".to_owned())
    }
}

/// What is said where no library is named.
const NO_LIBRARY: &str =
    "no ONNX Runtime library is named: set embedding_onnxruntime, or ORT_DYLIB_PATH in the environment";

/// Whether a name can be that of a folder here, and of nothing else.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 200
        && !name.starts_with('.')
        && name.chars().all(|sign| sign.is_alphanumeric() || matches!(sign, '-' | '_' | '.' | '+'))
}

/// The file of a model's graph.
pub(super) fn graph_of(folder: &Path) -> Option<PathBuf> {
    GRAPHS.iter().map(|name| folder.join(name)).find(|path| path.is_file())
}

/// A small file of a model; `None` where it is not there or too large.
#[cfg_attr(not(feature = "fastembed"), allow(dead_code))]
pub(super) fn small_file(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(SMALL_MAX + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= SMALL_MAX).then_some(bytes)
}

/// SHA-256 of bytes.
#[cfg_attr(not(feature = "fastembed"), allow(dead_code))]
pub(super) fn sum_of(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(folder: &Path) -> ModelPlaces {
        ModelPlaces { folder: Some(folder.to_owned()), ..ModelPlaces::default() }
    }

    #[test]
    fn models_are_added_whole_and_listed_with_what_they_lack() {
        let (from, to) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let places = places(to.path());
        assert!(places.add("mine", from.path(), false).is_err());
        fs::create_dir(from.path().join("onnx")).unwrap();
        fs::write(from.path().join("onnx/model.onnx"), "graph").unwrap();
        fs::write(from.path().join("tokenizer.json"), "{}").unwrap();
        places.add("mine", from.path(), false).unwrap();
        assert!(places.add("mine", from.path(), false).is_err());
        places.add("mine", from.path(), true).unwrap();
        for name in ["../up", "", ".hidden", "a/b", BUNDLED] {
            assert!(places.add(name, from.path(), true).is_err(), "{name}");
        }
        let rows = places.list();
        assert_eq!(
            rows.iter().map(|row| (row.name.as_str(), row.bytes)).collect::<Vec<_>>(),
            [(BUNDLED, 0), ("mine", 5)]
        );
        assert!(rows[1].lacks.is_some());
    }

    #[test]
    fn what_cannot_be_loaded_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(places(folder.path()).load("none"), Err(EmbedError::Unknown { .. })));
        fs::create_dir(folder.path().join("mine")).unwrap();
        fs::write(folder.path().join("mine/model.onnx"), "graph").unwrap();
        fs::write(folder.path().join("mine/tokenizer.json"), "{}").unwrap();
        assert!(matches!(places(folder.path()).load("mine"), Err(EmbedError::Load { .. })));
        // A library that is none, or is not there, is an error, too.
        let library = folder.path().join("libonnxruntime.so");
        let named = ModelPlaces { onnxruntime: Some(library.clone()), ..places(folder.path()) };
        assert!(matches!(named.load("mine"), Err(EmbedError::Load { .. })));
        fs::write(library, "no library").unwrap();
        assert!(matches!(named.load("mine"), Err(EmbedError::Load { .. })));
    }
}
