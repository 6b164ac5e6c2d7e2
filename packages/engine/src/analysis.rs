//! Text analysis: splits text into words, then lower-cases them, folds them to ASCII, and stems them in their language.
//!
//! Stop words go to a separate twin field. A query ignores them unless it has no other words: `to be or not to be` searches the twin field.
//! In the main field they would make texts seem longer, which lowers relevance (nDCG@10 .389 instead of .393 on cranfield, .365 instead of
//! .377 on cisi).
//!
//! Completions and typo corrections come from the words as typed (`typed`): split, lower-cased and folded, including stop words.

// Over 400 lines: each analyzer of a language is made from the same parts, and the tests list all languages.

use std::sync::{Arc, LazyLock};

use tantivy::tokenizer::{AsciiFoldingFilter, TextAnalyzer, Token, TokenStream, TokenizerManager};

use crate::analyzer_names::{CODES_SUFFIX, beginnings_name, forms_name, stop_word_pairs_name, stop_words_name, tokenizer_name, typed_name};
use crate::beginnings::Beginnings;
use crate::collation::SortTokenizer;
use crate::east_asian_words::read_words;
use crate::failure::{Failure, Result};
use crate::forms::{EachFormOnce, FormsTokenizer};
use crate::gradation::find_grades;
use crate::languages::{Folding, LANGUAGES, Language, Pairs, STOP_LISTS};
use crate::lower_cased_words::{LowerCasedWords, Selection};
use crate::respelling::respell;
use crate::reused_analyzers::{self, ReusedAnalyzers};
use crate::stemming::Stemming;
use crate::stop_word_pairs::StopWordPairs;
use crate::stop_words::StopWords;
use crate::word_lists::{has_compounds, is_listed};
use crate::written_forms::with_symbols;

/// Increase this with every change to the analysis, or when earlier indexes may be wrong. A new version triggers a rebuild of the index.
pub const ANALYZER_VERSION: u32 = 23;

const FINNISH: &str = "finnish";

/// Created once: the stop word lists are thousands of small strings. A copy per open index would dominate its memory and opening time.
static ANALYZERS: LazyLock<Vec<(&str, Analyzer)>> =
    LazyLock::new(|| LANGUAGES.iter().map(|language| (language.name, Analyzer::new(language))).collect());

static TOKENIZERS: LazyLock<TokenizerManager> = LazyLock::new(|| {
    let manager = TokenizerManager::default();
    manager.register(SORT_TOKENIZER, SortTokenizer::default());
    for (name, Analyzer { parts, .. }) in ANALYZERS.iter() {
        manager.register(&tokenizer_name(name), parts.words.clone());
        manager.register(&typed_name(name), parts.typed.clone());
        manager.register(&beginnings_name(name), parts.beginnings.clone());
        manager.register(&forms_name(name, false), EachFormOnce::new(parts.forms.clone()));
        manager.register(&forms_name(name, true), EachFormOnce::new(parts.forms_with_codes.clone()));
        if let Some(stop_words) = &parts.stop_words {
            manager.register(&stop_words_name(name), stop_words.clone());
        }
        if let Some(stop_word_pairs) = &parts.stop_word_pairs {
            manager.register(&stop_word_pairs_name(name), stop_word_pairs.clone());
        }
    }
    manager
});

/// One word of a text, in its indexed form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub text: String,
    pub position: usize,
    pub stop: bool,
    /// Byte offsets in the text.
    pub start: usize,
    pub end: usize,
}

/// The analyzer of a field. Clones share the parts: each word of a query keeps one (saves 15 % of a search as you type).
#[derive(Clone)]
pub struct Analyzer {
    parts: Arc<AnalyzerParts>,
    /// Whether the field has codes, such as part numbers.
    pub has_codes: bool,
}

/// The analyzers of a language.
struct AnalyzerParts {
    words: TextAnalyzer,
    stop_words: Option<TextAnalyzer>,
    stop_word_pairs: Option<TextAnalyzer>,
    typed: TextAnalyzer,
    beginnings: TextAnalyzer,
    /// Further forms of words.
    forms: TextAnalyzer,
    /// The same, for a field of codes.
    forms_with_codes: TextAnalyzer,
    language: &'static str,
    /// Whether it splits Chinese and Japanese texts into pairs of characters.
    has_pairs: bool,
    /// Stems of words without accents, if these may differ from those of the words as they are.
    plain: Option<TextAnalyzer>,
    /// The stop words as they are indexed, sorted.
    stop_list: Arc<[String]>,
}

