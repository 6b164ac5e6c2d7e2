/** Running and waiting queries of an account, and their ends (query-service.md, Limits and usage). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import { openTestParts } from '#authz/test-tokens'
import { type Engine, EngineError, type Reply } from '#engines/engine'
import { createWorkspace } from '#storage/workspaces'
import { createCounters } from '#telemetry/counters'
import { serveQueries } from './test-service.ts'

/** A call of the engine's search. */
interface SearchCall {
  deadlineMs: number
  signal: AbortSignal
  end: (reply: Reply) => void
  fail: (error: Error) => void
}
const counts = createCounters()
let calls: SearchCall[]
let onCall: (() => void) | undefined
/** While it is set, the index is not open. It has the deadlines of the calls that wait for it. */
let pendingOpen: (PromiseWithResolvers<void> & { deadlines: number[] }) | undefined
/** While it is set, queries wait for the lookup of their generation. */
let pendingGeneration: PromiseWithResolvers<void> | undefined
/** Usage records of both services. */
let usageRecords: { failure?: string | undefined; total?: number | undefined }[]
let version: () => number
const reply: Reply = { total: 3, best: 1, hits: [] }
// Only the methods that a query uses.
const engine = {
  version: () => version(),
  isOpened: () => pendingOpen === undefined,
  whenOpened: (_id: string, deadlineMs: number) => {
    pendingOpen?.deadlines.push(deadlineMs)
    onCall?.()
    return pendingOpen?.promise
  },
  search: (_id: string, _plan: unknown, deadlineMs: number, signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    signal.addEventListener('abort', () => reject(new EngineError('cancelled', 'given up')))
    calls.push({ deadlineMs, signal, end: resolve, fail: reject })
    onCall?.()
    return promise
  },
} as unknown as Engine

/** Resolves after `count` calls of search. */
const searches = async (count: number): Promise<SearchCall[]> => {
  while (calls.length < count) await new Promise<void>(resolve => (onCall = resolve))
  return calls
}

