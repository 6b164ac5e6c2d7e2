//! Text analysis as functions of the addon, for engines with an index elsewhere. They need no engine and no folder.

use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::analysis::{ANALYZER_VERSION, Analyzer, Word};
use crate::collation::sort_text;
use crate::failure::{Failure, Result};
use crate::outcome::{Outcome, create_promise, to_error};
use crate::schema::IndexSchema;
use crate::search::{LookupReply, LookupRequest, MatchRequest, MatchWords, OptionFilter, SimilarForm};
use crate::snippets::{MarkedWord, SnippetLimits, cut_snippets};
use crate::text_columns::TextColumns;
use crate::{json, pool, search, task_thread};

/// A new version means that words may differ.
#[napi]
pub fn analyzer_version() -> u32 {
    ANALYZER_VERSION
}

/// Whether a language has stop words. Throws for an unknown language.
#[napi]
pub fn has_stop_words(language: String) -> napi::Result<bool> {
    Ok(Analyzer::by_name(&language).map_err(to_error)?.has_stop_words())
}

/// Whether the words of a language may be compounds. Throws for an unknown language.
#[napi]
pub fn has_compounds(language: String) -> napi::Result<bool> {
    Ok(Analyzer::by_name(&language).map_err(to_error)?.has_compounds())
}

/// The words of short texts as indexed, or as typed. Returns the JSON of `[text, position, isStopWord][][]`.
#[napi]
pub fn analyze_texts(language: String, texts: Vec<String>, as_typed: bool) -> napi::Result<String> {
    let analyzer = Analyzer::by_name(&language).map_err(to_error)?;
    let mut analyze = analyzer.reader();
    let words = texts.iter().map(|text| {
        let words = if as_typed { analyzer.typed(text) } else { analyze(text) };
        words.into_iter().map(|Word { text, position, stop, .. }| (text, position, stop)).collect()
    });
    to_json(&words.collect::<Vec<Vec<_>>>()).map_err(to_error)
}

/// Sort keys of texts: by code point, they sort as the texts should.
#[napi]
pub fn sort_texts(texts: Vec<String>) -> Vec<String> {
    texts.iter().map(|text| sort_text(text)).collect()
}

/// Resolves to the JSON of `TextColumns[]`, one for each item of `texts`. `typed` is whether a field is completed and corrected.
#[napi(ts_return_type = "Promise<Outcome>")]
pub fn text_columns<'env>(env: &'env Env, languages: Vec<String>, typed: Vec<bool>, texts: Vec<Vec<String>>) -> napi::Result<Object<'env>> {
    run_on_new_thread(env, move || {
        pool::lower_thread_priority();
        let fields = languages.iter().zip(typed).zip(&texts);
        fields.map(|((language, typed), texts)| Ok(TextColumns::new(&Analyzer::by_name(language)?, texts, typed))).collect()
    })
}

/// Resolves to the JSON of `string[][]`: the snippets of each item of `texts`. `marked_words` is the JSON of `MarkedWord[]`.
#[napi(ts_return_type = "Promise<Outcome>")]
pub fn cut_text_snippets<'env>(
    env: &'env Env,
    language: String,
    marked_words: String,
    texts: Vec<Vec<String>>,
    snippets: u32,
    chars: u32,
) -> napi::Result<Object<'env>> {
    let limits = SnippetLimits { snippets: snippets as usize, chars: chars as usize };
    run_on_new_thread(env, move || {
        let marked_words: Vec<MarkedWord> = read_json(&marked_words)?;
        let analyzer = Analyzer::by_name(&language)?;
        Ok(texts.iter().map(|texts| cut_snippets(&analyzer, &marked_words, texts.iter(), limits)).collect())
    })
}

/// Resolves to the JSON of `[word, count][]`: the words of texts as indexed, without stop words.
#[napi(ts_return_type = "Promise<Outcome>")]
pub fn count_words<'env>(env: &'env Env, language: String, texts: Vec<String>) -> napi::Result<Object<'env>> {
    run_on_new_thread(env, move || -> Result<Vec<(String, u32)>> {
        Ok(search::count_words(&Analyzer::by_name(&language)?, texts.iter()).into_iter().collect())
    })
}

