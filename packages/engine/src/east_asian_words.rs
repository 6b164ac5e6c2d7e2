//! The words of Chinese and Japanese text, which has no spaces between them. The segmenter and its dictionary are those of ICU4X. The index has each
//! word as a further form (`%京都`), besides the pairs of characters: a wrong guess of the segmenter hides nothing.

use std::ops::Range;
use std::sync::LazyLock;

use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use tantivy::tokenizer::{TextAnalyzer, TokenStream};

use crate::paired_spellings::original_katakana;

/// Begins a word. No other form has it.
pub const WORD: char = '%';

static SEGMENTER: LazyLock<WordSegmenterBorrowed<'static>> =
    LazyLock::new(|| WordSegmenter::new_dictionary(WordBreakInvariantOptions::default()));

/// Longer words are not in the dictionary.
const WORD_CHARS_MAX: usize = 24;

/// Calls `add` with each word of han and kana, and its range. `typed` splits the text into pairs of characters.
pub fn read_words(typed: &mut TextAnalyzer, text: &str, mut add: impl FnMut(String, Range<usize>)) {
    if text.is_ascii() || !text.contains(is_segmented) {
        return;
    }
    // The characters of a run, each with its range.
    let mut run: Vec<(char, Range<usize>)> = Vec::new();
    let mut stream = typed.token_stream(text);
    while stream.advance() {
        let token = stream.token();
        let is_next = run.last().is_some_and(|(_, range)| token.offset_from == range.start);
        if !is_next {
            add_run(text, &run, &mut add);
            run.clear();
        }
        let mut characters = token.text.chars();
        let (Some(first), second) = (characters.next(), characters.next()) else { continue };
        if !is_segmented(first) && !second.is_some_and(is_segmented) || characters.next().is_some() {
            add_run(text, &run, &mut add);
            run.clear();
            continue;
        }
        if run.is_empty() {
            run.push((first, token.offset_from..token.offset_to));
        }
        if let Some(second) = second {
            let start = text[..token.offset_to].char_indices().next_back().map_or(token.offset_from, |(start, _)| start);
            let last = run.len() - 1;
            run[last].1.end = start;
            run.push((second, start..token.offset_to));
        }
    }
    add_run(text, &run, &mut add);
}

fn add_run(text: &str, run: &[(char, Range<usize>)], add: &mut impl FnMut(String, Range<usize>)) {
    if run.is_empty() {
        return;
    }
    // The dictionary has han and katakana as they are written.
    let as_written = |(character, range): &(char, Range<usize>)| {
        let original = text[range.clone()].chars().next();
        let katakana = || original.and_then(|original| original_katakana(*character, original));
        original.filter(|original| is_han(*original)).or_else(katakana).unwrap_or(*character)
    };
    let written_text: String = run.iter().map(as_written).collect();
    let mut characters = run;
    let mut start = 0;
    for end in SEGMENTER.segment_str(&written_text).filter(|end| *end > 0) {
        let count = written_text[start..end].chars().count();
        start = end;
        let Some((parts, rest)) = characters.split_at_checked(count) else { return };
        characters = rest;
        let ([first, ..], [.., last]) = (parts, parts) else { return };
        let word: String = parts.iter().map(|(character, _)| *character).collect();
        let range = first.1.start..last.1.end;
        let is_word = if count == 1 { word.starts_with(is_han) } else { word.contains(is_segmented) };
        if is_word && count <= WORD_CHARS_MAX {
            add(format!("{WORD}{word}"), range);
        }
    }
}

/// Han and kana.
pub fn is_segmented(character: char) -> bool {
    is_han(character)
        || matches!(character, '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}')
}

fn is_han(character: char) -> bool {
    matches!(character,
        '\u{3005}'..='\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use crate::analysis::Analyzer;

    fn segments(language: &str, text: &str) -> Vec<String> {
        let segments = Analyzer::for_language(language).unwrap().segments(text);
        segments.iter().map(|word| text[word.start..word.end].to_owned()).collect()
    }

    #[test]
    fn chinese_and_japanese_texts_have_words() {
        assert_eq!(segments("cjk", "東京都の天気"), ["東京", "都", "天気"]);
        assert_eq!(segments("cjk", "我在北京大学学习"), ["我在", "北京", "大学", "学习"]);
        assert_eq!(segments("cjk", "iPhone用ケース, ﾗｰﾒﾝ二郎"), ["用", "ケース", "ﾗｰﾒﾝ", "二郎"]);
        assert!(segments("cjk", "서울시 seoul").is_empty());
        assert!(segments("none", "東京都の天気").is_empty());
    }
}
