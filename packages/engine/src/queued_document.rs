//! A document in the queue of the threads that index.
//!
//! The index has up to seven fields for each text, so a document of the index takes several times the memory of the entity that it is made
//! from. tantivy queues up to 10,000 documents. So the queue holds entities, and the thread that indexes one makes the document.

use std::sync::{Arc, OnceLock};

use tantivy::TantivyDocument;
use tantivy::schema::document::Document;

use crate::entity::Entity;
use crate::schema::IndexSchema;

pub struct QueuedDocument {
    schema: Arc<IndexSchema>,
    id: String,
    sequence: u64,
    entity: Entity,
    document: OnceLock<TantivyDocument>,
}

impl QueuedDocument {
    pub fn new(schema: &Arc<IndexSchema>, id: &str, sequence: u64, entity: &Entity) -> QueuedDocument {
        QueuedDocument { schema: Arc::clone(schema), id: id.to_owned(), sequence, entity: entity.clone(), document: OnceLock::new() }
    }
}

impl Document for QueuedDocument {
    type Value<'a> = <TantivyDocument as Document>::Value<'a>;
    type FieldsValuesIter<'a> = <TantivyDocument as Document>::FieldsValuesIter<'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        self.document.get_or_init(|| self.schema.document(&self.id, self.sequence, &self.entity)).iter_fields_and_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_passes_on_the_fields_of_the_document() {
        let spec = r#"{"fields":[{"name":"title","type":"text","language":"english"},{"name":"price","type":"number"}]}"#;
        let schema = Arc::new(IndexSchema::new(&serde_json::from_str(spec).unwrap()).unwrap());
        let entity = Entity::from(r#"{"id":"x","attributes":{"title":["a wing","birds"],"price":3}}"#.to_owned());
        let document = schema.document("x", 7, &entity);
        assert_eq!(QueuedDocument::new(&schema, "x", 7, &entity).to_json(&schema.schema), document.to_json(&schema.schema));
    }
}
