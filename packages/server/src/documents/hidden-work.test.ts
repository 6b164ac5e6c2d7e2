/**
 * The work of a request does not tell what is hidden (docs/security.md, Timing): for members with a row filter, the engine gets the same calls
 * whether hidden documents exist or not. Counts calls instead of measuring time.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Engine } from '#engines/engine'
import { serveQueries } from '#query/test-service'
import { lines, openTestServer } from './test-server.ts'

const novels = 'books/collections/novels/documents'
let calls: string[] = []
/** Records the calls of the engine, with plans of searches. */
const recordCalls = (engine: Engine): Engine =>
  new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (typeof member !== 'function') return member
      return (...parts: unknown[]) => {
        calls.push(name === 'search' ? `search ${JSON.stringify(parts[1])}` : String(name))
        return member.apply(target, parts)
      }
    },
  })

let server: Awaited<ReturnType<typeof openTestServer>>
let service: Awaited<ReturnType<typeof serveQueries>>
const visible = [
  { id: 'c1', title: 'Murder in the harbor', genre: 'crime', pages: 200 },
  { id: 'c2', title: 'The bridge of thieves', genre: 'crime', pages: 300 },
]
const hidden = Array.from({ length: 40 }, (_, index) => ({
  id: `h${index}`,
  title: `Secret merger harbor ${index}`,
  genre: 'drama',
  pages: index,
}))
before(async () => {
  server = await openTestServer(recordCalls)
  await server.redefine(present => ({
    ...present,
    apis: {
      novels: {
        endpoints: {
          search: { kind: 'match', collection: 'novels', typos: true, prefix: true, matching: 'relaxed' },
          everything: { kind: 'all', collection: 'novels' },
          entry: { kind: 'lookup', collection: 'novels' },
          like: { kind: 'similar', collection: 'novels', fields: ['title'] },
          genre: { kind: 'facet', field: 'genre' },
          pages: { kind: 'range', field: 'pages' },
        },
      },
    },
  }))
  // A strict import of everything, so that the second generation has as many writes.
  const imported = await server.call('ada', 'POST', novels, lines(...visible, ...hidden))
  assert.equal(imported.status, 200)
  service = await serveQueries({ ...server, generation: async () => server.live() })
})
after(async () => {
  await service.close()
  await server.close()
})

/** Runs a request as the member with a filter. Returns its reply and the calls of the engine. */
const record = async (send: () => Promise<{ status: number; text: string }>) => {
  calls = []
  const { status, text } = await send()
  return { status, text: text.replaceAll(/"requestId":"[^"]*"/g, ''), calls: [...calls] }
}
const query = async (path: string) => {
  const reply = await fetch(`http://127.0.0.1:${service.port}/4/books/api/novels/${path}`, {
    headers: { authorization: `Bearer ${await server.requestToken('fay')}` },
  })
  return { status: reply.status, text: await reply.text() }
}
const write = async (method: string, path: string, body?: string) => {
  const { status, body: reply } = await server.call('fay', method, `${novels}${path}`, body)
  return { status, text: JSON.stringify(reply ?? null) }
}

test('a request for a hidden document does the work of one for an unknown document', async () => {
  const writes: [method: string, path: (id: string) => string, body?: (id: string) => string][] = [
    ['PATCH', id => `/${id}`, () => '{"title":"x"}'],
    ['DELETE', id => `/${id}`],
    ['POST', () => '?update=true', id => JSON.stringify({ id, title: 'x' })],
  ]
  for (const [method, path, body] of writes) {
    const [existing, unknown] = await Promise.all(['h1', 'n1']).then(async ids => [
      await record(() => write(method, path(ids[0] ?? ''), body?.(ids[0] ?? ''))),
      await record(() => write(method, path(ids[1] ?? ''), body?.(ids[1] ?? ''))),
    ])
    assert.deepEqual(existing?.calls, unknown?.calls, `${method} ${existing?.status}`)
    assert.equal(existing?.text.replaceAll('h1', 'n1'), unknown?.text)
  }
  for (const path of ['e/entry/p/id/ID/results', 'e/like/p/id/ID/results', 'e/entry/p/id/ID/resultitem']) {
    const existing = await record(() => query(path.replace('ID', 'h1')))
    const unknown = await record(() => query(path.replace('ID', 'n1')))
    assert.deepEqual(
      existing.calls.map(call => call.replaceAll('h1', 'n1')),
      unknown.calls,
      path,
    )
    assert.equal(existing.text, unknown.text)
  }
})

test('a query asks the engine for the same, whether hidden documents exist or not', async () => {
  const paths = [
    'e/search/p/query/merger/results',
    'e/search/p/query/secret harbor/resultpage',
    'e/search/p/query/mergr/results',
    'e/everything/results?count=1',
    'e/everything/count',
    'e/everything/statistics',
    'e/everything/options/genre',
    'e/pages/p/from/1/options/genre',
    'e/everything/results?cursor=*&count=1',
  ]
  const readAll = async () => {
    const outcomes: object[] = []
    for (const path of paths) {
      const { text, ...outcome } = await record(() => query(path))
      outcomes.push({ path, ...outcome, text: text.replaceAll(/"next":"[^"]*"/g, '') })
    }
    return outcomes
  }
  const withHidden = await readAll()
  const removed = await server.call('ada', 'DELETE', `${novels}?genre=drama`)
  assert.equal(removed.body.deleted, hidden.length)
  assert.deepEqual(await readAll(), withHidden)
})
