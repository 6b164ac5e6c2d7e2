//! A plan on one snapshot of the index.

use std::sync::Arc;

use crate::failure::Result;
use crate::plan::{Node, Plan};

use super::compile::compile;
use super::index::cancel_token::CancelToken;
use super::index::context::{SearchContext, SearchResources};
use super::index::match_set::MatchSet;
use super::index::snapshot::Snapshot;
use super::index::visibility::VisibleDocuments;
use super::matching::conditions::Conditions;
use super::matching::segment::find_documents;

#[derive(Clone, Copy)]
pub struct Execution<'a> {
    pub snapshot: &'a Snapshot,
    pub resources: &'a SearchResources,
    pub plan: &'a Plan,
    pub cancel_token: &'a CancelToken,
}

impl<'a> Execution<'a> {
    /// Returns the documents that satisfy the restrictions of the plan; `None` without restrictions.
    pub fn visible(&self) -> Result<Option<Arc<VisibleDocuments>>> {
        let Snapshot { searcher, visibility_cache, .. } = self.snapshot;
        let restrictions = &self.plan.restrictions;
        visibility_cache.get_or_find(searcher, restrictions, || {
            let conditions = compile(&self.context(None), &[], &restrictions.iter().collect::<Vec<_>>())?;
            find_documents(&conditions, searcher, self.cancel_token)
        })
    }

    pub fn context<'b>(&self, visible: Option<&'b Arc<VisibleDocuments>>) -> SearchContext<'b>
    where
        'a: 'b,
    {
        SearchContext { visible, ..SearchContext::unrestricted(self.snapshot, self.resources, self.cancel_token) }
    }

    pub fn compile(&self, context: &SearchContext) -> Result<Conditions> {
        compile(context, &self.plan.nodes.iter().collect::<Vec<&Node>>(), &[])
    }

    /// Returns the documents that the plan finds without its cutoff. They may come from the cache.
    pub fn find_documents(&self) -> Result<Arc<MatchSet>> {
        self.snapshot.query_cache.get_or_find(self.plan, || {
            let visible = self.visible()?;
            let conditions = self.compile(&self.context(visible.as_ref()))?;
            find_documents(&conditions, &self.snapshot.searcher, self.cancel_token)
        })
    }
}
