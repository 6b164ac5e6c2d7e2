//! Stems of words that the stemmers treat wrongly: with the article of Arabic, diminutives of Dutch words that end
//! with t, Dutch words that look like participles, Dutch compounds that end like plurals, forms of Estonian and Irish words, and plurals.

use crate::accents::remove_accents;
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
        "armenian" => {
            let mut bases = ARMENIAN_PLURALS.iter().filter_map(|ending| word.strip_suffix(ending));
            if let Some(length) = bases.find(|base| base.chars().count() >= LETTERS_MIN).map(str::len) {
                word.truncate(length);
            }
        }
        "dutch" => {
            if let Some(length) = base_of_diminutive(word) {
                word.truncate(length);
            }
        }
        "finnish" => write_as_nominative(word),
        _ => {}
    }
    write_as_singular(language, word);
}

/// Finnish nouns with the beginning of their other forms, as in puhelimet. They may be the last part of a compound.
const FINNISH_NOUNS: [(&str, &str); 16] = [
    ("avain", "avaim"),
    ("eläin", "eläim"),
    ("keitin", "keittim"),
    ("kirjain", "kirjaim"),
    ("kytkin", "kytkim"),
    ("lämmin", "lämpim"),
    ("lämmitin", "lämmittim"),
    ("näppäin", "näppäim"),
    ("ohjain", "ohjaim"),
    ("puhallin", "puhaltim"),
    ("puhelin", "puhelim"),
    ("soitin", "soittim"),
    ("suodatin", "suodattim"),
    ("tulostin", "tulostim"),
    ("vaihdin", "vaihtim"),
    ("vatkain", "vatkaim"),
];

fn write_as_nominative(word: &mut String) {
    let is_form = |rest: &str| rest.starts_with(['e', 'i', 'ä']);
    let start = |(nominative, base): &(&'static str, &str)| {
        let start = word.rfind(base).filter(|start| is_form(&word[start + base.len()..]))?;
        Some((start, *nominative))
    };
    if let Some((start, nominative)) = FINNISH_NOUNS.iter().find_map(start) {
        word.truncate(start);
        word.push_str(nominative);
    }
}

/// Endings of Armenian plurals. The stemmer cuts them off with the letters before them, or not at all.
const ARMENIAN_PLURALS: [&str; 8] = ["ներ", "ները", "ներն", "ների", "ներին", "ներից", "ներով", "ներում"];

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

/// Shortens a stem whose word has other forms that the stemmer keeps apart.
pub fn shorten(language: &str, word: &mut String, stem: &mut impl FnMut(&mut String)) {
    match language {
        "estonian" => {
            if let Some(length) = length_without_last_vowel(word) {
                word.truncate(length);
                stem(word);
            }
            // Poiss, poisid.
            if word.ends_with("ss") {
                word.pop();
            }
        }
        "irish" => {
            if let Some(length) = length_without_irish_ending(word) {
                word.truncate(length);
            }
            broaden(word);
        }
        _ => {}
    }
}

const ESTONIAN_VOWELS: [char; 9] = ['a', 'e', 'i', 'o', 'u', 'õ', 'ä', 'ö', 'ü'];
const LONG_SYLLABLE_CHARS: usize = 3;

/// The length of an Estonian stem without the vowel that only its other forms have: laulud of laul, and järved of järv. The nominative lost
/// it after a long syllable.
fn length_without_last_vowel(stem: &str) -> Option<usize> {
    let base = stem.strip_suffix(ESTONIAN_VOWELS)?;
    let is_vowel = |letter: char| ESTONIAN_VOWELS.contains(&letter);
    let mut letters = base.chars().rev();
    let (last, before) = (letters.next()?, letters.next()?);
    let is_long = base.chars().count() >= LONG_SYLLABLE_CHARS && !is_vowel(last);
    let ends_long_syllable = if is_vowel(before) { letters.next().is_some_and(is_vowel) } else { true };
    (is_long && ends_long_syllable).then_some(base.len())
}

/// Endings of Irish plurals and cases, which follow a stem of at least three letters.
const IRISH_ENDINGS: [&str; 8] = ["eanna", "anna", "eacha", "acha", "aí", "í", "a", "e"];
/// Plurals such as scéalta and tinte. The consonant before the ending belongs to the stem.
const IRISH_STRONG_ENDINGS: [&str; 2] = ["ta", "te"];
const BEFORE_STRONG_ENDINGS: [char; 3] = ['l', 'n', 'r'];
const IRISH_STEM_CHARS_MIN: usize = 3;

