/** Facets that group their values: into ranges, intervals, or the levels of a hierarchy (query-service.md, facet). */
import type { FieldFacet } from '@querent/contract/endpoints'
import {
  type DateInterval,
  labelPeriod,
  makeRange,
  rangeForms,
  readPeriod,
  readRange,
  type ValueRange,
} from '@querent/contract/facet-groups'
import { readFieldValue } from '@querent/contract/field-value'
import { type ZoneOffsets, zoneOffsets } from '@querent/contract/time-zone'
import { readFilterValue } from '@querent/contract/tuple-list'
import type { PlanNode } from '#engines/engine'
import type { EngineFacet, FacetGroups, FacetOption } from '#engines/facet'
import { createOptionFilter } from '#engines/option-filter'
import { type CollectionView, matchNone } from './collection-view.ts'
import { badValue } from './nodes.ts'

/** A value of the facet's filter. */
export interface SelectedGroup {
  /** As options name it. */
  label: string
  /** A document in the group satisfies one of these. They are parts of a node of kind `any`. */
  parts: PlanNode[]
}

/** The groups of a facet in one collection. */
export interface FacetGrouping {
  /** Reads the value of the facet's filter. Throws Problem `bad-parameter`; `subject` starts its message. */
  select: (text: string, subject: string) => SelectedGroup[]
  /** Returns the groups to count. In a hierarchy they are below the selected values. */
  groups: (selected: readonly SelectedGroup[]) => FacetGroups
  /** Turns the engine's groups into options, in their order. */
  options: (groups: readonly FacetOption[]) => FacetOption[]
  /** Returns the options with the one for documents without a value, in their order. */
  addMissing: (
    options: readonly FacetOption[],
    missing: number,
    selected: readonly SelectedGroup[],
  ) => FacetOption[]
}

export const isGrouped = ({ ranges, interval, separator }: FieldFacet): boolean =>
  ranges !== undefined || interval !== undefined || separator !== undefined

/** Returns undefined if the collection has no field of a fitting type. */
export const createGrouping = (
  { field, ranges, interval, separator, timeZone, missing = false }: FieldFacet,
  collection: CollectionView,
): FacetGrouping | undefined => {
  const type = collection.fields.get(field)?.type
  if (separator !== undefined) return type === 'keyword' ? hierarchy(field, separator, missing) : undefined
  if (type !== 'number' && type !== 'date') return undefined
  const readZone = () => (timeZone === undefined ? undefined : zoneOffsets(timeZone))
  const select: FacetGrouping['select'] = (text, subject) =>
    readRanges(
      { field, type, missing, unit: interval === 'week' ? interval : undefined },
      readZone(),
      text,
      subject,
    )
  const addMissing: FacetGrouping['addMissing'] = (options, count) => [...options, ...missingOption(count)]
  if (ranges !== undefined) {
    // The facet's filter does not need them, and a stack may repeat it.
    const readAll = () => ranges.flatMap(({ from, to }) => makeRange(type, from, to) ?? [])
    return {
      select,
      addMissing,
      groups: () => ({ by: 'ranges', ranges: readAll().map(rangeBounds) }),
      options: groups =>
        readAll().map(({ label }, index) => ({ value: label, count: countAt(groups, String(index)) })),
    }
  }
  if (typeof interval === 'number')
    return {
      select,
      addMissing,
      groups: () => ({ by: 'interval', size: interval }),
      options: groups =>
        ascending(groups).map(([key, count]) => ({ value: intervalLabel(key, interval), count })),
    }
  if (interval === undefined) return undefined
  return {
    select,
    addMissing,
    groups: () => {
      const zone = readZone()
      return { by: 'calendar', unit: interval, ...(zone && { zone }) }
    },
    options: groups => {
      const zone = readZone()
      return ascending(groups).map(([key, count]) => ({ value: labelPeriod(key, interval, zone), count }))
    },
  }
}

const missingOption = (count: number): FacetOption[] => (count > 0 ? [{ value: '', count }] : [])

/** The group of the documents without a value. */
const missingGroup = (field: string): SelectedGroup => ({
  label: '',
  parts: [{ kind: 'present', field, not: true }],
})

const countAt = (groups: readonly FacetOption[], key: string): number =>
  groups.find(({ value }) => value === key)?.count ?? 0

const ascending = (groups: readonly FacetOption[]): [key: number, count: number][] =>
  groups.map(({ value, count }): [number, number] => [Number(value), count]).sort(([a], [b]) => a - b)

/** `from` is inclusive, `to` exclusive. */
const rangeBounds = ({ from, to }: ValueRange): { from?: string | number; before?: string | number } => ({
  ...(from !== undefined && { from }),
  ...(to !== undefined && { before: to }),
})

/**
 * Intervals are multiples of a millionth, so that their bounds print as short decimals. Engines compute the same bounds
 * (packages/engine/src/search/facets/groups.rs).
 */
const intervalLabel = (key: number, size: number): string => {
  const isExact = Math.abs(key) < 2 ** 53
  const bound = (number: number) => {
    const value = Math.abs(number) < 2 ** 53 ? (number * Math.round(size * 1e6)) / 1e6 : number * size
    return Number.isFinite(value) ? String(value + 0) : ''
  }
  return `${bound(key)}..${bound(isExact ? key + 1 : nextNumber(key))}`
}

