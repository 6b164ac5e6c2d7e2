/** Reads synonyms as people paste them: a word on each line, or a list on each line with commas, or `js => javascript` for one direction. */
import type { SynonymSet } from '@querent/contract/workspace-file'
import { lines } from '#ui/lines.ts'

/** Commas of any script. One between two digits belongs to a number, as in `3,5 mm`. */
const commas = /(?<!\d),|,(?!\d)|[;،、，；]/
const arrow = /\s*(?:=>|->|→|⇒)\s*/

/** Splits words that stand on lines of their own or between commas. Repeated words stand once. */
export const splitWords = (text: string): string[] => [...new Set(lines(text.split(commas).join('\n')))]

/** Without commas and arrows, all lines are one list. */
export const readSynonyms = (text: string): SynonymSet[] => {
  const rows = lines(text)
  const hasLists = rows.some(row => commas.test(row) || arrow.test(row))
  if (!hasLists) return rows.length === 0 ? [] : [[...new Set(rows)]]
  return rows.map(row => {
    const [from = '', ...to] = row.split(arrow)
    return to.length === 0 ? splitWords(from) : { from: splitWords(from), to: to.flatMap(splitWords) }
  })
}

/** Whether a set has enough members: two, or one on each side. */
export const isComplete = (set: SynonymSet): boolean =>
  Array.isArray(set) ? set.length > 1 : set.from.length > 0 && set.to.length > 0