fn length_without_irish_ending(stem: &str) -> Option<usize> {
    let strong = IRISH_STRONG_ENDINGS.iter().filter_map(|ending| stem.strip_suffix(ending));
    let strong = strong.filter(|base| base.ends_with(BEFORE_STRONG_ENDINGS));
    let mut bases = strong.chain(IRISH_ENDINGS.iter().filter_map(|ending| stem.strip_suffix(ending)));
    bases.find(|base| base.chars().count() >= IRISH_STEM_CHARS_MIN).map(str::len)
}

/// Writes the end of an Irish stem as that of the nominative: `bád` for báid, and `páipéar` for páipéir.
fn broaden(stem: &mut String) {
    const CONSONANTS: &[char] = &['b', 'c', 'd', 'f', 'g', 'h', 'l', 'm', 'n', 'p', 'r', 's', 't'];
    let beginning = stem.trim_end_matches(CONSONANTS);
    let Some(vowels) = beginning.strip_suffix('i').filter(|_| beginning.len() < stem.len()) else { return };
    let vowel = match vowels.chars().next_back() {
        Some('é') => "a",
        Some('a' | 'á' | 'e' | 'o' | 'ó' | 'u' | 'ú') => "",
        _ => return,
    };
    stem.replace_range(vowels.len()..=vowels.len(), vowel);
}

/// Stands for the first parts of a compound. Stemmers cut more off a long word.
pub const LONG_BEGINNING: &str = "bababa";
/// Parts of Dutch verbs before `ge` in participles: opgehaald.
const VERB_PARTICLES: &str = "aan achter af bij binnen buiten deel dicht door goed hoog in kennis klaar los mede mee mis na neer om omver onder op open over plaats rond samen schoon stil teleur tegen terecht terug toe tussen uit vast vol voor voorbij voort vrij waar weer weg zwart";
/// The last letters of participles: opgehaald, uitgewerkt, aangekomen, and opgehaalde.
const PARTICIPLE_ENDS: [char; 4] = ['d', 't', 'n', 'e'];

/// Ends no participle: overgevoeligheid.
const NOUN_ENDING: &str = "heid";
/// Dutch nouns and adjectives with `ge` that are the last part of words such as voorgerecht and aangenaam. No participle has the same letters.
const NOUNS_WITH_PREFIX: &str = "genaam gename gevoelig gevoelige gebergte gebied gebit gebouw gebrek gebruik gedachte gedeelte geding geest gehalte geheim gehucht geluid gemeente genoot gerecht gerucht geschenk geschil geschrift geschut geslacht gesprek gesteente getal getuige gevecht gevel gevoel gewelf geweld gewest gewicht gewoonte gezant gezang gezicht gezin";
/// Participles of verbs such as inluiden and afslachten, which look like compounds of these nouns.
const PARTICIPLES_LIKE_NOUNS: [&str; 6] = ["ingeluid", "uitgeluid", "afgeslacht", "ingedachte", "uitgedachte", "doorgedachte"];

/// The length of the beginning of a Dutch word up to a `ge` that the stemmer took out of its middle, if the word is no participle:
/// the stemmer makes `spielt` of spiegeltent.
pub fn end_of_lost_infix(language: &str, word: &str, stem: &str) -> Option<usize> {
    if language != "dutch" {
        return None;
    }
    // The stem of dagen keeps the first letter of `gen`, so only an ending is lost there.
    let is_lost = |start: &usize| *start > 0 && stem.len() > *start && !stem.starts_with(&word[..=*start]);
    let start = word.match_indices(PREFIX).map(|(start, _)| start).find(is_lost)?;
    // A query may try accents that a word lacks.
    let has_noun = || !PARTICIPLES_LIKE_NOUNS.contains(&word) && is_noun_with_prefix(&remove_accents(language, &word[start..]));
    let may_be_participle = word.ends_with(PARTICIPLE_ENDS) && !word.ends_with(NOUN_ENDING);
    let is_participle = may_be_participle && VERB_PARTICLES.split(' ').any(|particle| particle == &word[..start]) && !has_noun();
    (!is_participle).then_some(start + PREFIX.len())
}

