//! The stems of frequent words, for indexing: a stem takes ten times as long to compute as to find here. Saves 6 % of an import in English.

use std::hash::Hasher;

use rustc_hash::FxHasher;

/// Longer words and stems are computed each time.
const BYTES_MAX: usize = 16;
const SLOTS: usize = 16_384;
/// A query has fewer words, and needs no memory for a cache.
const WORDS_BEFORE: usize = 512;

/// A clone starts empty.
#[derive(Default)]
pub struct StemCache {
    slots: Vec<Slot>,
    words_seen: usize,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    word: ShortText,
    stem: ShortText,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct ShortText {
    bytes: [u8; BYTES_MAX],
    length: u8,
}

impl ShortText {
    fn new(text: &str) -> Option<ShortText> {
        let mut bytes = [0; BYTES_MAX];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(ShortText { bytes, length: u8::try_from(text.len()).ok()? })
    }

    fn as_str(&self) -> Option<&str> {
        str::from_utf8(self.bytes.get(..usize::from(self.length))?).ok()
    }

    fn slot(&self) -> usize {
        let mut hasher = FxHasher::default();
        hasher.write_u128(u128::from_le_bytes(self.bytes));
        hasher.finish() as usize % SLOTS
    }
}

impl Clone for StemCache {
    fn clone(&self) -> StemCache {
        StemCache::default()
    }
}

impl StemCache {
    /// Replaces a word by its stem, which `stem` computes in place if it is not known.
    pub fn stem(&mut self, word: &mut String, stem: impl FnOnce(&mut String)) {
        if self.words_seen < WORDS_BEFORE {
            self.words_seen += 1;
            return stem(word);
        }
        let Some(short) = ShortText::new(word).filter(|short| short.length > 0) else { return stem(word) };
        if self.slots.is_empty() {
            self.slots = vec![Slot::default(); SLOTS];
        }
        let slot = &mut self.slots[short.slot()];
        if slot.word == short
            && let Some(known) = slot.stem.as_str()
        {
            word.clear();
            word.push_str(known);
            return;
        }
        stem(word);
        if let Some(stem) = ShortText::new(word) {
            *slot = Slot { word: short, stem };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_stems_are_those_that_were_computed() {
        let compute = |word: &mut String| *word = word.chars().rev().chain("é".chars()).collect();
        let mut cache = StemCache::default();
        for round in 0..4 {
            for number in 0..40_000 {
                let word = ["", "ü", "abcdefghijklm", "abcdefghijklmnop"][number % 4].to_owned() + &(number / 7).to_string();
                let (mut stem, mut expected) = (word.clone(), word);
                cache.stem(&mut stem, compute);
                compute(&mut expected);
                assert_eq!(stem, expected, "round {round}");
            }
        }
        let mut empty = String::new();
        cache.stem(&mut empty, compute);
        assert_eq!(empty, "é");
    }

    #[test]
    fn few_words_and_clones_take_no_memory() {
        let mut cache = StemCache::default();
        (0..WORDS_BEFORE).for_each(|_| cache.stem(&mut "word".to_owned(), |_| {}));
        assert!(cache.slots.is_empty());
        cache.stem(&mut "word".to_owned(), |_| {});
        assert_eq!((cache.slots.len(), cache.clone().slots.len()), (SLOTS, 0));
    }
}
