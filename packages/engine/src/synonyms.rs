//! Synonyms: which words and phrases of a query stand for others, as the texts of one language know them.

use std::collections::{HashMap, HashSet};

use crate::analysis::{Analyser, Word};
use crate::spec::SynonymSet;

/// The texts of the words that something is in the index: the same for `picture` and `pictures`.
type Form = Vec<String>;

/// A query is widened by so many synonyms in each field; further ones are ignored.
const SYNONYMS_MAX: usize = 1_000;

#[derive(Default)]
pub struct Synonyms {
    /// Members as they are written, in small letters, word by word.
    as_written: Trie,
    by_form: Trie,
    /// Lists of members that others find.
    targets: Vec<Vec<(Form, Vec<Word>)>>,
}

/// Members by their words, one level for each word.
#[derive(Default)]
struct Trie {
    next: HashMap<String, Trie>,
    /// The lists that the member finds, by their places in `targets`; none where no member ends here.
    lists: Vec<usize>,
}

impl Trie {
    fn insert(&mut self, words: impl Iterator<Item = String>, list: usize) {
        let leaf = words.fold(self, |node, word| node.next.entry(word).or_default());
        if leaf.lists.last() != Some(&list) {
            leaf.lists.push(list);
        }
    }

    /// The longest member that `words` begin with: its number of words, and the lists that it finds.
    fn longest_prefix<'a>(&self, words: impl Iterator<Item = &'a str>) -> Option<(usize, &[usize])> {
        let mut longest = None;
        let mut node = self;
        for (place, word) in words.enumerate() {
            match node.next.get(word) {
                Some(child) => node = child,
                None => break,
            }
            if !node.lists.is_empty() {
                longest = Some((place + 1, node.lists.as_slice()));
            }
        }
        longest
    }
}

impl Synonyms {
    /// Each member of a set finds the others of the set; in a one-way set each of `from` finds all of `to`. A member of several words is
    /// a phrase. Members without letters and digits are left out.
    pub fn new(sets: &[SynonymSet], analyser: &Analyser) -> Synonyms {
        let mut synonyms = Synonyms::default();
        let mut read = analyser.reader();
        for (list, set) in sets.iter().enumerate() {
            let (from, to) = match set {
                SynonymSet::Mutual(members) => (members, members),
                SynonymSet::OneWay { from, to } => (from, to),
            };
            for member in from {
                let own = form(&read(member));
                if !own.is_empty() {
                    synonyms.as_written.insert(member.to_lowercase().split_whitespace().map(str::to_owned), list);
                    synonyms.by_form.insert(own.into_iter(), list);
                }
            }
            let members = to.iter().map(|member| read(member)).filter(|words| !words.is_empty());
            synonyms.targets.push(members.map(|words| (form(&words), words)).collect());
        }
        synonyms
    }

    pub fn is_empty(&self) -> bool {
        self.by_form.next.is_empty()
    }

    /// The synonyms of the members in a query, at most 1,000. `query` has its words as typed, each with its words in the index. Members
    /// are looked for from left to right and do not overlap; where several begin at a word, the one with the most words is taken. Of two
    /// equally long ones, the one written as typed goes first: in the index `C++` and `C#` have the same form. Each form is found once
    /// for a member, and never the member's own.
    pub fn find(&self, query: &[(&str, &[Word])]) -> Vec<&Vec<Word>> {
        let typed: Vec<String> = query.iter().map(|(typed, _)| typed.to_lowercase()).collect();
        let words: Vec<&str> = query.iter().flat_map(|(_, words)| words.iter().map(|word| word.text.as_str())).collect();
        // For each typed word the number of words before it, and the number of all.
        let mut starts = vec![0];
        starts.extend(query.iter().scan(0, |count, (_, words)| {
            *count += words.len();
            Some(*count)
        }));
        let mut synonyms = Vec::new();
        let mut next = 0;
        for place in 0..query.len() {
            while next < starts[place + 1] {
                let by_form = self.by_form.longest_prefix(words[next..].iter().copied());
                let as_written = if next == starts[place] {
                    let longest = self.as_written.longest_prefix(typed[place..].iter().map(String::as_str));
                    longest.map(|(count, lists)| (starts[place + count] - next, lists))
                } else {
                    None
                };
                let longest = [as_written, by_form].into_iter().flatten().reduce(|best, one| if one.0 > best.0 { one } else { best });
                let Some((count, lists)) = longest else {
                    next += 1;
                    continue;
                };
                let own = &words[next..next + count];
                let mut forms = HashSet::new();
                for (form, words) in lists.iter().flat_map(|list| &self.targets[*list]) {
                    if form != own && forms.insert(form) {
                        if synonyms.len() == SYNONYMS_MAX {
                            return synonyms;
                        }
                        synonyms.push(words);
                    }
                }
                next += count;
            }
        }
        synonyms
    }
}

