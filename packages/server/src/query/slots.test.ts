/** How many queries of an account run and wait, and what ends one (query-service.md, Limits and usage). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { authUrl, baseUrl, openTestParts } from '#authz/test-tokens'
import { type Engine, EngineError, type Reply } from '#engines/engine'
import { listen, openApp } from '#http/server'
import { createWorkspace } from '#storage/workspaces'
import { createCounters } from '#telemetry/counters'
import { registerQueries, rewriteQueryUrl } from './route.ts'

/** A search that the engine was asked for. */
interface Asked {
  deadlineMs: number
  signal: AbortSignal
  end: (reply: Reply) => void
  fail: (error: Error) => void
}
const counts = createCounters()
let asked: Asked[]
let onAsked: (() => void) | undefined
/** While it stands, the documents are not opened; it holds those who wait for that, by their deadlines. */
let opening: (PromiseWithResolvers<void> & { deadlines: number[] }) | undefined
let version: () => number
const reply: Reply = { total: 3, best: 1, hits: [] }
// Only what a query asks of an engine.
const engine = {
  version: () => version(),
  isOpened: () => opening === undefined,
  whenOpened: (_id: string, deadlineMs: number) => {
    opening?.deadlines.push(deadlineMs)
    onAsked?.()
    return opening?.promise
  },
  search: (_id: string, _plan: unknown, deadlineMs: number, signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    signal.addEventListener('abort', () => reject(new EngineError('cancelled', 'given up')))
    asked.push({ deadlineMs, signal, end: resolve, fail: reject })
    onAsked?.()
    return promise
  },
} as unknown as Engine

/** Resolves when so many searches have been asked for. */
const searches = async (count: number): Promise<Asked[]> => {
  while (asked.length < count) await new Promise<void>(resolve => (onAsked = resolve))
  return asked
}

const queryTimeoutMs = 5000
const shortTimeoutMs = 200
let port: number
/** Another service, which gives queries little time. */
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
  const listening = await listen('127.0.0.1', 0)
  const { app, listener } = openApp(listening, {
    logLevel: 'silent',
    trustedProxy: [],
    rewriteUrl: rewriteQueryUrl,
  })
  const withQueries = registerQueries(app, {
    ...parts,
    engine,
    origin: baseUrl,
    authUrl,
    generation: async () => ({ id: 'g', name: '1' }),
    origins: { registeredIn: async () => false, close: () => {} } as never,
    // On public APIs an address counts as an account.
    clientAddress: request => request.headers['x-test-address']?.toString() ?? '127.0.0.1',
    queryTimeoutMs: timeoutMs,
    aMinute: 'off',
    atOnce: 2,
    waitingMax: 2,
    ...(timeoutMs === queryTimeoutMs ? { counts } : {}),
  })
  await app.ready()
  listening.setListener(withQueries(listener()))
  closers.push(async () => {
    await listening.close()
    await app.close()
  })
  return listening.port
}
after(async () => {
  for (const close of closers.reverse()) await close()
})
beforeEach(() => {
  asked = []
  opening = undefined
  version = () => 1
})

