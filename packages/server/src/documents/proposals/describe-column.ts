/** Statistics of the values of one attribute. */
import { splitList } from '@querent/contract/csv-cells'
import type { TypeFit } from '@querent/contract/proposal'
import { type CountedValue, countFits, findReading, mayBePosition, type Reading } from './find-type.ts'

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
  /** Whether a document has several values. */
  isList: boolean
  /** Tells which documents have equal values: the same for columns that divide the documents in the same way. */
  division: string
}

export const describeColumn = (name: string, attributes: readonly unknown[], isTable: boolean): Column => {
  const present = attributes.filter(value => value !== undefined && value !== null && value !== '')
  const isOne = (value: unknown): boolean => !Array.isArray(value) || (mayBePosition(name) && isPair(value))
  const single = present.flatMap(value => (isOne(value) ? [value] : value))
  const nonNull = single.filter(value => value !== null && value !== undefined)
  const parts = isTable ? nonNull.flatMap(value => splitList(String(value)) ?? [String(value)]) : nonNull
  const partCounts = countValues(parts)
  const reading = findReading(
    name,
    partCounts.map(({ value }) => value),
    isTable,
  )
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
    fits: countFits(name, valueCounts, isTable),
    distinct,
    meanWords: mean(text => text.trim().split(/\s+/).length),
    meanCharacters: mean(text => text.length),
    wordShare: mean(text => (isWords(text) ? 1 : 0)),
    isList: !present.every(isOne) || parts.length > nonNull.length,
    division: writeDivision(attributes),
  }
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

/** Whether the list may be one place, longitude and latitude. */
const isPair = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 2 && value.every(part => typeof part === 'number')

/** Whether the text has words: no address, code or number, nor a beginning as `.de`. */
const isWords = (text: string): boolean =>
  /^[\p{L}\p{N}"'(¿¡#]/u.test(text) &&
  /\p{L}{2}/u.test(text) &&
  !/^(https?:|www\.)|^\S*[@_/\\]\S*$/.test(text)
