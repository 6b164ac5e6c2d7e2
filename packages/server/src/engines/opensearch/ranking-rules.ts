/** The numbers by which documents are found and ranked: those of the embedded engine, as ranking-rules.test.ts verifies. */
export const rankingRules = {
  /** Costs of a completion or correction. The word itself costs 0. */
  costOfTypo: 2,
  costOfCompletion: 1,
  /** A longer word that contains the word. */
  costOfContaining: 6,
  /** The beginning of an unfinished word may have typos if it is longer than this. */
  exactBeginningMax: 3,
  /** Maximum number of words that are completed or corrected; further ones match exactly. */
  expandedWordsMax: 32,
  /** Longer texts describe what they look for: scores alone decide their order (counted_words.rs). */
  rankedWordsMax: 6,
  /** Factors of the score of a variant, for each typo and for a completion, if scores alone decide the order. */
  typoFactor: 0.5,
  completionFactor: 0.8,
  containingFactor: 0.001,
  /** Factor of the score of a compound of an unfinished word. */
  unfinishedPartShare: 0.1,
  /** Factor of the score of another spelling, if words are not counted. */
  spellingShare: 0.5,
  /** The BM25 score that counts half of the largest possible one. */
  middleScore: 10,
  /** Added to the sum of BM25 scores of a document if no more words stand between two neighbors than in the text, and half of it if few more do. */
  proximityBonus: 2,
  furtherWordsMax: 3,
  /** Added to the sum of BM25 scores for each word that a document has as it was typed. */
  asTypedBonus: 0.5,
  /** Added to the sum of BM25 scores of a document in which the text of a field begins with the text of the query. */
  beginningBonus: 4,
  /** Maximum number of words by which documents are similar. */
  significantWordsMax: 25,
  /** Maximum number of words that get corrections, and of corrections of a word. */
  correctedWordsMax: 32,
  alternativesMax: 3,
  /** The constant of reciprocal rank fusion. */
  rankOffset: 10,
  /** The number of best scores of a part that make its distribution. */
  distributionSize: 1_000,
  lowestShare: 0.001,
}
