/** Finds the type of the values of an attribute, and counts the values that each type takes. */
import { isGeometry, isLatitudeFirst } from '@querent/contract/geo-value'
import { type ProposedType, type TypeFit, takesNearlyAll } from '@querent/contract/proposal'
import { compileValueReader, isEmptyWord, isNumberWith, stripUnit } from '@querent/contract/read-value'
import type { Field, PairOrder } from '@querent/contract/workspace-file'
import { dateForms, digitForm } from './date-forms.ts'
import { rankMeasureName } from './rank-names.ts'

/** How an attribute is read. */
export interface Reading {
  type: ProposedType
  formats?: string[]
  decimal?: ',' | '.'
  pairs?: PairOrder
}

const epochFormats = ['epoch-seconds', 'epoch-milliseconds']
const formatsMax = 3
/** A format that reads none of the first values is not tried on the others. */
const triedValues = 200
const dateCharactersMax = 50
/** A day and a year with something between them, or the name of a month and a year. */
const mayBeDate = /\d[^\d].*\d|\p{L}{3}.*\d{2}|\d{4}.*\p{L}{3}/u
/** A season such as `2010-11` is the year after, and no month. */
const isSeason = (value: unknown): boolean => {
  const [, year, next] = /^(\d{4})[-/](\d{2})$/.exec(String(value).trim()) ?? []
  return year !== undefined && (Number(year) + 1) % 100 === Number(next)
}

/** Names of numbers that count seconds or milliseconds. */
const epochName = /[Dd]ate|[Tt]ime|created|updated|modified|published|(^|[_.-])at$|[a-z]At$/
/** Names of numbers that people look up like words. */
const codeName =
  /(^|[_.\s-])(zip|postal|postcode|phone|tel|fax|isbn|issn|ean|gtin|upc|sku|fips|code|plz|postleitzahl|postcode|insee|siren|siret|cap|cep|codigo|código)([_.\s-]|$)|(zip|postal)?code$/i
/** MongoDB, DynamoDB and Firestore export numbers as texts under such names. */
const typedNumberName = /\.(\$number(Int|Long|Double|Decimal)|N|integerValue)$/
/** Names of days in languages other than English. */
const dayName = /(^|[_.\s-])(datum|fecha|data|dag|tag|day|jour|valuta)([_.\s-]|$)|datum$/i
/** A column of at least 20 different numbers holds days if each number can be a day. */
const digitDaysMin = 20
const placeName = /geo|location|coord|place|point|position|lat|^loc$/i

/** Reads a value as a field of the type would; undefined if the field does not take it. */
type Reader = (value: unknown) => unknown

/** Returns how a field of the type reads a value. `isTable`: values are cells. */
export const createReader = ({ type, formats, decimal, pairs }: Reading, isTable: boolean): Reader => {
  // Each type has only its own options.
  const read = compileValueReader({
    type,
    ...(type === 'date' && formats ? { formats } : {}),
    ...(type === 'number' && decimal ? { decimal } : {}),
    ...(type === 'geo' && pairs ? { pairs } : {}),
  } as Exclude<Field, { type: 'vector' }>)
  if (!isTable || type === 'text' || type === 'keyword') return read
  return value => {
    const text = String(value).trim()
    if (type === 'boolean') return read(/^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text)
    if (type === 'geo') return read(text) ?? read(text.replaceAll(' ', ''))
    return type === 'object' ? (isJsonCell(text) ? {} : undefined) : read(text)
  }
}

