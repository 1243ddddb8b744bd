//! The model that is compiled in: all-MiniLM-L6-v2, its weights as int8, run by rten.
//!
//! Each text is run alone, without padding: its vector is the same whatever stands beside it and however many threads
//! there are. Each thread runs in a pool of its own with one thread; called from a worker of another pool, rten
//! overflows the stack, so the threads here are plain ones.
//!
//! Its weights are laid out when a text is embedded for the first time: where all vectors are kept from before, nobody
//! waits for that.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;

use rten::{Model, ModelOptions, NodeId, RunOptions, ThreadPool, Value, op_registry};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};

use crate::content::Watch;

use super::embed::{BUNDLED, EmbedError, Embedder, ModelId, model_hash};
use super::vector::normalised;
use super::wordpiece::{WordPiece, vocabulary};

/// A text's number and its vector.
type Embedded = Result<(usize, Arc<[f32]>), EmbedError>;

static WEIGHTS: &[u8] = include_bytes!("../../models/minilm-l6-v2.wo-int8.onnx");
/// SHA-256 of both, as `models/README.md` gives them; a test holds the files to it.
const SUMS: [[u8; 32]; 2] = [
    [
        0xcf, 0x08, 0xd2, 0x54, 0xbf, 0xe6, 0xcd, 0x5d, 0x00, 0x95, 0x04, 0x18, 0x38, 0xe5, 0xfc, 0x75, 0xec, 0x14,
        0xa5, 0x56, 0x3c, 0x1f, 0xed, 0x15, 0x2f, 0x2e, 0xf7, 0x2e, 0x6d, 0xfd, 0x3b, 0x3a,
    ],
    [
        0x5f, 0xd1, 0xc8, 0x82, 0xab, 0xbd, 0x30, 0x51, 0x7d, 0xce, 0xd4, 0x55, 0xa2, 0xc9, 0x76, 0x89, 0x45, 0xec,
        0x72, 0x6b, 0x96, 0x72, 0x79, 0x27, 0xe4, 0x95, 0x93, 0x48, 0xd9, 0xde, 0x55, 0x0b,
    ],
];
/// Tokens that the model was trained on; of a longer text, the rest is left out.
const TOKENS_MAX: usize = 256;
/// Numbers in a vector.
const DIMENSIONS: usize = 384;

/// The bundled model.
pub struct MiniLm {
    id: ModelId,
    loaded: OnceLock<Result<Loaded, EmbedError>>,
}

/// What runs it.
struct Loaded {
    model: Model,
    pieces: &'static WordPiece,
    inputs: [NodeId; 3],
    output: NodeId,
}

/// The bundled model. It is loaded when the first text is embedded.
#[must_use]
pub fn bundled() -> &'static MiniLm {
    static MODEL: OnceLock<MiniLm> = OnceLock::new();
    MODEL.get_or_init(MiniLm::unloaded)
}

impl MiniLm {
    fn unloaded() -> MiniLm {
        let hash = model_hash(&SUMS, "rten, batch 1, 256 tokens as published, mean");
        MiniLm { id: ModelId { name: BUNDLED.to_owned(), hash, dimensions: DIMENSIONS }, loaded: OnceLock::new() }
    }

    fn loaded(&self) -> Result<&Loaded, EmbedError> {
        self.loaded.get_or_init(Loaded::new).as_ref().map_err(Clone::clone)
    }
}

impl Loaded {
    /// Loads it.
    fn new() -> Result<Loaded, EmbedError> {
        let failed = |why: String| EmbedError::Load { name: BUNDLED.to_owned(), why };
        // The vocabulary is read beside the weights.
        let reading = thread::Builder::new().name("vocabulary".to_owned()).spawn(vocabulary);
        let ops = op_registry!(
            Gather,
            Cast,
            Mul,
            Add,
            Sub,
            Div,
            Erf,
            MatMul,
            Softmax,
            Reshape,
            Transpose,
            Unsqueeze,
            Shape,
            Slice,
            Identity,
            LayerNormalization,
            DequantizeLinear
        );
        // Laid out once as they are multiplied: a fifteenth faster, for 40 MB and 12 ms.
        let model = ModelOptions::with_ops(ops)
            .prepack_weights(true)
            .load_static_slice(WEIGHTS)
            .map_err(|why| failed(why.to_string()))?;
        let node = |name: &str| model.node_id(name).map_err(|why| failed(why.to_string()));
        let inputs = [node("input_ids")?, node("attention_mask")?, node("token_type_ids")?];
        let output = node("last_hidden_state")?;
        if let Ok(reading) = reading {
            // Whatever became of that, the vocabulary is asked for again.
            let _ = reading.join();
        }
        Ok(Loaded { model, pieces: vocabulary()?, inputs, output })
    }