/// Whether a word is one of the Dutch nouns, or its plural.
fn is_noun_with_prefix(word: &str) -> bool {
    let mut nouns = NOUNS_WITH_PREFIX.split(' ');
    // The plural may have the last consonant twice: gesprekken.
    let is_plural_ending =
        |noun: &str, ending: &str| matches!(ending.strip_prefix(|first| noun.ends_with(first)).unwrap_or(ending), "n" | "en" | "s");
    nouns.any(|noun| word.strip_prefix(noun).is_some_and(|ending| ending.is_empty() || is_plural_ending(noun, ending)))
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
    if is_noun_with_prefix(word) {
        return true;
    }
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
            ("voorgerecht", "voor", "gerecht"),
            ("nagerechten", "na", "gerecht"),
            ("achtergevels", "achter", "gevel"),
            ("bijgebouwen", "bij", "gebouw"),
            ("nagesprekken", "na", "gesprek"),
            ("overgevoeligheid", "over", "gevoelig"),
            ("achtergedachten", "achter", "gedachte"),
        ] {
            assert_eq!(stem("dutch", compound), format!("{first}{}", stem("dutch", last)), "{compound}");
        }
        assert_eq!(stem("dutch", "aangename"), stem("dutch", "aangenaam"));
        assert_ne!(stem("dutch", "gerecht"), stem("dutch", "recht"));
        assert_eq!(stem("dutch", "voorgerëcht"), stem("dutch", "voorgerecht"));
        for (participle, verb) in [
            ("opgehaald", "ophalen"),
            ("aangekomen", "aankomen"),
            ("voorgelezen", "voorlezen"),
            ("ingericht", "inrichten"),
            ("voorgesteld", "voorstellen"),
            ("toegevoegd", "toevoegen"),
            ("uitgebreide", "uitbreiden"),
            ("ingeluid", "inluiden"),
            ("afgeslacht", "afslachten"),
        ] {
            assert_eq!(stem("dutch", participle), stem("dutch", verb), "{participle}");
        }
        assert_eq!(stem("dutch", "dagen"), stem("dutch", "dag"));
        assert_eq!(stem("dutch", "bruggen"), stem("dutch", "brug"));
    }

    #[test]
    fn forms_of_estonian_and_irish_words_have_one_stem() {
        for (language, forms) in [
            (
                "estonian",
                "laul laulud laulu, järv järved, õun õunad, mäng mängud, ülikool ülikoolid, kool koolid, uks uksed, poiss poisid, raamat raamatud",
            ),
            (
                "irish",
                "bád báid, leabhar leabhair, cailín cailíní, scéal scéalta scéil, oileán oileáin, páiste páistí, buachaill buachaillí, páipéar páipéir, teanga teangacha, mór móra, áit áiteanna",
            ),
        ] {
            for forms in forms.split(", ") {
                let stems: Vec<String> = forms.split(' ').map(|form| stem(language, form)).collect();
                assert!(stems.iter().all(|stem| *stem == stems[0]), "{language} {forms}: {stems:?}");
            }
        }
        for [first, second] in [["kala", "kali"], ["maja", "mäed"], ["tuli", "tuul"]] {
            assert_ne!(stem("estonian", first), stem("estonian", second), "{first}");
        }
        for [first, second] in [["bean", "bán"], ["lá", "lón"], ["muc", "mac"]] {
            assert_ne!(stem("irish", first), stem("irish", second), "{first}");
        }
    }

    #[test]
    fn finnish_nouns_have_one_stem_in_all_cases() {
        for [form, nominative] in
            [["puhelimet", "puhelin"], ["matkapuhelimella", "matkapuhelin"], ["suodattimia", "suodatin"], ["lämpimän", "lämmin"]]
        {
            assert_eq!(stem("finnish", form), stem("finnish", nominative), "{form}");
        }
    }

    #[test]
    fn armenian_plurals_have_the_stem_of_their_singulars() {
        for [plural, singular] in [["գրադարաններ", "գրադարան"], ["համալսարանների", "համալսարան"], ["դպրոցներում", "դպրոց"]]
        {
            assert_eq!(stem("armenian", plural), stem("armenian", singular), "{plural}");
        }
    }

    #[test]
    fn the_article_is_no_part_of_a_word() {
        assert_eq!(stem("arabic", "القرآن"), stem("arabic", "قرآن"));
        assert_eq!(stem("arabic", "والقرآن"), stem("arabic", "قرآن"));
        assert_eq!(stem("arabic", "والسيارات"), stem("arabic", "سيارة"));
        assert_eq!(stem("arabic", "اللغة"), stem("arabic", "لغة"));
    }
}
