/** Statistics of the values of one attribute. */
import { splitAt, splitList } from '@querent/contract/csv-cells'
import { isPictureAddress } from '@querent/contract/pictures'
import type { TypeFit } from '@querent/contract/proposal'
import { findSeparators } from './find-separators.ts'
import { type CountedValue, countFits, findReading, mayBePosition, type Reading } from './find-type.ts'
import { lastStep } from './rank-names.ts'

export interface Column extends Reading {
  name: string
  /** Number of documents with a value. */
  present: number
  /** Number of values. */
  values: number
  fits: TypeFit[]
  /** Different values as text, with the number of their occurrences. */
  distinct: ReadonlyMap<string, number>
  meanWords: number
  meanCharacters: number
  /** Share of the values that have a letter, and no sign of an address or a code. */
  wordShare: number
  /** Whether a person or a spreadsheet wrote the numbers, so that they have a decimal sign. Numbers of JSON always have a point. */
  isWritten: boolean
  /** Whether a document has several values. */
  isList: boolean
  /** Between several values of one text. Undefined: each text is one value. */
  listSeparator: string | undefined
  /** Signs that may be a separator too. */
  listSeparators: string[]
  /** Whether the values are pictures or their addresses, which nobody searches. */
  isPicture: boolean
  /** Tells which documents have equal values: the same for columns that divide the documents in the same way. */
  division: string
}

export const describeColumn = (name: string, attributes: readonly unknown[], isTable: boolean): Column => {
  const present = attributes.filter(value => value !== undefined && value !== null && value !== '')
  const isOne = (value: unknown): boolean => !Array.isArray(value) || (mayBePosition(name) && isPair(value))
  const single = present.flatMap(value => (isOne(value) ? [value] : value))
  const nonNull = single.filter(value => value !== null && value !== undefined)
  const cells = isTable ? nonNull.flatMap(value => splitList(String(value)) ?? [String(value)]) : nonNull
  const { listSeparator, listSeparators } = findSigns(name, nonNull, cells, isTable)
  const parts =
    listSeparator === undefined ? cells : cells.flatMap(cell => splitAt(String(cell), listSeparator) ?? cell)
  const partCounts = countValues(parts)
  const reading = readDifferent(name, partCounts, isTable)
  const valueCounts = isTable && reading.type === 'text' ? countValues(nonNull) : partCounts
  const distinct = new Map<string, number>()
  for (const { value, count } of valueCounts) {
    const text = writeText(value)
    distinct.set(text, (distinct.get(text) ?? 0) + count)
  }
  const values = [...distinct.values()].reduce((sum, count) => sum + count, 0)
  const mean = (measure: (text: string) => number): number =>
    values === 0 ? 0 : [...distinct].reduce((sum, [text, count]) => sum + measure(text) * count, 0) / values
  return {
    name,
    ...reading,
    present: present.length,
    values,
    fits: countFits(name, valueCounts, isTable, present.every(isPair) ? countValues(present) : []),
    distinct,
    meanWords: mean(text => text.trim().split(/\s+/).length),
    meanCharacters: mean(text => text.length),
    wordShare: mean(text => (isWords(text) ? 1 : 0)),
    isWritten: isTable || nonNull.every(value => typeof value === 'string'),
    isList: !present.every(isOne) || parts.length > nonNull.length,
    listSeparator,
    listSeparators,
    isPicture: arePictures(name, [...distinct.keys()].slice(0, picturesTried)),
    division: writeDivision(attributes),
  }
}

const readDifferent = (name: string, counted: readonly CountedValue[], isTable: boolean): Reading =>
  findReading(
    name,
    counted.map(({ value }) => value),
    isTable,
  )

/** `cells`: the values, split as those of any table. Numbers, dates and places have signs of their own. */
const findSigns = (
  name: string,
  values: readonly unknown[],
  cells: readonly unknown[],
  isTable: boolean,
): ReturnType<typeof findSeparators> => {
  const { type } = readDifferent(name, countValues(cells), isTable)
  return type === 'keyword' ? findSeparators(name, values) : { listSeparator: undefined, listSeparators: [] }
}

const picturesTried = 200
/** A few addresses may be missing, or say that there is no picture. */
const pictureShareMin = 0.9

const arePictures = (name: string, texts: readonly string[]): boolean => {
  const pictures = texts.filter(
    text => /^\s*<svg|^data:\S+[;,]|^M[\d.\s-]+[a-z]/i.test(text) || isPictureAddress(lastStep(name), text),
  )
  return pictures.length > 0 && pictures.length >= pictureShareMin * texts.length
}

/** Numbers the different values in the order of their first document. */
const writeDivision = (attributes: readonly unknown[]): string => {
  const numbers = new Map<string, number>()
  const parts = attributes.map(value => {
    const text = value === undefined || value === null ? '' : writeText(value)
    const number = numbers.get(text) ?? numbers.size
    numbers.set(text, number)
    return number
  })
  return parts.join(',')
}

const writeText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Counts equal values. A number and its text differ. */
const countValues = (values: readonly unknown[]): CountedValue[] => {
  const counts = new Map<unknown, CountedValue>()
  for (const value of values) {
    const key = typeof value === 'object' ? JSON.stringify(value) : value
    const entry = counts.get(key)
    if (entry) entry.count += 1
    else counts.set(key, { value, count: 1 })
  }
  return [...counts.values()]
}

/** Whether the list may be one place. */
const isPair = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every(part => typeof part === 'number')

/** Whether the text has words: no address, code or number, nor a beginning as `.de`. */
const isWords = (text: string): boolean =>
  /^[\p{L}\p{N}"'(¿¡#]/u.test(text) &&
  /\p{L}{2}/u.test(text) &&
  !/^(https?:|www\.)|^\S*[@_/\\]\S*$/.test(text)
