/** Paging through a whole result by cursor (docs/query.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { stackPath } from '#tests/support/query-oracle'
import { closeRaw, rawRequest } from '#tests/support/query-raw'
import { stacks } from '#tests/support/query-stacks'
import { createCredentials, makeDocuments, setUpWorkspace } from '#tests/support/query-things'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const documents = makeDocuments(300, 2026)
let server: StartedServer
let token: string
let filteredToken: string
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await setUpWorkspace(
    server,
    'cursors',
    {
      things: documents,
      many: makeDocuments(12_000, 3).map((document, index) => ({ ...document, id: `many-${index}` })),
    },
    { reader: null, filtered: { flag: true } },
  )
  token = await fetchToken(server, await createCredentials(server, 'cursors', 'reader'))
  filteredToken = await fetchToken(server, await createCredentials(server, 'cursors', 'filtered'))
})
after(async () => {
  closeRaw()
  await server.stop()
})

const ask = (path: string, api = 'things', bearer = token) =>
  rawRequest(server.baseUrl, `/4/cursors/api/${api}/${path}`, {
    headers: { authorization: `Bearer ${bearer}` },
  })
interface Page {
  offset: number
  items: { rank: number; probability: number; tuple: unknown[] }[]
  next?: string | null
}
const read = async (path: string, api?: string): Promise<Page> => {
  const { status, text } = await ask(path, api)
  assert.equal(status, 200, `${path}: ${text}`)
  // The shape of the contract.
  return JSON.parse(text) as Page
}
const readPages = async (path: string, count: number, api?: string) => {
  const items: Page['items'] = []
  for (let cursor: string | null | undefined = '*'; typeof cursor === 'string'; ) {
    const page = await read(`${path}?count=${count}&cursor=${cursor}`, api)
    assert.equal(page.offset, items.length)
    assert.notEqual(page.next, undefined)
    items.push(...page.items)
    cursor = page.next
  }
  return items
}

test('pages by cursor are the whole result, for any stack and page size', async () => {
  await fc.assert(
    fc.asyncProperty(stacks(documents), fc.integer({ min: 11, max: 150 }), async (stack, count) => {
      const path = stackPath(stack)
      const wholePage = await read(`${path}/results?count=1000`)
      assert.equal('next' in wholePage, false)
      assert.deepEqual(await readPages(`${path}/results`, count), wholePage.items)
      const page = await read(`${path}/resultpage?count=${count}&cursor=*`)
      assert.equal(page.items.length, Math.min(count, wholePage.items.length))
    }),
    { numRuns: 40, seed: 6 },
  )
})

test('a cursor goes beyond 10,000 results', async () => {
  const items = await readPages('e/all/results', 1000, 'many')
  assert.equal(items.length, 12_000)
  assert.deepEqual(
    items.map(({ rank }) => rank),
    items.map((_, index) => index + 1),
  )
  assert.equal(new Set(items.map(({ tuple }) => JSON.stringify(tuple))).size, 12_000)
})

test('pages of boosts, also by age, are the whole result', async () => {
  const ids = (items: Page['items']) => items.map(({ tuple }) => JSON.stringify(tuple))
  for (const path of ['e/recent', 'e/all/e/by-label/e/large', 'e/words/p/query/a/e/recent/e/large']) {
    const wholePage = await read(`${path}/results?count=1000`)
    assert.deepEqual(ids(await readPages(`${path}/results`, 37)), ids(wholePage.items), path)
  }
})

test('any and its negation split the result', async () => {
  const count = async (path: string) => JSON.parse((await ask(`${path}/count`)).text).total
  const ends = 'p/from/10/p/to/40'
  const [kept, others] = await Promise.all([
    count(`e/alpha-or-sized/${ends}`),
    count(`e/not-alpha-or-sized/${ends}`),
  ])
  assert.ok(kept > 0 && others > 0)
  assert.equal(kept + others, documents.length)
})

test('a stack that ends in a facet pages through its options', async () => {
  const wholePage = await read('e/tags/results?count=1000')
  assert.deepEqual(await readPages('e/tags/results', 2), wholePage.items)
})

test('results,count and files have a next page too, in the header Link', async () => {
  const [page] = JSON.parse((await ask('e/all/results,count?count=100&cursor=*')).text)
  assert.equal(typeof page.next, 'string')
  let path = 'e/all/results?format=csv&count=100&cursor=*&attributes='
  const lines: string[] = []
  for (;;) {
    const { text, headers } = await ask(path)
    lines.push(...text.trimEnd().split('\r\n').slice(1))
    const [, next] = /^<.*\/things\/([^>]*)>; rel="next"$/.exec(String(headers.link ?? '')) ?? []
    if (next === undefined) break
    path = next
  }
  assert.equal(lines.length, 300)
})

test('a cursor of another query, account, API or endpoint is rejected, and so is one that was changed', async () => {
  const { next } = await read('e/all/results?cursor=*&count=5')
  assert.ok(typeof next === 'string')
  assert.equal((await ask(`e/all/results?cursor=${next}&count=7&attributes=title`)).status, 200)
  const middle = Math.floor(next.length / 2)
  const changed = `${next.slice(0, middle)}${next[middle] === 'A' ? 'B' : 'A'}${next.slice(middle + 1)}`
  for (const [path, api, bearer] of [
    [`e/words/p/query/a/results?cursor=${next}`],
    [`e/all/e/by-size/results?cursor=${next}`],
    [`e/all/resultpage?cursor=${next}`],
    [`e/all/results?cursor=${next}&cutoff=0.1`],
    [`e/all/results?cursor=${next}`, 'many'],
    [`e/all/results?cursor=${next}`, 'things', filteredToken],
    [`e/all/results?cursor=${changed}`],
    [`e/all/results?cursor=${next}A`],
    [`e/all/results?cursor=${next.slice(0, -1)}`],
    ['e/all/results?cursor='],
    ['e/all/results?cursor=**'],
    ['e/all/results?cursor=%00'],
    [`e/all/results?cursor=${'A'.repeat(8000)}`],
    ['e/all/results?cursor=*&offset=0'],
    ['e/all/results?cursor=*&cursor=*'],
  ] satisfies [string, string?, string?][]) {
    const { status, text } = await ask(path, api, bearer)
    assert.deepEqual([status, JSON.parse(text).code], [400, 'bad-option'], path)
    assert.match(JSON.parse(text).message, /"cursor"/)
  }
})
