/** Counters that the server always keeps, as plain numbers, whether or not metrics are on. */

/** Counts by name. */
export type Counter = Map<string, number>

export type TokenCounters = Pick<Counters, 'tokens' | 'tokenRefusals' | 'providerRenewals'>

export interface Counters {
  /** Issued tokens by grant. */
  tokens: Counter
  /** Rejected token requests by the error of RFC 6749. */
  tokenRefusals: Counter
  /** Times that a workspace's own OpenID provider was asked about a person again, by outcome. */
  providerRenewals: Counter
  /** Rejected requests (401, 403) by the failed check. */
  refusals: Counter
  /** Attempts to send a mail, by outcome. */
  mails: Counter
  /** Mails of all nodes that wait after a failure. */
  mailBacklog: () => { waiting: number; oldestAt: number | undefined }
  imports: { running: number; documents: number }
  /** Failed rounds of background work, by work. */
  backgroundFailures: Counter
  cachedPlans: () => number
  /** Number of queries that wait for their turn. */
  waitingQueries: () => number
}

export const createCounters = (): Counters => ({
  tokens: new Map(),
  tokenRefusals: new Map(),
  providerRenewals: new Map(),
  refusals: new Map(),
  mails: new Map(),
  mailBacklog: () => ({ waiting: 0, oldestAt: undefined }),
  imports: { running: 0, documents: 0 },
  backgroundFailures: new Map(),
  cachedPlans: () => 0,
  waitingQueries: () => 0,
})

/** Bound on the number of names. They come from our code or a library, but a bug could let clients choose them. */
const namesMax = 100

export const increment = (counter: Counter, name: string): void => {
  const count = counter.get(name)
  if (count !== undefined || counter.size < namesMax) counter.set(name, (count ?? 0) + 1)
}
