//! Words that find each other, as the texts of one language know them.

use std::collections::{BTreeMap, HashMap};

use crate::analysis::{Analyser, Word};

/// The texts of the words that something is in the index: the same for `picture` and `pictures`.
type Form = Vec<String>;

/// What stands for a word besides: each form once, so that none counts twice.
type Others = BTreeMap<Form, Vec<Word>>;

#[derive(Default)]
pub struct Synonyms {
    /// By the word as it stands in its set, in small letters.
    as_written: HashMap<String, Others>,
    by_form: HashMap<Form, Others>,
}

impl Synonyms {
    /// Each word of a set, or several words together, finds the others of the set.
    pub fn new(sets: &[Vec<String>], analyser: &Analyser) -> Synonyms {
        let mut synonyms = Synonyms::default();
        let mut read = analyser.reader();
        for set in sets {
            let members: Vec<(&String, Form, Vec<Word>)> = set
                .iter()
                .map(|member| (member, read(member)))
                .filter(|(_, words)| !words.is_empty())
                .map(|(member, words)| (member, form(&words), words))
                .collect();
            for (member, own, _) in &members {
                let others = || members.iter().filter(|(_, form, _)| form != own).map(|(_, form, words)| (form.clone(), words.clone()));
                synonyms.as_written.entry(member.to_lowercase()).or_default().extend(others());
                synonyms.by_form.entry(own.clone()).or_default().extend(others());
            }
        }
        synonyms
    }

    /// What else is looked for where `typed` is, whose words to the index are `words`. One written just so goes first: to the index `C++`
    /// and `C#` have the same form.
    pub fn of(&self, typed: &str, words: &[Word]) -> impl Iterator<Item = &Vec<Word>> {
        let others = if self.by_form.is_empty() {
            None
        } else {
            self.as_written.get(&typed.to_lowercase()).or_else(|| self.by_form.get(&form(words)))
        };
        others.into_iter().flat_map(BTreeMap::values)
    }
}

fn form(words: &[Word]) -> Form {
    words.iter().map(|word| word.text.clone()).collect()
}