impl Analyzer {
    pub fn for_language(name: &str) -> Result<Analyzer> {
        ANALYZERS
            .iter()
            .find(|(language, _)| *language == name)
            .map(|(_, analyzer)| analyzer.clone())
            .ok_or_else(|| Failure::unsupported(format!("the engine does not know the language `{name}`")))
    }

    /// Returns the analyzer of a language, with [`CODES_SUFFIX`] the one for a field of codes.
    pub fn by_name(name: &str) -> Result<Analyzer> {
        match name.strip_suffix(CODES_SUFFIX) {
            None => Analyzer::for_language(name),
            Some(language) => Ok(Analyzer::for_language(language)?.with_codes(true)),
        }
    }

    pub fn language(&self) -> &'static str {
        self.parts.language
    }

    /// Returns the same analyzer, for a field that has codes or none.
    pub fn with_codes(self, has_codes: bool) -> Analyzer {
        Analyzer { has_codes, ..self }
    }

    fn new(language: &Language) -> Analyzer {
        let stop_list = stop_words(language);
        let select = |selection| LowerCasedWords::new(language, stop_list.clone(), selection);
        let own_words = || select(Selection::Content).with_own_texts();
        let plain = plain_analyzer(language, own_words());
        let stems = plain.clone().map(|plain| (main_analyzer(language, own_words()), plain));
        let has_stop_words = stop_list.is_some();
        let stop_word_pairs = || TextAnalyzer::builder(select(Selection::Stop)).filter(AsciiFoldingFilter).filter(StopWordPairs).build();
        let parts = AnalyzerParts {
            words: main_analyzer(language, select(Selection::Content)),
            stop_words: has_stop_words.then(|| folding_analyzer(select(Selection::Stop))),
            stop_word_pairs: has_stop_words.then(stop_word_pairs),
            typed: folding_analyzer(select(Selection::All)),
            // Stop words would be most of them.
            beginnings: TextAnalyzer::builder(select(Selection::Content)).filter(AsciiFoldingFilter).filter(Beginnings).build(),
            forms: forms_analyzer(language, stop_list.clone(), stems.clone(), false),
            forms_with_codes: forms_analyzer(language, stop_list.clone(), stems, true),
            language: language.name,
            has_pairs: language.pairs != Pairs::None,
            plain,
            stop_list: sorted_stop_words(language),
        };
        Analyzer { parts: Arc::new(parts), has_codes: false }
    }

    /// The words of a text, in order.
    pub fn words(&self, text: &str) -> Vec<Word> {
        self.read_with_copy(|ReusedAnalyzers { words, stop_words, .. }| read_words_and_stop_words(words, stop_words.as_mut(), text))
    }

    /// Returns a function that does the same as `words` and reuses its buffers. Use it for many texts.
    pub fn reader(&self) -> impl FnMut(&str) -> Vec<Word> + use<> {
        let (mut words, mut stop_words) = (self.parts.words.clone(), self.parts.stop_words.clone());
        move |text| read_words_and_stop_words(&mut words, stop_words.as_mut(), text)
    }

    /// The words of a text as typed, in order.
    pub fn typed(&self, text: &str) -> Vec<Word> {
        self.read_with_copy(|copy| tokenize(&mut copy.typed, text, false))
    }

    fn read_with_copy(&self, read: impl FnOnce(&mut ReusedAnalyzers) -> Vec<Word>) -> Vec<Word> {
        let AnalyzerParts { language, words, stop_words, typed, .. } = &*self.parts;
        let create = || ReusedAnalyzers { language, words: words.clone(), stop_words: stop_words.clone(), typed: typed.clone() };
        reused_analyzers::read_with(language, create, read)
    }

    /// Further forms of the words of a text, in any order: joined, without accents, and codes.
    pub fn forms(&self, text: &str) -> Vec<Word> {
        let forms = if self.has_codes { &self.parts.forms_with_codes } else { &self.parts.forms };
        tokenize(&mut forms.clone(), text, false)
    }

    /// The words of Chinese and Japanese texts, as forms.
    pub fn segments(&self, text: &str) -> Vec<Word> {
        let mut segments = Vec::new();
        if self.parts.has_pairs {
            read_words(&mut self.parts.typed.clone(), text, |text, range| {
                segments.push(Word { text, position: segments.len(), stop: false, start: range.start, end: range.end });
            });
        }
        segments
    }

    /// The words of a text as typed, with the symbols that belong to them: `c++` for C++.
    pub fn typed_with_symbols(&self, text: &str) -> Vec<Word> {
        let mut words = self.typed(text);
        for word in &mut words {
            if let Some(text) = with_symbols(text, &(word.start..word.end), &word.text) {
                word.text = text;
            }
        }
        words
    }

    /// The stem of a word without its accents, if it may differ from the stem of the word as it is.
    pub fn plain_stem(&self, word: &str) -> Option<String> {
        let words = tokenize(&mut self.parts.plain.clone()?, word, false);
        single(words).map(|word| word.text)
    }

    /// Whether stems of words without accents may differ from those of the words as they are.
    pub fn has_plain_stems(&self) -> bool {
        self.parts.plain.is_some()
    }

    /// The words of other spellings of a word, by people whose keyboard lacks letters of the language, as indexed and as typed.
    pub fn respelled(&self, word: &str) -> Vec<(Word, Word)> {
        let spellings = respell(self.parts.language, &word.to_lowercase()).into_iter();
        spellings.filter_map(|spelling| Some((single(self.words(&spelling))?, single(self.typed(&spelling))?))).collect()
    }

    /// The stems of other forms of a word whose consonants change, each with such a form: of `kaupungin` for the stem of `kaupunki`.
    pub fn grades(&self, stem: &str) -> Vec<(String, String)> {
        if self.parts.language != FINNISH {
            return Vec::new();
        }
        find_grades(stem, |word| is_listed(FINNISH, word), |word| single(self.words(word)).map(|word| word.text))
    }

    /// Whether the language writes compounds as one word.
    pub fn has_compounds(&self) -> bool {
        has_compounds(self.parts.language)
    }

    /// Whether the word list of the language has a word, which may then be a part of a compound.
    pub fn is_listed_part(&self, word: &str) -> bool {
        is_listed(self.parts.language, word)
    }

    pub fn has_stop_words(&self) -> bool {
        self.parts.stop_words.is_some()
    }

    /// Returns the stop word that lacks its accents, or whose accents are written as further letters: `uber` and `ueber` for über.
    pub fn plain_stop_word(&self, plain: &str) -> Option<String> {
        let is_listed = |word: &str| self.parts.stop_list.binary_search_by(|stop_word| stop_word.as_str().cmp(word)).is_ok();
        if is_listed(plain) {
            return Some(plain.to_owned());
        }
        let respelled = respell(self.parts.language, plain).into_iter().filter_map(|spelling| single(self.typed(&spelling)));
        respelled.map(|word| word.text).find(|word| is_listed(word))
    }

    pub fn is_plain_stop_word(&self, plain: &str) -> bool {
        self.parts.stop_list.binary_search_by(|stop_word| stop_word.as_str().cmp(plain)).is_ok()
    }

    /// Whether a word as typed is a stop word or the beginning of one.
    pub fn begins_stop_word(&self, typed: &str) -> bool {
        let first = self.parts.stop_list.partition_point(|stop_word| stop_word.as_str() < typed);
        self.parts.stop_list.get(first).is_some_and(|stop_word| stop_word.starts_with(typed))
    }
}

