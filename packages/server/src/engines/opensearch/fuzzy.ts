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

/** Returns clauses for the joined words with at most this many typos, or those that begin like this. Their first letters are equal. */
export const mistypedJoinedClauses = (
  column: string,
  word: string,
  extent: 'whole' | 'beginning',
  typos: number,
): Clause[] => {
  if (extent === 'whole')
    return [fuzzyClause(column, { value: `+${word}`, fuzziness: typos, prefix_length: 2 })]
  const [first = '', ...rest] = [...word].map(escapeRegExp)
  const expression = String.raw`\+${first}${typoExpression(rest, typos)}`
  return beginsWithAny(column, [expression])
}

/** The expression grows with the word. Words with a longer expression are completed, but not corrected. */
const expressionCharactersMax = 6_000

/** Returns clauses for the words that begin with a string within this many typos, 1 or 2; fewer if an expression would be too long. */
export function fuzzyPrefixClauses(column: string, word: string, typos: number): Clause[] {
  const [first = '', ...rest] = [...word].map(escapeRegExp)
  const expressions = [
    `${first}${typoExpression(rest, typos)}`,
    ...(typos > 1 ? [typoExpression([first, ...rest], typos - 1)] : []),
  ]
  return beginsWithAny(column, expressions)
}

const beginsWithAny = (column: string, expressions: readonly string[]): Clause[] =>
  expressions
    .filter(({ length }) => length <= expressionCharactersMax)
    .map(expression => ({
      regexp: { [column]: { value: `(${expression}).*`, max_determinized_states: 100_000 } },
    }))

/** Escapes characters that mean something in an expression: folding turns ⑴ into (1). */
export const escapeRegExp = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)

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
