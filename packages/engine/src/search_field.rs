//! The fields of a generation, and the columns of the index that they have.

use tantivy::schema::Field;

use crate::analysis::Analyzer;
use crate::spec::FieldKind;
use crate::vector_code::VectorCode;

pub struct SearchField {
    pub kind: FieldKind,
    pub field: Field,
    /// Name of the field in the index. Declared names may contain characters that tantivy does not allow.
    pub column: String,
    pub text: Option<TextField>,
    /// The column with the whole numbers of a number field that floats cannot hold.
    pub large: Option<Field>,
    /// The column that a keyword field is sorted by.
    pub keyword_sort: Option<Field>,
    /// The longitudes of a geo field; `field` holds the latitudes.
    pub longitude: Option<Field>,
    /// Set for a vector field; `field` holds the signs.
    pub vector: Option<VectorField>,
    /// Set for a field of the elements of a list.
    pub elements: Option<ElementFields>,
}

/// The two columns of a vector field. All vectors of a document have the same order in both.
pub struct VectorField {
    pub code: VectorCode,
    pub signs_column: String,
    /// The numbers of each vector, and its lengths in one more word.
    pub numbers_column: String,
    pub numbers: Field,
}

/// The additional parts of a text field.
#[derive(Clone)]
pub struct TextField {
    pub analyzer: Analyzer,
    /// The twin field with the stop words, if the language has any.
    pub stop_words: Option<Field>,
    /// The twin field with the pairs of neighbouring stop words, if the language has stop words.
    pub stop_word_pairs: Option<Field>,
    /// The twin field with the words as typed, if the spec asks for it.
    pub typed: Option<Field>,
    /// The twin field with the first letters of the words, if there is one with the words as typed.
    pub beginnings: Option<Field>,
    /// The twin field with further forms of words. Its scores depend on the lengths of the field itself.
    pub forms: Field,
    /// The sort column.
    pub sort: Field,
}

/// The columns with the values of each element of a list, and with the numbers of the elements in the same order.
pub struct ElementFields {
    /// Absent for places, whose own columns have each value.
    pub values: Option<Field>,
    /// For numbers: the large ones of documents that have any, with zeros in the places of the others.
    pub large: Option<Field>,
    pub numbers: Field,
}

impl SearchField {
    /// Returns the column that documents are sorted by.
    pub fn sort_column(&self) -> String {
        match self.kind {
            FieldKind::Text { .. } | FieldKind::Keyword => sort_column(&self.column),
            _ => self.column.clone(),
        }
    }
}

/// The column with the sort texts of a field.
pub fn sort_column(column: &str) -> String {
    format!("{column}-sort")
}

/// The column with the longitudes of a geo field.
pub fn longitude_column(column: &str) -> String {
    format!("{column}-longitude")
}
