//! Zips some of whose parts are written anew, for readers that open a zip by themselves: the new parts stand behind the
//! bytes of the zip, with a list that leads to them and to those that stay.

use std::io::BufReader;

use zip::ZipArchive;

use crate::content::ReadAt;

use super::input::{Failure, Places};
use super::unlisted::{Archive, Found, Listed, Needed, Opened};

/// Entries of a zip that are looked at.
const ENTRIES_MAX: usize = 65_000;

/// A zip that is written anew.
pub struct Rewritten<'a> {
    places: Places<'a>,
    /// Its parts.
    pub found: Found,
    /// Whether all parts have stayed as they are.
    pub is_same: bool,
}

impl<'a> Rewritten<'a> {
    /// Asks of each part of a zip, by its number, what takes its place: `None` where it stays as it is, and no bytes where it
    /// is left out. `None` for all where the zip cannot be read.
    ///
    /// # Errors
    /// Where a part is encrypted, and what is told of one.
    pub fn of(
        zip: &Opened<'a>,
        mut anew: impl FnMut(&mut Archive<'a>, usize, &Listed) -> Result<Option<Vec<u8>>, Failure>,
    ) -> Result<Option<Rewritten<'a>>, Failure> {
        let Ok(mut parts) = ZipArchive::new(BufReader::new(zip.places.clone())) else { return Ok(None) };
        let found = zip.found.as_ref().map_or_else(Found::all, Found::without_parts);
        let mut made = Rewritten { places: zip.places.clone(), found, is_same: true };
        for number in 0..parts.len().min(ENTRIES_MAX) {
            let Ok(about) = parts.by_index_data(number) else { continue };
            let Some(listed) = Listed::of(&about)? else { continue };
            match anew(&mut parts, number, &listed)? {
                None => made.found.parts.push(listed),
                Some(bytes) => {
                    made.is_same = false;
                    made.add(listed.name, &bytes);
                }
            }
        }
        Ok(Some(made))
    }

    /// One more part; nothing where it holds nothing.
    pub fn add(&mut self, name: String, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.found.add(self.places.len(), name, bytes);
        }
    }

    /// The zip, with what is needed besides.
    pub fn opened(mut self, needed: Needed) -> Opened<'a> {
        let places = self.found.list(self.places, needed);
        Opened { places, found: Some(self.found), list: None, archive: None }
    }
}
