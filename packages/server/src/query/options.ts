/** The options of a query: the parameters after the question mark (query-service.md, Paths). */
import { Problem } from '#errors'
import { formatIgnoredParameters } from '#http/ignored-parameters'
import { type Format, formats } from './formats/formats.ts'

export interface QueryOptions {
  config: string
  count: number
  offset: number
  /** Pages through the whole result. Undefined: `offset` says where the page starts. */
  cursor: string | undefined
  cutoff: number
  homogeneousArrays: boolean
  /** Attributes to return. Undefined: all. */
  attributes: string[] | undefined
  rank: number
  column: number
  multiselect: boolean
  /** Return only options with a word that starts with this text. */
  query: string | undefined
  highlight: boolean
  /** Return the ranks of each document in the parts of a mix. */
  parts: boolean
  /** Undefined: `Accept` decides. */
  format: Format | undefined
  /** Value of the header that names ignored parameters. Undefined if there are none. */
  ignored: string | undefined
}

const badOption = (name: string, text: string, allowed: string): Problem =>
  new Problem(
    'bad-option',
    `the option "${name}" is ${JSON.stringify(text.slice(0, 100))}; allowed is ${allowed}`,
  )

const wholeNumber =
  (name: string, min: number, max: number, fallback: number) => (text: string | undefined) => {
    if (text === undefined) return fallback
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= min && value <= max)) throw badOption(name, text, `a whole number from ${min} to ${max}`)
    return value
  }
const flag = (name: string) => (text: string | undefined) => {
  if (text === undefined || text === 'false') return false
  if (text !== 'true') throw badOption(name, text, 'true or false')
  return true
}
const probability = (text: string | undefined) => {
  if (text === undefined) return 0
  const value = /^([0-9]+\.?[0-9]*|\.[0-9]+)(e-?[0-9]+)?$/i.test(text) ? Number(text) : Number.NaN
  if (!(value >= 0 && value <= 1)) throw badOption('cutoff', text, 'a number from 0 to 1')
  return value
}

/** A position among results, from 1. A position after the last result is a 404 later, not a bad option. */
const position = (name: string, allowed: string) => (text: string | undefined) => {
  if (text === undefined) return 1
  if (!/^0*[1-9][0-9]*$/.test(text)) throw badOption(name, text, allowed)
  return Number(text)
}

/** Items of a page. */
export const countMax = 1_000
/** Items before a page. */
export const offsetMax = 10_000
/** The last rank that a page can reach without a cursor. */
export const rankMax = offsetMax + countMax

/** Parsers of the options by name. */
const readers = {
  config: (text: string | undefined) => text ?? 'default',
  count: wholeNumber('count', 1, countMax, 10),
  offset: wholeNumber('offset', 0, offsetMax, 0),
  cursor: (text: string | undefined) => text,
  cutoff: probability,
  homogeneousArrays: flag('homogeneousArrays'),
  attributes: (text: string | undefined) =>
    text
      ?.split(',')
      .map(name => name.trim())
      .filter(name => name !== ''),
  rank: position('rank', `a whole number from 1 to ${rankMax}`),
  column: position('column', '1'),
  multiselect: flag('multiselect'),
  query: (text: string | undefined) => text,
  highlight: flag('highlight'),
  parts: flag('parts'),
  format: (text: string | undefined) => {
    const format = formats.find(name => name === text)
    if (text !== undefined && format === undefined) throw badOption('format', text, formats.join(', '))
    return format
  },
}

/** Returns undefined if the percent-encoding is malformed. */
const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const isOption = (name: string): name is keyof typeof readers => Object.hasOwn(readers, name)

/** The error for malformed percent-encoding. It names the values that the option allows. */
const malformedOption = (name: keyof typeof readers, text: string): Problem => {
  try {
    readers[name](text)
  } catch (error) {
    if (error instanceof Problem)
      return new Problem('bad-option', `malformed percent-encoding: ${error.message}`)
    throw error
  }
  const allowed = badOption(name, text, 'text in UTF-8, with %25 for a percent sign')
  return new Problem('bad-option', `malformed percent-encoding: ${allowed.message}`)
}

const defaults: QueryOptions = {
  config: 'default',
  count: 10,
  offset: 0,
  cursor: undefined,
  cutoff: 0,
  homogeneousArrays: false,
  attributes: undefined,
  rank: 1,
  column: 1,
  multiselect: false,
  query: undefined,
  highlight: false,
  parts: false,
  format: undefined,
  ignored: undefined,
}

/** Ignores unknown names, and lists them in `ignored`. Throws 400 if a known option has a bad value or appears twice. */
export const readOptions = (search: string): QueryOptions => {
  if (search === '') return defaults
  const { texts, unknown } = readTexts(search)
  if (texts.has('cursor') && texts.has('offset'))
    throw new Problem(
      'bad-option',
      'the options "cursor" and "offset" are given together; allowed is one of them',
    )
  return {
    config: readers.config(texts.get('config')),
    count: readers.count(texts.get('count')),
    offset: readers.offset(texts.get('offset')),
    cursor: readers.cursor(texts.get('cursor')),
    cutoff: readers.cutoff(texts.get('cutoff')),
    homogeneousArrays: readers.homogeneousArrays(texts.get('homogeneousArrays')),
    attributes: readers.attributes(texts.get('attributes')),
    rank: readers.rank(texts.get('rank')),
    column: readers.column(texts.get('column')),
    multiselect: readers.multiselect(texts.get('multiselect')),
    query: readers.query(texts.get('query')),
    highlight: readers.highlight(texts.get('highlight')),
    parts: readers.parts(texts.get('parts')),
    format: readers.format(texts.get('format')),
    ignored: unknown && formatIgnoredParameters(unknown, Object.keys(readers)),
  }
}

/** Returns the texts of the options, and the names that are none. */
const readTexts = (search: string): { texts: Map<string, string>; unknown: string[] | undefined } => {
  const texts = new Map<string, string>()
  let unknown: string[] | undefined
  for (const part of search.split('&')) {
    if (part === '') continue
    const equals = part.indexOf('=')
    const name = decode(equals < 0 ? part : part.slice(0, equals))
    if (name === undefined || !isOption(name)) {
      unknown ??= []
      unknown.push(name ?? part.slice(0, equals < 0 ? undefined : equals))
      continue
    }
    if (texts.has(name))
      throw new Problem('bad-option', `the option "${name}" is given twice; allowed is once`)
    const text = equals < 0 ? '' : part.slice(equals + 1)
    const value = decode(text)
    if (value === undefined) throw malformedOption(name, text)
    texts.set(name, value)
  }
  return { texts, unknown }
}
