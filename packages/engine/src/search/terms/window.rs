//! A window of neighboring documents, which scorers fill together. A bit says whether a document of it is present.

use tantivy::DocId;

/// Number of documents whose scores are summed up together.
pub const WINDOW_DOCUMENTS: u32 = 2_048;
pub const WINDOW_WORDS: usize = WINDOW_DOCUMENTS as usize / 64;

/// Returns the first document at or after an offset of the window that begins with the document `start`.
pub fn first_present(present: &[u64; WINDOW_WORDS], start: DocId, offset: u32) -> Option<DocId> {
    let mut word = offset as usize / 64;
    let mut bits = present.get(word)? & (u64::MAX << (offset % 64));
    while bits == 0 {
        word += 1;
        bits = *present.get(word)?;
    }
    Some(start + word as u32 * 64 + bits.trailing_zeros())
}

/// Calls `process` with the place of each bit that is set.
pub fn for_each_bit(words: &[u64], mut process: impl FnMut(u32)) {
    for (first, word) in (0..).step_by(64).zip(words) {
        let mut bits = *word;
        while bits != 0 {
            process(first + bits.trailing_zeros());
            bits &= bits - 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_document_at_or_after_each_offset() {
        let documents = [3, 63, 64, 700, WINDOW_DOCUMENTS - 1];
        let mut present = [0; WINDOW_WORDS];
        documents.iter().for_each(|&offset| present[offset as usize / 64] |= 1 << (offset % 64));
        for offset in 0..=WINDOW_DOCUMENTS {
            let expected = documents.into_iter().find(|&document| document >= offset).map(|document| 6_400 + document);
            assert_eq!(first_present(&present, 6_400, offset), expected);
        }
    }
}
