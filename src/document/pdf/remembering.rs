//! A document whose fonts are asked once for each text of a page: its reader asks for the same ones again and again, and
//! each time they are looked for anew.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use unpdf::parser::LinkAnnotations;
use unpdf::parser::backend::{
    BackendFontInfo, ContentOp, DecodedRun, DecodedText, DocumentIntegrity, GlyphAdvance, PageBox, PageContent, PageId,
    PaintedXObject, PdfBackend, PdfMetadataRaw, RawBackend, RawOutlineItem, RawXObject, ResourceScope,
};

/// Bytes of a text that is remembered: longer ones hardly come again.
const TEXT_MAX: usize = 256;

/// A document that remembers what it was asked for.
pub struct Remembering {
    inner: RawBackend,
    pages: BTreeMap<u32, PageId>,
    known: Mutex<Known>,
}

/// What is known of the fonts of one page.
#[derive(Default)]
struct Known {
    page: Option<PageId>,
    fonts: FxHashMap<ResourceScope, FxHashMap<Vec<u8>, Font>>,
}

#[derive(Default)]
struct Font {
    is_vertical: Option<bool>,
    texts: FxHashMap<Box<[u8]>, Text>,
}

/// What is known of a text.
#[derive(Default)]
struct Text {
    decoded: Option<DecodedText>,
    advances: Option<Option<Vec<GlyphAdvance>>>,
    run: Option<DecodedRun>,
}

impl Remembering {
    /// It, as it is read.
    pub fn of(inner: RawBackend) -> Remembering {
        let pages = inner.pages();
        Remembering { inner, pages, known: Mutex::default() }
    }

    /// How many pages it has.
    pub fn page_count(&self) -> u32 {
        u32::try_from(self.pages.len()).unwrap_or(u32::MAX)
    }

    fn known(&self, page: PageId) -> MutexGuard<'_, Known> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.page != Some(page) {
            *known = Known { page: Some(page), fonts: FxHashMap::default() };
        }
        known
    }

    /// What is asked of a text: what is remembered of it, or else what is found, which is remembered.
    fn text<T: Clone>(
        &self,
        (scope, font, bytes): (ResourceScope, &[u8], &[u8]),
        place: fn(&mut Text) -> &mut Option<T>,
        find: impl FnOnce() -> T,
    ) -> T {
        if bytes.len() > TEXT_MAX {
            return find();
        }
        let mut known = self.known(scope.page);
        with(known.fonts.entry(scope).or_default(), font, |font| {
            with(&mut font.texts, bytes, |text| place(text).get_or_insert_with(find).clone())
        })
    }
}

/// Does something with the value of a key, which is made where there is none. To make a key for each question would take
/// longer than to look for it.
fn with<K, V: Default, R>(all: &mut FxHashMap<K, V>, key: &[u8], act: impl FnOnce(&mut V) -> R) -> R
where
    K: Eq + Hash + Borrow<[u8]> + for<'k> From<&'k [u8]>,
{
    match all.get_mut(key) {
        Some(value) => act(value),
        None => act(all.entry(K::from(key)).or_default()),
    }
}

impl PdfBackend for Remembering {
    fn pages(&self) -> BTreeMap<u32, PageId> {
        self.pages.clone()
    }

    fn integrity(&self) -> DocumentIntegrity {
        self.inner.integrity()
    }

    fn page_fonts(&self, scope: ResourceScope) -> unpdf::Result<Vec<BackendFontInfo>> {
        self.inner.page_fonts(scope)
    }

    fn page_content(&self, page: PageId) -> unpdf::Result<Vec<u8>> {
        self.inner.page_content(page)
    }

    fn page_content_with_losses(&self, page: PageId) -> unpdf::Result<PageContent> {
        self.inner.page_content_with_losses(page)
    }

    fn decode_content(&self, data: &[u8]) -> unpdf::Result<Vec<ContentOp>> {
        self.inner.decode_content(data)
    }

    fn decode_text(&self, scope: ResourceScope, font: &[u8], bytes: &[u8]) -> DecodedText {
        let find = || self.inner.decode_text(scope, font, bytes);
        self.text((scope, font, bytes), |text| &mut text.decoded, find)
    }

    fn decode_run(&self, scope: ResourceScope, font: &[u8], bytes: &[u8]) -> DecodedRun {
        let find = || self.inner.decode_run(scope, font, bytes);
        self.text((scope, font, bytes), |text| &mut text.run, find)
    }

    fn glyph_advances(&self, scope: ResourceScope, font: &[u8], bytes: &[u8]) -> Option<Vec<GlyphAdvance>> {
        let find = || self.inner.glyph_advances(scope, font, bytes);
        self.text((scope, font, bytes), |text| &mut text.advances, find)
    }

    fn is_vertical_font(&self, scope: ResourceScope, font: &[u8]) -> bool {
        let mut known = self.known(scope.page);
        with(known.fonts.entry(scope).or_default(), font, |known| {
            *known.is_vertical.get_or_insert_with(|| self.inner.is_vertical_font(scope, font))
        })
    }

    fn metadata(&self) -> PdfMetadataRaw {
        self.inner.metadata()
    }

    fn page_box(&self, page: PageId) -> PageBox {
        self.inner.page_box(page)
    }

    fn crop_box(&self, page: PageId) -> PageBox {
        self.inner.crop_box(page)
    }

    fn page_rotation(&self, page: PageId) -> u16 {
        self.inner.page_rotation(page)
    }

    fn struck_out_areas(&self, page: PageId) -> Vec<PageBox> {
        self.inner.struck_out_areas(page)
    }

    fn link_annotations(&self, page: PageId) -> LinkAnnotations {
        self.inner.link_annotations(page)
    }

    fn outline(&self) -> unpdf::Result<Vec<RawOutlineItem>> {
        self.inner.outline()
    }

    fn page_xobjects(&self, page: PageId) -> unpdf::Result<Vec<RawXObject>> {
        self.inner.page_xobjects(page)
    }

    fn xobject(&self, scope: ResourceScope, name: &[u8]) -> Option<PaintedXObject> {
        self.inner.xobject(scope, name)
    }
}
