/** Drops words of a text until some document has all that remain, for `matching: 'relaxed'`. */
import { wordFilter, wordsFilter } from './counted-words.ts'
import type { QueryWord } from './query-words.ts'
import { countMatches, type SearchContext } from './search-context.ts'

/** The remaining words of a text, and the dropped words as typed. */
interface Relaxed {
  words: readonly QueryWord[]
  relaxed: string[]
}

/** Drops a last word that may be a stop word, if no visible document has it with all other words. */
export async function dropOptionalWord(
  context: SearchContext,
  words: readonly QueryWord[],
): Promise<readonly QueryWord[]> {
  const required = words.filter(word => !word.isOptional)
  return required.length === words.length || (await hasMatch(context, words)) ? words : required
}

/**
 * Drops words that no visible document has, then the most frequent ones, until a visible document has all remaining words or one word
 * remains.
 */
export async function relaxWords(context: SearchContext, words: readonly QueryWord[]): Promise<Relaxed> {
  if (words.length < 2 || (await hasMatch(context, words))) return { words, relaxed: [] }
  const frequencies = await countMatches(context, words.map(wordFilter))
  const byFrequency = words
    .map((word, index) => ({ word, index, frequency: frequencies[index] ?? 0 }))
    // The last of equally frequent words first.
    .sort((one, other) => other.frequency - one.frequency || other.index - one.index)
  const unknown = byFrequency.filter(({ frequency }) => frequency === 0).reverse()
  const order = [...unknown, ...byFrequency.filter(({ frequency }) => frequency > 0)].map(({ word }) => word)
  const remaining = (dropped: number) => {
    const droppedWords = new Set(order.slice(0, dropped))
    return words.filter(word => !droppedWords.has(word))
  }
  // The fewer words, the more documents have them all. So a binary search finds the number of words to drop.
  let [least, most] = [Math.max(1, Math.min(unknown.length, words.length - 1)), words.length - 1]
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    if (await hasMatch(context, remaining(middle))) most = middle
    else least = middle + 1
  }
  const relaxed = new Set(order.slice(0, least).map(({ typed }) => typed))
  return { words: remaining(least), relaxed: [...relaxed] }
}

async function hasMatch(context: SearchContext, words: readonly QueryWord[]): Promise<boolean> {
  const [count = 0] = await countMatches(context, [wordsFilter(words, true)])
  return count > 0
}
