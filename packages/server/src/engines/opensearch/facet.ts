/** Counts the values of matching documents exactly, whatever the number of shards. */
import { EngineError } from '#engines/engine'
import type { EngineFacet, FacetOption, FacetRequest } from '#engines/facet'
import { createOptionFilter } from '#engines/option-filter'
import { presenceClause } from './conditions.ts'
import { groupsAggregation, readGroups } from './facet-groups.ts'
import { readSummary, summaryAggregation } from './facet-summary.ts'
import { column, findField, type Schema, type SearchField } from './schema.ts'
import type { SearchBody, SearchContext, SearchReply } from './search-context.ts'
import { dateText, readDate, readNumber } from './values.ts'

/** Number of buckets per request; fields with more values are counted page by page. */
const bucketsMax = 10_000
/** Maximum number of values of one facet. */
const valuesMax = 2_000_000

const steps = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0]

interface Bucket {
  key: string | number
  key_as_string?: string
  doc_count: number
}

interface TermsReply {
  buckets: Bucket[]
  /** Documents with values that are not among the buckets. */
  sum_other_doc_count: number
  /** The largest possible error of a count; more than 0 only with several shards. */
  doc_count_error_upper_bound: number
}

/** Returns the aggregations that a facet needs. Throws `unsupported` for a field that has no options. */
export const facetAggregations = (schema: Schema, request: FacetRequest, statistics: boolean): object => ({
  facet: facetAggregation(schema, request, statistics),
  ...(request.missing && {
    missing: { filter: presenceClause(schema, { kind: 'present', field: request.field, not: true }) },
  }),
  ...largeAggregations(findField(schema, request.field), request),
  ...(request.summary && { summary: summaryAggregation(findField(schema, request.field)) }),
})

/** Whole numbers that doubles may confuse. Keys of numbers have no more digits than doubles, so these are texts. */
const largeFormat = '0'
const largeAggregations = (field: SearchField, { groups }: FacetRequest): object => {
  if (field.type !== 'number' || (groups !== undefined && groups.by !== 'interval')) return {}
  const name = column.large(field)
  return {
    large: groups
      ? { filter: { exists: { field: name } } }
      : { terms: { field: name, size: bucketsMax, format: largeFormat } },
  }
}

function facetAggregation(schema: Schema, request: FacetRequest, statistics: boolean): object {
  const { field: name, groups } = request
  const field = findField(schema, name)
  if (field.type === 'text' || field.type === 'geo')
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine has no facet of \`${name}\`, a ${field.type} field`,
    )
  if (groups) return groupsAggregation(schema, field, groups)
  const size = needsPageOnly(field, request, statistics) ? request.offset + request.count : bucketsMax
  return { terms: { field: column.facet(field), size } }
}

/** Whether the most frequent values are enough. OpenSearch orders keywords with the same count as we do, but not numbers and dates. */
const needsPageOnly = (
  { type }: SearchField,
  { distinct, query = '', selected, missing = false }: FacetRequest,
  statistics: boolean,
): boolean =>
  distinct === false &&
  !missing &&
  type === 'keyword' &&
  query.trim() === '' &&
  selected.length === 0 &&
  !statistics

export async function readFacet(
  context: SearchContext,
  request: FacetRequest,
  statistics: boolean,
  body: SearchBody,
  reply: SearchReply,
): Promise<EngineFacet> {
  const extras = readExtras(context.schema, request, reply)
  if (request.groups) {
    const large = reply.aggregations?.large as { doc_count: number } | undefined
    if (large !== undefined && large.doc_count > 0)
      throw new EngineError(
        'inexact',
        `the OpenSearch engine has no intervals of \`${request.field}\`, which has whole numbers beyond 2^53; use ranges`,
      )
    return { ...readGroups(reply, request), ...extras }
  }
  // The request names this aggregation `facet`.
  const facet = reply.aggregations?.facet as TermsReply | undefined
  const isComplete =
    facet === undefined ||
    facet.sum_other_doc_count === 0 ||
    // The shards agree on the most frequent values.
    (facet.doc_count_error_upper_bound === 0 &&
      needsPageOnly(findField(context.schema, request.field), request, statistics))
  const field = findField(context.schema, request.field)
  const doubles = isComplete
    ? (facet?.buckets ?? [])
    : await listAllBuckets(context, request, body, { field: column.facet(field) })
  const buckets = await replaceLarge(context, request, body, reply, doubles)
  const counts = new Map(
    buckets.map(({ key, key_as_string, doc_count }) => [key_as_string ?? String(key), doc_count]),
  )
  if (extras.missing !== undefined) {
    counts.delete('')
    if (extras.missing > 0) counts.set('', extras.missing)
  }
  const largest = [...counts.values()].reduce((maximum, documents) => Math.max(maximum, documents), 0)
  const { cutoff = 0, offset, count, selected, query = '' } = request
  const accepts = createOptionFilter(query)
  const options = [...counts]
    .map(([value, documents]) => ({ value, count: documents }))
    .filter(option => option.count / largest >= cutoff && accepts(option.value))
    .sort((a, b) => b.count - a.count || compareBytes(a.value, b.value))
  return {
    options: options.slice(offset, offset + count),
    selected: await countSelected(context, findField(context.schema, request.field), selected, counts, body),
    distinct: options.length,
    largest,
    ...extras,
    ...(statistics && {
      statistics: steps.map(step => options.filter(option => option.count / largest >= step).length),
    }),
  }
}

