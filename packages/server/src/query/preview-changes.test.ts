/** Queries with unsaved changes of the definition: who may send them, what they can reach, and that they leave nothing behind. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Role, RowFilter } from '@querent/contract/manage'
import type { Count, Results } from '@querent/contract/query'
import { baseUrl, openTestParts } from '#authz/test-tokens'
import { openEngine } from '#engines/open'
import { createClient } from '#storage/clients'
import { setMember } from '#storage/members'
import { createUser } from '#storage/users'
import { createWorkspace, type WorkspaceRow } from '#storage/workspaces'
import { serveQueries } from './test-service.ts'

const stories = [
  { id: 'a', title: 'river', about: 'a quiet place', genre: 'crime', sold: 1 },
  { id: 'b', title: 'a quiet place', about: 'river', genre: 'love', sold: 100 },
  { id: 'c', title: 'mountain', about: 'a quiet place', genre: 'war', sold: 10 },
]
const secrets = [{ id: 's', title: 'river', about: 'secret', genre: 'crime', sold: 1 }]
const members: Record<string, [Role, RowFilter?]> = {
  ada: ['administrator'],
  ursula: ['user'],
  eve: ['user', { genre: 'crime' }],
  carla: ['api'],
  peter: ['data-provider'],
}
const fields = {
  title: { type: 'text' },
  about: { type: 'text' },
  genre: { type: 'keyword' },
  sold: { type: 'number' },
} as const

const indexed = [
  { name: 'title', type: 'text', language: 'none', prefix: false },
  { name: 'about', type: 'text', language: 'none', prefix: false },
  { name: 'genre', type: 'keyword' },
  { name: 'sold', type: 'number' },
  { name: 'cost', type: 'number' },
] as const

const open = async () => {
  const parts = await openTestParts()
  const engine = await openEngine({ kind: 'embedded', dataDir: join(parts.folder, 'engine') })
  const generations: Record<string, string> = { novels: randomUUID(), drafts: randomUUID() }
  for (const [collection, documents] of [
    ['novels', stories],
    ['drafts', secrets],
  ] as const) {
    const generation = generations[collection] ?? ''
    await engine.open(generation, { fields: [...indexed] })
    await engine.write(
      generation,
      documents.map(({ id, ...attributes }) => ({
        put: {
          id: `urn:story:${id}`,
          entity: JSON.stringify({ id: `urn:story:${id}`, class: [], attributes }),
        },
      })),
    )
    await engine.refresh(generation)
  }
  const people = new Map<string, string>()
  await parts.storage.write(async (writer): Promise<WorkspaceRow> => {
    const hiddenField = { type: 'number' as const, visible: ['hr'] }
    const collection = {
      id: { field: 'id', uri: 'urn:story:{id}' },
      fields: { ...fields, cost: hiddenField },
    }
    const endpoints = {
      search: { kind: 'match', collection: 'novels' },
      all: { kind: 'all', collection: 'novels' },
      popular: { kind: 'boost', field: 'sold', by: 'log' },
      genre: { kind: 'facet', field: 'genre' },
    } as const
    const workspace = await createWorkspace(writer, {
      workspace: 'books',
      collections: { novels: collection, drafts: collection },
      groups: { hr: { title: 'HR' } },
      apis: { novels: { endpoints }, open: { access: 'public', endpoints } },
    })
    if (!workspace) throw new Error('the workspace exists already')
    for (const name of [...Object.keys(members), 'operator', 'stranger']) {
      const user = await createUser(writer, { email: `${name}@example.org`, operator: name === 'operator' })
      if (!user) throw new Error('the user exists already')
      people.set(name, user.id)
      const [role, filter] = members[name] ?? []
      const membership = { workspaceId: workspace.id, subject: user.id, kind: 'user' } as const
      if (role) await setMember(writer, { ...membership, roles: [role], filter })
    }
    await createClient(writer, {
      id: 'console',
      kind: 'own',
      workspaceId: null,
      name: 'Console',
      settings: { actsAs: null },
    })
    const application = { type: 'browser', redirectUris: [], origins: [], logoutUris: [], own: true }
    await createClient(writer, {
      workspaceId: workspace.id,
      name: 'finder',
      id: 'finder',
      kind: 'application',
      // A registered application. Its sign-in settings don't matter here.
      settings: { ...application, pkce: true, nonce: false } as never,
    })
    return workspace
  })
  const usage: unknown[] = []
  const service = await serveQueries({
    ...parts,
    engine,
    usageLog: { record: entry => usage.push(entry) },
    requestsPerMinute: 10_000,
    generation: async (_, collection) => ({ id: generations[collection] ?? '', name: '1' }),
  })
  const token = (name: string, clientId = 'console') =>
    parts.token({ subject: people.get(name) ?? name, clientId, audience: baseUrl })
  /** `path` starts after `/api/`. */
  const get = async (
    bearer: string | undefined,
    path: string,
    changes?: unknown,
    extraHeaders: Record<string, string> = {},
  ) => {
    const value = typeof changes === 'string' ? changes : encodeURIComponent(JSON.stringify(changes))
    return fetch(`http://127.0.0.1:${service.port}/4/books/api/${path}`, {
      headers: {
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(changes !== undefined && { 'querent-preview-changes': value }),
        ...extraHeaders,
      },
    })
  }
  const close = async () => {
    await service.close()
    await engine.close()
    await parts.close()
  }
  return { usage, token, get, close, port: service.port }
}

