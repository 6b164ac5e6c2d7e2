/** A slow and obvious search in memory, without text matching, that engines are compared with. */
import type { EngineField, Plan, PlanNode, Reply, SortKey } from '#engines/engine'
import type { EngineFacet, FacetOption, FacetRequest } from '#engines/facet'

/** Documents with their searchable fields. */
export interface Shelf {
  fields: readonly EngineField[]
  documents: ReadonlyMap<string, Attributes>
}
export type Attributes = Readonly<Record<string, unknown>>

type Value = string | number | boolean
/** A document that satisfies the plan. */
interface Match {
  id: string
  attributes: Attributes
  score: number
}

export const toEntity = (id: string, attributes: Attributes): string =>
  JSON.stringify({ id, class: [], attributes })

/**
 * Answers a plan whose scores must be powers of two, so that the order of multiplications causes no rounding. `roundScore` rounds scores as
 * the engine keeps them: documents whose scores are then equal are in the order of their ids.
 */
export function searchInMemory(shelf: Shelf, plan: Plan, roundScore = (score: number) => score): Reply {
  const factors = plan.nodes.map(node => factorIn(shelf, node))
  const conditions = [...factors, ...plan.restrictions.map(node => factorIn(shelf, node))]
  const satisfying = [...shelf.documents].filter(([id, attributes]) =>
    conditions.every(factor => factor(id, attributes) > 0),
  )
  const mixes = plan.nodes.filter(node => node.kind === 'mix').map(node => mixScores(shelf, node, satisfying))
  const matches = satisfying.map(([id, attributes]): Match => {
    const sum = mixes.length === 0 ? 1 : mixes.reduce((total, mix) => total + (mix.get(id) ?? 0), 0)
    const score = factors.reduce((total, factor) => total * factor(id, attributes), sum)
    return { id, attributes, score: roundScore(score) }
  })
  const best = maximum(matches.map(({ score }) => score))
  const results = matches.filter(({ score }) => score / best >= plan.cutoff)
  const sorted = sortMatches(shelf, results, plan.order)
  const page = sorted.slice(plan.offset, plan.offset + plan.count)
  const scores = results.map(({ score }) => score)
  return {
    total: results.length,
    best,
    ...(plan.statistics && { statistics: steps(scores, best) }),
    ...(plan.facet && { facet: countFacet(shelf, results, plan.facet, plan.statistics) }),
    hits: page.map(({ id, attributes, score }) => ({ entity: toEntity(id, attributes), score })),
  }
}

/** Returns the factor of a node for the score of a document; 0 if the document does not satisfy it. */
function factorIn(shelf: Shelf, node: PlanNode): (id: string, attributes: Attributes) => number {
  switch (node.kind) {
    case 'all':
      return () => 1
    case 'lookup':
    case 'filter': {
      const field = node.kind === 'lookup' ? undefined : fieldIn(shelf, node.field)
      const alternatives = node.alternatives.map(({ score, values }) => ({
        score,
        allowed: values.map(value => valueRange(field, value)),
      }))
      return (id, attributes) => {
        const values = field ? readValues(field, attributes) : [id]
        const matching = alternatives.filter(({ allowed }) =>
          allowed.some(([first, last]) => values.some(value => isWithin(value, first, last))),
        )
        return maximum(matching.map(({ score }) => score))
      }
    }
    case 'range': {
      const field = fieldIn(shelf, node.field)
      const min = node.from === undefined ? undefined : valueRange(field, node.from)[0]
      const max = node.to === undefined ? undefined : valueRange(field, node.to)[1]
      return (_, attributes) =>
        readValues(field, attributes).some(value => isWithin(value, min, max)) ? 1 : 0
    }
    case 'mix': {
      const parts = node.parts.map(part => factorIn(shelf, part.node))
      return (id, attributes) => (parts.some(part => part(id, attributes) > 0) ? 1 : 0)
    }
    case 'present': {
      const field = fieldIn(shelf, node.field)
      const hasValue = (attributes: Attributes) => readValues(field, attributes).some(value => value !== '')
      return (_, attributes) => (hasValue(attributes) === node.not ? 0 : 1)
    }
    case 'any': {
      const parts = node.parts.map(part => factorIn(shelf, part))
      return (id, attributes) => (parts.some(part => part(id, attributes) > 0) === node.not ? 0 : 1)
    }
    case 'boost': {
      const { rule } = node
      if (rule.by !== 'value') throw new Error(`the search in memory does not boost by ${rule.by}`)
      const hasValue = factorIn(shelf, {
        kind: 'filter',
        field: node.field,
        alternatives: [{ score: 1, values: rule.values }],
      })
      return (id, attributes) => (hasValue(id, attributes) > 0 ? rule.factor : 1)
    }
    default:
      throw new Error(`the search in memory does not support ${node.kind}`)
  }
}

