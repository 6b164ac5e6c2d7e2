/** Finds the text that a person may have meant, for a query that finds nothing (query-service.md, match: `didYouMean`). */
import type { StackedEndpoint } from '@querent/contract/paths'
import type { Reply } from '#engines/engine'

/** The most texts to try: each is a search. */
const textsMax = 3

/** A query with corrected words. */
interface CorrectedQuery {
  stack: StackedEndpoint[]
  /** The corrected text of its first endpoint with a correction. */
  text: string
}

/**
 * Returns the text of the first corrected query that finds something; null if none does. `isText` accepts endpoints whose parameters are
 * text; `finds` runs a query.
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
    if (await finds(corrected.stack)) return corrected.text
  }
  return null
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
  return text === undefined ? undefined : { stack: corrected, text }
}
