/**
 * Keeps the best documents for each value of a field. OpenSearch collapses by the smallest of several values, and counts values
 * approximately. So this reads all documents of the result, which are bounded, and chooses among them.
 */
import { parseExactJson } from '@querent/contract/exact-json'
import { EngineError, type EngineField, type Hit, type Plan, type Reply } from '#engines/engine'
import { resultWindowMax } from './schema.ts'
import { toIndexedNumber } from './values.ts'

/** Documents that are read. */
export const collapsedDocumentsMax = resultWindowMax

export const checkCollapseField = ({ name, type }: Pick<EngineField, 'name' | 'type'>): void => {
  if (type !== 'keyword' && type !== 'number')
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine cannot collapse by \`${name}\`, a ${type} field`,
    )
}

/** `run` answers a plan without collapse. Throws EngineError `inexact` if the result has too many documents. */
export const collapse = async (
  plan: Plan & { collapse: NonNullable<Plan['collapse']> },
  run: (plan: Plan) => Promise<Reply>,
): Promise<Reply> => {
  const { collapse: request, after, highlight, facet, statistics, ...rest } = plan
  if (facet?.collapsed)
    throw new EngineError('inexact', 'the OpenSearch engine counts documents in facets, not collapsed values')
  const { facet: facetReply, total: documents } = await run({
    ...rest,
    offset: 0,
    count: 0,
    statistics: statistics && facet !== undefined,
    total: true,
    ...(facet && { facet }),
  })
  if (documents > collapsedDocumentsMax)
    throw new EngineError(
      'inexact',
      `the OpenSearch engine collapses at most ${collapsedDocumentsMax} documents, and the result has ${documents}: add filters`,
    )
  const wholeResult = await run({
    ...rest,
    offset: 0,
    count: Math.max(1, documents),
    statistics: false,
    total: true,
  })
  const groups = groupHits(wholeResult.hits, request.field)
  const start = after ? Number(after) : plan.offset
  const page = groups.slice(start, start + plan.count)
  const hits = page.map(({ value, hits: [first, ...others] }): Hit => {
    if (!first) throw new EngineError('fault', 'a value has no document')
    const entities = others.slice(0, request.best - 1).map(({ entity }) => entity)
    return { ...first, collapsed: { value, count: others.length + 1, others: entities } }
  })
  const hasMore = start + plan.count < groups.length
  return {
    ...wholeResult,
    total: groups.length,
    hits: highlight ? await highlightHits(hits, plan, run) : hits,
    ...(after !== undefined && hasMore && plan.count > 0 && { next: String(start + plan.count) }),
    ...(statistics && { statistics: countSteps(groups, wholeResult.best) }),
    ...(facetReply && { facet: facetReply }),
  }
}

interface Group {
  value: string | number | object | null
  /** In their order. */
  hits: Hit[]
}

/** Hits are in their order, and so are the groups. */
const groupHits = (hits: readonly Hit[], field: string): Group[] => {
  const groups = new Map<string | number | Hit, Group>()
  for (const hit of hits) {
    const value = firstValue(hit.entity, field)
    const key = toKey(value) ?? hit
    const group = groups.get(key) ?? { value, hits: [] }
    group.hits.push(hit)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** Returns the first value that is not an empty text. The server has checked the values of declared fields. */
const firstValue = (entity: string, field: string): string | number | object | null => {
  const { indexed = {}, attributes } = parseExactJson(entity) as {
    indexed?: Record<string, unknown>
    attributes: Record<string, unknown>
  }
  const value = Object.hasOwn(indexed, field) ? indexed[field] : attributes[field]
  // The values of elements are lists of lists.
  const values: unknown[] = [value].flat(2)
  const first = values.find(one => (typeof one === 'string' ? one !== '' : toKey(one) !== undefined))
  // The server has checked the values, so an object is a number with its digits.
  return (first as string | number | object | undefined) ?? null
}

/** Equal values have equal keys, with all digits of a number. */
const toKey = (value: unknown): string | number | undefined => {
  if (typeof value === 'string') return `text ${value}`
  const number = toIndexedNumber(value)
  return number?.large ?? number?.float
}

const steps = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0]

const countSteps = (groups: readonly Group[], best: number): number[] => {
  const shares = groups.map(({ hits }) => Math.max(...hits.map(({ score }) => score)) / best)
  return steps.map(step => shares.filter(share => share >= step).length)
}

/** The snippets depend on the words of the plan only. */
const highlightHits = async (
  hits: Hit[],
  { nodes, restrictions, order, highlight }: Plan,
  run: (plan: Plan) => Promise<Reply>,
): Promise<Hit[]> => {
  const ids = hits.map(({ entity }) => String((JSON.parse(entity) as { id: unknown }).id))
  if (ids.length === 0 || !highlight) return hits
  const lookup = { kind: 'lookup' as const, alternatives: [{ score: 1, values: ids }] }
  const reply = await run({
    nodes: [...nodes, lookup],
    restrictions,
    order,
    cutoff: 0,
    offset: 0,
    count: ids.length,
    statistics: false,
    highlight,
  })
  const highlightsByEntity = new Map(reply.hits.map(({ entity, highlights }) => [entity, highlights]))
  return hits.map(hit => {
    const highlights = highlightsByEntity.get(hit.entity)
    return highlights ? { ...hit, highlights } : hit
  })
}
