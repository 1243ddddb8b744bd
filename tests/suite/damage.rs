//! Damaged transcripts, for every format: whatever is cut or overwritten, the rest loads and nothing panics.

use crate::data;

/// Bytes of a real file that are damaged in turn.
const MOST: usize = 60_000;

#[test]
fn every_real_transcript_loads() {
    for format in data::formats() {
        for path in data::transcripts(format.name) {
            let (sources, transcript) = data::open(&path);
            assert_eq!(transcript.format, format.name, "{}", path.display());
            assert!(!transcript.blocks.is_empty(), "{}", path.display());
            assert_eq!(transcript.sources.len(), sources.list().len(), "{}", path.display());
            for block in &transcript.blocks {
                for span in block.body.spans() {
                    assert!(sources.read(span.source, span.start, span.end).is_ok(), "{}: {span:?}", path.display());
                }
            }
        }
    }
}

#[test]
fn a_transcript_that_is_cut_anywhere_still_loads() {
    for format in data::formats() {
        for path in data::transcripts(format.name) {
            let mut bytes = data::bytes(&path);
            bytes.truncate(MOST);
            for at in (0..bytes.len()).step_by(bytes.len() / 40 + 1) {
                data::open_bytes(bytes[..at].to_vec(), Some(format.name));
            }
        }
    }
}

#[test]
fn a_transcript_with_overwritten_bytes_still_loads() {
    for format in data::formats() {
        for path in data::transcripts(format.name) {
            let mut bytes = data::bytes(&path);
            bytes.truncate(MOST);
            let mut seed = 0x2545_F491_4F6C_DD1D_u64;
            for _ in 0..40 {
                let mut broken = bytes.clone();
                for _ in 0..8 {
                    seed ^= seed << 13;
                    seed ^= seed >> 7;
                    seed ^= seed << 17;
                    let at = seed as usize % broken.len().max(1);
                    if let Some(byte) = broken.get_mut(at) {
                        *byte = (seed >> 32) as u8;
                    }
                }
                data::open_bytes(broken, Some(format.name));
            }
        }
    }
}
