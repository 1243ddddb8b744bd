//! Added embedding models, run by fastembed over an ONNX Runtime library that the user names: what the embedder's own
//! process does.

use std::path::Path;
use std::sync::Arc;

use fastembed::{InitOptionsUserDefined, Pooling, TextEmbedding, TokenizerFiles, UserDefinedEmbeddingModel};
use ort::environment::Environment;
use serde_json::{Value, json};

use crate::chunk::{ModelId, model_hash, normalised};

use super::models::{graph_of, small_file, sum_of};

/// Tokens that a model takes where nothing says so.
const TOKENS: usize = 256;
/// Bytes of a graph that is held in memory.
const GRAPH_MAX: u64 = 4 << 30;

/// A model that runs in ONNX Runtime.
pub struct OnnxModel {
    model: TextEmbedding,
    /// What tells its vectors apart.
    pub id: ModelId,
}

impl OnnxModel {
    /// Loads the library, then the model of a folder.
    ///
    /// # Errors
    /// What is the matter with either.
    pub fn load(name: &str, folder: &Path, library: &Path) -> Result<OnnxModel, String> {
        let environment = environment(library)?;
        let graph = graph_of(folder).ok_or("it has no graph")?;
        if std::fs::metadata(&graph).map_or(0, |about| about.len()) > GRAPH_MAX {
            return Err("its graph is larger than 4 GB".to_owned());
        }
        let bytes = std::fs::read(&graph).map_err(|why| why.to_string())?;
        let tokenizer = small_file(&folder.join("tokenizer.json")).ok_or("its tokenizer.json cannot be read")?;
        let json_of =
            |file: &str| small_file(&folder.join(file)).and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
        let pooling = pooling(json_of("1_Pooling/config.json").as_ref());
        let config = json_of("tokenizer_config.json").unwrap_or_else(|| json!({}));
        let tokens = tokens(json_of("sentence_bert_config.json").as_ref(), &config);
        let mean = pooling == Pooling::Mean;
        let how = format!("onnxruntime, batch 1, {tokens} tokens, {}", if mean { "mean" } else { "cls" });
        let hash = model_hash(&[sum_of(&bytes), sum_of(&tokenizer)], &how);
        let to_bytes = |value: &Value| value.to_string().into_bytes();
        let files = TokenizerFiles {
            tokenizer_file: tokenizer,
            config_file: to_bytes(&json_of("config.json").unwrap_or_else(|| json!({}))),
            special_tokens_map_file: to_bytes(&json_of("special_tokens_map.json").unwrap_or_else(|| json!({}))),
            tokenizer_config_file: to_bytes(&completed(config)),
        };
        let mut model = UserDefinedEmbeddingModel::new(bytes, files).with_pooling(pooling);
        let weights = graph.with_extension("onnx_data");
        if weights.is_file() {
            let data = std::fs::read(&weights).map_err(|why| why.to_string())?;
            let file = weights.file_name().unwrap_or_default().to_string_lossy().into_owned();
            model = model.with_external_initializer(file, data);
        }
        let options = InitOptionsUserDefined::new().with_max_length(tokens).with_environment(environment);
        let mut model = TextEmbedding::try_new_from_user_defined(model, options).map_err(|why| why.to_string())?;
        // One text tells how many numbers a vector has, and whether it works at all.
        let tried = model.embed(["test"], Some(1)).map_err(|why| why.to_string())?;
        let dimensions = tried.first().map_or(0, Vec::len);
        if dimensions == 0 {
            return Err("it gives no vectors".to_owned());
        }
        Ok(OnnxModel { model, id: ModelId { name: name.to_owned(), hash, dimensions } })
    }

    /// A text's vector. One by one: in a batch, padding would make a vector depend on its neighbours.
    ///
    /// # Errors
    /// What the library says.
    pub fn embed(&mut self, text: &str) -> Result<Arc<[f32]>, String> {
        let done = self.model.embed([text], Some(1)).map_err(|why| why.to_string())?;
        let vector = done.into_iter().next().filter(|vector| vector.len() == self.id.dimensions);
        Ok(normalised(vector.ok_or("it gave vectors of another size")?))
    }
}

/// The library's environment; what it would tell its maker is off. Libraries that do not ask for that before they begin
/// to write and send are told by [`super::embedder::QUIET`], too.
fn environment(library: &Path) -> Result<Environment, String> {
    // Without `init_from`, a library that is missing or too old ends the program.
    let why = |why: &dyn std::fmt::Display| format!("{}: {why}", library.display());
    let builder = ort::init_from(library).map_err(|fault| why(&fault))?;
    builder.with_telemetry(false).build().map_err(|fault| why(&fault))
}

/// How the vectors of tokens become one: what the model's folder says, else their mean.
fn pooling(config: Option<&Value>) -> Pooling {
    let says = |key: &str| config.and_then(|config| config.get(key)).and_then(Value::as_bool).unwrap_or(false);
    if says("pooling_mode_cls_token") { Pooling::Cls } else { Pooling::Mean }
}

/// Tokens that a model takes.
fn tokens(sentence: Option<&Value>, tokenizer: &Value) -> usize {
    let stated = sentence.and_then(|config| config.get("max_seq_length")).and_then(Value::as_u64);
    let own = tokenizer.get("model_max_length").and_then(Value::as_u64).filter(|tokens| *tokens <= 1 << 20);
    stated.or(own).and_then(|tokens| usize::try_from(tokens).ok()).filter(|tokens| *tokens > 2).unwrap_or(TOKENS)
}

/// A tokenizer's settings with what fastembed needs, where they lack it.
fn completed(mut config: Value) -> Value {
    if let Some(fields) = config.as_object_mut() {
        fields.entry("model_max_length").or_insert_with(|| json!(1 << 20));
        fields.entry("pad_token").or_insert_with(|| json!("[PAD]"));
    }
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_folder_says_is_taken_and_the_rest_assumed() {
        assert_eq!(tokens(Some(&json!({"max_seq_length": 256})), &json!({"model_max_length": 512})), 256);
        assert_eq!(tokens(None, &json!({"model_max_length": 512})), 512);
        assert_eq!(tokens(None, &json!({"model_max_length": 1e30})), TOKENS);
        assert_eq!(pooling(Some(&json!({"pooling_mode_cls_token": true}))), Pooling::Cls);
        assert_eq!(pooling(None), Pooling::Mean);
        assert_eq!(
            completed(json!({"pad_token": "<pad>"})),
            json!({"pad_token": "<pad>", "model_max_length": 1 << 20})
        );
    }
}
