//! Attached pictures: in a window as pictures, by their own rule of tokens, where the policy lets them in.

use anyhow::Context;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::content::{Sources, Watch};
use crate::document::{Attachment, Conversion, Limits, shown_line};
use crate::engine::Prepared;
use crate::model::{BlockId, Event, Fate, Made, SourceKind, Stage, Transcript, last_part};
use crate::policy::{Files, FilesMode};
use crate::tokens::{ImageRule, USUAL_PIXELS, pixels_of};
use crate::transcript::give_picture;

use super::attached::{Attached, AttachedFile, Origin};
use super::documents::MARKDOWN_MAX;
use super::prepare::{Preparer, sentence};

/// Width and height in pixels.
type Pixels = (u32, u32);

/// A picture that can be sent.
#[derive(Clone, Copy)]
pub struct Picture {
    /// The block that holds it, as it was opened: within limits, or whole where the policy wanted that.
    pub block: BlockId,
    /// Its bytes.
    pub size: u64,
    /// Its size in pixels as it lies there.
    original: Option<Pixels>,
}

/// The picture of a conversion within limits.
fn picture_of(within: &Conversion) -> Option<&Attachment> {
    within.attachment.as_ref().filter(|attachment| attachment.mime.starts_with("image/"))
}

/// Tokens of a picture.
fn cost(rule: ImageRule, pixels: Option<Pixels>) -> u64 {
    rule.tokens(pixels.unwrap_or(USUAL_PIXELS))
}

impl Attached {
    /// Tokens of a file as the picture that it is, within a policy's limits; `None` where it is none that can be sent.
    pub fn picture_tokens(
        &self,
        file: &AttachedFile,
        files: &Files,
        rule: ImageRule,
        watch: &Watch,
    ) -> anyhow::Result<Option<u64>> {
        Ok(self.sent_picture(file, files, watch)?.map(|(_, pixels, _)| cost(rule, pixels)))
    }

    /// What the limits made of a file that goes in as a picture, in words, which may be none; `None` where it is not one.
    pub(super) fn picture_told(
        &self,
        file: &AttachedFile,
        files: &Files,
        watch: &Watch,
    ) -> anyhow::Result<Option<String>> {
        Ok(self.sent_picture(file, files, watch)?.map(|(_, _, told)| told))
    }

    /// A file's picture as a policy sends it: its pixels, and what was made smaller.
    pub(super) fn sent_picture(
        &self,
        file: &AttachedFile,
        files: &Files,
        watch: &Watch,
    ) -> anyhow::Result<Option<(Picture, Option<Pixels>, String)>> {
        let Some(picture) = file.picture else { return Ok(None) };
        if files.mode == FilesMode::Whole {
            return Ok(Some((picture, picture.original, String::new())));
        }
        let within = self.limited(file, &files.limits(), watch)?.0.document;
        let sent = picture_of(&within).map(|found| pixels_of(BASE64_STANDARD.encode(&found.data).as_bytes()));
        Ok(sent.map(|pixels| (picture, pixels, shown_line(&within.shown))))
    }

    /// The picture that a file is, as it lies there, where limits make it smaller and the policy wants it whole.
    pub(super) fn whole_picture(
        &self,
        origin: &Origin,
        within: &Conversion,
        files: &Files,
        watch: &Watch,
    ) -> anyhow::Result<Option<Attachment>> {
        if picture_of(within).is_none() || files.mode != FilesMode::Whole || within.shown.is_empty() {
            return Ok(None);
        }
        let limits = Limits { image_bytes: origin.bytes.len(), image_side: 0, ..files.limits() };
        Ok(picture_of(&self.convert(origin, Some(&limits), MARKDOWN_MAX, watch)?).cloned())
    }

    /// Takes a file's picture in, where it has one that can be sent: the whole one, where that is wanted.
    pub(super) fn take_picture(
        name: &str,
        whole: Option<&Attachment>,
        within: &Conversion,
        transcript: Transcript,
        sources: &mut Sources,
    ) -> anyhow::Result<(Transcript, Option<Picture>)> {
        let Some(found) = picture_of(within) else { return Ok((transcript, None)) };
        let found = whole.unwrap_or(found);
        let encoded = BASE64_STANDARD.encode(&found.data).into_bytes();
        let source = sources.add_memory(name, SourceKind::Encoded, encoded);
        let given = give_picture(transcript, sources, source, &found.mime, last_part(name));
        let (transcript, block) = given.context("cannot take the picture in")?;
        let original = within.fact("pixels").and_then(|pixels| {
            let (wide, high) = pixels.split_once('x')?;
            Some((wide.parse().ok()?, high.parse().ok()?))
        });
        Ok((transcript, Some(Picture { block, size: found.data.len() as u64, original })))
    }
}

impl Preparer<'_> {
    /// Tokens of the picture that a file is, as it lies there; `None` where it is none that can be sent.
    pub(super) fn picture_original(&self, file: &AttachedFile) -> Option<u64> {
        file.picture.map(|picture| cost(self.counter.images, picture.original))
    }

    /// A file as the picture that it is, within the policy's limits; `None` where it is none that can be sent.
    pub(super) fn picture(&self, file: &AttachedFile) -> anyhow::Result<Option<Prepared>> {
        let (files, rule) = (&self.policy.files, self.counter.images);
        let Some((picture, pixels, told)) = self.attached.sent_picture(file, files, self.watch)? else {
            return Ok(None);
        };
        let tokens = cost(rule, pixels);
        let mut piece = Prepared {
            original: self.picture_original(file).unwrap_or_default().max(tokens),
            estimated: pixels.is_none() || matches!(rule, ImageRule::Guess(_)),
            ..self.piece(file, Made::Block(picture.block).into(), tokens)
        };
        if !told.is_empty() {
            let side = picture.original.map_or(0, |(wide, high)| u64::from(wide.max(high)));
            let (rule, threshold, measured) = match files.image_side {
                most if most > 0 && side > most => ("files.image_side", most, side),
                _ => ("files.image_kb", files.image_kb, file.size.div_ceil(1024)),
            };
            let mut event = Event::new(file.step, Stage::Limit, rule);
            (event.threshold, event.measured) = (Some(threshold), Some(measured));
            event.why = sentence(&format!("{} is made smaller: {told}.", last_part(&file.name)));
            (piece.fate, piece.decided) = (Fate::Truncated, Some(event));
        }
        Ok(Some(piece))
    }
}