/** Lists as Python writes them, and lines that begin with a bracket, are texts. */
const isJsonCell = (text: string): boolean => {
  if (!/^[[{]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Returns the values without those that stand for no value in a field of the type. Cells are split into their parts already. */
const listValues = (type: ProposedType, values: readonly unknown[]): readonly unknown[] =>
  values.filter(value => !isNone(type, value))

/** Words for no value are texts in every format. */
export const isNone = (type: ProposedType, value: unknown): boolean =>
  typeof value === 'string' && isEmptyWord(type, value)

/** Returns the type that takes all of these different values, and how it reads them. Texts are `keyword`. */
export const findReading = (name: string, values: readonly unknown[], isTable: boolean): Reading => {
  const takesAll = (reading: Reading): boolean => {
    const list = listValues(reading.type, values)
    return list.length > 0 && list.every(takes(createReader(reading, isTable)))
  }
  if (values.length === 0) return { type: 'keyword' }
  if (takesAll({ type: 'boolean' })) return { type: 'boolean' }
  const number = findNumber(name, values, isTable, takesAll)
  if (number) return number
  if (!values.every(value => typeof value === 'number')) {
    const formats = findDateFormats(values, isTable)
    if (formats && takesAll({ type: 'date', formats }))
      return { type: 'date', ...(formats.length > 0 ? { formats } : {}) }
  }
  const place = mayBePlace(name, values) ? findPlace(name, values, takesAll) : undefined
  if (place) return place
  if (takesAll({ type: 'object' })) return { type: 'object' }
  return { type: values.every(value => typeof value !== 'object') ? 'keyword' : 'object' }
}

const takes = (reader: Reader) => (value: unknown) => reader(value) !== undefined

const findNumber = (
  name: string,
  values: readonly unknown[],
  isTable: boolean,
  takesAll: (reading: Reading) => boolean,
): Reading | undefined => {
  const numbers = listValues('number', values)
  const texts = numbers.map(value => String(value).trim())
  // Codes such as 007 and +31, and numbers that lose digits, stay text.
  const hasCode = texts.some(text => /^-?0[0-9]|^-?[0-9]{16,}$/.test(text)) || hasTelephone(texts)
  const isWhole = texts.every(text => /^[0-9]+$/.test(text))
  // A text of digits in JSON is more likely a code than a number, unless its name is that of a measure, or other documents have numbers.
  const isDigitText =
    !isTable &&
    isWhole &&
    rankMeasureName(name) < 2 &&
    !typedNumberName.test(name) &&
    !numbers.some(value => typeof value === 'number')
  const mayBeDays = epochName.test(name) || dayName.test(name) || texts.length >= digitDaysMin
  if (isWhole && mayBeDays && texts.every(isDigitDay)) return { type: 'date', formats: [digitForm] }
  if (hasCode || isDigitText || (isWhole && codeName.test(name))) return undefined
  if (takesAll({ type: 'number' }) && !areThousands(texts)) {
    const format = isWhole && epochName.test(name) ? findEpoch(texts) : undefined
    return format ? { type: 'date', formats: [format] } : { type: 'number' }
  }
  const decimals = haveDecimalCommas(texts) ? ([',', '.'] as const) : (['.'] as const)
  // Numbers that are all in parentheses are marks, such as those of notes.
  if (texts.every(text => text.includes('('))) return undefined
  const decimal = decimals.find(candidate => takesAll({ type: 'number', decimal: candidate }))
  return decimal && { type: 'number', decimal }
}

/** Whether a value tells that commas stand before decimals, as `9,90` and `0,107` do. A comma before three digits alone may be one of thousands, and a point too. */
const haveDecimalCommas = (texts: readonly string[]): boolean =>
  areThousands(texts) ||
  texts.some(
    text =>
      (isNumberWith(',', text) && !isNumberWith('.', text)) ||
      /\d[\s\u2019']\d{3}[\s\u2019']\d/.test(stripUnit(text)),
  )

/** Whether a plus sign begins a telephone number. It also stands before decimals, and where other numbers have a minus sign. */
const hasTelephone = (texts: readonly string[]): boolean => {
  const signed = texts.filter(text => text.startsWith('+'))
  const isSigned = (text: string) => /^\+\d{1,3}[.,]\d+$/.test(text)
  const isMeasure =
    texts.some(text => text.startsWith('-')) && texts.every(text => /^[+-]?\d{1,5}$/.test(text))
  return !isMeasure && !signed.every(isSigned)
}

const thousandsMin = 5

/**
 * Whether points stand before thousands, as in `2.617` beside `812`: with all three digits after each point, and none after 0. Decimals have as
 * many digits in each value, or different numbers of them.
 */
const areThousands = (texts: readonly string[]): boolean =>
  texts.every(text => /^-?(?:[1-9]\d{0,2}(?:\.\d{3})*|0)$/.test(text)) &&
  texts.filter(text => text.includes('.')).length >= thousandsMin &&
  texts.some(text => !text.includes('.') || text.indexOf('.') !== text.lastIndexOf('.'))

/** Whether eight digits are a day from 1900 to 2099. */
const isDigitDay = (text: string): boolean => /^(19|20)\d{6}$/.test(text) && readDigitDay(text) !== undefined
const readDigitDay = compileValueReader({ type: 'date', formats: [digitForm] })

/** Seconds from 1990 to 2100. */
const epochSecondsMin = Date.UTC(1990) / 1000
const epochSecondsMax = Date.UTC(2100) / 1000

const findEpoch = (texts: readonly string[]): string | undefined =>
  epochFormats.find((_, index) => {
    const unit = index === 0 ? 1 : 1000
    return texts.every(
      text => Number(text) >= epochSecondsMin * unit && Number(text) <= epochSecondsMax * unit,
    )
  })

/** Returns up to three formats that together read most of the values; none if they are dates as they are. Undefined if they are no dates. */
const findDateFormats = (values: readonly unknown[], isTable: boolean): string[] | undefined => {
  let rest = listValues('date', values).filter(
    value => !takes(createReader({ type: 'date' }, isTable))(value),
  )
  const formats: string[] = []
  if (rest.length > 0 && rest.every(isSeason)) return undefined
  while (rest.length > 0 && formats.length < formatsMax) {
    const [best] = rankFormats(rest, isTable)
    if (best === undefined) return formats.length > 0 ? formats : undefined
    formats.push(best.format)
    rest = best.rest
  }
  return formats
}

const rankFormats = (values: readonly unknown[], isTable: boolean): { format: string; rest: unknown[] }[] => {
  const start = values
    .slice(0, triedValues)
    .filter(value => String(value).length <= dateCharactersMax && mayBeDate.test(String(value)))
  if (start.length === 0) return []
  return dateForms
    .map(format => ({ format, read: takes(createReader({ type: 'date', formats: [format] }, isTable)) }))
    .filter(({ read }) => start.some(read))
    .map(({ format, read }) => ({ format, rest: values.filter(value => !read(value)) }))
    .toSorted((one, next) => one.rest.length - next.rest.length)
}

/** Whether a list of two numbers may be a place. */
export const mayBePosition = (name: string): boolean => placeName.test(name)

/** Returns the orders of two numbers that make a place, the likely one first. */
const rankPairOrders = (name: string): readonly [PairOrder, PairOrder] =>
  isLatitudeFirst(name) ? ['lat-lon', 'lon-lat'] : ['lon-lat', 'lat-lon']

const findPlace = (
  name: string,
  values: readonly unknown[],
  takesAll: (reading: Reading) => boolean,
): Reading | undefined => {
  if (!values.some(Array.isArray))
    return takesAll({ type: 'geo' }) || areMostlyPoints(values) ? { type: 'geo' } : undefined
  const pairs = rankPairOrders(name).find(order => takesAll({ type: 'geo', pairs: order }))
  return pairs && { type: 'geo', pairs }
}

/** Whether the values are geometries and more than half of them points. Lines and areas are no places. */
const areMostlyPoints = (values: readonly unknown[]): boolean =>
  values.every(isGeometry) &&
  values.filter(takes(createReader({ type: 'geo' }, false))).length > values.length / 2

const mayBePlace = (name: string, values: readonly unknown[]): boolean =>
  values.every(value => typeof value === 'object' && !Array.isArray(value)) ||
  placeName.test(name) ||
  values.every(isGeometry)

/** Types that reject some values. The others take all texts. */
const strictTypes = ['number', 'date', 'boolean', 'geo', 'object'] as const

/** A value with the number of its occurrences. */
export interface CountedValue {
  value: unknown
  count: number
}

/** Counts the values that each type takes, for types that don't take all of them as they are. `pairs`: the values as lists of two numbers, if all are. */
export const countFits = (
  name: string,
  counted: readonly CountedValue[],
  isTable: boolean,
  pairs: readonly CountedValue[],
): TypeFit[] => {
  const values = counted.map(({ value }) => value)
  const total = sumCounts(counted)
  const count = (reading: Reading) => {
    const fits = takes(createReader(reading, isTable))
    // A word for no value is nothing that the type rejects.
    return sumCounts(counted.filter(({ value }) => isNone(reading.type, value) || fits(value)))
  }
  const findOptions = (type: ProposedType): Omit<Reading, 'type'> => {
    if (type === 'number') return decimalOptions(values, count)
    return type === 'date' ? formatOptions(values, isTable) : {}
  }
  return strictTypes.flatMap((type): TypeFit[] => {
    if (type === 'geo' && pairs.length > 0) return [countPairs(name, pairs, total)]
    const plain = count({ type })
    if (plain === total) return []
    const options = findOptions(type)
    const fitting = Object.keys(options).length > 0 ? count({ type, ...options }) : plain
    const best = fitting > plain ? { type, ...options } : { type }
    const rejected = takesNearlyAll(fitting, total) ? listRejected(name, values, best, isTable) : []
    const swapped = fitting === total ? swapOrder(options.formats) : undefined
    const isOrderOpen = swapped !== undefined && count({ type, formats: [swapped] }) === total
    return [
      {
        ...best,
        plain,
        fitting,
        ...(rejected.length > 0 ? { rejected } : {}),
        ...(isOrderOpen ? { swappedFormat: swapped } : {}),
      },
    ]
  })
}

/** Both numbers of a pair that is a place fit. */
const countPairs = (name: string, pairs: readonly CountedValue[], total: number): TypeFit => {
  const orders = rankPairOrders(name)
  const [likely, other] = orders.map(order => {
    const fits = takes(createReader({ type: 'geo', pairs: order }, false))
    const share = sumCounts(pairs.filter(({ value }) => fits(value))) / sumCounts(pairs)
    return { order, fitting: Math.round(share * total) }
  }) as [PairCount, PairCount]
  const best = other.fitting > likely.fitting ? other : likely
  const isOrderOpen = likely.fitting === total && other.fitting === total
  return {
    type: 'geo',
    pairs: best.order,
    plain: likely.order === 'lon-lat' ? likely.fitting : other.fitting,
    fitting: best.fitting,
    ...(isOrderOpen ? { swappedPairs: other.order } : {}),
  }
}
interface PairCount {
  order: PairOrder
  fitting: number
}

/** Returns the only format with day and month in the other order, if people write both. */
const swapOrder = (formats: readonly string[] = []): string | undefined => {
  const [format = ''] = formats
  const swapped = format.replace(
    /^(MM|dd)([/-])(MM|dd)(?=\2y)/,
    (_, one: string, sign: string, next: string) => next + sign + one,
  )
  return formats.length === 1 && swapped !== format ? swapped : undefined
}

const rejectedMax = 3
const rejectedCharacters = 40

/** Types that a few mistakes make a text. */
const nearTypes: readonly ProposedType[] = ['number', 'date']

/** Returns some of the values that the type does not take, unless the others are codes rather than values of the type. */
const listRejected = (
  name: string,
  values: readonly unknown[],
  reading: Reading,
  isTable: boolean,
): string[] => {
  if (!nearTypes.includes(reading.type)) return []
  const takesValue = takes(createReader(reading, isTable))
  const fits = (value: unknown) => isNone(reading.type, value) || takesValue(value)
  if (findReading(name, values.filter(fits), isTable).type !== reading.type) return []
  return values
    .filter(value => !fits(value))
    .slice(0, rejectedMax)
    .map(value => String(value).slice(0, rejectedCharacters))
}

const sumCounts = (counted: readonly CountedValue[]): number =>
  counted.reduce((sum, { count }) => sum + count, 0)

/** Returns the sign that reads more of the values. If both read as many, it is the one that {@link findReading} takes. */
const decimalOptions = (
  values: readonly unknown[],
  count: (reading: Reading) => number,
): Omit<Reading, 'type'> => {
  const points = count({ type: 'number', decimal: '.' })
  const commas = count({ type: 'number', decimal: ',' })
  if (points !== commas) return { decimal: points > commas ? '.' : ',' }
  const texts = listValues('number', values).map(value => String(value).trim())
  return { decimal: haveDecimalCommas(texts) ? ',' : '.' }
}

const formatOptions = (values: readonly unknown[], isTable: boolean): Omit<Reading, 'type'> => {
  const formats = findDateFormats(values, isTable)
  return formats && formats.length > 0 ? { formats } : {}
}
