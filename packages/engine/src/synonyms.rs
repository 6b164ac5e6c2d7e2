//! Finds the synonyms of the words and phrases in a query, analyzed for one language.

use std::collections::{HashMap, HashSet};
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use serde::Deserialize;

use crate::analysis::{Analyzer, Word};
use crate::written_forms::{SYMBOL, distinguish_words};

/// Words and phrases that find each other, or find each other in one direction only.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum SynonymSet {
    Mutual(Vec<String>),
    OneWay { from: Vec<String>, to: Vec<String> },
}

/// The most synonyms added to a query for each field. Further ones are ignored.
pub const SYNONYMS_MAX: usize = 1_000;

/// The most words of a query that are written as one in a member, and its longest length.
const PARTS_MAX: usize = 6;
const JOINED_CHARS_MAX: usize = 40;

/// A word or phrase that a query also finds.
#[derive(Debug)]
pub struct Member {
    /// The indexed forms of its words, with their symbols: the same for `picture` and `pictures`.
    form: Vec<String>,
    pub words: Vec<Word>,
    /// A single word with the symbols that distinguish it, such as `c++`.
    pub symbols: Option<String>,
    /// As written, in lower case.
    pub written_form: String,
    /// Its words as typed, written as one: `tshirt` for T-shirt. Empty if it is long or has symbols.
    pub joined: String,
    /// The number of words in `joined`.
    pub parts: usize,
}

impl Member {
    /// Returns nothing for a text without letters and digits.
    fn new(analyzer: &Analyzer, text: &str) -> Option<Member> {
        let words = analyzer.words(text);
        let typed = analyzer.typed_with_symbols(text);
        let is_distinct = |word: &&Word| distinguish_words(&word.text);
        let symbol_word = |word: &Word| typed.iter().filter(is_distinct).find(|typed| typed.position == word.position);
        let form: Vec<String> = words.iter().map(|word| form_key(word, symbol_word(word).map(|typed| typed.text.as_str()))).collect();
        let symbols = if let [word] = words.as_slice() { symbol_word(word).map(|typed| typed.text.clone()) } else { None };
        let has_symbols = typed.iter().any(|word| distinguish_words(&word.text));
        let mut joined: String = analyzer.typed(text).into_iter().map(|word| word.text).collect();
        if has_symbols || joined.chars().count() > JOINED_CHARS_MAX {
            joined.clear();
        }
        let written_form = text.trim().to_lowercase();
        (!words.is_empty()).then_some(Member { form, words, symbols, written_form, joined, parts: typed.len() })
    }
}

/// The indexed form of a word, or the word as typed with its symbols.
fn form_key(word: &Word, symbols: Option<&str>) -> String {
    symbols.map_or_else(|| word.text.clone(), |symbols| format!("{SYMBOL}{symbols}"))
}

/// A text of a query between two spaces.
pub struct QueryToken<'a> {
    pub typed: &'a str,
    pub words: &'a [Word],
    pub as_typed: &'a [Word],
    /// The words with their symbols, by position.
    pub symbols: &'a [(usize, String)],
}

#[derive(Default)]
pub struct Synonyms {
    /// Members as written, in lower case, word by word.
    as_written: Trie,
    by_form: Trie,
    /// The lists that members find, by their words as typed, written as one.
    joined: HashMap<String, Vec<usize>>,
    /// The members as typed, written as one: the number of their words, and the list that each finds.
    as_typed: Vec<(String, usize, usize)>,
    /// Lists of members to find.
    targets: Vec<Vec<Arc<Member>>>,
}

/// Members by their words, one level per word.
#[derive(Default)]
struct Trie {
    children: HashMap<String, Trie>,
    /// Indexes in `targets` of the lists that the member finds. Empty if no member ends here.
    lists: Vec<usize>,
}