/** Returns the scores that a mix adds to these documents. */
function mixScores(
  shelf: Shelf,
  { parts, by }: Extract<PlanNode, { kind: 'mix' }>,
  satisfying: [string, Attributes][],
): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { weight, node } of parts) {
    const factor = factorIn(shelf, node)
    const partMatches = satisfying
      .map(([id, attributes]) => ({ id, score: factor(id, attributes) }))
      .filter(({ score }) => score > 0)
    const readShare = distributionShare(partMatches.map(({ score }) => score))
    const better = new Map<number, number>()
    for (const score of new Set(partMatches.map(one => one.score)))
      better.set(score, partMatches.filter(one => one.score > score).length)
    for (const { id, score } of partMatches) {
      const share = by === 'rank' ? 1 / (10 + 1 + (better.get(score) ?? 0)) : readShare(score)
      sums.set(id, (sums.get(id) ?? 0) + weight * share)
    }
  }
  // Engines store these scores in 24 bits.
  return new Map([...sums].map(([id, sum]) => [id, Math.fround(sum)]))
}

/** Distribution-based score fusion: three standard deviations below the mean are 0, three above it are 1. */
export const distributionShare = (scores: readonly number[]): ((score: number) => number) => {
  const best = scores.toSorted((left, right) => right - left).slice(0, 1_000)
  const mean = best.reduce((sum, score) => sum + score, 0) / best.length
  const squares = best.reduce((sum, score) => sum + (score - mean) * (score - mean), 0)
  const deviation = Math.sqrt(squares / best.length)
  return score => (deviation === 0 ? 0.5 : Math.max(0.001, (score - mean) / (6 * deviation) + 0.5))
}

/** Sorts by the keys in turn, with missing values last in both directions, then by id. */
function sortMatches(shelf: Shelf, results: Match[], order: SortKey[]): Match[] {
  const keys = order.map(key => {
    if (key.by === 'score') return { sign: -1, readValue: ({ score }: Match): Value | undefined => score }
    if (key.by === 'distance') throw new Error('the search in memory does not support distances')
    const field = fieldIn(shelf, key.field)
    const sign = key.order === 'ascending' ? 1 : -1
    const readValue = ({ attributes }: Match): Value | undefined => {
      return readValues(field, attributes).sort((a, b) => sign * compareSorted(a, b))[0]
    }
    return { sign, readValue }
  })
  const rows = results.map(one => ({ one, values: keys.map(({ readValue }) => readValue(one)) }))
  rows.sort((a, b) => {
    for (const [index, { sign }] of keys.entries()) {
      const [valueA, valueB] = [a.values[index], b.values[index]]
      if (valueA === undefined || valueB === undefined) {
        if (valueA !== valueB) return valueA === undefined ? 1 : -1
      } else if (compareSorted(valueA, valueB) !== 0) return sign * compareSorted(valueA, valueB)
    }
    return compareValues(a.one.id, b.one.id)
  })
  return rows.map(({ one }) => one)
}