    /// The vector of one text's tokens: the mean of what the model makes of each.
    fn run(&self, tokens: &[u32], pool: &Arc<ThreadPool>) -> Result<Arc<[f32]>, EmbedError> {
        let failed = |why: String| EmbedError::Run { name: BUNDLED.to_owned(), why };
        let number = tokens.len();
        let ids: Vec<i32> = tokens.iter().map(|token| i32::try_from(*token).unwrap_or(0)).collect();
        let row = |data: Vec<i32>| NdTensor::from_data([1, number], data);
        let [ids_in, mask_in, types_in] = self.inputs;
        let inputs = vec![
            (ids_in, row(ids).into()),
            (mask_in, row(vec![1; number]).into()),
            (types_in, row(vec![0; number]).into()),
        ];
        let options = RunOptions::default().with_thread_pool(Some(pool.clone()));
        let outputs = self.model.run(inputs, &[self.output], Some(options)).map_err(|why| failed(why.to_string()))?;
        let value: &Value = outputs.first().ok_or_else(|| failed("it gave nothing".to_owned()))?;
        let hidden: NdTensorView<'_, f32, 3> = value.try_into().map_err(|_| failed("it gave no vectors".to_owned()))?;
        if hidden.size(1) != number || hidden.size(2) != DIMENSIONS {
            return Err(failed("it gave vectors of another size".to_owned()));
        }
        let mut sum = vec![0.0; DIMENSIONS];
        for token in 0..number {
            for (at, sum) in sum.iter_mut().enumerate() {
                *sum += hidden[[0, token, at]];
            }
        }
        Ok(normalised(sum))
    }

    /// Embeds texts one by one, as long as there are any, and sends their vectors.
    fn work(&self, texts: &[&str], next: &AtomicUsize, watch: &Watch, send: &Sender<Embedded>) {
        let pool = Arc::new(ThreadPool::with_num_threads(1));
        while !watch.is_cancelled() {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = texts.get(number) else { return };
            let tokens = self.pieces.tokens(text, TOKENS_MAX);
            let vector = self.run(&tokens, &pool).map(|vector| (number, vector));
            let stop = vector.is_err();
            // Whoever asked may be gone.
            if send.send(vector).is_err() || stop {
                return;
            }
        }
    }
}

impl Embedder for MiniLm {
    fn model(&self) -> &ModelId {
        &self.id
    }

    fn ready(&self) -> Result<(), EmbedError> {
        self.loaded().map(|_| ())
    }

    fn embed(&self, texts: &[&str], watch: &Watch, give: &mut dyn FnMut(usize, Arc<[f32]>)) -> Result<(), EmbedError> {
        if texts.is_empty() {
            return Ok(());
        }
        let loaded = self.loaded()?;
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(texts.len());
        let next = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (send, receive) = channel();
            for _ in 0..threads {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || loaded.work(texts, next, watch, &send));
            }
            drop(send);
            let mut failed = None;
            for done in receive {
                match done {
                    Ok((number, vector)) => give(number, vector),
                    Err(why) => {
                        next.store(texts.len(), Ordering::Relaxed);
                        failed = Some(why);
                    }
                }
            }
            failed.map_or(Ok(()), Err)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::wordpiece::TOKENIZER;
    use crate::chunk::{dot, hex_of};
    use sha2::{Digest, Sha256};

    fn embed(texts: &[&str]) -> Vec<Arc<[f32]>> {
        let mut vectors: Vec<Arc<[f32]>> = vec![Arc::from([]); texts.len()];
        bundled().embed(texts, &Watch::default(), &mut |at, vector| vectors[at] = vector).unwrap();
        vectors
    }

    #[test]
    fn the_model_is_the_file_that_it_should_be() {
        let sums = SUMS.map(|sum| hex_of(&sum));
        assert_eq!(sums[0], hex_of(&Sha256::digest(WEIGHTS)));
        assert_eq!(sums[1], hex_of(&Sha256::digest(TOKENIZER)));
        assert!(sums.iter().all(|sum| include_str!("../../models/README.md").contains(sum.as_str())));
    }

    #[test]
    fn what_means_the_same_is_near_and_nothing_depends_on_its_neighbours() {
        let texts = ["A cat sits on the mat.", "A kitten rests on a rug.", "Interest rates rose in March.", ""];
        let vectors = embed(&texts);
        assert!(vectors.iter().all(|vector| (dot(vector, vector) - 1.0).abs() < 1e-5));
        let (near, far) = (dot(&vectors[0], &vectors[1]), dot(&vectors[0], &vectors[2]));
        // sentence-transformers gives about .56 and .05 for these.
        assert!(near > 0.4 && far < 0.2, "{near} {far}");
        assert_eq!(embed(&texts[1..2])[0], vectors[1]);
    }

    #[test]
    fn it_is_not_loaded_for_nothing() {
        let model = MiniLm::unloaded();
        model.embed(&[], &Watch::default(), &mut |_, _| {}).unwrap();
        assert!(model.loaded.get().is_none());
        model.ready().unwrap();
        assert!(model.loaded.get().is_some());
    }

    #[test]
    fn it_stops_when_it_should() {
        let watch = Watch::default();
        watch.cancel();
        let mut given = 0;
        bundled().embed(&["a", "b"], &watch, &mut |_, _| given += 1).unwrap();
        assert_eq!(given, 0);
    }
}
