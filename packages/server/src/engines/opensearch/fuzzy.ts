/** Words that differ from a typed one by a letter or two: added, left out, exchanged for another or for their neighbour. */
import type { Clause } from './values.ts'

/** Every word at most so far away: none is left out for there being many. */
export const nearly = (column: string, word: string, typos: number): Clause => ({
  fuzzy: {
    [column]: {
      value: word,
      fuzziness: typos,
      prefix_length: 0,
      transpositions: true,
      rewrite: 'constant_score',
    },
  },
})

/** The longer the word, the larger the expression: of longer ones only what fits is corrected. */
const expressionLettersMax = 6_000

/** Every word that begins with one at most so far away; nothing where that is too long to say. */
export function nearlyBeginning(column: string, word: string, typos: number): Clause | undefined {
  const value = `(${expression([...word].map(escaped), typos)}).*`
  if (value.length > expressionLettersMax) return undefined
  return { regexp: { [column]: { value, max_determinized_states: 100_000 } } }
}

/** Letters as they are: folding writes ⑴ as (1). */
export const escaped = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)

/** A regular expression of Lucene for all that may be written for these letters with at most so many typos. */
function expression(letters: readonly string[], typos: number): string {
  const [first, second] = letters
  if (first === undefined) return typos > 0 ? `.{0,${typos}}` : '()'
  const rest = letters.slice(1)
  if (typos === 0) return letters.join('')
  const fewer = expression(rest, typos - 1)
  const neighbours =
    second !== undefined && second !== first
      ? [`${second}${first}${expression(letters.slice(2), typos - 1)}`]
      : []
  return `(${first}${expression(rest, typos)}|.?${fewer}|.${letters.length > 0 ? expression(letters, typos - 1) : ''}${
    neighbours.length > 0 ? `|${neighbours.join('|')}` : ''
  })`
}

/** Optimal string alignment: each letter changes once at most. With `completed`, to the beginning of the word that is nearest. */
export function lettersBetween(
  typed: readonly string[],
  word: readonly string[],
  completed: boolean,
): number {
  const rows: number[][] = [Array.from({ length: typed.length + 1 }, (_, at) => at)]
  const at = (row: number, place: number): number => rows[row]?.[place] ?? 0
  for (const [index, letter] of word.entries()) {
    const row = [index + 1]
    rows.push(row)
    for (const [place, other] of typed.entries()) {
      let least = Math.min(
        at(index, place) + Number(letter !== other),
        at(index, place + 1) + 1,
        at(index + 1, place) + 1,
      )
      if (index > 0 && place > 0 && letter === typed[place - 1] && word[index - 1] === other)
        least = Math.min(least, at(index - 1, place - 1) + 1)
      row.push(least)
    }
  }
  const lasts = rows.map(row => row[typed.length] ?? 0)
  return completed ? Math.min(...lasts) : (lasts.at(-1) ?? 0)
}
