/** A simple and slow implementation of stacks by the contract (docs/query.md), to compare with. */
import { documentUri, type TestDocument } from './query-things.ts'

export interface Tuple {
  score: number
  values: string[]
}

/** An endpoint of a stack: its text in a path, and its meaning. */
export type OracleStep =
  | { kind: 'all' | 'alpha' }
  | { kind: 'words'; word: string }
  | { kind: 'thing'; tuples: Tuple[] }
  | {
      kind: 'filter'
      field: FilterField
      plain?: string
      tuples: Tuple[]
      /** Tuples without quotes whose whole text is also a value. */
      unquoted?: { parts: string[]; joined: string }[]
    }
  | { kind: 'size-range'; from?: string; to?: string; swapped?: boolean }
  | { kind: 'added-range'; from?: string; to?: string; swapped?: boolean }
  | { kind: 'sort'; name: SortName }
export type FilterField = 'tags' | 'kind' | 'size' | 'flag'
export type SortName = keyof typeof sorts

const encode = (text: string) => encodeURIComponent(text)

/** Puts every value in quotes, which is always allowed. */
export const tupleListText = (tuples: readonly Tuple[]): string =>
  tuples
    .map(
      ({ score, values }) =>
        `${score}(${values.map(value => `"${value.replaceAll(/["\\]/g, '\\$&')}"`).join(',')})`,
    )
    .join('|')

const rangePath = (name: string, ends: [string, string | undefined][], swapped = false): string => {
  const parameterSegments = ends.flatMap(([parameter, value]) =>
    value === undefined ? [] : [`/p/${parameter}/${encode(value)}`],
  )
  return `e/${name}${(swapped ? parameterSegments.toReversed() : parameterSegments).join('')}`
}

export const stepPath = (step: OracleStep): string => {
  switch (step.kind) {
    case 'all':
    case 'alpha':
      return `e/${step.kind}`
    case 'words':
      return `e/words/p/query/${encode(step.word)}`
    case 'thing':
      return `e/thing/p/id/${encode(tupleListText(step.tuples))}`
    case 'filter':
      return `e/${step.field}:FILTER/p/value/${encode(step.plain ?? tupleListText(step.tuples))}`
    case 'size-range':
      return rangePath(
        'size-range',
        [
          ['from', step.from],
          ['to', step.to],
        ],
        step.swapped,
      )
    case 'added-range':
      return rangePath(
        'added-range',
        [
          ['since', step.from],
          ['until', step.to],
        ],
        step.swapped,
      )
    case 'sort':
      return `e/${step.name}`
  }
}

export const stackPath = (stack: readonly OracleStep[]): string => stack.map(stepPath).join('/')

const wholeDay = /^\d{4}-\d{2}-\d{2}$/
const parseInstant = (date: string): number => Date.parse(wholeDay.test(date) ? `${date}T00:00:00Z` : date)

export const readValues = (document: TestDocument, field: FilterField): (string | number | boolean)[] => {
  const value = document[field]
  return Array.isArray(value) ? value : value === null ? [] : [value]
}

/** Returns the values that a facet filter selects. For an unquoted tuple, these are the readings with a count, or else its parts. */
export const findSelectedValues = (step: OracleStep, counts: ReadonlyMap<string, number>): string[] => {
  if (step.kind !== 'filter') return []
  if (!step.unquoted) return step.tuples.flatMap(({ values }) => values)
  return step.unquoted.flatMap(({ parts, joined }) => {
    if (!counts.has(joined)) return parts
    return parts.some(part => counts.has(part)) ? [...parts, joined] : [joined]
  })
}

/** Returns the best score of an alternative that matches, or undefined if the thing is filtered out. */
const filterScore = (
  document: TestDocument,
  field: FilterField,
  tuples: readonly Tuple[],
): number | undefined => {
  const documentValues = readValues(document, field)
  const matchingTuples = tuples.filter(({ values }) =>
    values.some(value =>
      documentValues.some(mine =>
        typeof mine === 'number' ? mine === Number(value) : String(mine) === value,
      ),
    ),
  )
  return matchingTuples.length === 0 ? undefined : Math.max(...matchingTuples.map(({ score }) => score))
}

const hasValueBetween = (values: number[], low: number, high: number) =>
  values.some(value => value >= low && value <= high)