/// Creates the analyzer of the main field. It drops stop words, which leave gaps in the positions.
fn main_analyzer(language: &Language, words: LowerCasedWords) -> TextAnalyzer {
    let words = TextAnalyzer::builder(words);
    match language.folding {
        Folding::First => words.filter(AsciiFoldingFilter).filter(Stemming::new(language)).build(),
        Folding::Last | Folding::AnyScript => words.filter(Stemming::new(language)).filter(AsciiFoldingFilter).build(),
    }
}

/// Creates the analyzer of stems without accents. Stop words are recognized by their accents.
fn plain_analyzer(language: &Language, words: LowerCasedWords) -> Option<TextAnalyzer> {
    if language.folding != Folding::Last || language.stemmers.is_empty() {
        return None;
    }
    let words = TextAnalyzer::builder(words);
    Some(words.filter(AsciiFoldingFilter).filter(Stemming::new(language)).filter(AsciiFoldingFilter).build())
}

/// Creates the analyzer of the twin field with further forms of words.
fn forms_analyzer(
    language: &Language,
    stop_words: Option<StopWords>,
    stems: Option<(TextAnalyzer, TextAnalyzer)>,
    has_codes: bool,
) -> TextAnalyzer {
    let select = |stop_words, selection| LowerCasedWords::new(language, stop_words, selection).with_own_texts();
    let words = (!language.stemmers.is_empty()).then(|| main_analyzer(language, select(stop_words, Selection::Content)));
    let forms = FormsTokenizer::new(folding_analyzer(select(None, Selection::All)), words, stems);
    TextAnalyzer::builder(forms.with_options(has_codes, language.pairs != Pairs::None, language.name)).build()
}

