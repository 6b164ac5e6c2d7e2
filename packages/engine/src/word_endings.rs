//! Stems of words that the stemmers treat wrongly: with the article of Arabic, diminutives of Dutch words that end
//! with t, Dutch words that look like participles, Dutch compounds that end like plurals, and plurals.

use crate::plurals::write_as_singular;
use crate::word_lists::is_listed;

/// Changes a word before it is stemmed.
pub fn prepare(language: &str, word: &mut String) {
    match language {
        "arabic" => {
            if let Some(rest) = word.strip_prefix(PARTICLES).filter(|rest| without_article(rest).is_some()) {
                *word = rest.to_owned();
            }
        }
        "dutch" => {
            if let Some(length) = base_of_diminutive(word) {
                word.truncate(length);
            }
        }
        _ => {}
    }
    write_as_singular(language, word);
}

/// Particles that are written together with the article.
const PARTICLES: [char; 4] = ['و', 'ف', 'ب', 'ك'];
const ARTICLE: &str = "ال";
const LETTERS_MIN: usize = 3;

/// The word to stem instead, if the stem has the article still. The stemmer keeps it in short stems: `القرآن`.
pub fn without_kept_article<'a>(language: &str, word: &'a str, stem: &str) -> Option<&'a str> {
    if language == "arabic" && stem.starts_with(ARTICLE) { without_article(word) } else { None }
}

fn without_article(word: &str) -> Option<&str> {
    word.strip_prefix(ARTICLE).filter(|rest| rest.chars().count() >= LETTERS_MIN)
}

/// The prefix of Dutch participles.
pub const PREFIX: &str = "ge";

/// Whether the stem of a word depends on the word itself too.
pub fn may_need_typed(language: &str, word: &str) -> bool {
    language == "arabic" || language == "dutch" && word.contains(PREFIX)
}

/// Stands for the first parts of a compound. Stemmers cut more off a long word.
pub const LONG_BEGINNING: &str = "bababa";
/// Parts of Dutch verbs before `ge` in participles: opgehaald.
const VERB_PARTICLES: &str = "aan achter af bij binnen buiten deel dicht door goed hoog in kennis klaar los mede mee mis na neer om omver onder op open over plaats rond samen schoon stil teleur tegen terecht terug toe tussen uit vast vol voor voorbij voort vrij waar weer weg zwart";
/// The last letters of participles: opgehaald, uitgewerkt, aangekomen, and opgehaalde.
const PARTICIPLE_ENDS: [char; 4] = ['d', 't', 'n', 'e'];

/// The length of the beginning of a Dutch word up to a `ge` that the stemmer took out of its middle, if the word is no participle:
/// the stemmer makes `spielt` of spiegeltent.
pub fn end_of_lost_infix(language: &str, word: &str, stem: &str) -> Option<usize> {
    if language != "dutch" {
        return None;
    }
    // The stem of dagen keeps the first letter of `gen`, so only an ending is lost there.
    let is_lost = |start: &usize| *start > 0 && stem.len() > *start && !stem.starts_with(&word[..=*start]);
    let start = word.match_indices(PREFIX).map(|(start, _)| start).find(is_lost)?;
    let is_participle = word.ends_with(PARTICIPLE_ENDS) && VERB_PARTICLES.split(' ').any(|particle| particle == &word[..start]);
    (!is_participle).then_some(start + PREFIX.len())
}

/// Dutch words that look like plurals at the end of compounds, as in zwemles.
const SINGULARS: [&str; 4] = ["bes", "fles", "les", "mes"];
const PLURALS: [&str; 4] = ["costumes", "mobiles", "singles", "volumes"];
const FIRST_LETTERS_MIN: usize = 3;

/// Whether a word is its own stem, because it ends like a plural but is a singular.
pub fn is_stem(language: &str, word: &str) -> bool {
    let has_first = |rest: &str| rest.chars().count() >= FIRST_LETTERS_MIN;
    language == "dutch" && SINGULARS.iter().any(|last| word.strip_suffix(last).is_some_and(has_first)) && !PLURALS.contains(&word)
}