/** Replaces the buckets of doubles that stand for large whole numbers by those of the numbers. */
async function replaceLarge(
  context: SearchContext,
  request: FacetRequest,
  body: SearchBody,
  { aggregations }: SearchReply,
  doubles: Bucket[],
): Promise<Bucket[]> {
  const large = aggregations?.large as TermsReply | undefined
  if (large === undefined || large.buckets.length === 0) return doubles
  const source = { field: column.large(findField(context.schema, request.field)), format: largeFormat }
  const buckets =
    large.sum_other_doc_count === 0 ? large.buckets : await listAllBuckets(context, request, body, source)
  const isSmall = ({ key }: Bucket) => readNumber(String(key))?.large === undefined
  return [...doubles.filter(isSmall), ...buckets]
}

function readExtras(
  schema: Schema,
  { field, missing, summary }: FacetRequest,
  { aggregations }: SearchReply,
): Pick<EngineFacet, 'missing' | 'summary'> {
  // A filter aggregation counts its documents.
  const withoutValue = aggregations?.missing as { doc_count: number } | undefined
  return {
    ...(missing && { missing: withoutValue?.doc_count ?? 0 }),
    ...(summary && { summary: readSummary(findField(schema, field), aggregations?.summary) }),
  }
}

/** Compares UTF-8 bytes. JavaScript's own order is the same, except for surrogate pairs. */
function compareBytes(a: string, b: string): number {
  if (/[\ud800-\udfff]/.test(a + b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** Counts the documents with each selected value. A day with several options needs another request. */
async function countSelected(
  context: SearchContext,
  field: SearchField,
  selected: readonly string[],
  counts: ReadonlyMap<string, number>,
  body: SearchBody,
): Promise<FacetOption[]> {
  const days = new Map(selected.filter(value => isDay(field, value)).map(day => [day, [] as string[]]))
  if (days.size > 0) for (const option of counts.keys()) days.get(option.split('T', 1)[0] ?? '')?.push(option)
  const several = [...days].filter(([, options]) => options.length > 1).map(([day]) => day)
  const dayCounts = several.length > 0 ? await countDays(context, field, several, body) : undefined
  return selected.map(text => {
    const options = days.get(text)
    if (options !== undefined && options.length !== 1)
      return { value: text, count: dayCounts?.get(text) ?? 0 }
    const value = options?.[0] ?? formatValue(field, text)
    return { value, count: counts.get(value) ?? 0 }
  })
}

const isDay = ({ type }: SearchField, value: string): boolean => {
  const moments = type === 'date' ? readDate(value) : undefined
  return moments !== undefined && moments.from !== moments.to
}

/** Formats the value like an option. */
function formatValue({ type }: SearchField, value: string): string {
  const number = type === 'number' ? readNumber(value) : undefined
  if (number) return number.large ?? String(number.float)
  const moments = type === 'date' ? readDate(value) : undefined
  return moments ? dateText(moments.from) : value
}

/** Counts the documents of each day, because a document may have several moments of one day. */
async function countDays(
  context: SearchContext,
  field: SearchField,
  days: string[],
  { query, min_score }: SearchBody,
) {
  const filters = days.map(day => {
    const { from, to } = readDate(day) ?? { from: 0n, to: 0n }
    return { range: { [field.column]: { gte: String(from), lte: String(to) } } }
  })
  const aggs = { days: { filters: { filters } } }
  const minScore = min_score !== undefined && { min_score }
  const [reply] = await context.search([{ query, ...minScore, size: 0, track_total_hits: false, aggs }])
  // The `filters` aggregation returns its buckets in the order of its filters.
  const result = reply?.aggregations?.days as { buckets: { doc_count: number }[] } | undefined
  return new Map(days.map((day, index) => [day, result?.buckets[index]?.doc_count ?? 0]))
}

/** Lists all values, page by page. */
async function listAllBuckets(
  context: SearchContext,
  { field: name }: FacetRequest,
  body: SearchBody,
  source: { field: string; format?: string },
): Promise<Bucket[]> {
  const buckets: Bucket[] = []
  for (let afterKey: object | undefined; ; ) {
    const sources = [{ value: { terms: source } }]
    const { query, min_score } = body
    const [reply] = await context.search([
      {
        query,
        ...(min_score !== undefined && { min_score }),
        size: 0,
        track_total_hits: false,
        aggs: { facet: { composite: { size: bucketsMax, sources, ...(afterKey && { after: afterKey }) } } },
      },
    ])
    // The request above names this aggregation `facet`.
    const page = reply?.aggregations?.facet as {
      after_key?: object
      buckets: { key: { value: string | number | boolean }; doc_count: number }[]
    }
    for (const { key, doc_count } of page.buckets) buckets.push({ key: String(key.value), doc_count })
    if (page.after_key === undefined || page.buckets.length < bucketsMax) return buckets
    if (buckets.length >= valuesMax)
      throw new EngineError(
        'unsupported',
        `the OpenSearch engine counts at most ${valuesMax} values of \`${name}\``,
      )
    afterKey = page.after_key
  }
}
