/** What the server counts whether or not anybody reads it: plain numbers, raised where it happens. */
import type { RefusalRow } from '#storage/refusals'
import type { RefusalLog } from './refusal-log.ts'

/** How often each of a few names came. */
export type Tally = Map<string, number>

export type TokenCounts = Pick<Counts, 'tokens' | 'tokenRefusals'>

export interface Counts {
  /** Tokens that were given, by grant. */
  tokens: Tally
  /** Requests for a token that were refused, by the error of RFC 6749. */
  tokenRefusals: Tally
  /** Requests that were refused (401, 403), by the check that failed. */
  refusals: Tally
  imports: { running: number; documents: number }
  plansKept: () => number
}

export const openCounts = (): Counts => ({
  tokens: new Map(),
  tokenRefusals: new Map(),
  refusals: new Map(),
  imports: { running: 0, documents: 0 },
  plansKept: () => 0,
})

/** Names are ours or a library's; should a client ever get to choose one, there are no more than these. */
const namesMax = 100

export const raise = (tally: Tally, name: string): void => {
  const known = tally.get(name)
  if (known !== undefined || tally.size < namesMax) tally.set(name, (known ?? 0) + 1)
}

/** The same log, counted. */
export const countedRefusals = (log: RefusalLog, counts: Counts): RefusalLog => ({
  ...log,
  record(refusal) {
    raise(counts.refusals, failedCheck(refusal))
    log.record(refusal)
  },
})

const failedCheck = ({ checks }: RefusalRow): string => checks.find(({ passed }) => !passed)?.name ?? 'none'
