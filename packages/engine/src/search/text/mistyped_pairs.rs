//! Finds the word that two words are, which are written apart and mistyped: McDonald for `mc donlad`.

use tantivy::Term;
use tantivy::schema::Field;

use crate::failure::Result;
use crate::plan::TypoLengths;
use crate::search::index::context::SearchContext;
use crate::search_field::TextField;
use crate::typos::{COST_OF_COMPLETION, COST_OF_TYPO, Cost, allowed_typos};

use super::expansion::{expand, expand_forms};
use super::spellings::{SPLIT_WORDS_MAX, TypedWord};

const CHARS: std::ops::RangeInclusive<usize> = 6..=20;
const CORRECTIONS_MAX: usize = 5;

/// Two neighbouring words of a query.
#[derive(Clone)]
pub struct MistypedPair {
    pub field: Field,
    pub words: [String; 2],
    pub typos_max: u8,
    typos_of_words: [u8; 2],
    /// Whether the second word is being typed.
    pub is_unfinished: bool,
    /// Weight of the field.
    pub weight: f32,
}

/// Returns the pairs of neighbours that may be one word, with the positions of their words.
pub fn list(words: &[TypedWord], field: Field, typos: TypoLengths, weight: f32) -> Vec<([usize; 2], MistypedPair)> {
    if words.len() > SPLIT_WORDS_MAX {
        return Vec::new();
    }
    let pairs = words.windows(2).filter_map(|pair| {
        let [first, second] = pair else { return None };
        let joined = format!("{}{}", first.text, second.text);
        let may_be_word = CHARS.contains(&joined.chars().count()) && joined.chars().all(char::is_alphabetic);
        let typos_max = allowed_typos(&joined, typos);
        let words = [first.text.clone(), second.text.clone()];
        let typos_of_words = [allowed_typos(&first.text, typos), allowed_typos(&second.text, typos)];
        let pair = MistypedPair { field, words, typos_max, typos_of_words, is_unfinished: second.is_unfinished, weight };
        (may_be_word && typos_max > 0).then_some(([first.searched?, second.searched?], pair))
    });
    pairs.collect()
}

impl MistypedPair {
    /// Returns the words that some visible document has, if no document has one of the two words or a correction of it.
    pub fn find(&self, context: &SearchContext, text_field: &TextField) -> Result<Vec<(Cost, Term)>> {
        let Some(typed) = text_field.typed else { return Ok(Vec::new()) };
        let [first, second] = &self.words;
        let is_unknown = |word: &String, is_unfinished: bool, typos: u8| -> Result<bool> {
            let is_known = if is_unfinished {
                !expand_forms(context, typed, word, 1)?.is_empty()
            } else {
                context.frequency(&Term::from_field_text(typed, word))? > 0
            };
            // The corrections are cached, because the word itself has them too.
            Ok(!is_known && (typos == 0 || expand(context, typed, word, is_unfinished, typos, 1, |_| true)?.is_empty()))
        };
        if !is_unknown(first, false, self.typos_of_words[0])? && !is_unknown(second, self.is_unfinished, self.typos_of_words[1])? {
            return Ok(Vec::new());
        }
        let words = expand(context, typed, &self.words.concat(), false, self.typos_max, CORRECTIONS_MAX, |_| true)?;
        let mistyped = words.into_iter().filter(|word| word.cost >= COST_OF_TYPO);
        Ok(mistyped.map(|word| (word.cost | COST_OF_COMPLETION, Term::from_field_text(typed, &word.text))).collect())
    }
}
