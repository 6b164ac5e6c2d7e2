//! Letters that keyboards of other languages lack, in the spelling of these keyboards: `aarhus` for Århus and `muell` for Müll. Documents have
//! either spelling, and so have queries.

/// The most spellings of a word.
const SPELLINGS_MAX: usize = 3;

const DANISH: [(&str, &str); 3] = [("å", "aa"), ("ø", "oe"), ("æ", "ae")];
const SWEDISH: [(&str, &str); 3] = [("å", "aa"), ("ö", "oe"), ("ä", "ae")];
const GERMAN: [(&str, &str); 3] = [("ä", "ae"), ("ö", "oe"), ("ü", "ue")];

/// Returns other spellings of a word in lower case: with each letter written as two, and with each two written as one.
pub fn respell(language: &str, word: &str) -> Vec<String> {
    let letters = match language {
        "danish" | "norwegian" => &DANISH[..],
        "swedish" => &SWEDISH[..],
        "finnish" => &SWEDISH[1..],
        "german" => &GERMAN[..],
        "arabic" => return respell_ending(word).into_iter().collect(),
        _ => return respell_ordinal(language, word),
    };
    let apart = letters.iter().fold(word.to_owned(), |word, (one, two)| word.replace(one, two));
    let joined = letters.iter().fold(word.to_owned(), |word, (one, two)| word.replace(two, one));
    let mut spellings = vec![apart, joined];
    // `Poesie` has no umlaut: each pair may be two letters.
    spellings.extend(letters.iter().filter(|(_, two)| word.contains(two)).map(|(one, two)| word.replacen(two, one, 1)));
    let mut listed = vec![word.to_owned()];
    spellings.retain(|spelling| {
        let is_new = !listed.contains(spelling);
        listed.push(spelling.clone());
        is_new
    });
    spellings.truncate(SPELLINGS_MAX);
    spellings
}

/// The endings of ordinal numbers that stand for each other, by language.
const ORDINALS: [(&str, &[&[&str]]); 5] = [
    ("catalan", &[&["", "º", "o"], &["", "ª", "a"]]),
    ("dutch", &[&["e", "de", "ste"]]),
    ("french", &[&["e", "eme", "ème", "ième"]]),
    ("portuguese", &[&["", "º", "o"], &["", "ª", "a"]]),
    ("spanish", &[&["", "º", "o"], &["", "ª", "a"]]),
];

/// Returns an ordinal number with other endings: `2` and `2ª` for `2a` in Spanish, `18de` for `18e` in Dutch. A number without an ending stays.
fn respell_ordinal(language: &str, word: &str) -> Vec<String> {
    let letters = word.trim_start_matches(|character: char| character.is_ascii_digit());
    let number = &word[..word.len() - letters.len()];
    let ending = letters.trim_start_matches('.');
    let classes = ORDINALS.iter().filter(|(known, _)| *known == language && !number.is_empty() && !ending.is_empty());
    let endings = classes.flat_map(|(_, classes)| *classes).filter(|endings| endings.contains(&ending)).flat_map(|endings| *endings);
    endings.filter(|other| **other != ending).map(|other| format!("{number}{other}")).collect()
}

/// Many write the ending ة without its dots.
fn respell_ending(word: &str) -> Option<String> {
    let swap = |from: char, to: char| word.strip_suffix(from).map(|start| format!("{start}{to}"));
    swap('ه', 'ة').or_else(|| swap('ة', 'ه'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_written_as_two_and_two_as_one() {
        assert_eq!(respell("danish", "aarhus"), ["århus"]);
        assert_eq!(respell("danish", "ålborg"), ["aalborg"]);
        assert_eq!(respell("danish", "smoerrebroed"), ["smørrebrød", "smørrebroed"]);
        assert_eq!(respell("swedish", "goeteborg"), ["göteborg"]);
        assert_eq!(respell("german", "müll"), ["muell"]);
        assert_eq!(respell("arabic", "مدرسه"), ["مدرسة"]);
        assert_eq!(respell("spanish", "2a"), ["2", "2ª"]);
        assert_eq!(respell("portuguese", "1.º"), ["1", "1o"]);
        assert_eq!(respell("dutch", "18e"), ["18de", "18ste"]);
        assert_eq!(respell("french", "2ème"), ["2e", "2eme", "2ième"]);
        assert!(respell("spanish", "2").is_empty() && respell("dutch", "2x").is_empty());
        assert!(respell("english", "aarhus").is_empty() && respell("danish", "bolig").is_empty());
    }
}
