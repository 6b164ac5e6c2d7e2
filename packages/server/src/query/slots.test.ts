/** How many queries an account may have running, and what ends one (query-service.md, In between). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { type Engine, EngineError, type Reply } from '#engines/engine'
import { listen, openApp } from '#http/server'
import { authUrl, baseUrl, openTestParts } from '#http/test-tokens'
import { createWorkspace } from '#storage/workspaces'
import { registerQueries, rewriteQueryUrl } from './route.ts'

/** A search that the engine was asked for. */
interface Asked {
  deadlineMs: number
  signal: AbortSignal
  end: (reply: Reply) => void
  fail: (error: Error) => void
}
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

let port: number
let close: () => Promise<void>
before(async () => {
  const parts = await openTestParts()
  await parts.storage.write(writer =>
    createWorkspace(writer, {
      workspace: 'books',
      collections: { novels: { fields: { title: { type: 'text' } } } },
      apis: { open: { access: 'public', endpoints: { all: { kind: 'all', collection: 'novels' } } } },
    }),
  )
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
    clientAddress: () => '127.0.0.1',
    queryTimeoutMs: 5000,
    aMinute: 'off',
    atOnce: 2,
  })
  await app.ready()
  listening.answerWith(withQueries(listener()))
  port = listening.port
  close = async () => {
    await listening.close()
    await app.close()
    await parts.close()
  }
})
after(() => close())
beforeEach(() => {
  asked = []
  opening = undefined
  version = () => 1
})

const path = '/4/books/api/open/e/all/count'
const query = (signal?: AbortSignal) =>
  fetch(`http://127.0.0.1:${port}${path}`, signal === undefined ? {} : { signal })

test('a query too many at once gets 429 with Retry-After, and one of those that run makes room', async () => {
  const running = [query(), query()]
  await searches(2)
  const third = await query()
  assert.equal(third.status, 429)
  assert.ok(Number(third.headers.get('retry-after')) > 0)
  asked[0]?.end(reply)
  await Promise.race(running)
  const fourth = query()
  for (const { end } of await searches(3)) end(reply)
  assert.deepEqual(
    (await Promise.all([...running, fourth])).map(({ status }) => status),
    [200, 200, 200],
  )
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

test('those that wait until the documents are opened are queries at once, in the time of one', async () => {
  const begun = { ...Promise.withResolvers<void>(), deadlines: [] as number[] }
  opening = begun
  const waiting = [query(), query()]
  while (begun.deadlines.length < 2) await new Promise<void>(resolve => (onAsked = resolve))
  assert.deepEqual(begun.deadlines, [5000, 5000])
  assert.equal((await query()).status, 429)
  opening = undefined
  begun.resolve()
  for (const { end, deadlineMs } of await searches(2)) {
    assert.ok(deadlineMs > 0 && deadlineMs < 5000)
    end(reply)
  }
  for (const { status } of await Promise.all(waiting)) assert.equal(status, 200)
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
    assert.equal(search?.deadlineMs, 5000)
    search?.fail(new EngineError(code, 'no'))
    const { status, headers } = await request
    assert.equal(status, 503)
    assert.ok(Number(headers.get('retry-after')) > 0)
  }
})