/** Returns the score of the step as a factor, or undefined if the thing is filtered out. */
const scoreStep = (document: TestDocument, step: OracleStep): number | undefined => {
  switch (step.kind) {
    case 'all':
    case 'sort':
      return 1
    case 'alpha':
      return document.kind === 'alpha' ? 1 : undefined
    case 'words': {
      const text = [document.title, ...document.notes].join(' ').split(' ')
      return text.includes(step.word) ? 1 : undefined
    }
    case 'thing': {
      const matchingTuples = step.tuples.filter(({ values }) =>
        values.some(id => documentUri(id) === documentUri(document.id)),
      )
      return matchingTuples.length === 0 ? undefined : Math.max(...matchingTuples.map(({ score }) => score))
    }
    case 'filter':
      return filterScore(document, step.field, step.tuples)
    case 'size-range': {
      if (step.from === undefined && step.to === undefined) return 1
      const low = step.from === undefined ? -Infinity : Number(step.from)
      const high = step.to === undefined ? Infinity : Number(step.to)
      return hasValueBetween(document.size, low, high) ? 1 : undefined
    }
    case 'added-range': {
      if (step.from === undefined && step.to === undefined) return 1
      const low = step.from === undefined ? -Infinity : parseInstant(step.from)
      const dayMs = wholeDay.test(step.to ?? '') ? 86_400_000 - 1 : 0
      const high = step.to === undefined ? Infinity : parseInstant(step.to) + dayMs
      return document.added !== null && hasValueBetween([parseInstant(document.added)], low, high)
        ? 1
        : undefined
    }
  }
}

/** Compares in UTF-8 order, which is code point order. */
export const byText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

type Key = number | string | undefined
const sorts = {
  'by-size': {
    key: ({ size }: TestDocument): Key => (size.length > 0 ? Math.min(...size) : undefined),
    sign: 1,
  },
  'by-size-down': {
    key: ({ size }: TestDocument): Key => (size.length > 0 ? Math.max(...size) : undefined),
    sign: -1,
  },
  'by-added-down': {
    key: ({ added }: TestDocument): Key => (added === null ? undefined : parseInstant(added)),
    sign: -1,
  },
  'by-label': { key: ({ label }: TestDocument): Key => label ?? undefined, sign: 1 },
  'by-flag': { key: ({ flag }: TestDocument): Key => (flag === null ? undefined : Number(flag)), sign: 1 },
} as const

const compareKeys = (a: Key, b: Key, sign: number): number => {
  if (a === b) return 0
  if (a === undefined) return 1
  if (b === undefined) return -1
  return (a < b ? -1 : 1) * sign
}

export interface OracleResult {
  document: TestDocument
  uri: string
  /** Product of the tuple lists' scores. */
  score: number
}

/** The keys of the order, most important first: sorts, or the score (undefined). */
export const readOrder = (stack: readonly OracleStep[]): { byScore: boolean; ties: SortName[] } => {
  const names = stack.flatMap(step => (step.kind === 'sort' ? [step.name] : [])).toReversed()
  const last = stack.findLast(step => step.kind === 'sort' || step.kind === 'words')
  return { byScore: last?.kind !== 'sort', ties: names }
}

/** Compares by the contract's order, except for the score. */
export const compareTies =
  (ties: readonly SortName[]) =>
  (a: OracleResult, b: OracleResult): number => {
    for (const name of ties) {
      const { key, sign } = sorts[name]
      const order = compareKeys(key(a.document), key(b.document), sign)
      if (order !== 0) return order
    }
    return byText(a.uri, b.uri)
  }

/** Returns the results of a stack in their order, as far as free text does not decide it. */
export const evaluate = (
  documents: readonly TestDocument[],
  stack: readonly OracleStep[],
): OracleResult[] => {
  const results: OracleResult[] = []
  for (const document of documents) {
    let score: number | undefined = 1
    for (const step of stack) {
      const factor = scoreStep(document, step)
      score = score === undefined || factor === undefined ? undefined : score * factor
    }
    if (score !== undefined) results.push({ document, uri: documentUri(document.id), score })
  }
  const { byScore, ties } = readOrder(stack)
  const compare = compareTies(ties)
  return results.toSorted((a, b) => (byScore && a.score !== b.score ? b.score - a.score : compare(a, b)))
}

/** Returns the values of a field with their counts, by falling count, then by title. */
export const facetCounts = (results: readonly OracleResult[], field: FilterField): [string, number][] => {
  const counts = new Map<string, number>()
  for (const { document: thing } of results)
    for (const value of new Set(readValues(thing, field).map(String)))
      counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].toSorted(([a, m], [b, n]) => n - m || byText(a, b))
}
