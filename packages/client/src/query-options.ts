/**
 * The options of queries. The table of options in packages/contract/src/query-options.ts makes this file:
 * `WRITE_TYPES=1 node --test packages/client/src/written-types.test.ts`
 */

export interface QueryOptions {
  /** Name of a configuration. */
  config?: string | undefined
  /** Items on the page, 1 to 1,000, default 10. */
  count?: number | undefined
  /** Items before the page, 0 to 10,000, default 0. */
  offset?: number | undefined
  /** Pages through the whole result: * for the first page, then the `next` of the previous reply. Not together with `offset`. Any other text is an error (400). */
  cursor?: string | undefined
  /** Minimum probability of a result, 0 to 1, default 0. */
  cutoff?: number | undefined
  /** Return only these attributes: names separated by commas. */
  attributes?: string | undefined
  /** Add snippets with the matches. */
  highlight?: boolean | undefined
  /** Add the rank of each document in the parts of a mix. */
  parts?: boolean | undefined
  /** For `resultitem`: rank of the result, from 1, default 1. */
  rank?: number | undefined
  /** For `options`: the facet's own selection does not narrow its counts. */
  multiselect?: boolean | undefined
  /** For `options`: return only options with a word that starts with this text. */
  query?: string | undefined
}

/** Options of `queryUrl`, which can also return results as a file. */
export interface AddressOptions extends QueryOptions {
  /** Format of the reply; if absent, the Accept header decides. */
  format?: 'json' | 'csv' | 'xlsx' | 'xml' | 'rdf' | undefined
}
