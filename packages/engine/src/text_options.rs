//! The options of the fields with the words of texts.

use tantivy::schema::{IndexRecordOption, TextFieldIndexing, TextOptions};

pub fn word_options(tokenizer: &str) -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(IndexRecordOption::WithFreqsAndPositions);
    TextOptions::default().set_indexing_options(indexing)
}

/// Without positions, because no phrases are searched in them.
pub fn typed_word_options(tokenizer: &str) -> TextOptions {
    let indexing = TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(IndexRecordOption::WithFreqs);
    TextOptions::default().set_indexing_options(indexing)
}

pub fn form_options(tokenizer: &str) -> TextOptions {
    let indexing =
        TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(IndexRecordOption::WithFreqs).set_fieldnorms(false);
    TextOptions::default().set_indexing_options(indexing)
}
