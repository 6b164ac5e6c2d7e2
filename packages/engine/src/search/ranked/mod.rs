//! Fast paths to the first documents by score or by id, which leave out documents that cannot be among them.

mod best_terms;
mod block_max;
mod first_by_id;
mod found;
mod ranked_search;

use crate::failure::Result;
use crate::plan::{Node, Plan, SortKey};

use self::found::Found;
use super::index::context::SearchContext;
use super::matching::conditions::Conditions;
use super::order::top_k::TopK;

/// Larger pages need most of the documents anyway.
const PAGE_END_MAX: usize = 1_000;

/// Collects the documents that may be on the page, if the plan asks for no others. Returns `None` if a search of all documents is needed or
/// faster. Then all variants of words have been added to the conditions.
pub fn search(context: &SearchContext, plan: &Plan, conditions: &mut Conditions, top_k: &mut TopK) -> Result<Option<Found>> {
    if !needs_first_and_counts(plan) {
        return Ok(None);
    }
    match first_by_id::search(context, plan, conditions, top_k)? {
        None if context.expands_later => ranked_search::search(context, plan, conditions, top_k),
        found => Ok(found),
    }
}

/// Whether the plan asks for no more than the first documents by score.
pub fn needs_first_only(plan: &Plan) -> bool {
    // Their parts need all documents.
    let has_lists = plan.nodes.iter().any(|node| matches!(node, Node::Mix { .. } | Node::Nearest { .. }));
    !plan.total && !plan.statistics && !has_lists && needs_first_and_counts(plan)
}

/// Whether the plan asks for no more than the first documents by score, the total, and the statistics.
fn needs_first_and_counts(plan: &Plan) -> bool {
    let needs_all = plan.facet.is_some() || plan.has_cutoff();
    let has_page = plan.count > 0 && plan.offset + plan.count <= PAGE_END_MAX;
    let has_order = match plan.order.as_slice() {
        [] => true,
        [SortKey::Score] => plan.after.as_ref().is_none_or(String::is_empty),
        _ => false,
    };
    !needs_all && has_page && has_order
}