/// Creates the analyzer of the twin field with the words as typed, or with the stop words.
fn folding_analyzer(words: LowerCasedWords) -> TextAnalyzer {
    TextAnalyzer::builder(words).filter(AsciiFoldingFilter).build()
}

/// The stop words pass through the same filters as the words that they are compared with.
fn stop_words(language: &Language) -> Option<StopWords> {
    let mut lower_cased = TextAnalyzer::from(LowerCasedWords::new(language, None, Selection::All).with_own_texts());
    let list = STOP_LISTS.get(language.name)?;
    Some(StopWords::new(tokenize(&mut lower_cased, list, true).into_iter().map(|word| word.text).collect()))
}

fn sorted_stop_words(language: &Language) -> Arc<[String]> {
    let list = STOP_LISTS.get(language.name).map_or("", String::as_str);
    let mut words: Vec<String> =
        tokenize(&mut folding_analyzer(LowerCasedWords::new(language, None, Selection::All).with_own_texts()), list, true)
            .into_iter()
            .map(|word| word.text)
            .collect();
    words.sort_unstable();
    words.into()
}

/// The analyzer for sort columns.
pub const SORT_TOKENIZER: &str = "querent-sort";

/// All analyzers, by name.
pub fn tokenizers() -> TokenizerManager {
    TOKENIZERS.clone()
}

fn single(mut words: Vec<Word>) -> Option<Word> {
    let word = words.pop()?;
    words.is_empty().then_some(word)
}

fn read_words_and_stop_words(words: &mut TextAnalyzer, stop_words: Option<&mut TextAnalyzer>, text: &str) -> Vec<Word> {
    let mut result = tokenize(words, text, false);
    if let Some(stop_words) = stop_words {
        result.extend(tokenize(stop_words, text, true));
        result.sort_by_key(|word| word.position);
    }
    result
}

