/** Long queries of one workspace, beside a short one of another. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const names = Array.from({ length: 500 }, (_, index) => `text${index}`)
const word = (index: number) => `w${((index * 7919) % 3000).toString(36)}`
const words = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => word(first + index)).join(' ')

let server: StartedServer
before(async () => {
  server = await startServer()
  await server.applyWorkspace(`
workspace: long
collections: { docs: { fields: { ${names.map(name => `${name}: { type: text }`).join(', ')} } } }
apis: { main: { endpoints: { all: { kind: match, collection: docs, fields: [${names.join(', ')}] } } } }
`)
  await server.applyWorkspace(`
workspace: short
collections: { docs: { fields: { text: { type: text } } } }
apis: { main: { endpoints: { all: { kind: match, collection: docs } } } }
`)
  await server.importDocuments(
    'long',
    'docs',
    Array.from({ length: 50 }, (_, document) => ({
      id: document,
      ...Object.fromEntries(names.map((name, index) => [name, words(document * 31 + index * 17, 8)])),
    })),
  )
  await server.importDocuments('short', 'docs', [{ id: 1, text: 'river' }])
})
after(() => server.stop())

test('a query is answered before long ones of another workspace that came earlier', async () => {
  const stop = new AbortController()
  const query = async (workspace: string, token: string, text: string): Promise<number> => {
    const path = `/4/${workspace}/api/main/e/all/p/query/${encodeURIComponent(text)}/results`
    const reply = await fetch(`${server.baseUrl}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stop.signal,
    })
    await reply.arrayBuffer()
    return reply.status
  }
  const token = await fetchToken(server, await server.createAccount('short', 'reader', 'api'))
  const finished: string[] = []
  const longQueries: Promise<void>[] = []
  // Several accounts, because each may only run a few at once.
  for (let account = 0; account < 3; account += 1) {
    const longToken = await fetchToken(server, await server.createAccount('long', `reader ${account}`, 'api'))
    for (let index = 0; index < 3; index += 1)
      longQueries.push(
        query('long', longToken, words(account * 400 + index * 100, 20)).then(
          () => void finished.push('long'),
          () => {},
        ),
      )
  }
  // One of them is sure to run by then.
  assert.equal(await query('short', token, 'lake'), 200)
  assert.equal(await query('short', token, 'river'), 200)
  finished.push('short')
  assert.equal(finished[0], 'short')
  stop.abort()
  await Promise.all(longQueries)
})
