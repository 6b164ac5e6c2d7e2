/** The period and filter in the address of the page "Usage". */

const periods = ['24h', '7d', '30d'] as const
export type UsagePeriod = (typeof periods)[number]

export interface UsageSearch {
  /** Default 24h. */
  period?: UsagePeriod | undefined
  api?: string | undefined
  endpoint?: string | undefined
}

export const readUsageSearch = ({ period, api, endpoint }: Record<string, unknown>): UsageSearch => {
  const isName = (value: unknown): value is string => typeof value === 'string' && value !== ''
  return {
    period: periods.find(name => name === period),
    api: isName(api) ? api : undefined,
    endpoint: isName(api) && isName(endpoint) ? endpoint : undefined,
  }
}
