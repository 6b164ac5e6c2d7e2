//! A term whose entries in the segments a search looks up once. It opens the postings in each segment and for each stage.

use tantivy::postings::SegmentPostings;
use tantivy::schema::IndexRecordOption;
use tantivy::{SegmentReader, Term};

use crate::failure::Result;

use super::context::SearchContext;
use super::term_cache::TermInfos;

pub struct FoundTerm {
    pub term: Term,
    /// Absent before it is looked up.
    infos: Option<TermInfos>,
}

impl FoundTerm {
    pub fn new(term: Term) -> FoundTerm {
        FoundTerm { term, infos: None }
    }

    pub fn look_up(&mut self, context: &SearchContext) -> Result<()> {
        self.infos = Some(context.term_infos(&self.term)?);
        Ok(())
    }

    /// Returns `None` if no document of the segment has the term.
    pub fn postings(&self, segment: usize, reader: &SegmentReader, option: IndexRecordOption) -> Result<Option<SegmentPostings>> {
        let index = || reader.inverted_index(self.term.field());
        match &self.infos {
            None => Ok(index()?.read_postings(&self.term, option)?),
            Some(infos) => infos[segment].as_ref().map(|info| Ok(index()?.read_postings_from_terminfo(info, option)?)).transpose(),
        }
    }
}
