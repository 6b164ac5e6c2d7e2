/** The lowest and the highest value of the results, for sliders and inputs of a range. */
import type { AnyApi, FacetOptions, Results, StackQuery } from '@querent/client'
import type { Plan } from './plan.ts'
import type { RangeSettings } from './settings.ts'

export interface Bounds {
  min: number
  max: number
}

/** Without values, and without settings for it, there are no bounds. Reading throws an `Error` that names the attribute if a value is no number. */
export const planBounds = (
  query: StackQuery<AnyApi>,
  attribute: string,
  range: RangeSettings,
  config: string | undefined,
): Plan<Bounds | undefined> => {
  const { ascending, descending, statistics } = range
  if (statistics !== undefined)
    return {
      requests: [query.request.options(statistics, { config, count: 1 })],
      // The reply of `options`.
      read: ([body]) => readStatistics(body as FacetOptions, attribute),
    }
  if (ascending === undefined || descending === undefined) return { requests: [], read: () => undefined }
  return {
    requests: [ascending, descending].map(sort =>
      query.refine(sort).request.results({ config, count: 1, attributes: attribute }),
    ),
    read: bodies => {
      // The replies of `results`.
      const numbers = bodies.map(body =>
        readNumbers((body as Results).items[0]?.tuple[0]?.attributes, attribute),
      )
      const [lowest, highest] = numbers
      return lowest?.length && highest?.length
        ? { min: Math.min(...lowest), max: Math.max(...highest) }
        : undefined
    },
  }
}

const readStatistics = ({ statistics }: FacetOptions, attribute: string): Bounds | undefined => {
  if (statistics === undefined)
    throw new Error(
      `ranges['${attribute}'].statistics is no facet with \`statistics: true\`: see docs/instantsearch.md`,
    )
  const { min, max } = statistics
  return min === null || max === null ? undefined : { min: readEnd(min), max: readEnd(max) }
}

/** A date has microseconds. */
const readEnd = (end: number | string): number => (typeof end === 'number' ? end : Date.parse(end))

const readNumbers = (attributes: Readonly<Record<string, unknown>> = {}, attribute: string): number[] =>
  [attributes[attribute]].flat().flatMap(value => {
    if (value === undefined || value === null) return []
    const number = typeof value === 'string' ? readText(value) : value
    if (typeof number === 'number' && !Number.isNaN(number)) return number
    throw new Error(
      `@querent/instantsearch cannot read ${JSON.stringify(value)} of ${attribute}: set ranges['${attribute}'].statistics to a facet with \`statistics: true\``,
    )
  })

/** Documents may write numbers and dates in a form that only the server knows. */
const readText = (text: string): number =>
  /^\d{4}-\d{2}-\d{2}(?:$|[Tt])/.test(text)
    ? Date.parse(text)
    : text.trim() === ''
      ? Number.NaN
      : Number(text)
