/** Finds the text that a person may have meant, for a query that finds nothing (query-service.md, match: `didYouMean`). */
import type { StackedEndpoint } from '@querent/contract/paths'
import type { Reply } from '#engines/engine'

/** The most texts to try: each is a search. */
const textsMax = 3
/** The most words to look for alone, in a corrected text. */
const lookedUpMax = 3

/** A query with corrected words. */
interface CorrectedQuery {
  stack: StackedEndpoint[]
  /** The corrected text of its first endpoint with a correction. */
  text: string
  /** Writes the same query with another text in its place. */
  withText: (text: string) => StackedEndpoint[]
}

/**
 * Returns the text of the first corrected query that finds something; null if none does. Where a document needs not have all words, it
 * leaves out those that find nothing. `isText` accepts endpoints whose parameters are text; `finds` runs a query.
 */
export const findMeantText = async (
  stack: readonly StackedEndpoint[],
  isText: (endpoint: string) => boolean,
  corrections: NonNullable<Reply['corrections']>,
  finds: (stack: StackedEndpoint[]) => Promise<boolean>,
): Promise<string | null> => {
  const triedTexts = new Set<string>()
  for (let attempt = 0; attempt < textsMax; attempt++) {
    const corrected = correctStack(stack, isText, corrections, attempt)
    if (!corrected || triedTexts.has(corrected.text)) continue
    triedTexts.add(corrected.text)
    if (await finds(corrected.stack)) return leaveOutMissing(corrected, corrections, finds)
  }
  return null
}

/** Excluded words, phrases and the like count together with others. */
const isPlainWord = (word: string): boolean => /^[\p{L}\p{N}][^"]*$/u.test(word)

/** Returns the text without the words that were not corrected and find nothing. */
const leaveOutMissing = async (
  { text, withText }: CorrectedQuery,
  corrections: NonNullable<Reply['corrections']>,
  finds: (stack: StackedEndpoint[]) => Promise<boolean>,
): Promise<string> => {
  const words = text.match(/\S+/g) ?? []
  const correctedWords = new Set(
    corrections.flatMap(({ alternatives }) => alternatives.flatMap(text => text.split(' '))),
  )
  const doubtful = [...new Set(words)].filter(word => isPlainWord(word) && !correctedWords.has(word))
  const missing = new Set<string>()
  for (const word of doubtful.slice(0, lookedUpMax)) if (!(await finds(withText(word)))) missing.add(word)
  if (missing.size === 0) return text
  const rest = words.filter(word => !missing.has(word)).join(' ')
  return (await finds(withText(rest))) ? rest : text
}

/** Replaces each word by its alternative of this rank, or by its last one. Returns undefined if no text has such a word. */
const correctStack = (
  stack: readonly StackedEndpoint[],
  isText: (endpoint: string) => boolean,
  corrections: NonNullable<Reply['corrections']>,
  rank: number,
): CorrectedQuery | undefined => {
  const alternativeByWord = new Map(
    corrections.map(({ word, alternatives }) => [word, alternatives[rank] ?? alternatives.at(-1) ?? word]),
  )
  const correct = (text: string) => text.replaceAll(/\S+/g, word => alternativeByWord.get(word) ?? word)
  let text: string | undefined
  const corrected = stack.map(({ endpoint, parameters }) => ({
    endpoint,
    parameters: parameters.map(({ name, value }) => {
      const changed = isText(endpoint) ? correct(value) : value
      if (changed !== value) text ??= changed
      return { name, value: changed }
    }),
  }))
  if (text === undefined) return undefined
  const withText = (other: string) =>
    corrected.map(({ endpoint, parameters }) => ({
      endpoint,
      parameters: parameters.map(({ name, value }) => ({
        name,
        value: isText(endpoint) && value === text ? other : value,
      })),
    }))
  return { stack: corrected, text, withText }
}
