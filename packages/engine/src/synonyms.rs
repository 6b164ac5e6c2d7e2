//! Finds the synonyms of the words and phrases in a query, analyzed for one language.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::analysis::{Analyzer, Word};
use crate::beginnings::BEGINNING_CHARS_MAX;
use crate::spec::SynonymSet;
use crate::typos::{Cost, variant_cost};

/// The indexed forms of the words of a member: the same for `picture` and `pictures`.
type Form = Vec<String>;

/// The most synonyms added to a query for each field. Further ones are ignored.
const SYNONYMS_MAX: usize = 1_000;

#[derive(Default)]
pub struct Synonyms {
    /// Members as written, in lower case, word by word.
    as_written: Trie,
    by_form: Trie,
    /// The members that are a single word: as typed, and the list that it finds.
    single: Vec<(String, usize)>,
    /// Lists of members to find.
    targets: Vec<Vec<(Form, Vec<Word>)>>,
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
        let mut analyze = analyzer.reader();
        for (list, set) in sets.iter().enumerate() {
            let (from, to) = match set {
                SynonymSet::Mutual(members) => (members, members),
                SynonymSet::OneWay { from, to } => (from, to),
            };
            for member in from {
                let member_form = form(&analyze(member));
                if !member_form.is_empty() {
                    synonyms.as_written.insert(member.to_lowercase().split_whitespace().map(str::to_owned), list);
                    synonyms.by_form.insert(member_form.into_iter(), list);
                    if let [word] = analyzer.typed(member).as_slice() {
                        synonyms.single.push((word.text.clone(), list));
                    }
                }
            }
            let members = to.iter().map(|member| analyze(member)).filter(|words| !words.is_empty());
            synonyms.targets.push(members.map(|words| (form(&words), words)).collect());
        }
        synonyms
    }

    pub fn is_empty(&self) -> bool {
        self.by_form.children.is_empty()
    }

    /// Returns the synonyms of the members that a mistyped or unfinished word may be, with the costs of these members.
    pub fn find_close(&self, typed: &str, typos_max: u8, completed: bool) -> Vec<(Cost, &Vec<Word>)> {
        let characters: Vec<char> = typed.chars().collect();
        let may_be_completed = completed && characters.len() >= BEGINNING_CHARS_MAX;
        let mut close = Vec::new();
        for (member, list) in &self.single {
            let starts_alike = typos_max > 1 || member.chars().next() == characters.first().copied();
            let is_short = member.chars().count() <= characters.len() + usize::from(typos_max);
            if member == typed || !starts_alike || !(is_short || may_be_completed) {
                continue;
            }
            let Some(cost) = variant_cost(&characters, member, may_be_completed, typos_max) else { continue };
            close.extend(self.targets[*list].iter().map(|(_, words)| (cost, words)).take(SYNONYMS_MAX - close.len().min(SYNONYMS_MAX)));
        }
        close
    }

    /// Returns the synonyms of the members in a query, at most 1,000. `query` holds each word as typed with its analyzed words.
    ///
    /// Members are matched from left to right without overlaps, the longest first. If two are equally long, the one written as typed wins:
    /// `C++` and `C#` have the same indexed form. Each form is returned once per member, and never the form of the member itself. It comes
    /// with the range of the analyzed words that it may replace.
    pub fn find(&self, query: &[(&str, &[Word])]) -> Vec<(Range<usize>, &Vec<Word>)> {
        let typed: Vec<String> = query.iter().map(|(typed, _)| typed.to_lowercase()).collect();
        let words: Vec<&str> = query.iter().flat_map(|(_, words)| words.iter().map(|word| word.text.as_str())).collect();
        // The number of analyzed words before each typed word, then the total.
        let mut offsets = vec![0];
        offsets.extend(query.iter().scan(0, |count, (_, words)| {
            *count += words.len();
            Some(*count)
        }));
        let mut synonyms = Vec::new();
        let mut next = 0;
        for position in 0..query.len() {
            while next < offsets[position + 1] {
                let by_form = self.by_form.longest_prefix(words[next..].iter().copied());
                let as_written = if next == offsets[position] {
                    let longest = self.as_written.longest_prefix(typed[position..].iter().map(String::as_str));
                    longest.map(|(count, lists)| (offsets[position + count] - next, lists))
                } else {
                    None
                };
                let longest = [as_written, by_form]
                    .into_iter()
                    .flatten()
                    .reduce(|best, candidate| if candidate.0 > best.0 { candidate } else { best });
                let Some((count, lists)) = longest else {
                    next += 1;
                    continue;
                };
                let member_form = &words[next..next + count];
                let mut forms = HashSet::new();
                for (form, words) in lists.iter().flat_map(|list| &self.targets[*list]) {
                    if form != member_form && forms.insert(form) {
                        if synonyms.len() == SYNONYMS_MAX {
                            return synonyms;
                        }
                        synonyms.push((next..next + count, words));
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

    fn synonyms(sets: &str) -> (Synonyms, Analyzer) {
        let analyzer = Analyzer::for_language("english").unwrap();
        (Synonyms::new(&serde_json::from_str::<Vec<SynonymSet>>(sets).unwrap(), &analyzer), analyzer)
    }

    /// Returns the indexed forms of the synonyms of a query.
    fn find_forms((synonyms, analyzer): &(Synonyms, Analyzer), query: &str) -> Vec<String> {
        let words: Vec<(&str, Vec<Word>)> = query.split_whitespace().map(|typed| (typed, analyzer.words(typed))).collect();
        let query: Vec<(&str, &[Word])> = words.iter().map(|(typed, words)| (*typed, words.as_slice())).collect();
        let mut forms: Vec<String> = synonyms.find(&query).into_iter().map(|(_, words)| form(words).join(" ")).collect();
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
        assert_eq!(find_forms(&sets, "visual c"), ["csharp", "msvc"]);
        assert_eq!(find_forms(&sets, "at & t"), ["telecom"]);
        assert_eq!(find_forms(&sets, "AT T"), ["telecom"]);
        assert!(find_forms(&sets, "& nothing").is_empty());
    }
}
