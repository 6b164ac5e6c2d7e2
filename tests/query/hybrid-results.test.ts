/**
 * Everything that a reply can have works on search by vectors and on hybrid search (query-service.md, nearest), and a row filter holds in
 * each of its parts: a restricted member gets the replies of a workspace that has only the documents they may see.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Count, Options, ResultPage, Results, Statistics } from '@querent/contract/query'
import { makeMember } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const limit = 12

const workspaceFile = (workspace: string) => `
workspace: ${workspace}
collections:
  items:
    id: { field: id, uri: "https://items.example/{id}" }
    language: english
    fields:
      title: { type: text }
      kind: { type: keyword }
      group: { type: keyword }
      price: { type: number }
      meaning: { type: vector, dimensions: 3 }
apis:
  items:
    endpoints:
      search: { kind: match, collection: items, prefix: true, typos: true }
      meaning: { kind: nearest, collection: items, field: meaning, limit: ${limit} }
      same: { kind: nearest, collection: items, field: meaning, minimum: 0.999 }
      best: { kind: mix, of: { search: 0.6, meaning: 0.4 } }
      summed: { kind: mix, of: { search: 0.6, meaning: 0.4 }, scores: true }
      exact: { kind: mix, of: { search: 0.5, same: 0.5 } }
      kind: { kind: facet, field: kind }
      price: { kind: range, field: price }
      by-price: { kind: sort, field: price, order: descending }
      cheap: { kind: boost, field: price, by: log }
      like: { kind: similar, collection: items, fields: [meaning] }
    curation:
      - { when: { query: steel wing }, endpoint: search, pin: ["https://items.example/i5"], bury: ["https://items.example/i1"] }
`

interface Item {
  id: string
  title: string
  kind: string
  group: 'open' | 'secret'
  price: number
  meaning: number[]
}

/** Vectors at growing angles to the first axis. Every fourth document is secret, also the first, and has words and values of its own. */
const items: readonly Item[] = Array.from({ length: 40 }, (_, index) => {
  const angle = (index * 4 * Math.PI) / 180
  const isSecret = index % 4 === 0
  const words = ['steel wing', 'a wing of glass and steel', 'a bird', 'the stone of a bird']
  return {
    id: `i${index}`,
    title: `${words[(index * 7) % 5] ?? 'a wing'}${isSecret ? ' goldfinch' : ''}`,
    kind: isSecret ? 'confidential' : (['thing', 'animal', 'place'][index % 3] ?? ''),
    group: isSecret ? 'secret' : 'open',
    price: (index * 17) % 40,
    meaning: [Math.cos(angle), Math.sin(angle), 0.1 * (index % 3)],
  }
})
const open = items.filter(({ group }) => group === 'open')

/** The vector of the first document, which is secret. */
const secretVector = items[0]?.meaning.join(',') ?? ''
const openVector = items[5]?.meaning.join(',') ?? ''

