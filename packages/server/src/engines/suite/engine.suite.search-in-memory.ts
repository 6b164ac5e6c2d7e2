/** A search in memory that a reader can check by eye: what an engine is compared with. Slow, obvious, and without text. */
import type {
  EngineFacet,
  EngineField,
  FacetOption,
  FacetRequest,
  Plan,
  PlanNode,
  Reply,
  SortKey,
} from '#engines/engine'

/** Documents with the fields that are searched. */
export interface Shelf {
  fields: readonly EngineField[]
  documents: ReadonlyMap<string, Attributes>
}
export type Attributes = Readonly<Record<string, unknown>>

type Value = string | number | boolean
/** Places of the documents, and what of them satisfies the plan. */
interface Found {
  id: string
  attributes: Attributes
  score: number
}

export const entityOf = (id: string, attributes: Attributes): string =>
  JSON.stringify({ id, class: [], attributes })

/** Answers `wanted`, whose scores are powers of two, so that no order of multiplying rounds. */
export function searchInMemory(shelf: Shelf, wanted: Plan): Reply {
  const factors = wanted.nodes.map(node => factorIn(shelf, node))
  const conditions = [...factors, ...wanted.restrictions.map(node => factorIn(shelf, node))]
  const satisfying = [...shelf.documents].filter(([id, attributes]) =>
    conditions.every(factor => factor(id, attributes) > 0),
  )
  const mixes = wanted.nodes.filter(node => node.kind === 'mix').map(node => mixed(shelf, node, satisfying))
  const all = satisfying.map(([id, attributes]): Found => {
    const sum = mixes.length === 0 ? 1 : mixes.reduce((soFar, mix) => soFar + (mix.get(id) ?? 0), 0)
    return { id, attributes, score: factors.reduce((soFar, factor) => soFar * factor(id, attributes), sum) }
  })
  const best = largestOf(all.map(({ score }) => score))
  const found = all.filter(({ score }) => score / best >= wanted.cutoff)
  const sorted = inOrder(shelf, found, wanted.order)
  const page = sorted.slice(wanted.offset, wanted.offset + wanted.count)
  const scores = found.map(({ score }) => score)
  return {
    total: found.length,
    best,
    ...(wanted.statistics && { statistics: steps(scores, best) }),
    ...(wanted.facet && { facet: facetOf(shelf, found, wanted.facet, wanted.statistics) }),
    hits: page.map(({ id, attributes, score }) => ({ entity: entityOf(id, attributes), score })),
  }
}

/** What a node multiplies the score of a document by; 0 where the document does not satisfy it. */
function factorIn(shelf: Shelf, node: PlanNode): (id: string, attributes: Attributes) => number {
  switch (node.kind) {
    case 'all':
      return () => 1
    case 'lookup':
    case 'filter': {
      const field = node.kind === 'lookup' ? undefined : fieldIn(shelf, node.field)
      const alternatives = node.alternatives.map(({ score, values }) => ({
        score,
        allowed: values.map(value => endsOf(field, value)),
      }))
      return (id, attributes) => {
        const values = field ? valuesOf(field, attributes) : [id]
        const having = alternatives.filter(({ allowed }) =>
          allowed.some(([first, last]) => values.some(value => isWithin(value, first, last))),
        )
        return largestOf(having.map(({ score }) => score))
      }
    }
    case 'range': {
      const field = fieldIn(shelf, node.field)
      const from = node.from === undefined ? undefined : endsOf(field, node.from)[0]
      const to = node.to === undefined ? undefined : endsOf(field, node.to)[1]
      return (_, attributes) => (valuesOf(field, attributes).some(value => isWithin(value, from, to)) ? 1 : 0)
    }
    case 'mix': {
      const parts = node.parts.map(part => factorIn(shelf, part.node))
      return (id, attributes) => (parts.some(part => part(id, attributes) > 0) ? 1 : 0)
    }
    default:
      throw new Error(`the search in memory knows no ${node.kind}`)
  }
}

/** What a mix adds to the score of each document that it finds among these. */
function mixed(
  shelf: Shelf,
  { parts, by }: Extract<PlanNode, { kind: 'mix' }>,
  satisfying: [string, Attributes][],
): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { weight, node } of parts) {
    const factor = factorIn(shelf, node)
    const own = satisfying
      .map(([id, attributes]) => ({ id, score: factor(id, attributes) }))
      .filter(({ score }) => score > 0)
    const best = largestOf(own.map(({ score }) => score))
    const better = new Map<number, number>()
    for (const score of new Set(own.map(one => one.score)))
      better.set(score, own.filter(one => one.score > score).length)
    for (const { id, score } of own) {
      const share = by === 'rank' ? 1 / (60 + 1 + (better.get(score) ?? 0)) : score / best
      sums.set(id, (sums.get(id) ?? 0) + weight * share)
    }
  }
  // Kept with 24 bits.
  return new Map([...sums].map(([id, sum]) => [id, Math.fround(sum)]))
}

