//! The words of a field in one piece of memory, to find those that contain a text. A segment never changes, so the first search that needs its
//! words reads them once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memmem::Finder;
use tantivy::SegmentReader;
use tantivy::index::SegmentId;
use tantivy::schema::Field;

use crate::failure::Result;

/// The memory for the words of a generation. Beyond, all are dropped and read again.
const BYTES_MAX: usize = 64 * 1024 * 1024;

/// Stands before, between and after words.
const SEPARATOR: u8 = 0;

/// The vocabularies of a generation.
#[derive(Default)]
pub struct VocabularyTables(Mutex<HashMap<(SegmentId, Field), Arc<Vocabulary>>>);

impl VocabularyTables {
    pub fn read(&self, reader: &SegmentReader, field: Field) -> Result<Arc<Vocabulary>> {
        let key = (reader.segment_id(), field);
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if let Some(vocabulary) = known {
            return Ok(vocabulary);
        }
        let vocabulary = Arc::new(Vocabulary::read(reader, field)?);
        let mut tables = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes: usize = tables.values().map(|known| known.bytes()).sum();
        if bytes + vocabulary.bytes() > BYTES_MAX {
            tables.clear();
        }
        tables.insert(key, Arc::clone(&vocabulary));
        Ok(vocabulary)
    }
}

/// The words of a field in a segment.
pub struct Vocabulary {
    text: Vec<u8>,
    /// Where each word starts in the text, and the number of its documents, including deleted ones.
    words: Vec<(u32, u32)>,
}

impl Vocabulary {
    fn read(reader: &SegmentReader, field: Field) -> Result<Vocabulary> {
        let index = reader.inverted_index(field)?;
        let mut vocabulary = Vocabulary { text: vec![SEPARATOR], words: Vec::new() };
        let mut terms = index.terms().stream()?;
        while terms.advance() {
            let start = u32::try_from(vocabulary.text.len()).unwrap_or(u32::MAX);
            if start == u32::MAX {
                break;
            }
            vocabulary.words.push((start, terms.value().doc_freq));
            vocabulary.text.extend_from_slice(terms.key());
            vocabulary.text.push(SEPARATOR);
        }
        Ok(vocabulary)
    }

    fn bytes(&self) -> usize {
        self.text.len() + 8 * self.words.len()
    }

    /// Calls `add` with each word that contains the text, and the number of its documents, including deleted ones.
    pub fn containing(&self, text: &str, mut add: impl FnMut(&str, u32)) {
        let finder = Finder::new(text.as_bytes());
        let mut offset = 0;
        while let Some(found) = finder.find(&self.text[offset..]).map(|found| offset + found) {
            let word = self.words.partition_point(|(start, _)| *start as usize <= found) - 1;
            let (start, frequency) = self.words[word];
            let end = self.words.get(word + 1).map_or(self.text.len(), |(next, _)| *next as usize) - 1;
            if let Ok(text) = std::str::from_utf8(&self.text[start as usize..end]) {
                add(text, frequency);
            }
            offset = end;
        }
    }
}
