//! Words that somebody may have typed without their accents, with these accents.

use std::collections::BTreeSet;

/// The letters of each language that lack their accents as the first of a pair, if the stems of its words depend on accents.
const LETTERS: [(&str, &[(char, &str)]); 18] = [
    ("basque", &[('n', "ñ"), ('u', "ü")]),
    ("catalan", &[('a', "à"), ('c', "ç"), ('e', "èé"), ('i', "íï"), ('o', "òó"), ('u', "úü")]),
    ("danish", &[('a', "å"), ('e', "é"), ('o', "ø")]),
    ("dutch", &[('e', "éèë"), ('i', "ï"), ('o', "öó"), ('u', "ü")]),
    ("estonian", &[('a', "ä"), ('o', "õö"), ('s', "š"), ('u', "ü"), ('z', "ž")]),
    ("finnish", &[('a', "ä"), ('o', "ö")]),
    ("french", &[('a', "àâ"), ('c', "ç"), ('e', "éèêë"), ('i', "îï"), ('o', "ô"), ('u', "ûùü")]),
    ("german", &[('a', "ä"), ('o', "ö"), ('u', "ü")]),
    ("hungarian", &[('a', "á"), ('e', "é"), ('i', "í"), ('o', "óöő"), ('u', "úüű")]),
    ("irish", &[('a', "á"), ('e', "é"), ('i', "í"), ('o', "ó"), ('u', "ú")]),
    ("italian", &[('a', "à"), ('e', "èé"), ('i', "ì"), ('o', "ò"), ('u', "ù")]),
    ("lithuanian", &[('a', "ą"), ('c', "č"), ('e', "ęė"), ('i', "į"), ('s', "š"), ('u', "ųū"), ('z', "ž")]),
    ("norwegian", &[('a', "å"), ('e', "é"), ('o', "ø")]),
    ("portuguese", &[('a', "áâãà"), ('c', "ç"), ('e', "éê"), ('i', "í"), ('o', "óôõ"), ('u', "ú")]),
    ("romanian", &[('a', "ăâ"), ('i', "î"), ('s', "ș"), ('t', "ț")]),
    ("spanish", &[('a', "á"), ('e', "é"), ('i', "í"), ('n', "ñ"), ('o', "ó"), ('u', "úü")]),
    ("swedish", &[('a', "åä"), ('e', "é"), ('o', "ö")]),
    ("turkish", &[('c', "ç"), ('g', "ğ"), ('i', "ı"), ('o', "ö"), ('s', "ş"), ('u', "ü")]),
];

/// Words of each language that are stop words without their accents, and none with them. The frequent ones of wordfreq 3.1.1.
const STOP_WORDS: [(&str, &str); 14] = [
    ("catalan", "món sí ús mà pèl pèls fóra cóm"),
    ("danish", "før én hår ét dét dér hér dén øm"),
    ("french", "où là dès sûr dû né maïs nôtre vôtre fût dé lès lé"),
    ("german", "hätte hätten wären müsste ändern wär wärst ändere"),
    ("hungarian", "fél él mély é á mért vágy né"),
    ("irish", "á é í mé tú sé sí lé dé má"),
    ("italian", "sì lì né là sé dà dì ché sù"),
    ("lithuanian", "metų tų manė"),
    ("norwegian", "én vårt hår møt dét"),
    ("portuguese", "é têm dá dê quê á pará pôr más ó ás séria vós pára nó tê sé dó sê pêlo pêlos dás"),
    ("romanian", "ține pește măi"),
    ("spanish", "cómo sé quién dónde cuál cuándo éste ésta éstos éstas quiénes dé té tí ó á ése ésa ésos ésas entré fué fuí uña"),
    ("swedish", "män värt hår mån möt hån"),
    ("turkish", "öldü yanı işe ölür şen önü ölüp ölsün"),
];

/// Longer words have too many spellings.
const CHARS_MAX: usize = 24;
const SPELLINGS_MAX: usize = 256;

/// Returns the words that are a stop word of the language without their accents.
pub fn stop_words_with_accents(language: &str, plain: &str) -> impl Iterator<Item = &'static str> {
    let lists = STOP_WORDS.iter().filter(move |(name, _)| *name == language);
    lists.flat_map(|(_, words)| words.split(' ')).filter(move |word| remove_accents(language, word) == plain)
}

/// Returns a word without the accents that its language has.
pub fn remove_accents(language: &str, word: &str) -> String {
    let letters = LETTERS.iter().find(|(name, _)| *name == language).map_or(&[][..], |(_, letters)| letters);
    let plain = |letter: char| letters.iter().find(|(_, accented)| accented.contains(letter)).map_or(letter, |(plain, _)| *plain);
    word.chars().map(plain).collect()
}

/// Returns spellings of a word in lower case with accents on one letter, on two letters, or on all letters of a kind.
pub fn add_accents(language: &str, word: &str) -> Vec<String> {
    let letters = LETTERS.iter().find(|(name, _)| *name == language).map_or(&[][..], |(_, letters)| letters);
    let characters: Vec<char> = word.chars().collect();
    if characters.len() > CHARS_MAX {
        return Vec::new();
    }
    let accents = |letter: char| letters.iter().find(|(base, _)| *base == letter).map_or("", |(_, accents)| accents);
    let places: Vec<(usize, char)> =
        characters.iter().enumerate().flat_map(|(place, letter)| accents(*letter).chars().map(move |accented| (place, accented))).collect();
    let spell = |replaced: &[(usize, char)]| {
        let letter =
            |(index, letter): (usize, &char)| replaced.iter().find(|(place, _)| *place == index).map_or(*letter, |(_, accented)| *accented);
        characters.iter().enumerate().map(letter).collect::<String>()
    };
    let accented: BTreeSet<char> = places.iter().map(|(_, accented)| *accented).collect();
    let of_letter = |letter: char| places.iter().copied().filter(|(_, accented)| *accented == letter).collect::<Vec<_>>();
    let with_one = places.iter().map(|place| spell(&[*place]));
    let with_one_kind = accented.iter().map(|letter| spell(&of_letter(*letter)));
    let with_all_kinds = std::iter::once(spell(&places)).filter(|_| !places.is_empty());
    let with_two = places.iter().enumerate().flat_map(|(index, first)| {
        let later_places = places[index + 1..].iter().filter(|second| second.0 != first.0);
        later_places.map(|second| spell(&[*first, *second])).collect::<Vec<_>>()
    });
    let mut listed = BTreeSet::new();
    let spellings = with_one.chain(with_one_kind).chain(with_all_kinds).chain(with_two);
    spellings.filter(|spelling| listed.insert(spelling.clone())).take(SPELLINGS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_two_or_all_letters_of_a_kind_have_accents() {
        let has = |language: &str, plain: &str, accented: &str| add_accents(language, plain).iter().any(|spelling| spelling == accented);
        assert!(has("french", "glace", "glacé") && has("french", "prefere", "préféré"));
        assert!(has("portuguese", "informacoes", "informações"));
        assert!(has("finnish", "tyopoyta", "työpöytä"));
        assert!(add_accents("english", "cafe").is_empty() && add_accents("french", "brrr").is_empty());
    }
}
