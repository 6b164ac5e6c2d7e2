/** How many of the found documents have which value: exact, whatever the number of shards. */
import { EngineError, type EngineFacet, type FacetOption, type FacetRequest } from '#engines/engine'
import { column, fieldOf, type Schema, type SearchField } from './schema.ts'
import type { Ground, SearchBody, SearchReply } from './search-context.ts'
import { dateText, readDate, readNumber } from './values.ts'

/** Fields with more different values are counted page by page. */
const valuesAtOnceMax = 10_000
/** Of one facet, in all. */
const valuesMax = 2_000_000

const steps = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0]

interface Bucket {
  key: string | number
  key_as_string?: string
  doc_count: number
}

/** Throws `unsupported` for a field that has no options. */
export function facetAggregation(schema: Schema, { field: name }: FacetRequest, more: number): object {
  const field = fieldOf(schema, name)
  if (field.type === 'text' || field.type === 'geo')
    throw new EngineError(
      'unsupported',
      `the OpenSearch engine has no facet of \`${name}\`, a ${field.type} field`,
    )
  return { terms: { field: column.facet(field), size: valuesAtOnceMax + more } }
}

export async function facetOf(
  ground: Ground,
  request: FacetRequest,
  statistics: boolean,
  body: SearchBody,
  reply: SearchReply,
): Promise<EngineFacet> {
  // Asked for under this name.
  const facet = reply.aggregations?.facet as { sum_other_doc_count: number; buckets: Bucket[] } | undefined
  const buckets =
    (facet?.sum_other_doc_count ?? 0) > 0 ? await paged(ground, request, body) : (facet?.buckets ?? [])
  const counts = new Map(
    buckets.map(({ key, key_as_string, doc_count }) => [key_as_string ?? String(key), doc_count]),
  )
  const largest = buckets.reduce((most, { doc_count }) => Math.max(most, doc_count), 0)
  const { cutoff = 0, offset, count, selected } = request
  const options = [...counts]
    .map(([value, documents]) => ({ value, count: documents }))
    .filter(option => option.count / largest >= cutoff)
    .sort((left, right) => right.count - left.count || byBytes(left.value, right.value))
  return {
    options: options.slice(offset, offset + count),
    selected: await selectedOf(ground, fieldOf(ground.schema, request.field), selected, counts, body),
    distinct: options.length,
    largest,
    ...(statistics && {
      statistics: steps.map(step => options.filter(option => option.count / largest >= step).length),
    }),
  }
}

/** In order of UTF-8 bytes: but for pairs of surrogates that is the order of JavaScript. */
function byBytes(left: string, right: string): number {
  if (/[\ud800-\udfff]/.test(left + right)) return Buffer.compare(Buffer.from(left), Buffer.from(right))
  return left < right ? -1 : left > right ? 1 : 0
}

/** How many documents have each; a day whose options are several is asked for. */
async function selectedOf(
  ground: Ground,
  field: SearchField,
  selected: readonly string[],
  counts: ReadonlyMap<string, number>,
  body: SearchBody,
): Promise<FacetOption[]> {
  const days = new Map(selected.filter(value => isDay(field, value)).map(day => [day, [] as string[]]))
  if (days.size > 0) for (const option of counts.keys()) days.get(option.split('T', 1)[0] ?? '')?.push(option)
  const several = [...days].filter(([, options]) => options.length > 1).map(([day]) => day)
  const found = several.length > 0 ? await ofDays(ground, field, several, body) : undefined
  return selected.map(text => {
    const options = days.get(text)
    if (options !== undefined && options.length !== 1) return { value: text, count: found?.get(text) ?? 0 }
    const value = options?.[0] ?? written(field, text)
    return { value, count: counts.get(value) ?? 0 }
  })
}

const isDay = ({ type }: SearchField, value: string): boolean => {
  const moments = type === 'date' ? readDate(value) : undefined
  return moments !== undefined && moments.from !== moments.to
}

/** The value as options are written. */
function written({ type }: SearchField, value: string): string {
  if (type === 'number') return String(readNumber(value) ?? value)
  const moments = type === 'date' ? readDate(value) : undefined
  return moments ? dateText(moments.from) : value
}

/** A document may have several moments of a day. */
async function ofDays(ground: Ground, field: SearchField, days: string[], { query, min_score }: SearchBody) {
  const filters = days.map(day => {
    const { from, to } = readDate(day) ?? { from: 0n, to: 0n }
    return { range: { [field.column]: { gte: String(from), lte: String(to) } } }
  })
  const aggs = { days: { filters: { filters } } }
  const least = min_score !== undefined && { min_score }
  const [reply] = await ground.ask([{ query, ...least, size: 0, track_total_hits: false, aggs }])
  // Asked for just above.
  const found = reply?.aggregations?.days as { buckets: { doc_count: number }[] } | undefined
  return new Map(days.map((day, at) => [day, found?.buckets[at]?.doc_count ?? 0]))
}

/** Every value there is, page by page. */
async function paged(ground: Ground, { field: name }: FacetRequest, body: SearchBody): Promise<Bucket[]> {
  const field = fieldOf(ground.schema, name)
  const found: Bucket[] = []
  for (let after: object | undefined; ; ) {
    const sources = [{ value: { terms: { field: column.facet(field) } } }]
    const { query, min_score } = body
    const [reply] = await ground.ask([
      {
        query,
        ...(min_score !== undefined && { min_score }),
        size: 0,
        track_total_hits: false,
        aggs: { facet: { composite: { size: valuesAtOnceMax, sources, ...(after && { after }) } } },
      },
    ])
    // Asked for just above.
    const page = reply?.aggregations?.facet as {
      after_key?: object
      buckets: { key: { value: string | number | boolean }; doc_count: number }[]
    }
    for (const { key, doc_count } of page.buckets) found.push({ key: String(key.value), doc_count })
    if (page.after_key === undefined || page.buckets.length < valuesAtOnceMax) return found
    if (found.length >= valuesMax)
      throw new EngineError(
        'unsupported',
        `the OpenSearch engine counts at most ${valuesMax} values of \`${name}\``,
      )
    after = page.after_key
  }
}