function countFacet(
  shelf: Shelf,
  results: Match[],
  { field: name, offset, count, selected, cutoff = 0 }: FacetRequest,
  statistics: boolean,
): EngineFacet {
  const field = fieldIn(shelf, name)
  const counts = new Map<string, number>()
  for (const { attributes } of results)
    for (const value of new Set(readValues(field, attributes).map(one => formatValue(field, one))))
      counts.set(value, (counts.get(value) ?? 0) + 1)
  const largest = maximum([...counts.values()])
  const options = [...counts]
    .map(([value, times]): FacetOption => ({ value, count: times }))
    .filter(option => option.count / largest >= cutoff)
    .sort((a, b) => b.count - a.count || compareValues(a.value, b.value))
  const times = options.map(option => option.count)
  return {
    options: options.slice(offset, offset + count),
    selected: selected.map(value => countSelected(field, value, results)),
    distinct: options.length,
    largest,
    ...(statistics && { statistics: steps(times, largest) }),
  }
}

/** Returns the option of a value; for a day with several options, the number of documents with any of them. */
function countSelected(field: EngineField, value: string, results: Match[]): FacetOption {
  const [first, last] = valueRange(field, value)
  const selectedValues = (attributes: Attributes) =>
    readValues(field, attributes).filter(one =>
      isWithin(field.type === 'date' ? one : String(one), first, last),
    )
  const options = new Set(
    results.flatMap(({ attributes }) => selectedValues(attributes).map(one => formatValue(field, one))),
  )
  const [singleOption = first === last ? formatValue(field, first) : value] = options
  const count = results.filter(({ attributes }) => selectedValues(attributes).length > 0).length
  return { value: options.size > 1 ? value : singleOption, count }
}

function steps(values: number[], largest: number): number[] {
  const cutoffs = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0]
  return cutoffs.map(cutoff => values.filter(value => value / largest >= cutoff).length)
}

function fieldIn({ fields }: Shelf, name: string): EngineField {
  const field = fields.find(one => one.name === name)
  if (field === undefined) throw new Error(`the shelf has no field ${name}`)
  return field
}

/** Returns the values of a field; dates as milliseconds. */
function readValues({ name, type }: EngineField, attributes: Attributes): Value[] {
  // The generator makes values of these types.
  const values = [attributes[name] ?? []].flat() as Value[]
  return type === 'date' ? values.map(value => Date.parse(String(value))) : values
}

/** Returns the first and the last value that are meant; the two ends for a whole day. */
function valueRange(field: EngineField | undefined, value: Value): [Value, Value] {
  if (field?.type !== 'date') return [value, value]
  const first = Date.parse(String(value))
  const isDay = String(value).length === 'YYYY-MM-DD'.length
  return [first, isDay ? first + 24 * 60 * 60 * 1000 - 1 : first]
}

/** Formats a value like in a facet. */
function formatValue({ type }: EngineField, value: Value): string {
  return type === 'date' ? new Date(Number(value)).toISOString().replace(/\.?0*Z$/, 'Z') : String(value)
}

/** Compares the first characters of texts without case and accents, then by code point. */
function compareSorted(a: Value, b: Value): number {
  if (typeof a !== 'string' || typeof b !== 'string') return compareValues(a, b)
  const [first, second] = [sortedPart(a), sortedPart(b)]
  return rootCollator.compare(first, second) || compareValues(first, second)
}

/** English sorts like the root collation. */
const rootCollator = new Intl.Collator('en', { sensitivity: 'base' })

const sortedPart = (text: string): string => [...text].slice(0, 100).join('')

function isWithin(value: Value, first: Value | undefined, last: Value | undefined): boolean {
  return (
    (first === undefined || compareValues(value, first) >= 0) &&
    (last === undefined || compareValues(value, last) <= 0)
  )
}

/** Compares texts by their UTF-8 bytes. JavaScript's own order is the same, except for surrogate pairs. */
function compareValues(a: Value, b: Value): number {
  if (typeof a !== 'string' || typeof b !== 'string') return Number(a) - Number(b)
  if (a === b) return 0
  if (surrogate.test(a) || surrogate.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : 1
}

const surrogate = /[\ud800-\udfff]/

/** Returns the largest number; 0 if there is none. */
function maximum(numbers: number[]): number {
  return numbers.reduce((largest, number) => Math.max(largest, number), 0)
}
