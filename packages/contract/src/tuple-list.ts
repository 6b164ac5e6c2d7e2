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
 *
 * Clients in the field write values without quotes. So a tuple of several bare values also matches its whole text as one value:
 * `1(Greek, islands)` is `Greek`, `islands` or `Greek, islands`.
 */

/** Alternatives of one score: any of `values`. */
export interface Tuple {
  score: number
  values: string[]
}

/** A tuple of several bare values, which may have been meant as one value with commas. */
export interface UnquotedTuple {
  /** The values between the commas. */
  parts: string[]
  /** The text between the brackets. */
  joined: string
}

interface ParsedTuple extends Tuple {
  /** Only where several values are all bare. */
  joined?: string
}

/** One score, before its bracket. Sticky: it is tried at one place only. Digits are bounded so that a score stays a finite number above 0. */
const scorePattern = /\s*([0-9]{1,20}(?:\.[0-9]{1,40})?|\.[0-9]{1,40})\s*\(/y
const barePattern = /[^,()|"]+/y
const quotedPattern = /\s*"((?:[^"\\]|\\[\s\S])*)"\s*/y

/**
 * Reads a filter value. Text that is a tuple list gives its tuples in their order, where a value that appears twice keeps only its
 * place with the higher score. All other text, `f(x)` and the empty string too, is one plain value: `[{ score: 1, values: [text] }]`,
 * untrimmed. Never throws.
 *
 * `fits` tells which texts are values of the filter's type; by default all are. The whole text of an unquoted tuple counts only if it
 * fits, and then its parts only if they do: in `1(52.37,4.89,10km)` no part is a circle. Otherwise all parts are given as they are.
 */
export const readFilterValue = (text: string, fits?: (value: string) => boolean): Tuple[] => {
  const tuples = text.includes('(') ? readTuples(text) : undefined
  if (tuples === undefined) return [{ score: 1, values: [text] }]
  return withoutRepeats(tuples.map(tuple => withJoined(tuple, fits)))
}

const withJoined = ({ score, values, joined }: ParsedTuple, fits?: (value: string) => boolean): Tuple => {
  if (joined === undefined || (fits && !fits(joined))) return { score, values }
  return { score, values: [...(fits ? values.filter(fits) : values), joined] }
}

/** The tuples of a filter value that {@link readFilterValue} reads both ways, and the values of all others. Never throws. */
export const readUnquotedTuples = (text: string): { unquoted: UnquotedTuple[]; certain: string[] } => {
  const tuples: ParsedTuple[] = (text.includes('(') ? readTuples(text) : undefined) ?? [
    { score: 1, values: [text] },
  ]
  const unquoted: UnquotedTuple[] = []
  const certain: string[] = []
  for (const { values, joined } of tuples)
    if (joined === undefined) certain.push(...values)
    else unquoted.push({ parts: values, joined })
  return { unquoted, certain }
}

const readTuples = (text: string): ParsedTuple[] | undefined => {
  const tuples: ParsedTuple[] = []
  let at = 0
  for (;;) {
    scorePattern.lastIndex = at
    const score = scorePattern.exec(text)?.[1]
    if (score === undefined || !(Number(score) > 0)) return undefined
    at = scorePattern.lastIndex
    const start = at
    const values: string[] = []
    let isUnquoted = true
    for (;;) {
      const value = readValue(text, at)
      if (value === undefined) return undefined
      values.push(value.value)
      isUnquoted &&= !value.isQuoted
      at = value.end
      const separator = text[at++]
      if (separator === ')') break
      if (separator !== ',') return undefined
    }
    const joined = isUnquoted && values.length > 1 ? text.slice(start, at - 1).trim() : undefined
    tuples.push({ score: Number(score), values, ...(joined === undefined ? {} : { joined }) })
    while (at < text.length && isSpace(text[at])) at++
    if (at === text.length) return tuples
    if (text[at++] !== '|') return undefined
  }
}

const isSpace = (character: string | undefined) => character !== undefined && character.trim() === ''

interface ParsedValue {
  value: string
  isQuoted: boolean
  end: number
}

const readValue = (text: string, at: number): ParsedValue | undefined => {
  quotedPattern.lastIndex = at
  const quoted = quotedPattern.exec(text)?.[1]
  if (quoted !== undefined)
    return { value: quoted.replaceAll(/\\(["\\])/g, '$1'), isQuoted: true, end: quotedPattern.lastIndex }
  barePattern.lastIndex = at
  const bare = barePattern.exec(text)?.[0].trim()
  return bare ? { value: bare, isQuoted: false, end: barePattern.lastIndex } : undefined
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
 * without exponent; every value is quoted where it has to be, and all values of a tuple that has several. Throws RangeError on another score or on no values.
 */
export const writeTupleList = (tuples: readonly Tuple[]): string => {
  if (tuples.length === 0) throw new RangeError('a tuple list has at least one tuple')
  return tuples
    .map(({ score, values }) => {
      if (values.length === 0) throw new RangeError('a tuple has at least one value')
      return `${writeScore(score)}(${values.map(values.length > 1 ? quote : writeValue).join(',')})`
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
  value === '' || value !== value.trim() || /[,()|"\\]/.test(value) ? quote(value) : value

const quote = (value: string): string => `"${value.replaceAll(/["\\]/g, '\\$&')}"`
