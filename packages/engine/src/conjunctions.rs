//! The word for the sign `&` in each language, so that the phrase `"fish & chips"` finds fish and chips too, and the other way around.

const WORDS: [(&str, &str); 22] = [
    ("basque", "eta"),
    ("catalan", "i"),
    ("danish", "og"),
    ("dutch", "en"),
    ("english", "and"),
    ("estonian", "ja"),
    ("finnish", "ja"),
    ("french", "et"),
    ("german", "und"),
    ("greek", "και"),
    ("hungarian", "és"),
    ("indonesian", "dan"),
    ("irish", "agus"),
    ("italian", "e"),
    ("lithuanian", "ir"),
    ("norwegian", "og"),
    ("portuguese", "e"),
    ("romanian", "și"),
    ("russian", "и"),
    ("spanish", "y"),
    ("swedish", "och"),
    ("turkish", "ve"),
];

/// The word for the sign in a language.
pub fn conjunction(language: &str) -> Option<&'static str> {
    WORDS.iter().find(|(name, _)| *name == language).map(|(_, conjunction)| *conjunction)
}

/// Returns a phrase with the sign for the word, or the word for the sign, if it has one of them inside.
pub fn swap_conjunction(language: &str, phrase: &str) -> Option<String> {
    let conjunction = conjunction(language)?;
    let swap = |word: &str| match word {
        "&" => Some(conjunction),
        word if word.to_lowercase() == conjunction => Some("&"),
        _ => None,
    };
    let words: Vec<&str> = phrase.split_whitespace().collect();
    let [_, inner @ .., _] = words.as_slice() else { return None };
    inner.iter().any(|word| swap(word).is_some()).then(|| {
        let swapped: Vec<&str> = words.iter().map(|word| swap(word).unwrap_or(word)).collect();
        swapped.join(" ")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analyzer;

    #[test]
    fn the_sign_and_the_word_replace_each_other() {
        assert_eq!(swap_conjunction("english", "fish & chips").as_deref(), Some("fish and chips"));
        assert_eq!(swap_conjunction("german", "Müller Und Sohn").as_deref(), Some("Müller & Sohn"));
        assert_eq!(swap_conjunction("english", "fish chips"), None);
        assert_eq!(swap_conjunction("english", "R&D department"), None);
        assert_eq!(swap_conjunction("general", "fish & chips"), None);
    }

    #[test]
    fn all_words_are_stop_words() {
        for (language, word) in WORDS {
            assert!(Analyzer::for_language(language).unwrap().words(word).iter().all(|word| word.stop), "{language}");
        }
    }
}
