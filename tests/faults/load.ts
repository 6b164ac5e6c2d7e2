/**
 * Sends queries, token requests, imports and single documents continuously, and models which documents are acknowledged and who is removed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Nodes } from '#tests/support/nodes'

export const workspace = 'faults'
export const collection = 'notes'
export const workspaceFile = `
workspace: ${workspace}
collections:
  ${collection}:
    id: { field: id }
    fields: { text: { type: text } }
apis:
  notes:
    endpoints:
      all: { kind: all, collection: ${collection} }
      find: { kind: match, collection: ${collection}, fields: [text] }
`

export interface Credentials {
  clientId: string
  clientSecret: string
}

export const kinds = ['query', 'token', 'document', 'import'] as const
export type Kind = (typeof kinds)[number]

interface Tally {
  requests: number
  /** Counts by status. `no node` means the balancer's own reply, and `broken` a connection that ended without a reply. */
  failures: Map<string, number>
  longestOutageMs: number
  lastGoodAt: number
}

/** The result of a phase of the load. */
export interface PhaseResult {
  /** Milliseconds from the reply to an account's removal to its last request that got 200; 0 if there was none. */
  letInMs: number
  requests: number
  failures: Record<string, number>
  /** Failures that no node may return: everything except 503 with Retry-After. */
  wrong: string[]
  /** The longest time in which one kind of request did not succeed. */
  longestOutageMs: number
  /** The duration that 99 % of the queries did not exceed, failed ones too. */
  queryP99Ms: number
  /** Queries that failed, and failed again when they were sent once more at once. */
  failedTwice: number
}

export interface Load {
  /** Resets the counters. */
  resetPhase(): void
  phaseResult(): PhaseResult
  /** Resolves when every kind of request has succeeded once after the call. */
  waitUntilHealthy(msMax: number): Promise<void>
  /**
   * Removes an account that continues to send requests. A success counts as late if its request was sent later than `knownMs` after the
   * removal.
   */
  remove(account: Credentials & { token: string; remove(): Promise<unknown> }, knownMs: number): Promise<void>
  lateGrants(): number
  removals(): number
  /** Ids of acknowledged documents. */
  acknowledged(): ReadonlySet<string>
  stop(): Promise<void>
}

const replyMsMax = 40_000
const pauseMs = 20
const documentsAnImport = 20

const newTally = (): Tally => ({
  requests: 0,
  failures: new Map(),
  longestOutageMs: 0,
  lastGoodAt: performance.now(),
})

