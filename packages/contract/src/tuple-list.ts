/**
 * Filter values (query-service.md, "What endpoints are"): one plain value, or a tuple list `1(drama)|0.5("a, b",comedy)`.
 *
 *     list  = tuple *( "|" tuple )
 *     tuple = score "(" value *( "," value ) ")"
 *     score = 1*20DIGIT [ "." 1*40DIGIT ] / "." 1*40DIGIT          ; above 0; no sign, no exponent
 *     value = bare / DQUOTE *( quoted character ) DQUOTE
 *
 * A bare value has no `, ( ) | "`, is not empty, and loses the white space around it; inside quotes everything counts, `\"` is a
 * quote and `\\` a backslash, and any other backslash stands for itself. White space around scores, values and separators is ignored.
 */

/** Alternatives of one score: any of `values`. */
export interface Tuple {
  score: number
  values: string[]
}

/** One score, before its bracket. Sticky: it is tried at one place only. Digits are bounded so that a score stays a finite number above 0. */
const scorePattern = /\s*([0-9]{1,20}(?:\.[0-9]{1,40})?|\.[0-9]{1,40})\s*\(/y
const barePattern = /[^,()|"]+/y
const quotedPattern = /\s*"((?:[^"\\]|\\[\s\S])*)"\s*/y

/**
 * Reads a filter value. Text that is a tuple list gives its tuples in their order, where a value that appears twice keeps only its
 * place with the higher score. All other text, `f(x)` and the empty string too, is one plain value: `[{ score: 1, values: [text] }]`,
 * untrimmed. Never throws.
 */
export const readFilterValue = (text: string): Tuple[] => {
  const tuples = text.includes('(') ? readTuples(text) : undefined
  return tuples === undefined ? [{ score: 1, values: [text] }] : withoutRepeats(tuples)
}

const readTuples = (text: string): Tuple[] | undefined => {
  const tuples: Tuple[] = []
  let at = 0
  for (;;) {
    scorePattern.lastIndex = at
    const score = scorePattern.exec(text)?.[1]
    if (score === undefined || !(Number(score) > 0)) return undefined
    at = scorePattern.lastIndex
    const values: string[] = []
    for (;;) {
      const value = readValue(text, at)
      if (value === undefined) return undefined
      values.push(value.value)
      at = value.end
      const separator = text[at++]
      if (separator === ')') break
      if (separator !== ',') return undefined
    }
    tuples.push({ score: Number(score), values })
    while (at < text.length && isSpace(text[at])) at++
    if (at === text.length) return tuples
    if (text[at++] !== '|') return undefined
  }
}

const isSpace = (character: string | undefined) => character !== undefined && character.trim() === ''

const readValue = (text: string, at: number): { value: string; end: number } | undefined => {
  quotedPattern.lastIndex = at
  const quoted = quotedPattern.exec(text)?.[1]
  if (quoted !== undefined)
    return { value: quoted.replaceAll(/\\(["\\])/g, '$1'), end: quotedPattern.lastIndex }
  barePattern.lastIndex = at
  const bare = barePattern.exec(text)?.[0].trim()
  return bare ? { value: bare, end: barePattern.lastIndex } : undefined
}

/** A value that appears twice counts with the higher score, once. */
const withoutRepeats = (tuples: Tuple[]): Tuple[] => {
  const best = new Map<string, number>()
  for (const { score, values } of tuples)
    for (const value of values) if (score > (best.get(value) ?? 0)) best.set(value, score)
  const kept: Tuple[] = []
  for (const { score, values } of tuples) {
    const own: string[] = []
    for (const value of values) if (best.get(value) === score && best.delete(value)) own.push(value)
    if (own.length > 0) kept.push({ score, values: own })
  }
  return kept
}

/** The text by which a filter finds exactly this value: the value itself, unless that reads as a tuple list. */
export const writeFilterValue = (value: string): string =>
  value.includes('(') && readTuples(value) !== undefined
    ? writeTupleList([{ score: 1, values: [value] }])
    : value

/**
 * Writes alternatives so that {@link readFilterValue} gives them back. Scores are finite numbers from 1e-20 to below 1e20, written
 * without exponent; every value is quoted where it has to be. Throws RangeError on another score or on no values.
 */
export const writeTupleList = (tuples: readonly Tuple[]): string => {
  if (tuples.length === 0) throw new RangeError('a tuple list has at least one tuple')
  return tuples
    .map(({ score, values }) => {
      if (values.length === 0) throw new RangeError('a tuple has at least one value')
      return `${writeScore(score)}(${values.map(writeValue).join(',')})`
    })
    .join('|')
}

const writeScore = (score: number): string => {
  if (!(score >= 1e-20 && score < 1e20))
    throw new RangeError(`a score is a number from 1e-20 to 1e20, not ${score}`)
  const shortest = String(score)
  return shortest.includes('e') ? score.toFixed(40) : shortest
}

const writeValue = (value: string): string =>
  value === '' || value !== value.trim() || /[,()|"\\]/.test(value)
    ? `"${value.replaceAll(/["\\]/g, '\\$&')}"`
    : value
