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
        _ => return Vec::new(),
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
        assert!(respell("english", "aarhus").is_empty() && respell("danish", "bolig").is_empty());
    }
}