let server: StartedServer
/** By name of the caller. */
const tokens: Record<string, string> = {}
before(async () => {
  server = await startServer()
  for (const [workspace, documents] of [
    ['art', items],
    ['mirror', open],
  ] as const) {
    await server.applyWorkspace(workspaceFile(workspace))
    await server.importDocuments(workspace, 'items', documents.map(one => JSON.stringify(one)).join('\n'))
    const account = await server.createAccount(workspace, 'tests', 'api')
    tokens[workspace] = await fetchToken(server, account as { clientId: string; clientSecret: string })
  }
  const ann = await makeMember(server, 'art', 'ann@example.org', 'administrator')
  const grace = await makeMember(server, 'art', 'grace@example.org')
  const reply = await fetch(`${server.authUrl}/manage/v1/workspaces/art/members/${grace.email}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${await consoleToken(server, ann)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ roles: ['api'], filter: { group: 'open' } }),
  })
  assert.equal(reply.status, 200, await reply.text())
  tokens.grace = await consoleToken(server, grace, server.baseUrl)
  tokens.ann = await consoleToken(server, ann, server.baseUrl)
})
after(() => server?.stop())

type Caller = 'art' | 'mirror' | 'grace' | 'preview'
const callers = {
  art: { workspace: 'art', token: 'art' },
  mirror: { workspace: 'mirror', token: 'mirror' },
  grace: { workspace: 'art', token: 'grace' },
  preview: { workspace: 'art', token: 'ann' },
} as const satisfies Record<Caller, object>

const send = (caller: Caller, path: string, init: RequestInit = {}) => {
  const { workspace, token } = callers[caller]
  return fetch(`${server.baseUrl}/4/${workspace}/api/items/${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${tokens[token]}`,
      ...(caller === 'preview' && { 'querent-preview-as': 'grace@example.org' }),
      ...init.headers,
    },
  })
}
const get = async <T>(caller: Caller, path: string): Promise<T> => {
  const reply = await send(caller, path)
  assert.equal(reply.status, 200, `${path}: ${await reply.clone().text()}`)
  return (await reply.json()) as T
}
const readIds = ({ items: found }: Results): string[] =>
  found.map(({ tuple: [entity] }) => entity?.id.split('/').at(-1) ?? '')
const listIds = async (caller: Caller, path: string) =>
  readIds(await get<Results>(caller, `${path}/results?count=100`))

const nearestStep = (vector = secretVector) => `e/meaning/p/vector/${vector}`
const mixStep = (endpoint: string, text = 'steel%20wing', vector = secretVector) =>
  `e/${endpoint}/p/query/${text}/p/vector/${vector}`

/** Searches by vectors, hybrid searches, and both with filters, sorts and boosts. */
const stacks = [
  nearestStep(),
  nearestStep(openVector),
  `${nearestStep()}/e/kind:FILTER/p/value/place`,
  `${nearestStep()}/e/search/p/query/wing`,
  `${nearestStep()}/e/by-price`,
  mixStep('best'),
  mixStep('best', 'goldfinch'),
  mixStep('summed'),
  `${mixStep('best')}/e/kind:FILTER/p/value/1(thing)%7C0.5(animal)`,
  `${mixStep('best')}/e/price/p/from/5/p/to/30`,
  `${mixStep('best', 'bird', openVector)}/e/by-price`,
  `${mixStep('best')}/e/cheap`,
  mixStep('exact', 'goldfinch'),
  'e/like/p/id/i6',
]

for (const caller of ['art', 'grace'] as const)
  describe(`replies of ${caller}`, () => {
    for (const stack of stacks)
      test(`agree with each other: ${stack}`, async () => {
        const results = await get<Results>(caller, `${stack}/results?count=100&highlight=true`)
        const ids = readIds(results)
        assert.equal(new Set(ids).size, ids.length)
        assert.deepEqual(await get<Count>(caller, `${stack}/count`), { total: ids.length })
        const statistics = await get<Statistics>(caller, `${stack}/statistics`)
        assert.equal(statistics.total, ids.length)
        const probabilities = results.items.map(({ probability }) => probability)
        for (const cutoff of [0.5, 0.97]) {
          const expected = ids.filter((_, index) => (probabilities[index] ?? 0) >= cutoff)
          const cut = await get<Results>(caller, `${stack}/results?count=100&cutoff=${cutoff}`)
          assert.deepEqual(readIds(cut), expected, `cutoff ${cutoff}`)
          const { total } = await get<Count>(caller, `${stack}/count?cutoff=${cutoff}`)
          assert.equal(total, expected.length)
        }
        const { options } = await get<Options>(caller, `${stack}/options/kind?multiselect=false`)
        const counts = Object.groupBy(results.items, ({ tuple: [entity] }) => String(entity?.attributes.kind))
        assert.deepEqual(
          Object.fromEntries(options.map(({ value, count }) => [value, count])),
          Object.fromEntries(Object.entries(counts).map(([kind, found = []]) => [kind, found.length])),
        )
        const pages = await Promise.all(
          [0, 5, 10, 15, 20, 25, 30, 35].map(offset =>
            get<Results>(caller, `${stack}/results?count=5&offset=${offset}`),
          ),
        )
        assert.deepEqual(pages.flatMap(readIds), ids)
        const byCursor: string[] = []
        for (let cursor: string | null = '*'; cursor !== null; ) {
          const page: Results & { next?: string | null } = await get(
            caller,
            `${stack}/results?count=7&cursor=${encodeURIComponent(cursor)}`,
          )
          byCursor.push(...readIds(page))
          cursor = page.next ?? null
        }
        assert.deepEqual(byCursor, ids)
        const page = await get<ResultPage>(caller, `${stack}/resultpage?count=100`)
        assert.deepEqual(readIds(page as unknown as Results), ids)
        const csv = await (await send(caller, `${stack}/results?count=100&format=csv`)).text()
        assert.deepEqual(
          [...csv.matchAll(/https:\/\/items\.example\/(i\d+)/g)].map(([, id]) => id),
          ids,
        )
      })

    test('a mix by rank sums the ranks of its parts', async () => {
      for (const filter of ['', '/e/kind:FILTER/p/value/place']) {
        const rankById = async (path: string) => {
          const { items: found } = await get<Results>(caller, `${path}/results?count=100`)
          const isBetter = (probability: number) =>
            found.filter(other => other.probability > probability).length
          return new Map(
            found.map(({ probability, tuple: [entity] }) => [entity?.id ?? '', isBetter(probability) + 1]),
          )
        }
        const words = await rankById(`e/search/p/query/steel%20wing%20bird${filter}`)
        const vectors = await rankById(`${nearestStep()}${filter}`)
        const score = (id: string) => {
          const [word, vector] = [words.get(id), vectors.get(id)]
          return (word ? 0.6 / (10 + word) : 0) + (vector ? 0.4 / (10 + vector) : 0)
        }
        const { items: found } = await get<Results>(
          caller,
          `${mixStep('best', 'steel%20wing%20bird')}${filter}/results?count=100&parts=true`,
        )
        const ids = [...new Set([...words.keys(), ...vectors.keys()])]
        assert.equal(found.length, ids.length)
        const best = Math.max(...ids.map(score))
        for (const { probability, tuple, parts } of found) {
          const expected = score(tuple[0]?.id ?? '') / best
          assert.ok(Math.abs(probability - expected) < 1e-5, `${tuple[0]?.id}: ${probability}, ${expected}`)
          const [word, vector] = [words.get(tuple[0]?.id ?? ''), vectors.get(tuple[0]?.id ?? '')]
          assert.deepEqual(parts, { ...(word && { search: word }), ...(vector && { meaning: vector }) })
        }
      }
    })
  })

test('the ranks in the parts of a mix do not depend on boosts, scores of filters, sorts and pages', async () => {
  const partsById = async (path: string) => {
    const { items: found } = await get<Results>('art', path)
    return new Map(found.map(({ tuple: [entity], parts }) => [entity?.id, parts]))
  }
  const filtered = `${mixStep('best')}/e/kind:FILTER/p/value`
  const expected = await partsById(`${filtered}/1(thing,place)/results?count=100&parts=true`)
  assert.ok(expected.size > 12)
  for (const path of [
    `${filtered}/1(thing)%7C0.01(place)/results?count=100&parts=true`,
    `${filtered}/1(thing,place)/e/cheap/resultpage?count=100&parts=true`,
    `${filtered}/1(thing,place)/e/by-price/results,count?count=100&parts=true`,
    `${filtered}/1(thing,place)/results?count=5&offset=7&parts=true`,
  ]) {
    const [results] = [await get<unknown>('art', path)].flat() as [Results]
    assert.ok(results.items.length >= 5)
    for (const { tuple, parts } of results.items) assert.deepEqual(parts, expected.get(tuple[0]?.id), path)
  }
})

test('a result has no ranks in parts unless a request for one mix asks', async () => {
  for (const path of [
    `${mixStep('best')}/results`,
    `${mixStep('best')}/results?parts=false`,
    `${nearestStep()}/results?parts=true`,
    `${mixStep('best')}/e/search/p/query/wing/results?parts=true`,
    `${mixStep('best')}/e/kind/results?parts=true`,
  ])
    assert.ok(!JSON.stringify(await get('art', path)).includes('"parts"'), path)
})

test('highlights mark the words of the part that searches text', async () => {
  const { items: found } = await get<Results>('art', `${mixStep('best')}/results?count=100&highlight=true`)
  const marked = found.filter(({ highlights }) => highlights?.title?.some(text => text.includes('<mark>')))
  const words = await listIds('art', 'e/search/p/query/steel%20wing')
  assert.deepEqual(readIds({ items: marked } as unknown as Results).toSorted(), words.toSorted())
  assert.ok(marked.length > 0 && marked.length < found.length)
})

test('pinned and buried documents keep their places beside a search by vectors', async () => {
  const stack = `e/search/p/query/steel%20wing/e/meaning/p/vector/${openVector}`
  assert.equal((await listIds('art', stack))[0], 'i5')
})

describe('a member with a row filter', () => {
  const requests = [
    'results?count=100&highlight=true',
    'results?count=100&parts=true',
    'resultpage?count=100',
    'count',
    'statistics',
    'count?cutoff=0.9',
    'results,count?count=3',
    'options/kind',
    'options/kind?multiselect=true',
    'resultitem?rank=1',
    'results?count=100&format=csv',
    'results?count=100&format=rdf',
    'results?count=100&format=xml',
  ]
  /** Replies name the workspace and ids of requests only. */
  const readReply = async (caller: Caller, path: string) => {
    const reply = await send(caller, path)
    const text = (await reply.text()).replaceAll('/4/mirror/', '/4/art/')
    return { status: reply.status, text: text.replace(/"requestId":"[^"]*"/, '') }
  }

  test('gets exactly what a service without the hidden documents answers', async () => {
    for (const stack of stacks)
      for (const request of requests) {
        const expected = await readReply('mirror', `${stack}/${request}`)
        assert.ok(expected.status === 200 || expected.status === 404, `${stack}/${request} ${expected.text}`)
        for (const caller of ['grace', 'preview'] as const) {
          const reply = await readReply(caller, `${stack}/${request}`)
          assert.deepEqual(reply, expected, `${caller} ${stack}/${request}`)
          assert.ok(!/confidential|secret|goldfinch(?!\/)/.test(reply.text), reply.text)
        }
      }
  })

  test('gets the nearest documents that are visible, as many as the limit', async () => {
    const ids = await listIds('grace', nearestStep())
    assert.equal(ids.length, limit)
    assert.ok(ids.every(id => open.some(item => item.id === id)))
    assert.equal((await listIds('art', nearestStep()))[0], 'i0')
  })

  test('learns nothing of a hidden document by its vector, its id or its words', async () => {
    for (const path of [`e/same/p/vector/${secretVector}`, 'e/like/p/id/i0', 'e/like/p/id/none']) {
      assert.deepEqual(await get('grace', `${path}/count`), { total: 0 })
      assert.deepEqual(await listIds('grace', path), [])
    }
    assert.equal((await listIds('art', `e/same/p/vector/${secretVector}`)).includes('i0'), true)
    const suggest = async (caller: Caller) =>
      (
        await get<Results>(
          caller,
          `e/exact/p/query/goldfinhc/p/vector/${secretVector}/e/price/p/from/90/results`,
        )
      ).didYouMean
    assert.equal(await suggest('grace'), await suggest('mirror'))
    const misspelled = `e/exact/p/query/goldfimch/p/vector/-1,0,0/results`
    assert.deepEqual(await readReply('grace', misspelled), await readReply('mirror', misspelled))
  })

  test('gets the same in a batch and in a spreadsheet', async () => {
    const body = JSON.stringify({ requests: stacks.map(stack => `${stack}/results,count?count=100`) })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const replies = await Promise.all(
      (['grace', 'preview', 'mirror'] as const).map(async caller => {
        const reply = await send(caller, 'batch', init)
        assert.equal(reply.status, 200)
        return reply.json()
      }),
    )
    assert.deepEqual(replies[0], replies[2])
    assert.deepEqual(replies[1], replies[2])
    const sheet = await send('grace', `${mixStep('best')}/results?format=xlsx`)
    assert.equal(sheet.status, 200)
    assert.match(sheet.headers.get('content-type') ?? '', /spreadsheetml/)
  })

  test('gets the same with the tools of MCP', async () => {
    const callTools = async (caller: 'grace' | 'mirror') => {
      const { workspace, token } = callers[caller]
      const client = new Client({ name: 'tests', version: '1' })
      const url = new URL(`${server.baseUrl}/4/${workspace}/api/items/mcp`)
      const headers = { authorization: `Bearer ${tokens[token]}` }
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
      const vector = items[0]?.meaning
      const replies = []
      for (const [name, given] of [
        ['best', { query: 'steel wing', vector }],
        ['meaning', { vector }],
        ['like', { id: 'i6' }],
      ] as const) {
        const { structuredContent, isError } = await client.callTool({
          name,
          arguments: { ...given, count: 50, facets: ['kind'] },
        })
        assert.ok(!isError, JSON.stringify(structuredContent))
        replies.push(structuredContent)
      }
      await client.close()
      return replies
    }
    const [grace, mirror] = [await callTools('grace'), await callTools('mirror')]
    assert.deepEqual(grace, mirror)
    assert.ok(JSON.stringify(grace).includes('i6') && !/confidential|goldfinch/.test(JSON.stringify(grace)))
  })
})
