/** `relaxed` and `didYouMean` of replies (docs/describe-your-search.md, match; docs/query.md, Text). */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeLibrary, workspaceFile } from '#tests/support/library'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const endpoints = `
      forgiving: { kind: match, collection: books, prefix: true, typos: true }
      relaxed: { kind: match, collection: books, matching: relaxed }
      strict: { kind: match, collection: books, matching: all }
      either: { kind: mix, of: { search: 1, forgiving: 1 } }
      year:`

let server: StartedServer
let get: (path: string) => Promise<Response>
let getFiltered: (path: string) => Promise<Response>
before(async () => {
  server = await startServer()
  const library = await makeLibrary(server)
  const folder = await mkdtemp(join(tmpdir(), 'querent-did-you-mean-'))
  const account = ['s2s', 'create', library.workspace, 'drama-only', '--role', 'api']
  const dramaOnly = (await server.run(account)) as { clientId: string; clientSecret: string }
  try {
    const file = workspaceFile(library.workspace)
      .replace('\n      year:', endpoints)
      .concat('systemToSystem:\n  drama-only: { roles: [api], filter: { genre: drama } }\n')
    await writeFile(join(folder, 'library.yaml'), file)
    await server.applyFile(join(folder, 'library.yaml'))
  } finally {
    await rm(folder, { recursive: true })
  }
  get = library.get
  const token = await fetchToken(server, dramaOnly)
  getFiltered = path =>
    fetch(`${server.baseUrl}/4/${library.workspace}/api/${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
})
after(() => server.stop())

interface Reply {
  items: unknown[]
  relaxed?: string[]
  didYouMean?: string | null
}
const find = async (path: string, from = get): Promise<Reply> => {
  const response = await from(`library/e/${path}`)
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as Reply
}

test('a text that finds nothing gets the closest text that finds something', async () => {
  for (const type of ['results', 'resultpage']) {
    const reply = await find(`search/p/query/goldne/${type}`)
    assert.deepEqual([reply.items, reply.didYouMean], [[], 'golden'])
  }
  const [results] = (await find('search/p/query/goldne/results,count')) as unknown as [Reply]
  assert.equal(results.didYouMean, 'golden')
  assert.equal((await find('strict/p/query/Goldne%20%20mirrro/results')).didYouMean, 'golden  mirror')
  assert.equal((await find('either/p/query/xolden/results')).didYouMean, 'golden')
})

test('a suggestion keeps no word that finds nothing, unless documents must have all words', async () => {
  assert.equal((await find('search/p/query/xqzzt%20goldne/results')).didYouMean, 'golden')
  assert.equal((await find('search/p/query/goldne%20mirrro/results')).didYouMean, 'golden mirror')
  assert.equal((await find('strict/p/query/xqzzt%20goldne/results')).didYouMean, null)
})

test('a text with similar words that finds nothing with them either gets null', async () => {
  assert.equal((await find('search/p/query/zzzzzz/results')).didYouMean, null)
  assert.equal((await find('search/p/query/goldne/e/year/p/from/2090-01-01/results')).didYouMean, null)
})

test('a query that finds something, or has no text, gets no suggestion', async () => {
  assert.ok(!('didYouMean' in (await find('search/p/query/golden/results'))))
  assert.ok(!('didYouMean' in (await find('all/e/year/p/from/2090-01-01/results'))))
})

test('a suggestion under a row filter finds a document that the caller can see', async () => {
  const { didYouMean } = await find('search/p/query/goldne/results', getFiltered)
  if (didYouMean !== null)
    assert.ok((await find(`search/p/query/${didYouMean}/results`, getFiltered)).items.length > 0)
})

test('relaxed replies name the dropped words, in words as typed', async () => {
  const reply = await find('relaxed/p/query/Golden%20ZEBRA/results')
  assert.deepEqual(reply.relaxed, ['ZEBRA'])
  assert.ok(reply.items.length > 0)
  assert.ok(!('relaxed' in (await find('relaxed/p/query/golden/results'))))
  assert.deepEqual((await find('strict/p/query/Golden%20ZEBRA/results')).items, [])
})