/** Returns the smallest 64-bit number above a number that is not zero. */
const nextNumber = (number: number): number => {
  const bits = new BigInt64Array(Float64Array.of(number).buffer)
  bits[0] = (bits[0] ?? 0n) + (number > 0 ? 1n : -1n)
  return new Float64Array(bits.buffer)[0] ?? number
}

interface GroupedField {
  field: string
  type: 'number' | 'date'
  missing: boolean
  unit: DateInterval | undefined
}

const readRanges = (
  { field, type, missing, unit }: GroupedField,
  zone: ZoneOffsets | undefined,
  text: string,
  subject: string,
): SelectedGroup[] => {
  const read = (value: string): SelectedGroup | undefined => {
    if (missing && value === '') return missingGroup(field)
    const range =
      readRange(type, value, zone) ?? (type === 'date' ? readPeriod(value, unit, zone) : undefined)
    if (range) return { label: range.label, parts: [{ kind: 'range', field, ...rangeBounds(range) }] }
    const typed = readFieldValue(type, value)
    return typed === undefined
      ? undefined
      : {
          label: String(typed),
          parts: [{ kind: 'filter', field, alternatives: [{ score: 1, values: [typed] }] }],
        }
  }
  const values = readFilterValue(text, value => read(value) !== undefined).flatMap(tuple => tuple.values)
  return values.map(value => {
    const group = read(value)
    if (!group) throw badValue(subject, value, `${rangeForms[type]}, or a tuple list of such values`)
    return group
  })
}

const hierarchy = (field: string, separator: string, missing: boolean): FacetGrouping => ({
  select: text =>
    readFilterValue(text)
      .flatMap(({ values }) => values)
      .map(path => {
        if (missing && path === '') return missingGroup(field)
        const start = path + separator
        return {
          label: path,
          parts: [
            { kind: 'filter', field, alternatives: [{ score: 1, values: [path] }] },
            { kind: 'range', field, from: start, before: textAfterPrefix(start) },
          ],
        }
      }),
  groups: selected => ({
    by: 'hierarchy',
    separator,
    parents: selected.map(({ label }) => label).filter(label => !missing || label !== ''),
  }),
  options: sortOptions,
  // Documents without a value are on the first level.
  addMissing: (options, count, selected) =>
    sortOptions([
      ...options.filter(({ value }) => value !== ''),
      ...(selected.every(({ label }) => label === '') ? missingOption(count) : []),
    ]),
})

const sortOptions = (options: readonly FacetOption[]): FacetOption[] =>
  options.toSorted((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)))

/** Returns the first text, by UTF-8 bytes, after all texts that start with the prefix. */
const textAfterPrefix = (prefix: string): string => {
  const characters = [...prefix]
  const next = (characters.pop()?.codePointAt(0) ?? 0) + 1
  // Surrogates are not characters.
  return characters.join('') + String.fromCodePoint(next >= 0xd800 && next <= 0xdfff ? 0xe000 : next)
}

/** Makes the filter of a facet. */
export const groupFilterNode = (groups: readonly SelectedGroup[]): PlanNode => {
  const parts = groups.flatMap(group => group.parts)
  const [first, ...others] = parts
  if (first === undefined) return matchNone
  return others.length === 0 ? first : { kind: 'any', parts, not: false }
}

/** The requested page of options. */
export interface GroupPage {
  offset: number
  count: number
  cutoff: number
  query?: string | undefined
  statistics: boolean
}

/** Makes the facet of a reply. `countDocuments` counts the documents of a group that is not an option. */
export const finishGroups = async (
  { options: groups, missing, summary }: EngineFacet,
  grouping: FacetGrouping,
  selected: readonly SelectedGroup[],
  page: GroupPage,
  countDocuments: (group: SelectedGroup) => Promise<number>,
): Promise<EngineFacet> => {
  const groupOptions = grouping.options(groups)
  const allOptions =
    missing === undefined ? groupOptions : grouping.addMissing(groupOptions, missing, selected)
  const counts = new Map(allOptions.map(({ value, count }) => [value, count]))
  const countSelected = async (group: SelectedGroup): Promise<FacetOption> => ({
    value: group.label,
    count: counts.get(group.label) ?? (await countDocuments(group)),
  })
  return {
    ...pageOptions(allOptions, page, ({ value }) => value),
    selected: await Promise.all(selected.map(countSelected)),
    ...(missing !== undefined && { missing }),
    ...(summary && { summary }),
  }
}

/** Returns the requested page of all options. `title` is the text that `query` searches. */
export const pageOptions = <Option extends FacetOption>(
  allOptions: readonly Option[],
  page: GroupPage,
  title: (option: Option) => string,
): Omit<EngineFacet, 'selected'> => {
  const largest = allOptions.reduce((maximum, { count }) => Math.max(maximum, count), 0)
  const share = (count: number) => (largest > 0 ? count / largest : 0)
  const accepts = createOptionFilter(page.query ?? '')
  const options = allOptions.filter(option => share(option.count) >= page.cutoff && accepts(title(option)))
  return {
    options: options.slice(page.offset, page.offset + page.count),
    distinct: options.length,
    largest,
    ...(page.statistics && {
      statistics: shares.map(minimum => options.filter(({ count }) => share(count) >= minimum).length),
    }),
  }
}

const shares = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0]