/// How many typos a word may have to be corrected.
#[napi]
pub fn correction_typos(word: String) -> u32 {
    search::correction_typos(&word).into()
}

/// The share of its weight that a word has which is several words written as one, by the numbers of documents: all, those with this word, and
/// those with each of the words.
#[napi]
pub fn joined_share(documents: f64, joined: f64, parts: Vec<f64>) -> f64 {
    let parts: Vec<u64> = parts.into_iter().map(|frequency| frequency as u64).collect();
    search::joined_share(documents as u64, joined as u64, &parts).into()
}

/// Resolves to the JSON of `SimilarForm[]`: the words of texts that may correct a word.
#[napi(ts_return_type = "Promise<Outcome>")]
pub fn find_similar_forms<'env>(
    env: &'env Env,
    language: String,
    word: String,
    compares_typed: bool,
    texts: Vec<String>,
) -> napi::Result<Object<'env>> {
    run_on_new_thread(env, move || -> Result<Vec<SimilarForm>> {
        Ok(search::find_similar_forms(&Analyzer::by_name(&language)?, &word, compares_typed, &texts))
    })
}

/// The JSON of the numbers by which this engine ranks documents.
#[napi]
pub fn ranking_rules() -> napi::Result<String> {
    to_json(&search::RANKING_RULES).map_err(to_error)
}

/// The fields of a generation with an index elsewhere.
#[napi]
pub struct NativeTextSchema {
    schema: IndexSchema,
}

#[napi]
impl NativeTextSchema {
    /// `spec` is the JSON of a `GenerationSpec`.
    #[napi(constructor)]
    pub fn new(spec: String) -> napi::Result<NativeTextSchema> {
        let spec = read_json(&spec).map_err(to_error)?;
        Ok(NativeTextSchema { schema: IndexSchema::new(&spec).map_err(to_error)? })
    }

    /// The words of a match. Takes the JSON of a `MatchRequest`, and returns the JSON of `MatchWords`.
    #[napi]
    pub fn match_words(&self, request: String) -> napi::Result<String> {
        let words = read_json(&request).and_then(|request: MatchRequest| to_json(&MatchWords::new(&self.schema, &request)?));
        words.map_err(to_error)
    }

    /// Looks up spellings of a word. Takes the JSON of a `LookupRequest`, and returns the JSON of a `LookupReply`.
    #[napi]
    pub fn look_up(&self, request: String) -> napi::Result<String> {
        let reply = read_json(&request).and_then(|request: LookupRequest| to_json(&LookupReply::new(&self.schema, &request)?));
        reply.map_err(to_error)
    }
}

/// Filters options of a facet by the start of a word.
#[napi]
pub struct NativeOptionFilter {
    filter: Option<OptionFilter>,
}

#[napi]
impl NativeOptionFilter {
    #[napi(constructor)]
    pub fn new(text: String) -> NativeOptionFilter {
        NativeOptionFilter { filter: OptionFilter::new(&text) }
    }

    /// Every option passes a blank text.
    #[napi]
    pub fn accepts(&self, option: String) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.accepts(&option))
    }
}

fn run_on_new_thread<'env, T: Serialize + 'static>(
    env: &'env Env,
    work: impl FnOnce() -> Result<Vec<T>> + Send + 'static,
) -> napi::Result<Object<'env>> {
    let (responder, promise) = create_promise(env, |head: String| Outcome { head: Some(head), ..Outcome::default() })?;
    task_thread::start(move |admission| responder.send(admission.and_then(|()| pool::catch_panic(|| to_json(&work()?)))));
    Ok(promise)
}

fn read_json<T: DeserializeOwned>(text: &str) -> Result<T> {
    json::read(text).map_err(|error| Failure::fault(format!("cannot read words: {error}")))
}

fn to_json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Failure::fault(format!("cannot serialize words: {error}")))
}
