//! Matches that count the words of a query: how many a document has, at which cost, and how they stand.

pub mod as_typed;
pub mod beginning;
pub mod bonuses;
pub mod counted_scorer;
pub mod counted_word;
pub mod counted_words;
mod document_scorer;
pub mod exact_text;
pub mod proximity;
pub mod scale;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;
    use tantivy::TERMINATED;

    use crate::plan::{Node, Ranking};
    use crate::search::compile::compile;
    use crate::search::index::cancel_token::CancelToken;
    use crate::search::index::context::SearchContext;
    use crate::search::matching::conditions::Matched;
    use crate::search::test_index::{CATALOG, match_nodes};
    use crate::typos::COST_LIMIT;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_window_scores_its_documents_like_single_ones(match_node in match_nodes(), cost in 0..=COST_LIMIT, dropped in 0..3_usize) {
            let cancel_token = CancelToken::never();
            let context = SearchContext::unrestricted(&CATALOG.snapshot, &CATALOG.resources, &cancel_token);
            let node: Node = serde_json::from_value(match_node).unwrap();
            let conditions = compile(&context, &[&node], &[]).unwrap();
            let Some((Matched::Counted(words), _)) = conditions.matches.first() else { return Ok(()) };
            let needed = words.needed.saturating_sub(dropped).max(1);
            for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
                let mut window = words.scorer(segment, reader, needed, cost, true).unwrap();
                let mut unscored = words.scorer(segment, reader, needed, cost, false).unwrap();
                let mut single = words.document_scorer(segment, reader, cost, 0.0).unwrap();
                for document in 0..reader.max_doc() {
                    let score = single.score(document, needed, f64::NEG_INFINITY, 0.0);
                    prop_assert_eq!(window.doc() == document, score.is_some(), "{}", document);
                    prop_assert_eq!(unscored.doc() == document, score.is_some(), "{}", document);
                    if let Some(score) = score {
                        prop_assert_eq!(window.score(f64::NEG_INFINITY).to_bits(), score.to_bits());
                        window.advance();
                        unscored.advance();
                    }
                }
                prop_assert_eq!((window.doc(), unscored.doc()), (TERMINATED, TERMINATED));
            }
        }

        #[test]
        fn variants_that_are_left_out_change_no_score_of_the_page(match_node in match_nodes(), cost in 1..=COST_LIMIT, rank in 0..20_usize) {
            let cancel_token = CancelToken::never();
            let context = SearchContext::unrestricted(&CATALOG.snapshot, &CATALOG.resources, &cancel_token);
            let node: Node = serde_json::from_value(match_node).unwrap();
            let conditions = compile(&context, &[&node], &[]).unwrap();
            let Some((Matched::Counted(words), _)) = conditions.matches.first() else { return Ok(()) };
            let (needed, scale) = (words.needed, words.scale());
            let gain = words.gain_max(needed, cost);
            if words.ranking != Ranking::Words || !words.boosts.is_empty() || gain >= scale.full_gain() {
                return Ok(());
            }
            for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
                let scorer = || words.document_scorer(segment, reader, cost, 0.0).unwrap();
                let (mut complete, mut pruned) = (scorer(), scorer());
                let mut best: Vec<f32> = Vec::new();
                for document in 0..reader.max_doc() {
                    let threshold = best.get(rank).copied().map_or(0.0, f64::from);
                    let lowest_sum = scale.lowest_sum(gain, threshold) - words.bonus_max(needed);
                    let found = pruned.score(document, needed, f64::NEG_INFINITY, lowest_sum);
                    let Some(score) = complete.score(document, needed, f64::NEG_INFINITY, 0.0) else { continue };
                    // An earlier stage visits documents with a higher gain.
                    if f64::from(score) < scale.limit(gain) - 1.0 / f64::from(scale.full_gain()) {
                        if f64::from(score) >= threshold {
                            prop_assert_eq!(found.map(f32::to_bits), Some(score.to_bits()), "{}", document);
                        }
                        best.insert(best.partition_point(|other| *other >= score), score);
                    }
                }
            }
        }

        #[test]
        fn a_scorer_finds_the_same_documents_by_seeking(match_node in match_nodes(), step in 1..3_000_u32) {
            let cancel_token = CancelToken::never();
            let context = SearchContext::unrestricted(&CATALOG.snapshot, &CATALOG.resources, &cancel_token);
            let node: Node = serde_json::from_value(match_node).unwrap();
            let conditions = compile(&context, &[&node], &[]).unwrap();
            let Some((Matched::Counted(words), _)) = conditions.matches.first() else { return Ok(()) };
            let scorer = |segment, reader| words.scorer(segment, reader, words.needed, COST_LIMIT, true).unwrap();
            for (segment, reader) in context.searcher.segment_readers().iter().enumerate() {
                let (mut seeking, mut advancing) = (scorer(segment, reader), scorer(segment, reader));
                for target in (0..reader.max_doc()).step_by(step as usize) {
                    while advancing.doc() < target {
                        advancing.advance();
                    }
                    prop_assert_eq!(seeking.seek(target), advancing.doc());
                }
            }
        }
    }

    #[test]
    fn words_that_no_document_has_together_are_dropped_until_one_matches() {
        let text = json!({ "words": ["wing", "zebra"], "phrases": [], "excludedWords": [], "excludedPhrases": [] });
        let node = json!({ "kind": "match", "text": text, "fields": [{ "name": "title", "weight": 1 }], "ranking": "words", "matching": "relaxed" });
        let reply = CATALOG.find(&json!({ "nodes": [node], "count": 1 }));
        assert_eq!(reply.relaxed, ["zebra"]);
        assert!(reply.total > 0);
    }
}
