/**
 * Matches words with up to two typos: a character added, missing, replaced, or swapped with its neighbor. A wrong first character counts
 * as two, so with it only one typo less may occur.
 */
import type { Clause } from './values.ts'

/** Returns clauses for all words with at most this many typos, 1 or 2. */
export const fuzzyClauses = (column: string, word: string, typos: number): Clause[] => [
  fuzzyClause(column, { value: word, fuzziness: typos, prefix_length: 1 }),
  ...(typos > 1 ? [fuzzyClause(column, { value: word, fuzziness: typos - 1, prefix_length: 0 })] : []),
]

const fuzzyClause = (
  column: string,
  options: { value: string; fuzziness: number; prefix_length: number },
): Clause => ({
  fuzzy: { [column]: { ...options, transpositions: true, rewrite: 'constant_score' } },
})

/** The expression grows with the word. Words with a longer expression are completed, but not corrected. */
const expressionCharactersMax = 6_000

/** Returns clauses for the words that begin with a string within this many typos, 1 or 2; fewer if an expression would be too long. */
export function fuzzyPrefixClauses(column: string, word: string, typos: number): Clause[] {
  const [first = '', ...rest] = [...word].map(escapeRegExp)
  const expressions = [
    `${first}${typoExpression(rest, typos)}`,
    ...(typos > 1 ? [typoExpression([first, ...rest], typos - 1)] : []),
  ]
  return expressions
    .filter(({ length }) => length <= expressionCharactersMax)
    .map(expression => ({
      regexp: { [column]: { value: `(${expression}).*`, max_determinized_states: 100_000 } },
    }))
}

/** Escapes characters that mean something in an expression: folding turns ⑴ into (1). */
const escapeRegExp = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)

/** Returns a Lucene regular expression for all strings within this many typos of the characters. */
function typoExpression(characters: readonly string[], typos: number): string {
  const [first, second] = characters
  if (first === undefined) return typos > 0 ? `.{0,${typos}}` : '()'
  const rest = characters.slice(1)
  if (typos === 0) return characters.join('')
  const fewer = typoExpression(rest, typos - 1)
  const transposed =
    second !== undefined && second !== first
      ? [`${second}${first}${typoExpression(characters.slice(2), typos - 1)}`]
      : []
  return `(${first}${typoExpression(rest, typos)}|.?${fewer}|.${characters.length > 0 ? typoExpression(characters, typos - 1) : ''}${
    transposed.length > 0 ? `|${transposed.join('|')}` : ''
  })`
}

/**
 * Returns the optimal string alignment distance, in which each character changes at most once. With `isPrefix` it is the distance to the
 * nearest prefix of the word.
 */
export function editDistance(typed: readonly string[], word: readonly string[], isPrefix: boolean): number {
  const rows: number[][] = [Array.from({ length: typed.length + 1 }, (_, index) => index)]
  const cell = (row: number, place: number): number => rows[row]?.[place] ?? 0
  for (const [index, character] of word.entries()) {
    const row = [index + 1]
    rows.push(row)
    for (const [place, typedCharacter] of typed.entries()) {
      let distance = Math.min(
        cell(index, place) + Number(character !== typedCharacter),
        cell(index, place + 1) + 1,
        cell(index + 1, place) + 1,
      )
      if (index > 0 && place > 0 && character === typed[place - 1] && word[index - 1] === typedCharacter)
        distance = Math.min(distance, cell(index - 1, place - 1) + 1)
      row.push(distance)
    }
  }
  const lasts = rows.map(row => row[typed.length] ?? 0)
  return isPrefix ? Math.min(...lasts) : (lasts.at(-1) ?? 0)
}
