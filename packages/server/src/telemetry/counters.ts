/** What the server counts whether or not anybody reads it: plain numbers, raised where it happens. */

/** How often each of a few names came. */
export type Counter = Map<string, number>

export type TokenCounters = Pick<Counters, 'tokens' | 'tokenRefusals'>

export interface Counters {
  /** Tokens that were given, by grant. */
  tokens: Counter
  /** Requests for a token that were refused, by the error of RFC 6749. */
  tokenRefusals: Counter
  /** Requests that were refused (401, 403), by the check that failed. */
  refusals: Counter
  imports: { running: number; documents: number }
  cachedPlans: () => number
  /** Queries that wait for their turn. */
  waitingQueries: () => number
}

export const createCounters = (): Counters => ({
  tokens: new Map(),
  tokenRefusals: new Map(),
  refusals: new Map(),
  imports: { running: 0, documents: 0 },
  cachedPlans: () => 0,
  waitingQueries: () => 0,
})

/** Names are ours or a library's; should a client ever get to choose one, there are no more than these. */
const namesMax = 100

export const increment = (counter: Counter, name: string): void => {
  const count = counter.get(name)
  if (count !== undefined || counter.size < namesMax) counter.set(name, (count ?? 0) + 1)
}
