/**
 * Measurements of other engines with 1,000,000 paragraphs on a similar machine, from the time when the embedded engine was chosen. This run
 * does not measure them: tantivy in process without ids, totals or stored documents, SQLite FTS5, OpenSearch over HTTP.
 */
const recordedFigures: Readonly<Record<string, string>> = {
  'import, durable': 'tantivy 38,000 · FTS5 26,000 · OpenSearch 15,000',
  'index on disk': 'tantivy 349 · FTS5 791 · OpenSearch 336',
  'memory while searching': 'tantivy 435 · FTS5 869 · OpenSearch 1,900',
  'one word p50': 'tantivy 0.3 · FTS5 2.9 · OpenSearch 2.4',
  'one word p99': 'tantivy 2.1 · FTS5 106 · OpenSearch 10',
  'three words p50': 'tantivy 0.8 · FTS5 34 · OpenSearch 2.6',
  'three words p99': 'tantivy 2.1 · FTS5 143 · OpenSearch 8.6',
  'three very common words p50': 'tantivy 1.3 · FTS5 204 · OpenSearch 2.2',
  'three very common words p99': 'tantivy 4.1 · FTS5 433 · OpenSearch 11',
  'two words, total and 3 facets p50': 'tantivy 1.7 · FTS5 402 · OpenSearch 4.4',
  'two words, total and 3 facets p99': 'tantivy 5.7 · FTS5 551 · OpenSearch 21',
  'everything, total and 3 facets p50': 'tantivy 22 · OpenSearch 40',
  'everything, total and 3 facets p99': 'tantivy 34 · OpenSearch 49',
  'a phrase p50': 'tantivy 0.4 · FTS5 1.6 · OpenSearch 1.9',
  'a phrase p99': 'tantivy 1.0 · FTS5 6.8 · OpenSearch 6.3',
  'three letters of a word p50': 'tantivy 1.2 · FTS5 13 · OpenSearch 2.4',
  'three letters of a word p99': 'tantivy 5.8 · FTS5 408 · OpenSearch 9.5',
  'a word with a typo p50': 'tantivy 4.2 · OpenSearch 2.9',
  'a word with a typo p99': 'tantivy 5.8 · OpenSearch 11',
}

export const findPeerFigures = (name: string): string | undefined => recordedFigures[name]