/** `api` may query, and `loader` may import documents. */
export const startLoad = (nodes: Nodes, api: Credentials, loader: Credentials): Load => {
  let tallies = new Map(kinds.map(kind => [kind, newTally()]))
  let wrong: string[] = []
  let queryMs: number[] = []
  let failedTwice = 0
  const acknowledged = new Set<string>()
  let lateGrants = 0
  let letInMs = 0
  let removals = 0
  let isStopped = false
  const documents = `${nodes.baseUrl}/4/${workspace}/collections/${collection}/documents`
  const queryAddress = `${nodes.baseUrl}/4/${workspace}/api/notes/e/all/count`

  const send = async (kind: Kind, url: string, init: RequestInit): Promise<Response | undefined> => {
    const tally = tallies.get(kind) ?? newTally()
    tally.requests += 1
    const fail = (reason: string) => {
      tally.failures.set(reason, (tally.failures.get(reason) ?? 0) + 1)
      return undefined
    }
    try {
      const reply = await fetch(url, { ...init, signal: AbortSignal.timeout(replyMsMax) })
      const text = await reply.text()
      if (reply.ok) {
        const now = performance.now()
        tally.longestOutageMs = Math.max(tally.longestOutageMs, now - tally.lastGoodAt)
        tally.lastGoodAt = now
        return new Response(text)
      }
      if (reply.headers.has('querent-balancer')) return fail('no node')
      if (reply.status !== 503 || reply.headers.get('retry-after') === null)
        wrong.push(`${kind}: ${reply.status} ${text.slice(0, 300)}`)
      return fail(String(reply.status))
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError'
      if (isLate) wrong.push(`${kind}: no reply within ${replyMsMax / 1000} s`)
      return fail(isLate ? 'no reply' : 'broken')
    }
  }
  const newToken = async ({ clientId, clientSecret }: Credentials): Promise<string | undefined> => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      audience: nodes.baseUrl,
    })
    const reply = await send('token', `${nodes.authUrl}/oauth/token`, { method: 'POST', body })
    // RFC 6749, section 5.1.
    return reply && ((await reply.json()) as { access_token: string }).access_token
  }
  const tokens = new Map<Credentials, string>()
  const bearer = (who: Credentials) => ({ authorization: `Bearer ${tokens.get(who)}` })

  let documentCount = 0
  const makeDocument = () => {
    documentCount += 1
    return { id: `https://a.example/${documentCount}`, text: `note ${documentCount}` }
  }
  const repeatUntilStopped = async (work: () => Promise<unknown>) => {
    while (!isStopped) {
      await work()
      await wait(pauseMs)
    }
  }
  /** A query selects a copy of each shard by its content, so each one differs. */
  let queryCount = 0
  const query = async () => {
    const url = `${nodes.baseUrl}/4/${workspace}/api/notes/e/find/p/query/note%20${++queryCount}/count`
    const sendOnce = async () => {
      const sentAt = performance.now()
      const reply = await send('query', url, { headers: bearer(api) })
      queryMs.push(performance.now() - sentAt)
      return reply
    }
    if (!(await sendOnce()) && !(await sendOnce())) failedTwice += 1
  }
  const fetchFirstTokens = async () => {
    for (const account of [api, loader])
      for (let token: string | undefined; token === undefined; ) {
        token = await newToken(account)
        if (token !== undefined) tokens.set(account, token)
      }
  }
  const started = fetchFirstTokens()
  const running = Promise.all(
    [
      query,
      query,
      () => newToken(api),
      async () => {
        const { id, text } = makeDocument()
        const reply = await send('document', `${documents}/${encodeURIComponent(id)}`, {
          method: 'PUT',
          headers: { ...bearer(loader), 'content-type': 'application/json' },
          body: JSON.stringify({ text }),
        })
        if (reply) acknowledged.add(id)
      },
      async () => {
        const batch = Array.from({ length: documentsAnImport }, makeDocument)
        const reply = await send('import', documents, {
          method: 'POST',
          headers: { ...bearer(loader), 'content-type': 'application/x-ndjson' },
          body: batch.map(document => JSON.stringify(document)).join('\n'),
        })
        // The contract's reply to an import.
        const { accepted = 0 } = reply ? ((await reply.json()) as { accepted?: number }) : {}
        if (accepted === documentsAnImport) for (const { id } of batch) acknowledged.add(id)
      },
    ].map(async work => {
      await started
      await repeatUntilStopped(work)
    }),
  )
  const watching: Promise<unknown>[] = []

  return {
    resetPhase() {
      tallies = new Map(kinds.map(kind => [kind, newTally()]))
      wrong = []
      queryMs = []
      failedTwice = 0
    },
    phaseResult() {
      const allTallies = [...tallies.values()]
      const failures: Record<string, number> = {}
      for (const tally of allTallies)
        for (const [reason, count] of tally.failures) failures[reason] = (failures[reason] ?? 0) + count
      return {
        requests: allTallies.reduce((sum, { requests }) => sum + requests, 0),
        failures,
        wrong,
        letInMs,
        longestOutageMs: Math.max(...allTallies.map(({ longestOutageMs }) => longestOutageMs)),
        queryP99Ms: queryMs.toSorted((a, b) => a - b)[Math.floor(queryMs.length * 0.99)] ?? 0,
        failedTwice,
      }
    },
    async waitUntilHealthy(msMax) {
      const startedAt = performance.now()
      const findUnhealthyKinds = () => kinds.filter(kind => (tallies.get(kind)?.lastGoodAt ?? 0) <= startedAt)
      while (findUnhealthyKinds().length > 0) {
        if (performance.now() - startedAt > msMax)
          throw new Error(
            `${findUnhealthyKinds().join(', ')} not answered well within ${msMax / 1000} s: ${wrong[0] ?? ''}`,
          )
        await wait(pauseMs)
      }
    },
    async remove({ token, remove }, knownMs) {
      const sendQuery = async () => {
        const sentAt = performance.now()
        const headers = { authorization: `Bearer ${token}` }
        const status = await fetch(queryAddress, { headers, signal: AbortSignal.timeout(replyMsMax) }).then(
          reply => reply.status,
          () => 0,
        )
        return { status, sentAt }
      }
      letInMs = 0
      await remove()
      const removedAt = performance.now()
      removals += 1
      const watch = async () => {
        while (!isStopped && performance.now() - removedAt < knownMs + watchedMs) {
          const { status, sentAt } = await sendQuery()
          if (status === 200) letInMs = Math.max(letInMs, sentAt - removedAt)
          if (status === 200 && sentAt - removedAt > knownMs) lateGrants += 1
          await wait(pauseMs)
        }
      }
      watching.push(watch())
    },
    lateGrants: () => lateGrants,
    removals: () => removals,
    acknowledged: () => acknowledged,
    async stop() {
      isStopped = true
      await running
      await Promise.all(watching)
    },
  }
}

const watchedMs = 5_000
