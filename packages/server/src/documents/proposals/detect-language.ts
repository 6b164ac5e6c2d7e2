/** Detects the language of texts by their stop words, or by their script. */
import type { Language } from '@querent/contract/languages'
import stopLists from '@querent/engine/stop-words.json' with { type: 'json' }

const stopWords = Object.entries(stopLists as Readonly<Record<string, string>>).map(
  ([language, list]) => [language as Language, new Set(list.split(' '))] as const,
)

/** Enough to tell close languages apart. */
const wordsMax = 20_000
/** In fewer of its words, stop words say nothing: these are names. */
const stopWordShareMin = 0.05
const scriptShareMin = 0.2

/** Returns the language of most of the texts; `english` if nothing tells. */
export const detectLanguage = (texts: Iterable<string>): Language => {
  const counts = new Map<Language, number>()
  let words = 0
  let letters = 0
  let eastAsian = 0
  let southEastAsian = 0
  for (const text of texts) {
    for (const word of text.toLowerCase().match(/[\p{L}\p{M}']+/gu) ?? []) {
      words += 1
      for (const [language, list] of stopWords)
        if (list.has(word)) counts.set(language, (counts.get(language) ?? 0) + 1)
    }
    letters += countMatches(text, /\p{L}/gu)
    eastAsian += countMatches(text, /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/gu)
    southEastAsian += countMatches(text, /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/gu)
    if (words >= wordsMax) break
  }
  if (southEastAsian > scriptShareMin * letters) return 'general'
  if (eastAsian > scriptShareMin * letters) return 'cjk'
  const [best] = [...counts].toSorted(([, one], [, next]) => next - one)
  return best && best[1] >= stopWordShareMin * words ? best[0] : 'english'
}

const countMatches = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