impl Trie {
    fn insert(&mut self, words: impl Iterator<Item = String>, list: usize) {
        let leaf = words.fold(self, |node, word| node.children.entry(word).or_default());
        if leaf.lists.last() != Some(&list) {
            leaf.lists.push(list);
        }
    }

    /// Returns the longest member at the start of `words`: its number of words and the lists that it finds.
    fn longest_prefix<'a>(&self, words: impl Iterator<Item = &'a str>) -> Option<(usize, &[usize])> {
        let mut longest = None;
        let mut node = self;
        for (index, word) in words.enumerate() {
            match node.children.get(word) {
                Some(child) => node = child,
                None => break,
            }
            if !node.lists.is_empty() {
                longest = Some((index + 1, node.lists.as_slice()));
            }
        }
        longest
    }
}

impl Synonyms {
    /// Each member of a mutual set finds all other members. In a one-way set each member of `from` finds all of `to`. A member with several
    /// words is a phrase. Members without letters and digits are ignored.
    pub fn new(sets: &[SynonymSet], analyzer: &Analyzer) -> Synonyms {
        let mut synonyms = Synonyms::default();
        for (list, set) in sets.iter().enumerate() {
            let (from, to) = match set {
                SynonymSet::Mutual(members) => (members, members),
                SynonymSet::OneWay { from, to } => (from, to),
            };
            for text in from {
                if let Some(member) = Member::new(analyzer, text) {
                    synonyms.add_source(text, member, list);
                }
            }
            synonyms.targets.push(to.iter().filter_map(|text| Member::new(analyzer, text)).map(Arc::new).collect());
        }
        synonyms
    }

    fn add_source(&mut self, text: &str, member: Member, list: usize) {
        self.as_written.insert(text.to_lowercase().split_whitespace().map(str::to_owned), list);
        if !member.joined.is_empty() {
            self.as_typed.push((member.joined.clone(), member.parts, list));
            let lists = self.joined.entry(member.joined).or_default();
            if lists.last() != Some(&list) {
                lists.push(list);
            }
        }
        self.by_form.insert(member.form.into_iter(), list);
    }

    pub fn is_empty(&self) -> bool {
        self.by_form.children.is_empty()
    }

    /// The members with one of these numbers of words, as typed and written as one, each with what it finds.
    pub fn members_as_typed(&self, parts: RangeInclusive<usize>) -> impl Iterator<Item = (&str, &[Arc<Member>])> {
        let members = self.as_typed.iter().filter(move |(_, member_parts, _)| parts.contains(member_parts));
        members.map(|(member, _, list)| (member.as_str(), self.targets[*list].as_slice()))
    }

    /// Returns the synonyms of the members in a query, at most 1,000.
    ///
    /// Members are matched from left to right without overlaps, the longest first. If two are equally long, the one written as typed wins.
    /// Each form is returned once per member, and never the form of the member itself. It comes with the range of the analyzed words that it
    /// may replace.
    pub fn find(&self, query: &[QueryToken]) -> Vec<(Range<usize>, Arc<Member>)> {
        let typed: Vec<String> = query.iter().map(|token| token.typed.to_lowercase()).collect();
        let words: Vec<String> =
            query.iter().flat_map(|token| token.words.iter().map(|word| form_key(word, token.symbols(word)))).collect();
        // The number of analyzed words before each typed word, then the total.
        let mut offsets = vec![0];
        offsets.extend(query.iter().scan(0, |count, token| {
            *count += token.words.len();
            Some(*count)
        }));
        let mut synonyms = Vec::new();
        let mut next = 0;
        for position in 0..query.len() {
            while next < offsets[position + 1] {
                let by_form = self.by_form.longest_prefix(words[next..].iter().map(String::as_str));
                let is_start = next == offsets[position];
                let as_written = is_start.then(|| {
                    let longest = self.as_written.longest_prefix(typed[position..].iter().map(String::as_str));
                    longest.map(|(count, lists)| (offsets[position + count] - next, lists))
                });
                let joined = is_start.then(|| {
                    let longest = self.longest_joined(&query[position..]);
                    longest.map(|(count, lists)| (offsets[position + count] - next, lists))
                });
                let longest = [as_written.flatten(), by_form, joined.flatten()]
                    .into_iter()
                    .flatten()
                    .reduce(|best, candidate| if candidate.0 > best.0 { candidate } else { best });
                let Some((count, lists)) = longest.filter(|(count, _)| *count > 0) else {
                    next += 1;
                    continue;
                };
                let member_form = &words[next..next + count];
                let mut forms = HashSet::new();
                for member in lists.iter().flat_map(|list| &self.targets[*list]) {
                    if member.form != member_form && forms.insert(&member.form) {
                        if synonyms.len() == SYNONYMS_MAX {
                            return synonyms;
                        }
                        synonyms.push((next..next + count, Arc::clone(member)));
                    }
                }
                next += count;
            }
        }
        synonyms
    }

