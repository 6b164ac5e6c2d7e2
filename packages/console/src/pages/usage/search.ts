/** The period and filter in the address of the page "Usage". */

const periods = ['24h', '7d', '30d'] as const
export type UsagePeriod = (typeof periods)[number]

export interface UsageSearch {
  /** Default 24h. */
  period?: UsagePeriod | undefined
  /** Days of a chosen period, in UTC: 2026-01-31. */
  from?: string | undefined
  to?: string | undefined
  api?: string | undefined
  endpoint?: string | undefined
}

const isDay = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)

export const readUsageSearch = ({
  period,
  from,
  to,
  api,
  endpoint,
}: Record<string, unknown>): UsageSearch => {
  const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''
  return {
    period: periods.find(name => name === period),
    ...(isDay(from) && isDay(to) && { from, to }),
    api: isName(api) ? api : undefined,
    endpoint: isName(api) && isName(endpoint) ? endpoint : undefined,
  }
}