describe('queries with unsaved changes', () => {
  let server: Awaited<ReturnType<typeof open>>
  before(async () => {
    server = await open()
  })
  after(() => server.close())

  const findIds = async (name: string, path: string, changes?: unknown): Promise<string[]> => {
    const reply = await server.get(await server.token(name), path, changes)
    assert.equal(reply.status, 200, path)
    // The reply of the contract (query.ts).
    const { items } = (await reply.json()) as Results
    return items.map(({ tuple: [entity] }) => (entity?.id ?? '').replace('urn:story:', ''))
  }
  const heavyAbout = { weights: { novels: { about: 9 } } }
  const heavyTitle = { weights: { novels: { title: 9 } } }
  const search = 'novels/e/search/p/query/river/results'

  test('weights, endpoints and curation rank the query, and nothing of it stays', async () => {
    for (const name of ['ada', 'ursula']) {
      const saved = await findIds(name, search)
      assert.deepEqual(await findIds(name, search, heavyAbout), ['b', 'a'])
      assert.deepEqual(await findIds(name, search, heavyTitle), ['a', 'b'])
      assert.deepEqual(await findIds(name, search), saved)
    }
    const boosted = 'novels/e/search/p/query/river/e/popular/results'
    assert.deepEqual(await findIds('ada', boosted), ['b', 'a'])
    const crime = { kind: 'boost', field: 'genre', value: 'crime', by: 500 }
    assert.deepEqual(await findIds('ada', boosted, { endpoints: { popular: crime } }), ['a', 'b'])
    assert.deepEqual(await findIds('ada', boosted), ['b', 'a'])
    for (const pin of [['a'], ['b']]) {
      const curation = [{ when: { query: 'river' }, endpoint: 'search', pin, bury: [] }]
      assert.equal((await findIds('ada', search, { curation }))[0], pin[0])
    }
    const options = await server.get(
      await server.token('ada'),
      'novels/e/search/p/query/river/options/genre',
      {
        endpoints: { search: { kind: 'match', collection: 'novels', fields: ['title'] } },
      },
    )
    assert.deepEqual(
      ((await options.json()) as { options: { value: string }[] }).options.map(({ value }) => value),
      ['crime'],
    )
  })

  test('a preview is neither answered from a cache nor cached', async () => {
    const token = await server.token('ada')
    const first = await server.get(token, search)
    const tag = first.headers.get('etag') ?? ''
    const body = await first.text()
    const preview = await server.get(token, search, heavyAbout, { 'if-none-match': tag })
    assert.equal(preview.status, 200)
    assert.equal(preview.headers.get('etag'), null)
    assert.equal(preview.headers.get('cache-control'), 'private, no-store')
    assert.notEqual(await preview.text(), body)
    // The same address, right after a preview: the cached answer of the saved definition.
    assert.equal((await server.get(token, search, undefined, { 'if-none-match': tag })).status, 304)
    const second = await server.get(token, search)
    assert.equal(second.headers.get('etag'), tag)
    assert.equal(await second.text(), body)
    assert.equal((await server.get(token, search, heavyAbout, { 'if-none-match': tag })).status, 200)
  })

  test('a preview counts against the limits of the account, and is not counted as usage', async () => {
    const token = await server.token('ada')
    const readRemaining = async (changes?: unknown) =>
      Number((await server.get(token, search, changes)).headers.get('ratelimit-remaining'))
    const remaining = await readRemaining()
    const recorded = server.usage.length
    assert.equal(await readRemaining(heavyAbout), remaining - 1)
    await server.get(token, search, { weights: { novels: { genre: 2 } } })
    assert.equal(server.usage.length, recorded)
    await readRemaining()
    assert.equal(server.usage.length, recorded + 1)
  })

  test('a lookup of the console is not counted as usage, and no application can hide a query that way', async () => {
    const lookUp = async (name: string, client: string) => {
      const recorded = server.usage.length
      const token = await server.token(name, client)
      const reply = await server.get(token, search, undefined, { 'querent-usage': 'none' })
      assert.equal(reply.status, 200)
      return server.usage.length - recorded
    }
    for (const name of ['ada', 'carla']) {
      assert.equal(await lookUp(name, 'console'), 0, name)
      assert.equal(await lookUp(name, 'finder'), 1, name)
    }
  })

  test('only who may edit, through a client of the server itself, may preview: others get the same 403 for any changes', async () => {
    for (const [name, client] of [
      ['carla', 'console'],
      ['peter', 'console'],
      ['operator', 'console'],
      ['stranger', 'console'],
      ['ada', 'finder'],
      ['ursula', 'finder'],
    ] as const)
      for (const changes of [heavyAbout, {}, '%', { weights: { none: { title: 1 } } }])
        for (const path of [search, 'open/e/all/results', 'novels/', 'none/']) {
          const reply = await server.get(await server.token(name, client), path, changes)
          assert.equal(reply.status, 403, `${name} with ${client}: ${path}`)
          assert.match(reply.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
        }
    assert.equal((await server.get(undefined, 'open/e/all/results', heavyAbout)).status, 401)
  })

  test("no change reaches documents beyond the member's row filter", async () => {
    const listIds = async (path: string, changes?: unknown) =>
      (await findIds('eve', path, changes)).toSorted()
    assert.deepEqual(await listIds('novels/e/all/results'), ['a'])
    assert.deepEqual(await listIds(search, heavyAbout), ['a'])
    // Without the row filter, a public API would show the drafts that it does not publish.
    const drafts = { endpoints: { all: { kind: 'all', collection: 'drafts' } } }
    assert.deepEqual(await listIds('open/e/all/results'), ['a', 'b', 'c'])
    assert.deepEqual(await listIds('open/e/all/results', drafts), ['s'])
    const hidden = { ...drafts, curation: [] }
    assert.deepEqual(await listIds('open/e/all/results', hidden), ['s'])
    assert.deepEqual(await listIds('open/e/all/results', {}), ['a'])
    const count = await server.get(await server.token('eve'), 'novels/e/all/count', heavyAbout)
    assert.equal(((await count.json()) as Count).total, 1)
    // Changes can't touch who sees which documents.
    for (const changes of [
      { access: 'public' },
      { apis: { novels: { access: 'public' } } },
      { collections: { novels: { fields: { genre: { type: 'text' } } } } },
      { weights: { novels: { genre: 1 } } },
      { members: {} },
    ])
      assert.equal((await server.get(await server.token('eve'), search, changes)).status, 400)
  })

  test('changes cannot name a field that is hidden from their author', async () => {
    const changes = { endpoints: { costly: { kind: 'boost', field: 'cost', by: 'log' } } }
    const path = 'novels/e/search/p/query/river/e/costly/results'
    const unknown = { endpoints: { costly: { kind: 'boost', field: 'costs', by: 'log' } } }
    const read = async (name: string, sent: unknown) => {
      const reply = await server.get(await server.token(name), path, sent)
      // An error or results.
      const { message = '' } = (await reply.json()) as { message?: string }
      return [reply.status, message.replaceAll('costs', 'cost')]
    }
    assert.deepEqual(await read('ursula', changes), await read('ursula', unknown))
    assert.equal((await read('ada', unknown))[0], 400)
    assert.equal((await read('ada', changes))[0], 200)
  })

  test('wrong changes are rejected with their place', async () => {
    const token = await server.token('ursula')
    for (const [changes, place] of [
      ['%', 'percent-encoded JSON'],
      ['[', 'percent-encoded JSON'],
      [[], 'found'],
      [{ weights: { novels: { title: 0 } } }, 'weights.novels.title'],
      [{ weights: { novels: { title: 'much' } } }, 'weights.novels.title'],
      [{ weights: { novel: { title: 1 } } }, 'weights.novel'],
      [{ weights: { novels: { constructor: 1 } } }, 'weights.novels.constructor'],
      [{ endpoints: { search: { kind: 'match', collection: 'none' } } }, 'endpoints.search.collection'],
      [{ endpoints: { search: { kind: 'sort', field: 'none' } } }, 'endpoints.search'],
      [{ curation: [{ when: { query: 'x' }, endpoint: 'none' }] }, 'curation.0.endpoint'],
      ['a'.repeat(17_000), 'allowed: up to'],
    ] as const) {
      const reply = await server.get(token, search, changes)
      const { code, message } = (await reply.json()) as { code: string; message: string }
      assert.deepEqual([reply.status, code], [400, 'bad-parameter'], message)
      assert.ok(message.includes(place), message)
    }
    for (const path of ['novels/', 'novels/openapi.json', 'novels/status'])
      assert.equal((await server.get(token, path, heavyAbout)).status, 400, path)
    const batch = await fetch(`http://127.0.0.1:${server.port}/4/books/api/novels/batch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'querent-preview-changes': encodeURIComponent('{}'),
      },
      body: JSON.stringify({ requests: ['e/all/results'] }),
    })
    assert.equal(batch.status, 400)
  })
})
