/**
 * Filter values (query-service.md, "What endpoints are"): one plain value, or a tuple list `1(drama)|0.5("a, b",comedy)`.
 *
 *     list  = tuple *( "|" tuple )
 *     tuple = score "(" value *( "," value ) ")"
 *     score = 1*20DIGIT [ "." 1*40DIGIT ] / "." 1*40DIGIT          ; above 0; no sign, no exponent
 *     value = bare / DQUOTE *( quoted character ) DQUOTE
 *
 * A bare value is not empty and contains no `, ( ) | "`. White space around scores, values and separators is ignored. Inside quotes all
 * characters count: `\"` is a quote, `\\` is a backslash, and any other backslash is literal.
 *
 * Many clients write values without quotes. So a tuple of several bare values also matches its whole text as one value:
 * `1(Greek, islands)` is `Greek`, `islands` or `Greek, islands`.
 */

/** Alternatives of one score: any of `values`. */
export interface Tuple {
  score: number
  values: string[]
}

/** A tuple of several bare values, which may be one value with commas. */
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

/** One score and its bracket. Sticky: it matches at one position only. The number of digits keeps a score finite and above 0. */
const scorePattern = /\s*([0-9]{1,20}(?:\.[0-9]{1,40})?|\.[0-9]{1,40})\s*\(/y
const barePattern = /[^,()|"]+/y
const quotedPattern = /\s*"((?:[^"\\]|\\[\s\S])*)"\s*/y

/**
 * Reads a filter value. For a tuple list it returns the tuples in their order; a value that appears twice keeps only the place with the
 * higher score. Any other text, also `f(x)` and the empty string, is one plain value, untrimmed: `[{ score: 1, values: [text] }]`. Never
 * throws.
 *
 * `fits` decides which texts are values of the filter's type; by default all are. The whole text of an unquoted tuple counts only if it
 * fits. Then its parts count only if they fit too: in `1(52.37,4.89,10km)` no part is a circle. Otherwise all parts are returned.
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

/** Returns the tuples that {@link readFilterValue} reads both ways, and the values of all other tuples. Never throws. */
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
  let position = 0
  for (;;) {
    scorePattern.lastIndex = position
    const score = scorePattern.exec(text)?.[1]
    if (score === undefined || !(Number(score) > 0)) return undefined
    position = scorePattern.lastIndex
    const start = position
    const values: string[] = []
    let isUnquoted = true
    for (;;) {
      const value = readValue(text, position)
      if (value === undefined) return undefined
      values.push(value.value)
      isUnquoted &&= !value.isQuoted
      position = value.end
      const separator = text[position++]
      if (separator === ')') break
      if (separator !== ',') return undefined
    }
    const joined = isUnquoted && values.length > 1 ? text.slice(start, position - 1).trim() : undefined
    tuples.push({ score: Number(score), values, ...(joined === undefined ? {} : { joined }) })
    while (position < text.length && isSpace(text[position])) position++
    if (position === text.length) return tuples
    if (text[position++] !== '|') return undefined
  }
}

const isSpace = (character: string | undefined) => character !== undefined && character.trim() === ''

interface ParsedValue {
  value: string
  isQuoted: boolean
  end: number
}

const readValue = (text: string, position: number): ParsedValue | undefined => {
  quotedPattern.lastIndex = position
  const quoted = quotedPattern.exec(text)?.[1]
  if (quoted !== undefined)
    return { value: quoted.replaceAll(/\\(["\\])/g, '$1'), isQuoted: true, end: quotedPattern.lastIndex }
  barePattern.lastIndex = position
  const bareText = barePattern.exec(text)?.[0].trim()
  return bareText ? { value: bareText, isQuoted: false, end: barePattern.lastIndex } : undefined
}

/** Keeps a value that appears twice only with its higher score. */
const withoutRepeats = (tuples: Tuple[]): Tuple[] => {
  const best = new Map<string, number>()
  for (const { score, values } of tuples)
    for (const value of values) if (score > (best.get(value) ?? 0)) best.set(value, score)
  const result: Tuple[] = []
  for (const { score, values } of tuples) {
    const remaining: string[] = []
    for (const value of values) if (best.get(value) === score && best.delete(value)) remaining.push(value)
    if (remaining.length > 0) result.push({ score, values: remaining })
  }
  return result
}

/** Writes a filter that matches exactly this value: the value itself, unless it reads as a tuple list. */
export const writeFilterValue = (value: string): string =>
  value.includes('(') && readTuples(value) !== undefined
    ? writeTupleList([{ score: 1, values: [value] }])
    : value

/**
 * Writes alternatives so that {@link readFilterValue} returns them. Scores are finite numbers from 1e-20 to below 1e20, written without
 * exponent. A value is quoted if necessary, and always in a tuple of several. Throws RangeError on any other score or without values.
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
