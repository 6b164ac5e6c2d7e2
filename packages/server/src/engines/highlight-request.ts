/** The snippets that a plan asks for. */

/** Snippets of the hits, in which the words that the match nodes found are marked. */
export interface HighlightRequest {
  /** Text fields; other fields are ignored. */
  fields: string[]
  /** Maximum number of snippets of a field. */
  snippets: number
  /** Maximum number of characters of text in a snippet, unless the marked part alone is longer. */
  chars: number
}