    /// Returns the longest member that tokens written as one make up: its number of tokens, and the lists that it finds.
    fn longest_joined(&self, query: &[QueryToken]) -> Option<(usize, &[usize])> {
        let mut joined = String::new();
        let mut longest = None;
        for (index, token) in query.iter().enumerate().take(PARTS_MAX) {
            if token.has_symbols() || joined.len() > 4 * JOINED_CHARS_MAX {
                break;
            }
            token.as_typed.iter().for_each(|word| joined.push_str(&word.text));
            if let Some(lists) = self.joined.get(&joined) {
                longest = Some((index + 1, lists.as_slice()));
            }
        }
        longest
    }
}

impl QueryToken<'_> {
    /// The word with its symbols, if these distinguish it from others.
    fn symbols(&self, word: &Word) -> Option<&str> {
        let symbols = self.symbols.iter().find(|(position, _)| *position == word.position);
        symbols.map(|(_, symbols)| symbols.as_str()).filter(|symbols| distinguish_words(symbols))
    }

    fn has_symbols(&self) -> bool {
        self.symbols.iter().any(|(_, symbols)| distinguish_words(symbols))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Token<'a> {
        typed: &'a str,
        words: Vec<Word>,
        as_typed: Vec<Word>,
        symbols: Vec<(usize, String)>,
    }

    impl<'a> Token<'a> {
        fn new(analyzer: &Analyzer, typed: &'a str) -> Token<'a> {
            let symbols = analyzer.typed_with_symbols(typed).into_iter().map(|word| (word.position, word.text));
            Token { typed, words: analyzer.words(typed), as_typed: analyzer.typed(typed), symbols: symbols.collect() }
        }

        fn as_query(&self) -> QueryToken<'_> {
            QueryToken { typed: self.typed, words: &self.words, as_typed: &self.as_typed, symbols: &self.symbols }
        }
    }

    fn synonyms(sets: &str) -> (Synonyms, Analyzer) {
        let analyzer = Analyzer::for_language("english").unwrap();
        (Synonyms::new(&serde_json::from_str::<Vec<SynonymSet>>(sets).unwrap(), &analyzer), analyzer)
    }

    /// Returns the indexed forms of the synonyms of a query.
    fn find_forms((synonyms, analyzer): &(Synonyms, Analyzer), query: &str) -> Vec<String> {
        let tokens: Vec<_> = query.split_whitespace().map(|typed| Token::new(analyzer, typed)).collect();
        let query: Vec<QueryToken> = tokens.iter().map(Token::as_query).collect();
        let mut forms: Vec<String> = synonyms.find(&query).into_iter().map(|(_, member)| member.form.join(" ")).collect();
        forms.sort();
        forms
    }

    #[test]
    fn members_of_several_words_match_at_any_position_in_any_form() {
        let sets = synonyms(r#"[["tv", "television", "flat screen"]]"#);
        assert_eq!(find_forms(&sets, "tv"), ["flat screen", "televis"]);
        for query in ["flat screen", "a Flat-Screens here", "flat flat screen", "my-flat screen"] {
            assert_eq!(find_forms(&sets, query), ["televis", "tv"], "{query}");
        }
        for query in ["flat", "screen", "screen flat", "flat big screen"] {
            assert!(find_forms(&sets, query).is_empty(), "{query}");
        }
    }

    #[test]
    fn the_longest_member_wins_and_members_do_not_overlap() {
        let sets = synonyms(r#"[["new york", "nyc"], ["new york city", "gotham"], ["york", "jorvik"], ["city", "town"]]"#);
        assert_eq!(find_forms(&sets, "new york city"), ["gotham"]);
        assert_eq!(find_forms(&sets, "new york cities york"), ["gotham", "jorvik"]);
        assert_eq!(find_forms(&sets, "new york town"), ["citi", "nyc"]);
        assert_eq!(find_forms(&sets, "york new york"), ["jorvik", "nyc"]);
    }

    #[test]
    fn the_number_of_synonyms_of_a_query_is_bounded() {
        let sets: Vec<Vec<String>> =
            (0..200).map(|set| (0..10).map(|member| format!("s{set} {member}")).chain(["word".to_owned()]).collect()).collect();
        let sets = synonyms(&serde_json::to_string(&sets).unwrap());
        assert_eq!(find_forms(&sets, "word word").len(), SYNONYMS_MAX);
        assert_eq!(find_forms(&sets, "s7 3").len(), 10);
    }

    #[test]
    fn a_one_way_set_works_in_one_direction_only() {
        let sets = synonyms(r#"[{"from": ["js", "ecma script"], "to": ["javascript", "java script"]}]"#);
        assert_eq!(find_forms(&sets, "js"), ["java script", "javascript"]);
        assert_eq!(find_forms(&sets, "ecma script"), ["java script", "javascript"]);
        assert!(find_forms(&sets, "javascript").is_empty());
        assert!(find_forms(&sets, "java script").is_empty());
    }

    #[test]
    fn a_member_written_as_typed_wins_over_one_with_the_same_form() {
        let sets = synonyms(r#"[["Visual C++", "msvc"], ["visual c#", "csharp"], ["&", "nothing"], ["AT & T", "telecom"]]"#);
        assert_eq!(find_forms(&sets, "visual c++"), ["msvc"]);
        assert_eq!(find_forms(&sets, "visual C#"), ["csharp"]);
        assert!(find_forms(&sets, "visual c").is_empty());
        assert_eq!(find_forms(&sets, "at & t"), ["telecom"]);
        assert_eq!(find_forms(&sets, "AT T"), ["telecom"]);
        assert!(find_forms(&sets, "& nothing").is_empty());
    }

    #[test]
    fn symbols_belong_to_members() {
        let sets = synonyms(r#"[["C++", "cpp"], ["C#", "csharp"], [".NET", "dotnet"], ["party", "fest"]]"#);
        assert_eq!(find_forms(&sets, "cpp"), ["!c++"]);
        assert_eq!(find_forms(&sets, "c++"), ["cpp"]);
        assert_eq!(find_forms(&sets, "c#"), ["csharp"]);
        assert_eq!(find_forms(&sets, ".net"), ["dotnet"]);
        assert_eq!(find_forms(&sets, "#party"), ["fest"]);
        for query in ["c", "net", "c +"] {
            assert!(find_forms(&sets, query).is_empty(), "{query}");
        }
    }

    #[test]
    fn members_are_found_joined_and_apart() {
        let sets = synonyms(r#"[["t-shirt", "tee"], ["flat screen", "tv"], ["AX-100/B", "old 9"]]"#);
        for (query, expected) in [("tshirt", "tee"), ("t shirt", "tee"), ("flatscreen", "tv"), ("ax100b", "old 9"), ("ax 100 b", "old 9")] {
            assert!(find_forms(&sets, query).contains(&expected.to_owned()), "{query}");
        }
    }
}
