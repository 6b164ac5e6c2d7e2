//! The synonyms of collections. Plans name them by number, because a query needs few of them and they may be many. So a change of synonyms
//! needs no new index.

use std::collections::HashMap;
use std::fmt::{self, Debug, Formatter};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use napi_derive::napi;
use serde::de::{Deserialize, Deserializer, Error};

use crate::analysis::Analyzer;
use crate::failure::{Failure, Result};
use crate::json;
use crate::outcome::to_error;
use crate::synonyms::{SynonymSet, Synonyms};

/// All lists that JavaScript holds, by number. Numbers are not used again, so a cached result never belongs to other synonyms.
static LISTS: LazyLock<Mutex<Numbered>> = LazyLock::new(Mutex::default);

#[derive(Default)]
struct Numbered {
    last: u32,
    lists: HashMap<u32, Weak<SynonymLists>>,
}

/// The lists of one collection, analyzed at the first query in each language.
pub struct SynonymLists {
    number: u32,
    sets: Vec<SynonymSet>,
    by_analyzer: Mutex<HashMap<(&'static str, bool), Arc<Synonyms>>>,
}

impl SynonymLists {
    pub fn new(sets: Vec<SynonymSet>) -> Arc<SynonymLists> {
        let mut numbered = lock(&LISTS);
        numbered.last += 1;
        let lists = Arc::new(SynonymLists { number: numbered.last, sets, by_analyzer: Mutex::default() });
        numbered.lists.insert(lists.number, Arc::downgrade(&lists));
        lists
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    /// The synonyms in the form that an analyzer gives words.
    pub fn analyzed(&self, analyzer: &Analyzer) -> Arc<Synonyms> {
        let mut by_analyzer = lock(&self.by_analyzer);
        let key = (analyzer.language(), analyzer.has_codes);
        Arc::clone(by_analyzer.entry(key).or_insert_with(|| Arc::new(Synonyms::new(&self.sets, analyzer))))
    }
}

impl Drop for SynonymLists {
    fn drop(&mut self) {
        lock(&LISTS).lists.remove(&self.number);
    }
}

/// The synonyms of a plan. In JSON it is their number.
#[derive(Clone)]
pub struct NamedSynonyms(Arc<SynonymLists>);

impl NamedSynonyms {
    pub fn analyzed(&self, analyzer: &Analyzer) -> Arc<Synonyms> {
        self.0.analyzed(analyzer)
    }
}

impl<'de> Deserialize<'de> for NamedSynonyms {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<NamedSynonyms, D::Error> {
        let number = u32::deserialize(deserializer)?;
        let lists = lock(&LISTS).lists.get(&number).and_then(Weak::upgrade);
        lists.map(NamedSynonyms).ok_or_else(|| D::Error::custom(format!("nobody holds the synonyms {number}")))
    }
}

/// Part of the key of cached results.
impl Debug for NamedSynonyms {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        write!(formatter, "{}", self.0.number)
    }
}

/// The synonyms of a collection. A plan may name them while JavaScript holds this object.
#[napi]
pub struct NativeSynonyms(Arc<SynonymLists>);

#[napi]
impl NativeSynonyms {
    /// `sets` is the JSON of `SynonymSet[]`.
    #[napi(constructor)]
    pub fn new(sets: String) -> napi::Result<NativeSynonyms> {
        let sets: Result<Vec<SynonymSet>> = json::read(&sets).map_err(|error| Failure::fault(format!("cannot read synonyms: {error}")));
        Ok(NativeSynonyms(SynonymLists::new(sets.map_err(to_error)?)))
    }

    /// The number by which plans name them.
    #[napi]
    pub fn number(&self) -> u32 {
        self.0.number()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_found_by_number_while_somebody_holds_them() {
        let lists = SynonymLists::new(vec![SynonymSet::Mutual(vec!["tv".to_owned(), "television".to_owned()])]);
        let number = lists.number().to_string();
        let english = Analyzer::for_language("english").unwrap();
        let named: NamedSynonyms = serde_json::from_str(&number).unwrap();
        assert!(!named.analyzed(&english).is_empty());
        assert!(Arc::ptr_eq(&named.analyzed(&english), &lists.analyzed(&english)));
        drop(lists);
        assert!(serde_json::from_str::<NamedSynonyms>(&number).is_ok(), "a plan holds them too");
        drop(named);
        assert!(serde_json::from_str::<NamedSynonyms>(&number).is_err());
    }
}