fn form(words: &[Word]) -> Form {
    words.iter().map(|word| word.text.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn synonyms(sets: &str) -> (Synonyms, Analyser) {
        let analyser = Analyser::for_language("english").unwrap();
        (Synonyms::new(&serde_json::from_str::<Vec<SynonymSet>>(sets).unwrap(), &analyser), analyser)
    }

    /// The synonyms of the words of a query, as the index knows them.
    fn found_by((synonyms, analyser): &(Synonyms, Analyser), query: &str) -> Vec<String> {
        let words: Vec<(&str, Vec<Word>)> = query.split_whitespace().map(|typed| (typed, analyser.words(typed))).collect();
        let query: Vec<(&str, &[Word])> = words.iter().map(|(typed, words)| (*typed, words.as_slice())).collect();
        let mut forms: Vec<String> = synonyms.find(&query).into_iter().map(|words| form(words).join(" ")).collect();
        forms.sort();
        forms
    }

    #[test]
    fn members_of_several_words_are_found_at_any_place_in_any_form() {
        let sets = synonyms(r#"[["tv", "television", "flat screen"]]"#);
        assert_eq!(found_by(&sets, "tv"), ["flat screen", "televis"]);
        for query in ["flat screen", "a Flat-Screens here", "flat flat screen", "my-flat screen"] {
            assert_eq!(found_by(&sets, query), ["televis", "tv"], "{query}");
        }
        for query in ["flat", "screen", "screen flat", "flat big screen"] {
            assert!(found_by(&sets, query).is_empty(), "{query}");
        }
    }

    #[test]
    fn the_longest_member_is_taken_and_none_overlaps() {
        let sets = synonyms(r#"[["new york", "nyc"], ["new york city", "gotham"], ["york", "jorvik"], ["city", "town"]]"#);
        assert_eq!(found_by(&sets, "new york city"), ["gotham"]);
        assert_eq!(found_by(&sets, "new york cities york"), ["gotham", "jorvik"]);
        assert_eq!(found_by(&sets, "new york town"), ["citi", "nyc"]);
        assert_eq!(found_by(&sets, "york new york"), ["jorvik", "nyc"]);
    }

    #[test]
    fn a_query_is_widened_by_a_bounded_number_of_synonyms() {
        let sets: Vec<Vec<String>> =
            (0..200).map(|set| (0..10).map(|one| format!("s{set} {one}")).chain(["word".to_owned()]).collect()).collect();
        let sets = synonyms(&serde_json::to_string(&sets).unwrap());
        assert_eq!(found_by(&sets, "word word").len(), SYNONYMS_MAX);
        assert_eq!(found_by(&sets, "s7 3").len(), 10);
    }

    #[test]
    fn a_one_way_set_is_not_read_backwards() {
        let sets = synonyms(r#"[{"from": ["js", "ecma script"], "to": ["javascript", "java script"]}]"#);
        assert_eq!(found_by(&sets, "js"), ["java script", "javascript"]);
        assert_eq!(found_by(&sets, "ecma script"), ["java script", "javascript"]);
        assert!(found_by(&sets, "javascript").is_empty());
        assert!(found_by(&sets, "java script").is_empty());
    }

    #[test]
    fn a_member_written_as_typed_goes_before_one_of_the_same_form() {
        let sets = synonyms(r#"[["Visual C++", "msvc"], ["visual c#", "csharp"], ["&", "nothing"], ["AT & T", "telecom"]]"#);
        assert_eq!(found_by(&sets, "visual c++"), ["msvc"]);
        assert_eq!(found_by(&sets, "visual C#"), ["csharp"]);
        assert_eq!(found_by(&sets, "visual c"), ["csharp", "msvc"]);
        assert_eq!(found_by(&sets, "at & t"), ["telecom"]);
        assert_eq!(found_by(&sets, "AT T"), ["telecom"]);
        assert!(found_by(&sets, "& nothing").is_empty());
    }
}
