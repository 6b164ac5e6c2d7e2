/** Options of a query: what stands behind the question mark (query-service.md, Paths). */
import { Problem } from '#errors'
import { formatIgnoredParameters } from '#http/ignored-parameters'
import { type Format, formats } from './formats/formats.ts'

export interface QueryOptions {
  config: string
  count: number
  offset: number
  cutoff: number
  homogeneousArrays: boolean
  /** Only these; undefined: all. */
  attributes: string[] | undefined
  rank: number
  column: number
  multiselect: boolean
  highlight: boolean
  /** Undefined: as `Accept` says. */
  format: Format | undefined
  /** Value of the header that names ignored parameters; undefined: every parameter is known. */
  ignored: string | undefined
}

const bad = (name: string, found: string, allowed: string): Problem =>
  new Problem(
    'bad-option',
    `the option "${name}" is ${JSON.stringify(found.slice(0, 100))}; allowed is ${allowed}`,
  )

const whole =
  (name: string, least: number, most: number, fallback: number) => (found: string | undefined) => {
    if (found === undefined) return fallback
    const value = /^[0-9]{1,9}$/.test(found) ? Number(found) : Number.NaN
    if (!(value >= least && value <= most)) throw bad(name, found, `a whole number from ${least} to ${most}`)
    return value
  }
const truth = (name: string) => (found: string | undefined) => {
  if (found === undefined || found === 'false') return false
  if (found !== 'true') throw bad(name, found, 'true or false')
  return true
}
const probability = (found: string | undefined) => {
  if (found === undefined) return 0
  const value = /^([0-9]+\.?[0-9]*|\.[0-9]+)(e-?[0-9]+)?$/i.test(found) ? Number(found) : Number.NaN
  if (!(value >= 0 && value <= 1)) throw bad('cutoff', found, 'a number from 0 to 1')
  return value
}

/** A place among results, from 1; what lies beyond the last one is not there, 404. */
const place = (name: string, allowed: string) => (found: string | undefined) => {
  if (found === undefined) return 1
  if (!/^0*[1-9][0-9]*$/.test(found)) throw bad(name, found, allowed)
  return Number(found)
}

/** As far as pages go: offset 10,000 and 100 results. */
export const rankMax = 10_100

/** Each option: its name and how its text becomes a value. */
const readers = {
  config: (found: string | undefined) => found ?? 'default',
  count: whole('count', 1, 100, 10),
  offset: whole('offset', 0, 10_000, 0),
  cutoff: probability,
  homogeneousArrays: truth('homogeneousArrays'),
  attributes: (found: string | undefined) =>
    found
      ?.split(',')
      .map(name => name.trim())
      .filter(name => name !== ''),
  rank: place('rank', `a whole number from 1 to ${rankMax}`),
  column: place('column', '1'),
  multiselect: truth('multiselect'),
  highlight: truth('highlight'),
  format: (found: string | undefined) => {
    const format = formats.find(name => name === found)
    if (found !== undefined && format === undefined) throw bad('format', found, formats.join(', '))
    return format
  },
}

/** Undefined where the percent-encoding is malformed. */
const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const isOption = (name: string): name is keyof typeof readers => Object.hasOwn(readers, name)

/** Malformed percent-encoding, in the words of the option that it should be. */
const malformed = (name: keyof typeof readers, text: string): Problem => {
  try {
    readers[name](text)
  } catch (error) {
    if (error instanceof Problem)
      return new Problem('bad-option', `malformed percent-encoding: ${error.message}`)
    throw error
  }
  const allowed = bad(name, text, 'text in UTF-8, with %25 for a percent sign')
  return new Problem('bad-option', `malformed percent-encoding: ${allowed.message}`)
}

const defaults: QueryOptions = {
  config: 'default',
  count: 10,
  offset: 0,
  cutoff: 0,
  homogeneousArrays: false,
  attributes: undefined,
  rank: 1,
  column: 1,
  multiselect: false,
  highlight: false,
  format: undefined,
  ignored: undefined,
}

/** Unknown names are ignored, and named in `ignored`; a known one given twice or with a bad value throws 400 that names it. */
export const readOptions = (search: string): QueryOptions => {
  if (search === '') return defaults
  const given = new Map<string, string>()
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
    if (given.has(name))
      throw new Problem('bad-option', `the option "${name}" is given twice; allowed is once`)
    const text = equals < 0 ? '' : part.slice(equals + 1)
    const value = decode(text)
    if (value === undefined) throw malformed(name, text)
    given.set(name, value)
  }
  return {
    config: readers.config(given.get('config')),
    count: readers.count(given.get('count')),
    offset: readers.offset(given.get('offset')),
    cutoff: readers.cutoff(given.get('cutoff')),
    homogeneousArrays: readers.homogeneousArrays(given.get('homogeneousArrays')),
    attributes: readers.attributes(given.get('attributes')),
    rank: readers.rank(given.get('rank')),
    column: readers.column(given.get('column')),
    multiselect: readers.multiselect(given.get('multiselect')),
    highlight: readers.highlight(given.get('highlight')),
    format: readers.format(given.get('format')),
    ignored: unknown && formatIgnoredParameters(unknown, Object.keys(readers)),
  }
}