/// Whether the stemmer took the prefix from a word that is no participle: `ografie` for geografie, and `itenkaas` for geitenkaas.
pub fn has_lost_prefix(language: &str, word: &str, stem: &str) -> bool {
    let Some(rest) = word.strip_prefix(PREFIX).filter(|_| language == "dutch" && !stem.starts_with(PREFIX) && !stem.is_empty()) else {
        return false;
    };
    let verbs = [stem, rest, &rest[..rest.len() - rest.chars().next_back().map_or(0, char::len_utf8)]];
    let has_verb = verbs.iter().any(|verb| is_listed("dutch", verb));
    !has_verb && !["en", "s"].iter().any(|ending| is_listed("dutch", &format!("{stem}{ending}")))
}

/// Letters of the shortest word that ends with t.
const BASE_LETTERS_MIN: usize = 4;

/// The length of the word that a diminutive is of, if that ends with t: `kaart` of kaartje, but not of stoeltje. It may be the last part of a
/// compound.
fn base_of_diminutive(word: &str) -> Option<usize> {
    let base = word.strip_suffix("je").or_else(|| word.strip_suffix("jes")).filter(|base| base.ends_with('t'))?;
    let starts = base.char_indices().map(|(start, _)| start);
    let mut ends = starts.map(|start| &base[start..]).take_while(|end| end.chars().count() >= BASE_LETTERS_MIN);
    ends.any(|end| is_listed("dutch", end)).then_some(base.len())
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analyzer;

    fn stem(language: &str, word: &str) -> String {
        Analyzer::for_language(language).unwrap().words(word)[0].text.clone()
    }

    #[test]
    fn diminutives_have_the_stem_of_their_words() {
        for (diminutive, word) in
            [("kaartje", "kaart"), ("taartjes", "taart"), ("straatje", "straat"), ("stoeltje", "stoel"), ("boompje", "boom")]
        {
            assert_eq!(stem("dutch", diminutive), stem("dutch", word), "{diminutive}");
        }
        assert_eq!(stem("dutch", "bioscoopkaartje"), "bioscoopkaart");
    }

    #[test]
    fn only_participles_lose_their_prefix() {
        assert_eq!(stem("dutch", "gewerkt"), stem("dutch", "werken"));
        assert_eq!(stem("dutch", "gefietst"), stem("dutch", "fiets"));
        for word in ["geografie", "geschiedenis", "geitenkaas", "geurkaars"] {
            assert!(stem("dutch", word).starts_with("ge"), "{word}");
        }
    }

    #[test]
    fn compounds_keep_the_middle_and_the_end_of_their_parts() {
        for (compound, first, last) in [
            ("spiegeltent", "spiegel", "tent"),
            ("orgelconcerten", "orgel", "concerten"),
            ("garagedeuren", "garage", "deuren"),
            ("regelgeving", "regel", "geving"),
            ("nagelstudio", "nagel", "studio"),
            ("zwemles", "zwem", "les"),
            ("zwemlessen", "zwem", "lessen"),
            ("keukenmes", "keuken", "mes"),
        ] {
            assert_eq!(stem("dutch", compound), format!("{first}{}", stem("dutch", last)), "{compound}");
        }
        assert_eq!(stem("dutch", "opgehaald"), stem("dutch", "ophalen"));
        assert_eq!(stem("dutch", "dagen"), stem("dutch", "dag"));
        assert_eq!(stem("dutch", "bruggen"), stem("dutch", "brug"));
    }

    #[test]
    fn the_article_is_no_part_of_a_word() {
        assert_eq!(stem("arabic", "القرآن"), stem("arabic", "قرآن"));
        assert_eq!(stem("arabic", "والقرآن"), stem("arabic", "قرآن"));
        assert_eq!(stem("arabic", "والسيارات"), stem("arabic", "سيارة"));
        assert_eq!(stem("arabic", "اللغة"), stem("arabic", "لغة"));
    }
}
