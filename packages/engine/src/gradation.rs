//! Consonant gradation of Finnish: the stems of `kaupunki` and `kaupungin` differ, though these are forms of one word. The word list tells which
//! words change like this.

/// Consonants before the ending: of the nominative, and of the genitive.
const GRADES: [(&str, &str); 15] = [
    ("kk", "k"),
    ("pp", "p"),
    ("tt", "t"),
    ("nk", "ng"),
    ("nt", "nn"),
    ("lt", "ll"),
    ("rt", "rr"),
    ("mp", "mm"),
    ("lk", "lj"),
    ("rk", "rj"),
    ("ht", "hd"),
    ("t", "d"),
    ("p", "v"),
    ("k", "v"),
    ("k", ""),
];
/// The endings of the nominative, and of the genitive or plural.
const ENDINGS: [(&str, &str); 7] = [("a", "an"), ("e", "en"), ("i", "in"), ("i", "en"), ("o", "on"), ("u", "un"), ("y", "yn")];
/// The same for words whose genitive has the strong grade: `vaate` and `vaatteen`.
const INVERSE_ENDINGS: [(&str, &str); 5] = [("as", "aan"), ("as", "aat"), ("e", "een"), ("in", "imen"), ("in", "imet")];
/// The most letters of a stem after the consonants that change.
const TAIL_CHARS_MAX: usize = 3;
/// The least letters before them.
const BASE_CHARS_MIN: usize = 2;
const STEMS_MAX: usize = 4;

/// Returns the stems of other forms of a word, each with such a form. All words are in lower case and without accents.
pub fn find_grades(
    stem: &str,
    is_listed: impl Fn(&str) -> bool,
    mut stem_word: impl FnMut(&str) -> Option<String>,
) -> Vec<(String, String)> {
    let mut grades: Vec<(String, String)> = Vec::new();
    let mut add = |nominative: String, genitive: String| {
        if grades.len() == STEMS_MAX || !is_listed(&nominative) || !is_listed(&genitive) {
            return;
        }
        let (Some(first), Some(second)) = (stem_word(&nominative), stem_word(&genitive)) else { return };
        let changed = match (first == stem, second == stem) {
            (true, false) => (second, genitive),
            (false, true) => (first, nominative),
            _ => return,
        };
        if grades.iter().all(|(known, _)| *known != changed.0) {
            grades.push(changed);
        }
    };
    if !stem.is_ascii() {
        return grades;
    }
    let first = stem.len().saturating_sub(TAIL_CHARS_MAX + 1).max(BASE_CHARS_MIN);
    for (base, rest) in (first..=stem.len()).map(|place| stem.split_at(place)) {
        for (strong, weak) in GRADES.iter().filter(|(strong, weak)| begins_with_grade(rest, strong) || begins_with_grade(rest, weak)) {
            for (nominative, genitive) in ENDINGS {
                // Else the weak grade is that of another word: `lavan` is a form of `lava` too.
                let ending = genitive.trim_end_matches('n');
                if !is_listed(&format!("{base}{weak}{ending}a")) {
                    add(format!("{base}{strong}{nominative}"), format!("{base}{weak}{genitive}"));
                }
            }
            for (nominative, genitive) in INVERSE_ENDINGS {
                add(format!("{base}{weak}{nominative}"), format!("{base}{strong}{genitive}"));
            }
        }
    }
    grades
}

fn begins_with_grade(rest: &str, grade: &str) -> bool {
    rest.strip_prefix(grade)
        .is_some_and(|tail| tail.len() <= TAIL_CHARS_MAX && tail.bytes().next().is_none_or(|byte| b"aeiouy".contains(&byte)))
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analyzer;

    #[test]
    fn stems_of_both_grades_find_each_other() {
        let analyzer = Analyzer::for_language("finnish").unwrap();
        let stem = |word: &str| analyzer.words(word).remove(0).text;
        let pairs = [
            ("kaupunki", "kaupungin"),
            ("katu", "kadulla"),
            ("kenkä", "kengät"),
            ("leipä", "leivän"),
            ("ranta", "rannalla"),
            ("ilta", "illan"),
            ("lanka", "langat"),
            ("lehti", "lehden"),
            ("puku", "puvun"),
            ("luku", "luvut"),
            ("jalka", "jalan"),
            ("hammas", "hampaan"),
            ("rengas", "renkaat"),
        ];
        for (strong, weak) in pairs {
            for (word, other) in [(strong, weak), (weak, strong)] {
                let stems: Vec<String> = analyzer.grades(&stem(word)).into_iter().map(|(stem, _)| stem).collect();
                assert!(
                    stem(word) == stem(other) || stems.contains(&stem(other)),
                    "{word} {} {other} {}: {stems:?}",
                    stem(word),
                    stem(other)
                );
            }
        }
    }

    #[test]
    fn words_that_only_look_alike_stay_apart() {
        let analyzer = Analyzer::for_language("finnish").unwrap();
        let stem = |word: &str| analyzer.words(word).remove(0).text;
        for (word, other) in
            [("lapa", "lava"), ("kanta", "kannu"), ("mato", "matto"), ("rapu", "ravi"), ("hinta", "hinku"), ("kuu", "kuka")]
        {
            let stems: Vec<String> = analyzer.grades(&stem(word)).into_iter().map(|(stem, _)| stem).collect();
            assert!(!stems.contains(&stem(other)), "{word} {other}: {stems:?}");
        }
        assert!(Analyzer::for_language("english").unwrap().grades("ranta").is_empty());
    }
}