const queryTimeoutMs = 5000
const shortTimeoutMs = 500
let port: number
/** A service with a short query timeout. */
let hastyPort: number
const closers: (() => Promise<unknown>)[] = []
before(async () => {
  const parts = await openTestParts()
  closers.push(() => parts.close())
  await parts.storage.write(writer =>
    createWorkspace(writer, {
      workspace: 'books',
      collections: { novels: { fields: { title: { type: 'text' } } } },
      apis: { open: { access: 'public', endpoints: { all: { kind: 'all', collection: 'novels' } } } },
    }),
  )
  port = await serve(parts, queryTimeoutMs)
  hastyPort = await serve(parts, shortTimeoutMs)
})
const serve = async (
  parts: Awaited<ReturnType<typeof openTestParts>>,
  timeoutMs: number,
): Promise<number> => {
  const service = await serveQueries({
    ...parts,
    engine,
    generation: async () => {
      await pendingGeneration?.promise
      return { id: 'g', name: '1' }
    },
    usageLog: { record: usage => usageRecords.push(usage) },
    // On a public API, limits count by IP address.
    clientAddress: request => request.headers['x-test-address']?.toString() ?? '127.0.0.1',
    queryTimeoutMs: timeoutMs,
    concurrentMax: 2,
    waitingMax: 2,
    ...(timeoutMs === queryTimeoutMs ? { counts } : {}),
  })
  closers.push(service.close)
  return service.port
}
after(async () => {
  for (const close of closers.reverse()) await close()
})
describe('slots', () => {
  beforeEach(() => {
    calls = []
    pendingOpen = undefined
    pendingGeneration = undefined
    usageRecords = []
    version = () => 1
  })

  const path = '/4/books/api/open/e/all/count'
  const query = (signal?: AbortSignal, address = '127.0.0.1', targetPort = port) =>
    fetch(`http://127.0.0.1:${targetPort}${path}`, {
      headers: { 'x-test-address': address },
      ...(signal === undefined ? {} : { signal }),
    })
  const read = async (request: Promise<Response>) => {
    const response = await request
    // An error of the contract.
    const body = (await response.json()) as { code?: string }
    return { status: response.status, headers: response.headers, body }
  }
  /** Resolves when `count` queries wait in the server. */
  const waiting = async (count: number): Promise<void> => {
    while (counts.waitingQueries() !== count) await new Promise(resolve => setImmediate(resolve))
  }

  test('queries beyond the concurrent ones wait, and one beyond the waiting ones gets 429 with Retry-After', async () => {
    const running = [query(), query()]
    await searches(2)
    const queued = [query(), query()]
    await waiting(2)
    const rejected = await query()
    assert.equal(rejected.status, 429)
    assert.equal(Object(await rejected.json()).code, 'too-many-requests')
    assert.ok(Number(rejected.headers.get('retry-after')) > 0)
    calls[0]?.end(reply)
    await searches(3)
    for (const { end } of calls) end(reply)
    for (const { end } of await searches(4)) end(reply)
    const replies = await Promise.all([...running, ...queued])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200],
    )
  })

  test('the time in the queue counts towards the deadline of a search', async () => {
    const running = [query(), query()]
    const [first] = await searches(2)
    const queued = query()
    await waiting(1)
    const waitingMs = performance.now()
    const endMs = performance.now()
    first?.end(reply)
    const third = (await searches(3)).at(2)
    // It arrived before it was seen waiting, and started after the first one ended.
    assert.ok(third && third.deadlineMs <= queryTimeoutMs - (endMs - waitingMs))
    for (const { end } of calls) end(reply)
    for (const { status } of await Promise.all([...running, queued])) assert.equal(status, 200)
  })

  test('the waiting queries of one account do not delay those of another', async () => {
    const burst = [query(), query(), query(), query()]
    await waiting(2)
    const otherReply = query(undefined, '192.0.2.1')
    const [, , otherSearch] = await searches(3)
    otherSearch?.end(reply)
    assert.equal((await otherReply).status, 200)
    for (const { end } of calls) end(reply)
    for (const { end } of await searches(5)) end(reply)
    for (const { status } of await Promise.all(burst)) assert.equal(status, 200)
  })

  test('a query leaves the queue when its client disconnects', async () => {
    const running = [query(), query()]
    await searches(2)
    const client = new AbortController()
    const queued = query(client.signal)
    await waiting(1)
    client.abort()
    await assert.rejects(queued)
    await waiting(0)
    for (const { end } of calls) end(reply)
    for (const { status } of await Promise.all(running)) assert.equal(status, 200)
    assert.equal(calls.length, 2)
  })

  test('a client that disconnects ends its search, which frees the slot', async () => {
    const client = new AbortController()
    const aborted = [query(client.signal), query(client.signal)]
    const aborts = (await searches(2)).map(({ signal }) => once(signal, 'abort'))
    client.abort()
    for (const request of aborted) await assert.rejects(request)
    await Promise.all(aborts)
    const next = [query(), query()]
    for (const { end } of await searches(4)) end(reply)
    for (const { status } of await Promise.all(next)) assert.equal(status, 200)
  })

  test('a client that does not read its reply holds no slot', async () => {
    const sockets = [1, 2].map(() => connect(port, '127.0.0.1').pause())
    for (const socket of sockets) socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`)
    for (const { end } of await searches(2)) end(reply)
    const next = [query(), query()]
    for (const { end } of await searches(4)) end(reply)
    for (const { status } of await Promise.all(next)) assert.equal(status, 200)
    for (const socket of sockets) {
      socket.destroy()
      await once(socket, 'close')
    }
  })

  test('queries that wait for the index to open count as concurrent queries, and keep their deadline', async () => {
    const indexOpen = { ...Promise.withResolvers<void>(), deadlines: [] as number[] }
    pendingOpen = indexOpen
    const queries = [query(), query()]
    while (indexOpen.deadlines.length < 2) await new Promise<void>(resolve => (onCall = resolve))
    for (const ms of indexOpen.deadlines) assert.ok(ms > 0 && ms <= queryTimeoutMs)
    queries.push(query())
    await waiting(1)
    pendingOpen = undefined
    indexOpen.resolve()
    const [first] = await searches(1)
    assert.ok(first && first.deadlineMs > 0 && first.deadlineMs < Math.max(...indexOpen.deadlines))
    first.end(reply)
    for (const count of [2, 3]) for (const { end } of await searches(count)) end(reply)
    for (const { status } of await Promise.all(queries)) assert.equal(status, 200)
  })

  test('the answer is 503 while the generation is being dropped', async () => {
    version = () => {
      throw new EngineError('unavailable', 'no generation `g` is open')
    }
    assert.equal((await query()).status, 503)
  })

  test('the answer is 503 with Retry-After after the deadline of a search, or if the engine is overloaded', async () => {
    for (const code of ['timeout', 'overloaded'] as const) {
      calls = []
      const request = query()
      const [search] = await searches(1)
      assert.ok(search && search.deadlineMs > 0 && search.deadlineMs <= queryTimeoutMs)
      search?.fail(new EngineError(code, 'no'))
      const { status, headers } = await request
      assert.equal(status, 503)
      assert.ok(Number(headers.get('retry-after')) > 0)
    }
  })

  test('a query that misses its deadline before its search gets 503, is recorded once, and never searches', async () => {
    const lookup = Promise.withResolvers<void>()
    pendingGeneration = lookup
    const { status, headers, body } = await read(query(undefined, undefined, hastyPort))
    assert.deepEqual([status, body.code, headers.get('etag')], [503, 'timeout', null])
    assert.ok(Number(headers.get('retry-after')) > 0)
    pendingGeneration = undefined
    lookup.resolve()
    // The abandoned query goes on before this one starts.
    const next = query(undefined, undefined, hastyPort)
    const [search, ...others] = await searches(1)
    search?.end(reply)
    assert.equal((await next).status, 200)
    assert.deepEqual(others, [])
    assert.deepEqual(
      usageRecords.map(({ failure, total }) => ({ failed: failure !== undefined, total })),
      [
        { failed: true, total: undefined },
        { failed: false, total: 3 },
      ],
    )
  })

  test('a search that ends or fails after the deadline of its query changes nothing', async () => {
    const late = [query(undefined, undefined, hastyPort), query(undefined, undefined, hastyPort)]
    const [first, second] = await searches(2)
    for (const { status, body } of await Promise.all(late.map(read)))
      assert.deepEqual([status, body.code], [503, 'timeout'])
    first?.end(reply)
    second?.fail(new EngineError('timeout', 'no'))
    const next = query(undefined, undefined, hastyPort)
    const [, , third] = await searches(3)
    third?.end(reply)
    assert.equal((await next).status, 200)
    assert.deepEqual(
      usageRecords.map(({ failure }) => failure !== undefined),
      [true, true, false],
    )
  })

  test('a query that misses its deadline in the queue gets 503 with Retry-After, and leaves the queue', async () => {
    const hasty = () => query(undefined, undefined, hastyPort)
    const running = [hasty(), hasty()]
    await searches(2)
    const timedOut = [...running, hasty(), hasty()]
    for (const { status, headers, body } of await Promise.all(timedOut.map(read))) {
      assert.equal(status, 503)
      assert.equal(body.code, 'timeout')
      assert.ok(Number(headers.get('retry-after')) > 0)
    }
    // The engine still works on the first two, so they keep their slots.
    assert.equal(calls.length, 2)
    for (const { end } of calls) end(reply)
    const next = hasty()
    for (const { end } of await searches(3)) end(reply)
    assert.equal((await next).status, 200)
  })
})