/** By the keys in turn, what lacks a value last either way, then by id. */
function inOrder(shelf: Shelf, found: Found[], order: SortKey[]): Found[] {
  const keys = order.map(key => {
    if (key.by === 'score') return { sign: -1, of: ({ score }: Found): Value | undefined => score }
    if (key.by === 'distance') throw new Error('the search in memory knows no distances')
    const field = fieldIn(shelf, key.field)
    const sign = key.order === 'ascending' ? 1 : -1
    const of = ({ attributes }: Found): Value | undefined => {
      const values = valuesOf(field, attributes).map(value => (field.type === 'text' ? plain(value) : value))
      return values.sort((left, right) => sign * compared(left, right))[0]
    }
    return { sign, of }
  })
  const rows = found.map(one => ({ one, values: keys.map(({ of }) => of(one)) }))
  rows.sort((left, right) => {
    for (const [at, { sign }] of keys.entries()) {
      const [before, after] = [left.values[at], right.values[at]]
      if (before === undefined || after === undefined) {
        if (before !== after) return before === undefined ? 1 : -1
      } else if (compared(before, after) !== 0) return sign * compared(before, after)
    }
    return compared(left.one.id, right.one.id)
  })
  return rows.map(({ one }) => one)
}

function facetOf(
  shelf: Shelf,
  found: Found[],
  { field: name, offset, count, selected, cutoff = 0 }: FacetRequest,
  statistics: boolean,
): EngineFacet {
  const field = fieldIn(shelf, name)
  const counts = new Map<string, number>()
  for (const { attributes } of found)
    for (const value of new Set(valuesOf(field, attributes).map(one => written(field, one))))
      counts.set(value, (counts.get(value) ?? 0) + 1)
  const largest = largestOf([...counts.values()])
  const options = [...counts]
    .map(([value, times]): FacetOption => ({ value, count: times }))
    .filter(option => option.count / largest >= cutoff)
    .sort((left, right) => right.count - left.count || compared(left.value, right.value))
  const times = options.map(option => option.count)
  return {
    options: options.slice(offset, offset + count),
    selected: selected.map(value => selectedOf(field, value, found)),
    distinct: options.length,
    largest,
    ...(statistics && { statistics: steps(times, largest) }),
  }
}

/** A value as options have it; of a day with several of them how many documents have any. */
function selectedOf(field: EngineField, value: string, found: Found[]): FacetOption {
  const [first, last] = endsOf(field, value)
  const meant = (attributes: Attributes) =>
    valuesOf(field, attributes).filter(one =>
      isWithin(field.type === 'date' ? one : String(one), first, last),
    )
  const options = new Set(
    found.flatMap(({ attributes }) => meant(attributes).map(one => written(field, one))),
  )
  const [only = first === last ? written(field, first) : value] = options
  const count = found.filter(({ attributes }) => meant(attributes).length > 0).length
  return { value: options.size > 1 ? value : only, count }
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

/** Values of a field; dates as milliseconds. */
function valuesOf({ name, type }: EngineField, attributes: Attributes): Value[] {
  // Generated for fields of these types.
  const values = [attributes[name] ?? []].flat() as Value[]
  return type === 'date' ? values.map(value => Date.parse(String(value))) : values
}

/** The first and the last value that is meant: of a whole day its ends. */
function endsOf(field: EngineField | undefined, value: Value): [Value, Value] {
  if (field?.type !== 'date') return [value, value]
  const first = Date.parse(String(value))
  const isDay = String(value).length === 'YYYY-MM-DD'.length
  return [first, isDay ? first + 24 * 60 * 60 * 1000 - 1 : first]
}

/** As clients read it in a facet. */
function written({ type }: EngineField, value: Value): string {
  return type === 'date' ? new Date(Number(value)).toISOString().replace(/\.?0*Z$/, 'Z') : String(value)
}

/** What text sorts by. */
function plain(text: Value): string {
  const letters = String(text).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
  return [...letters].slice(0, 100).join('')
}

function isWithin(value: Value, first: Value | undefined, last: Value | undefined): boolean {
  return (
    (first === undefined || compared(value, first) >= 0) && (last === undefined || compared(value, last) <= 0)
  )
}

/** Texts by their UTF-8 bytes: but for pairs of surrogates, that is the order of JavaScript. */
function compared(left: Value, right: Value): number {
  if (typeof left !== 'string' || typeof right !== 'string') return Number(left) - Number(right)
  if (left === right) return 0
  if (surrogate.test(left) || surrogate.test(right))
    return Buffer.compare(Buffer.from(left), Buffer.from(right))
  return left < right ? -1 : 1
}

const surrogate = /[\ud800-\udfff]/

/** 0 where there are none. */
function largestOf(numbers: number[]): number {
  return numbers.reduce((largest, number) => Math.max(largest, number), 0)
}
