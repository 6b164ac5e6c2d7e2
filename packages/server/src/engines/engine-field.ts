/** The searchable fields of a generation. */

/**
 * A searchable field of a generation. Its values are in `indexed[name]` or `attributes[name]`; an array holds several values. With `prefix` the engine also
 * indexes words as typed, which completion and correction need. Without it the field matches whole words only. With `codes` it holds codes such
 * as part numbers, which match however they are written, and are never corrected.
 */
export type EngineField =
  | { name: string; type: 'text'; language: string; prefix: boolean; codes?: true }
  | ({ name: string; type: 'keyword' | 'number' | 'date' | 'boolean' | 'geo' } & ElementField)
  /** A value is a list of `dimensions` numbers, or a list of such lists. */
  | { name: string; type: 'vector'; dimensions: number; metric: VectorMetric }

/** With `elements`, a value is a list with a list of values for each element of the document's list of objects, which `list` names. */
interface ElementField {
  elements?: true
  list?: string
}

/**
 * How a score in (0, 1] is computed for two vectors: `cosine` (1 + cosine) / 2; `euclidean` 1 / (1 + d²) of their distance d; `dot` from
 * their inner product p: 1 - 1 / (2 + 2p) if p is at least 0, otherwise 1 / (2 - 2p).
 */
export type VectorMetric = 'cosine' | 'dot' | 'euclidean'
