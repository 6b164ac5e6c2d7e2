/**
 * Filter values (query-service.md, "Filter values"): one plain value, or a tuple list `1(drama)|0.5("a, b",comedy)`.
 *
 *     list  = tuple *( "|" tuple )
 *     tuple = score "(" value *( "," value ) ")"
 *     score = 1*20DIGIT [ "." 1*40DIGIT ] / "." 1*40DIGIT          ; above 0; no sign, no exponent
 *     value = bare / DQUOTE *( quoted character ) DQUOTE
 *
 * A bare value is not empty, contains no `, ( ) |` and does not begin with a quote. White space around scores, values and separators is
 * ignored. Inside quotes all characters count: `\"` is a quote, `\\` is a backslash, and any other backslash is literal.
 *
 * Many clients write values without quotes. So the text between the brackets, exactly as it stands, is a value too: `1(Greek, islands)` is
 * `Greek`, `islands` or `Greek, islands`. A text that begins with a score and `(`, ends with `)` and is no list by these rules is split at
 * each `)|<score>(`: `1(Rock (UK))|1(7" single)` is `Rock (UK)` or `7" single`.
 */

/** Alternatives of one score: any of `values`. */
export interface Tuple {
  score: number
  values: string[]
}

/** A tuple that can be read in two ways. */
export interface AmbiguousTuple {
  /** The values between the commas, without quotes. */
  parts: string[]
  /** The text between the brackets. */
  wholeText: string
}

interface ParsedTuple extends Tuple {
  /** The text between the brackets, if it is another value than `values`. */
  wholeText?: string
  isQuoted?: boolean
}

/** One score and its bracket. Sticky: it matches at one position only. The number of digits keeps a score finite and above 0. */
const scorePattern = /\s*([0-9]{1,20}(?:\.[0-9]{1,40})?|\.[0-9]{1,40})\s*\(/y
const barePattern = /\s*[^\s,()|"][^,()|]*/y
const quotedPattern = /\s*"((?:[^"\\]|\\[\s\S])*)"\s*/y
const unquotedStart = /^(?!0*\.?0*\()(?:[0-9]{1,20}(?:\.[0-9]{1,40})?|\.[0-9]{1,40})\(/
const unquotedSeparator = /\)\|(?=(?!0*\.?0*\()(?:[0-9]{1,20}(?:\.[0-9]{1,40})?|\.[0-9]{1,40})\()/

/**
 * Reads a filter value. For a tuple list it returns the tuples in their order; a value that appears twice keeps only the place with the
 * higher score. Any other text, also `f(x)` and the empty string, is one plain value, untrimmed: `[{ score: 1, values: [text] }]`. Never
 * throws.
 *
 * `fits` decides which texts are values of the filter's type; by default all are. The text between the brackets counts only if it
 * fits. Then its parts count only if they fit too: in `1(52.37,4.89,10km)` no part is a circle. Otherwise all parts are returned.
 */
export const readFilterValue = (text: string, fits?: (value: string) => boolean): Tuple[] =>
  withoutRepeats(readTuples(text).map(tuple => withWhole(tuple, fits)))

/** Reads a filter value as people see it: like {@link readFilterValue}, but quotes never belong to a value. */
export const readShownValues = (text: string): Tuple[] =>
  withoutRepeats(
    readTuples(text).map(tuple =>
      tuple.isQuoted ? { score: tuple.score, values: tuple.values } : withWhole(tuple),
    ),
  )

const withWhole = ({ score, values, wholeText }: ParsedTuple, fits?: (value: string) => boolean): Tuple => {
  if (wholeText === undefined || (fits && !fits(wholeText))) return { score, values }
  return { score, values: [...(fits ? values.filter(fits) : values), wholeText] }
}

/** Returns the tuples that {@link readFilterValue} reads both ways, and the values of all other tuples. Never throws. */
export const readAmbiguousTuples = (text: string): { ambiguous: AmbiguousTuple[]; certain: string[] } => {
  const ambiguous: AmbiguousTuple[] = []
  const certain: string[] = []
  for (const { values, wholeText } of readTuples(text))
    if (wholeText === undefined) certain.push(...values)
    else ambiguous.push({ parts: values, wholeText })
  return { ambiguous, certain }
}

const readTuples = (text: string): ParsedTuple[] => readTupleList(text) ?? [{ score: 1, values: [text] }]

/** Undefined for a plain value. */
const readTupleList = (text: string): ParsedTuple[] | undefined => {
  if (!text.includes('(')) return undefined
  const list = readStrictList(text)
  if (list === undefined) return splitUnquoted(text)
  // Its separators may also be part of an unquoted value, such as `a) | 1(b`, and its quotes of two values, such as `a,"b` and `c"`.
  const pieces = list.isUncertain ? (splitUnquoted(text) ?? []) : []
  return [
    ...list.tuples,
    ...pieces.map(({ score, values: [value = ''], wholeText = value }) => ({
      score,
      values: [],
      wholeText,
      isQuoted: true,
    })),
  ]
}

const readStrictList = (text: string): { tuples: ParsedTuple[]; isUncertain: boolean } | undefined => {
  const tuples: ParsedTuple[] = []
  let isUncertain = false
  let position = 0
  for (;;) {
    scorePattern.lastIndex = position
    const score = scorePattern.exec(text)
    if (!(Number(score?.[1]) > 0)) return undefined
    isUncertain ||= position > 0 && /\s/.test(score?.[0] ?? '')
    position = scorePattern.lastIndex
    const tuple = readTuple(text, position, Number(score?.[1]))
    if (tuple === undefined) return undefined
    tuples.push(tuple)
    isUncertain ||= quotesSeparator(text.slice(position, tuple.end))
    position = tuple.end
    while (position < text.length && isSpace(text[position])) position++
    if (position === text.length) return { tuples, isUncertain }
    isUncertain ||= position > tuple.end
    if (text[position++] !== '|') return undefined
  }
}

/** Whether a separator of tuples is in quotes that may be those of two values, because the first quote does not begin the tuple. */
const quotesSeparator = (tuple: string): boolean => !tuple.startsWith('"') && unquotedSeparator.test(tuple)

/** Reads from behind the bracket to behind the closing one. */
const readTuple = (
  text: string,
  start: number,
  score: number,
): (ParsedTuple & { end: number }) | undefined => {
  const values: string[] = []
  let isQuoted = false
  let position = start
  for (;;) {
    const value = readValue(text, position)
    if (value === undefined) return undefined
    values.push(value.value)
    isQuoted ||= value.isQuoted
    position = value.end
    const separator = text[position++]
    if (separator === ')') break
    if (separator !== ',') return undefined
  }
  const wholeText = text.slice(start, position - 1)
  const isOneValue = values.length === 1 && values[0] === wholeText
  return { score, values, ...(isOneValue ? {} : { wholeText, isQuoted }), end: position }
}

/** Undefined if the text doesn't begin with a score and a bracket, or doesn't end with a bracket. */
const splitUnquoted = (text: string): ParsedTuple[] | undefined => {
  if (!text.endsWith(')') || !unquotedStart.test(text)) return undefined
  return text
    .slice(0, -1)
    .split(unquotedSeparator)
    .map(piece => {
      const bracket = piece.indexOf('(')
      const score = Number(piece.slice(0, bracket))
      const wholeText = piece.slice(bracket + 1)
      const tuple = readTuple(`${wholeText})`, 0, score)
      return tuple?.end === wholeText.length + 1 ? tuple : { score, values: [wholeText] }
    })
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
  readTupleList(value) !== undefined ? writeTupleList([{ score: 1, values: [value] }]) : value

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