const path = '/4/books/api/open/e/all/count'
const query = (signal?: AbortSignal, address = '127.0.0.1', to = port) =>
  fetch(`http://127.0.0.1:${to}${path}`, {
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

test('queries beyond those at once wait, and only one too many that waits gets 429 with Retry-After', async () => {
  const running = [query(), query()]
  await searches(2)
  const later = [query(), query()]
  await waiting(2)
  const refused = await query()
  assert.equal(refused.status, 429)
  assert.equal(Object(await refused.json()).code, 'too-many-requests')
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  asked[0]?.end(reply)
  await searches(3)
  for (const { end } of asked) end(reply)
  for (const { end } of await searches(4)) end(reply)
  const replies = await Promise.all([...running, ...later])
  assert.deepEqual(
    replies.map(({ status }) => status),
    [200, 200, 200, 200],
  )
})

test('a search has what its wait has left of the time of a query', async () => {
  const running = [query(), query()]
  const [first] = await searches(2)
  const later = query()
  await waiting(1)
  first?.end(reply)
  const third = (await searches(3)).at(2)
  assert.ok(third && first && third.deadlineMs < first.deadlineMs)
  for (const { end } of asked) end(reply)
  for (const { status } of await Promise.all([...running, later])) assert.equal(status, 200)
})

test('while the queries of one account wait, those of another are served', async () => {
  const burst = [query(), query(), query(), query()]
  await waiting(2)
  const other = query(undefined, '192.0.2.1')
  const [, , ofOther] = await searches(3)
  ofOther?.end(reply)
  assert.equal((await other).status, 200)
  for (const { end } of asked) end(reply)
  for (const { end } of await searches(5)) end(reply)
  for (const { status } of await Promise.all(burst)) assert.equal(status, 200)
})

test('a query whose client goes away while it waits leaves the queue', async () => {
  const running = [query(), query()]
  await searches(2)
  const gone = new AbortController()
  const later = query(gone.signal)
  await waiting(1)
  gone.abort()
  await assert.rejects(later)
  await waiting(0)
  for (const { end } of asked) end(reply)
  for (const { status } of await Promise.all(running)) assert.equal(status, 200)
  assert.equal(asked.length, 2)
})

test('a query whose client has gone ends its search, and so gives its place back', async () => {
  const gone = new AbortController()
  const aborted = [query(gone.signal), query(gone.signal)]
  const given = (await searches(2)).map(({ signal }) => once(signal, 'abort'))
  gone.abort()
  for (const request of aborted) await assert.rejects(request)
  await Promise.all(given)
  const next = [query(), query()]
  for (const { end } of await searches(4)) end(reply)
  for (const { status } of await Promise.all(next)) assert.equal(status, 200)
})

test('a client that does not read its reply holds no place', async () => {
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

test('those that wait until the documents are opened do so as queries at once, in the time of one', async () => {
  const begun = { ...Promise.withResolvers<void>(), deadlines: [] as number[] }
  opening = begun
  const opened = [query(), query()]
  while (begun.deadlines.length < 2) await new Promise<void>(resolve => (onAsked = resolve))
  for (const ms of begun.deadlines) assert.ok(ms > 0 && ms <= queryTimeoutMs)
  opened.push(query())
  await waiting(1)
  opening = undefined
  begun.resolve()
  const [first] = await searches(1)
  assert.ok(first && first.deadlineMs > 0 && first.deadlineMs < Math.max(...begun.deadlines))
  first.end(reply)
  for (const count of [2, 3]) for (const { end } of await searches(count)) end(reply)
  for (const { status } of await Promise.all(opened)) assert.equal(status, 200)
})

test('where the generation is being dropped, the answer is 503', async () => {
  version = () => {
    throw new EngineError('unavailable', 'no generation `g` is open')
  }
  assert.equal((await query()).status, 503)
})

test('a search has a deadline; past it, or where the queue is full, the answer is 503 with Retry-After', async () => {
  for (const code of ['timeout', 'overloaded'] as const) {
    asked = []
    const request = query()
    const [search] = await searches(1)
    assert.ok(search && search.deadlineMs > 0 && search.deadlineMs <= queryTimeoutMs)
    search?.fail(new EngineError(code, 'no'))
    const { status, headers } = await request
    assert.equal(status, 503)
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
})

test('a query that is not answered in time gets 503 with Retry-After while it waits, and leaves the queue', async () => {
  const hasty = () => query(undefined, undefined, hastyPort)
  const running = [hasty(), hasty()]
  await searches(2)
  const timedOut = [...running, hasty(), hasty()]
  for (const { status, headers, body } of await Promise.all(timedOut.map(read))) {
    assert.equal(status, 503)
    assert.equal(body.code, 'timeout')
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
  // The two that the engine works on all the same have their slots until then.
  assert.equal(asked.length, 2)
  for (const { end } of asked) end(reply)
  const next = hasty()
  for (const { end } of await searches(3)) end(reply)
  assert.equal((await next).status, 200)
})
