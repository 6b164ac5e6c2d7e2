/** Reads the options of a query by their rows in the contract's table (query-service.md, Query parameters). */
import {
  type NarrowingOptions,
  type QueryOptionName,
  type QueryOptionRow,
  type QueryOptionValues,
  queryOptionNames,
  queryOptions,
} from '@querent/contract/query-options'
import { Problem } from '#errors'
import { formatIgnoredParameters } from '#http/ignored-parameters'

export interface QueryOptions extends QueryOptionValues {
  /** Value of the header that names ignored parameters. Undefined if there are none. */
  ignored: string | undefined
}

const badOption = (name: string, text: string, allowed: string): Problem =>
  new Problem(
    'bad-option',
    `the option "${name}" is ${JSON.stringify(text.slice(0, 100))}; allowed is ${allowed}`,
  )

type OptionValue = QueryOptionValues[QueryOptionName]

/** Reads the text of an option. Throws Problem `bad-option`. */
const readOption = (name: QueryOptionName, text: string): OptionValue => {
  const row: QueryOptionRow = queryOptions[name]
  switch (row.type) {
    case 'text':
      return text
    case 'names':
      return text
        .split(',')
        .map(item => item.trim())
        .filter(item => item !== '')
    case 'flag':
      if (text !== 'true' && text !== 'false') throw badOption(name, text, 'true or false')
      return text === 'true'
    case 'choice':
      if (!row.values.includes(text)) throw badOption(name, text, row.values.join(', '))
      return text as OptionValue // one of the values of the row
    case 'position':
      if (!/^0*[1-9][0-9]*$/.test(text))
        throw badOption(name, text, row.max === 1 ? '1' : `a whole number from 1 to ${row.max}`)
      return Number(text)
    default:
      return readNumber(name, text, row)
  }
}

const readNumber = (
  name: QueryOptionName,
  text: string,
  { type, min, max }: Extract<QueryOptionRow, { min: number }>,
): number => {
  const isWhole = type === 'integer'
  const form = isWhole ? /^[0-9]{1,9}$/ : /^([0-9]+\.?[0-9]*|\.[0-9]+)(e-?[0-9]+)?$/i
  const value = form.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw badOption(name, text, `a ${isWhole ? 'whole number' : 'number'} from ${min} to ${max}`)
}

const defaultValue = (row: QueryOptionRow): OptionValue =>
  row.type === 'flag' ? false : 'default' in row ? (row.default as OptionValue) : undefined // of the type of its row

/** Returns a value for each option. `value` returns one of the type of its row. */
const fillOptions = (value: (name: QueryOptionName) => OptionValue): QueryOptionValues =>
  Object.fromEntries(queryOptionNames.map(name => [name, value(name)])) as unknown as QueryOptionValues

const defaults: QueryOptions = {
  ...fillOptions(name => defaultValue(queryOptions[name])),
  ignored: undefined,
}

const narrowingNames = queryOptionNames.filter(name => 'narrows' in queryOptions[name])

/** Returns the options that change which documents are results. */
export const pickNarrowing = (options: QueryOptions): NarrowingOptions =>
  Object.fromEntries(narrowingNames.map(name => [name, options[name]])) as unknown as NarrowingOptions // the same rows

/** Returns undefined if the percent-encoding is malformed. */
const decode = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const isOption = (name: string): name is QueryOptionName => Object.hasOwn(queryOptions, name)

/** The error for malformed percent-encoding. It names the values that the option allows. */
const malformedOption = (name: QueryOptionName, text: string): Problem => {
  try {
    readOption(name, text)
  } catch (error) {
    if (error instanceof Problem)
      return new Problem('bad-option', `malformed percent-encoding: ${error.message}`)
    throw error
  }
  const allowed = badOption(name, text, 'text in UTF-8, with %25 for a percent sign')
  return new Problem('bad-option', `malformed percent-encoding: ${allowed.message}`)
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
    ...fillOptions(name => {
      const text = texts.get(name)
      return text === undefined ? defaults[name] : readOption(name, text)
    }),
    ignored: unknown && formatIgnoredParameters(unknown, queryOptionNames),
  }
}

/** Returns the texts of the options, and the names that are none. */
const readTexts = (
  search: string,
): { texts: Map<QueryOptionName, string>; unknown: string[] | undefined } => {
  const texts = new Map<QueryOptionName, string>()
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
