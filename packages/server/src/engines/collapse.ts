/** Results with one item for each value of a field. */

/**
 * Keeps one result for each value of a keyword or number field: the first in the order of the plan. A document belongs to its first value
 * that is not an empty text; one without a value stays alone. `total`, `statistics`, `offset`, `count` and `after` count values. Cutoff
 * and facets apply to documents, before. The score of a value in `statistics` is the best of its documents.
 */
export interface Collapse {
  field: string
  /** Documents to return for each value, 1 to 10. */
  best: number
}