fn tokenize(analyzer: &mut TextAnalyzer, text: &str, stop: bool) -> Vec<Word> {
    let mut words = Vec::new();
    analyzer.token_stream(text).process(&mut |token: &Token| {
        words.push(Word { text: token.text.clone(), position: token.position, stop, start: token.offset_from, end: token.offset_to });
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(language: &str, text: &str) -> Vec<String> {
        Analyzer::for_language(language).unwrap().words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn english_words_are_lower_cased_folded_and_stemmed() {
        assert_eq!(texts("english", "The Cafés, running"), ["the", "cafe", "run"]);
        assert_eq!(texts("english", "résumés"), texts("english", "resume"));
    }

    #[test]
    fn composed_and_combining_accents_are_equal() {
        assert_eq!(texts("none", "cafe\u{301}s"), texts("none", "cafés"));
    }

    #[test]
    fn stop_words_are_marked_and_kept() {
        let words = Analyzer::for_language("english").unwrap().words("the wing of a bird");
        assert_eq!(words.iter().map(|word| word.stop).collect::<Vec<_>>(), [true, false, true, true, false]);
        assert_eq!(words[4].position, 4);
    }

    /// Each language with two forms of one word, and stop words.
    const SAMPLES: [(&str, [&str; 2], &str); 25] = [
        ("arabic", ["المدرسة", "مدرسة"], "في من على"),
        ("armenian", ["Քաղաք", "քաղաքներ"], "այդ և են"),
        ("basque", ["Etxeak", "etxeen"], "eta da ez"),
        ("catalan", ["Gat", "gats"], "el la de amb"),
        ("danish", ["Husene", "huset"], "og det er ikke"),
        ("dutch", ["Groen", "groene"], "de het een en"),
        ("english", ["Résumés", "resume"], "the and of"),
        ("estonian", ["Raamatud", "raamatu"], "ja ei ka"),
        ("finnish", ["Talossa", "talon"], "ja että on"),
        ("french", ["Chevaux", "chevaux"], "le les et dans"),
        ("german", ["Häuser", "HÄUSERN"], "der die und nicht"),
        ("greek", ["Βιβλία", "ΒΙΒΛΊΟΥ"], "και το της"),
        ("hindi", ["किताबें", "किताब"], "और का में"),
        ("hungarian", ["Házak", "házakat"], "a az és nem"),
        ("indonesian", ["Membaca", "bacaan"], "yang dan di"),
        ("irish", ["Cailín", "gcailín"], "an agus na"),
        ("italian", ["Ragazzo", "ragazzi"], "il della e non"),
        ("lithuanian", ["Knygos", "knyga"], "ir yra su"),
        ("norwegian", ["Husene", "huset"], "og det er ikke"),
        ("portuguese", ["Meninos", "menino"], "o e não uma"),
        ("romanian", ["Copiilor", "copii"], "și în nu este"),
        ("russian", ["Книги", "книгу"], "и в не на"),
        ("spanish", ["Niños", "niño"], "el la y de"),
        ("swedish", ["Husen", "huset"], "och det är inte"),
        ("turkish", ["KİTAPLAR", "kitap"], "ve bir bu için"),
    ];

    #[test]
    fn every_language_has_a_stemmer_and_stop_words() {
        for (language, [first_form, second_form], stop_words) in SAMPLES {
            let analyzer = Analyzer::for_language(language).unwrap();
            assert_eq!(texts(language, first_form), texts(language, second_form), "{language}");
            assert!(analyzer.words(first_form).iter().all(|word| !word.stop), "{language}");
            let words = analyzer.words(stop_words);
            assert!(words.len() == stop_words.split(' ').count() && words.iter().all(|word| word.stop), "{language}: {words:?}");
            let typed: Vec<String> = analyzer.typed(stop_words).into_iter().map(|word| word.text).collect();
            assert_eq!(typed.len(), words.len(), "{language}");
        }
        let tested: Vec<&str> = SAMPLES.iter().map(|(language, ..)| *language).chain(["cjk", "general", "none"]).collect();
        assert_eq!(tested, LANGUAGES.each_ref().map(|language| language.name));
    }

    #[test]
    fn turkish_and_romanian_characters_are_normalized_for_their_stemmers() {
        assert_eq!(texts("turkish", "IŞIK"), texts("turkish", "ışık"));
        assert_eq!(texts("none", "İstanbul"), ["istanbul"]);
        assert_eq!(texts("romanian", "știință"), texts("romanian", "ştiinţă"));
    }

    #[test]
    fn words_as_typed_are_folded_and_keep_their_endings() {
        let typed = Analyzer::for_language("english").unwrap().typed("The Résumés-running");
        assert_eq!(typed.iter().map(|word| word.text.as_str()).collect::<Vec<_>>(), ["the", "resumes", "running"]);
        assert_eq!((typed[1].start, typed[1].end), (4, 13));
    }

    #[test]
    fn a_copy_of_an_analyzer_that_is_used_again_reads_the_same_words() {
        let texts = ["The Cafés, running", "", "to be", "a-b c++", "Ævar 3.5", "ﬁne 東京 wing"];
        for language in ["english", "german", "cjk"] {
            let analyzer = Analyzer::for_language(language).unwrap();
            for text in texts.iter().cycle().take(400) {
                assert_eq!(analyzer.words(text), analyzer.reader()(text), "{language} {text}");
                let typed = analyzer.typed(text);
                assert_eq!(typed, std::thread::scope(|scope| scope.spawn(|| analyzer.typed(text)).join().unwrap()), "{language} {text}");
            }
        }
    }

    #[test]
    fn beginnings_are_the_first_letters_of_each_word_once() {
        let analyzer = Analyzer::for_language("english").unwrap();
        let beginnings = tokenize(&mut analyzer.parts.beginnings.clone(), "The Élan of a Elm, a", false);
        assert_eq!(beginnings.into_iter().map(|word| word.text).collect::<Vec<_>>(), ["e", "el", "ela", "elm"]);
    }

    #[test]
    fn neighbouring_stop_words_make_pairs() {
        let analyzer = Analyzer::for_language("english").unwrap();
        let pairs = tokenize(&mut analyzer.parts.stop_word_pairs.clone().unwrap(), "To be, or not: that of the wing of it the", true);
        let pairs: Vec<_> = pairs.iter().map(|pair| (pair.text.as_str(), pair.position)).collect();
        let expected =
            [("to be", 0), ("be or", 1), ("or not", 2), ("not that", 3), ("that of", 4), ("of the", 5), ("of it", 8), ("it the", 9)];
        assert_eq!(pairs, expected);
    }

    #[test]
    fn an_unknown_language_is_named() {
        assert!(Analyzer::for_language("klingon").is_err_and(|failure| failure.message.contains("klingon")));
    }
}
