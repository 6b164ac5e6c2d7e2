/** The fast path and the recipe give the same replies: each request here goes both ways, to two services on one storage and one engine. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Agent, request as sendRequest } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import type { RowFilter } from '@querent/contract/manage'
import type { Api, Definition } from '@querent/contract/workspace-file'
import fc from 'fast-check'
import { baseUrl, openTestParts } from '#authz/test-tokens'
import { openEngine } from '#engines/open'
import { serveQueries } from '#query/test-service'
import { consoleClientId, createClient } from '#storage/clients'
import { removeMember, setMember } from '#storage/members'
import { revoke } from '#storage/revocations'
import { createUser, setUserDisabled } from '#storage/users'
import { createWorkspace, saveDefinition } from '#storage/workspaces'
import { chooseRuns } from '#test-runs'
import type { QueryEvent } from '#usage/usage-log'

type Way = 'shortcut' | 'recipe'
const ways = ['shortcut', 'recipe'] as const
const people = ['ada', 'lou', 'carla'] as const
type Person = (typeof people)[number]

const requestsPerMinute = 1_000_000
const parts = await openTestParts()
const engine = await openEngine({ kind: 'embedded', dataDir: join(parts.folder, 'engine') })
const fields = [
  { name: 'genre', type: 'keyword' },
  { name: 'title', type: 'text', language: 'none', prefix: false },
] as const

const putDocument = async (generation: string, id: string, genre: string): Promise<void> => {
  const entity = JSON.stringify({ id, class: [], attributes: { genre, title: `the ${id}` } })
  await engine.write(generation, [{ put: { id, entity } }])
  await engine.refresh(generation)
}
const newGeneration = async (genre: string): Promise<string> => {
  const generation = randomUUID()
  await engine.open(generation, { fields: [...fields] })
  for (const [id, value] of [
    ['a', 'crime'],
    ['b', genre],
  ] as const)
    await putDocument(generation, id, value)
  return generation
}
/** Generations to switch between, with the same version numbers. */
const generations = [await newGeneration('love'), await newGeneration('war')] as const
let generation: string = generations[0]

const define = (access: 'public' | 'members', order: 'ascending' | 'descending'): Definition => {
  const endpoints: NonNullable<Api['endpoints']> = {
    all: { kind: 'all', collection: 'novels' },
    genre: { kind: 'facet', field: 'genre' },
    search: { kind: 'match', collection: 'novels', fields: ['title'] },
    byGenre: { kind: 'sort', field: 'genre', order },
  }
  return {
    workspace: 'books',
    collections: { novels: { fields: { genre: { type: 'keyword' }, title: { type: 'text' } } } },
    apis: { novels: { access, endpoints }, open: { access: 'public', endpoints } },
  }
}
/** The keeper stays administrator, so that the others can be removed. */
const ids = new Map<Person | 'keeper', string>()
const workspace = await parts.storage.write(async writer => {
  const created = await createWorkspace(writer, define('members', 'ascending'))
  assert.ok(created)
  for (const name of [...people, 'keeper'] as const) {
    const user = await createUser(writer, { email: `${name}@example.org` })
    assert.ok(user)
    ids.set(name, user.id)
    await setMember(writer, {
      workspaceId: created.id,
      subject: user.id,
      kind: 'user',
      roles: ['administrator'],
      filter: undefined,
    })
  }
  const settings = { actsAs: null }
  await createClient(writer, {
    id: consoleClientId,
    kind: 'own',
    workspaceId: null,
    name: 'Console',
    settings,
  })
  return created
})

/** Usage records of each way. */
const usage: Record<Way, QueryEvent[]> = { shortcut: [], recipe: [] }
let hits = 0
const serve = (way: Way, limit: number = requestsPerMinute) =>
  serveQueries({
    ...parts,
    bearer: {
      ...parts.bearer,
      // Only the fast path calls it.
      recordHit() {
        hits++
        parts.bearer.recordHit()
      },
    },
    engine,
    generation: () => ({ id: generation, name: '1' }),
    usageLog: { record: record => usage[way].push(record) },
    requestsPerMinute: limit,
    queryShortcut: way === 'shortcut' ? 'on' : 'off',
  })
const services = { shortcut: await serve('shortcut'), recipe: await serve('recipe') }
// One connection each, so that a connection carries the tokens of several people.
const agents = {
  shortcut: new Agent({ keepAlive: true, maxSockets: 1 }),
  recipe: new Agent({ keepAlive: true, maxSockets: 1 }),
}
after(async () => {
  for (const way of ways) {
    agents[way].destroy()
    await services[way].close()
  }
  await engine.close()
  await parts.close()
})

type Headers = readonly (readonly [name: string, value: string])[]
const send = async (way: Way, method: string, path: string, headers: Headers, port = services[way].port) => {
  const request = sendRequest({
    agent: agents[way],
    port,
    method,
    path,
    headers: [['Host', '127.0.0.1'], ...headers].flat(),
  })
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    headers: NodeJS.Dict<string | string[]>
    body: string
  }>()
  request.on('error', reject).on('response', response => {
    text(response).then(
      body => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
      reject,
    )
  })
  request.end()
  return promise
}
/** All of a reply that is the same for the same request: no time and no request id. */
const comparable = ({ status, headers, body }: Awaited<ReturnType<typeof send>>) => {
  const {
    date,
    'x-request-id': requestId,
    'ratelimit-reset': reset,
    'server-timing': _timing,
    ...rest
  } = headers
  assert.ok(date && requestId)
  assert.equal(reset === undefined, rest['ratelimit-remaining'] === undefined)
  return { status, headers: rest, body: body.replaceAll(String(requestId), 'ID') }
}
const comparableUsage = (way: Way) =>
  usage[way]
    .splice(0)
    .map(({ ms: _ms, requestId: _requestId, workspace, ...rest }) => ({ ...rest, workspace: workspace.id }))

const newToken = (name: Person, grantId: string, audience = baseUrl): Promise<string> =>
  parts.token({ subject: ids.get(name) ?? '', clientId: consoleClientId, audience, grantId })
const currentTokens = async (): Promise<Map<Person, { text: string; grantId: string }>> => {
  const entries = people.map(async name => {
    const grantId = randomUUID()
    return [name, { text: await newToken(name, grantId), grantId }] as const
  })
  return new Map(await Promise.all(entries))
}
let tokens = await currentTokens()
const narrowToken = await newToken('lou', randomUUID(), `${baseUrl}/4/books/api/novels`)

const setRowFilter = (name: Person, filter: RowFilter | undefined): Promise<unknown> =>
  parts.storage.write(writer =>
    setMember(writer, {
      workspaceId: workspace.id,
      subject: ids.get(name) ?? '',
      kind: 'user',
      roles: ['administrator'],
      filter,
    }),
  )

const setDisabled = (name: Person, disabled: boolean): Promise<unknown> =>
  parts.storage.write(writer => setUserDisabled(writer, ids.get(name) ?? '', disabled))
/** Gives everybody access again. */
const restoreAccess = async (): Promise<void> => {
  for (const name of people) {
    await setDisabled(name, false)
    await setRowFilter(name, undefined)
  }
  tokens = await currentTokens()
}

/** A change of what replies depend on. */
const changes: Record<string, (name: Person, value: number) => Promise<unknown> | unknown> = {
  putDocument: async (_, value) => {
    for (const id of generations) await putDocument(id, `d${value}`, value % 2 ? 'crime' : 'war')
  },
  switchGeneration: (_, value) => {
    generation = generations[value % 2] ?? generation
  },
  setRowFilter: (name, value) =>
    setRowFilter(name, value % 3 ? { genre: value % 2 ? 'crime' : 'love' } : undefined),
  removeMember: name =>
    parts.storage.write(writer => removeMember(writer, workspace.id, ids.get(name) ?? '')),
  disableUser: name => setDisabled(name, true),
  revokeGrant: name => {
    const grantId = tokens.get(name)?.grantId ?? ''
    return parts.storage.write(writer => revoke(writer, 'grant', grantId, Date.now() + 900_000))
  },
  restoreAccess,
  defineWorkspace: (_, value) =>
    parts.storage.write(writer =>
      saveDefinition(
        writer,
        workspace.id,
        define(value % 4 === 3 ? 'public' : 'members', value % 2 ? 'descending' : 'ascending'),
      ),
    ),
}

const paths = [
  'novels/e/all/results',
  'novels/e/all/count',
  'novels/e/all/results?count=1',
  'novels/e/all/results?attributs=x',
  'novels/e/all/results?config=none',
  'novels/e/all/results?count=x',
  'novels/e/genre/crime/count',
  'novels/e/search/the/byGenre/results',
  'novels/e/all/options/genre',
  'novels/e/all/resultpage',
  'novels/e/none/results',
  'novels/',
  'novels/openapi.json',
  'open/e/all/count',
  'none/e/all/count',
]
const queryRequest = fc.record({
  kind: fc.constant('request' as const),
  name: fc.constantFrom(...people),
  path: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...paths.slice(0, 3)) },
    { weight: 2, arbitrary: fc.constantFrom(...paths) },
  ),
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD'),
  tag: fc.oneof(
    { weight: 6, arbitrary: fc.constant('last' as const) },
    { weight: 2, arbitrary: fc.constantFrom('none', 'other', 'any', 'list', 'strong') },
  ),
  authorization: fc.oneof(
    { weight: 12, arbitrary: fc.constant('token') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('none', 'twice', 'narrow', 'broken', 'basic', 'lower case', 'DPoP'),
    },
  ),
  header: fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    {
      weight: 3,
      arbitrary: fc.constantFrom<readonly [string, string]>(
        ['Origin', 'https://app.example'],
        ['Origin', baseUrl],
        ['Querent-Preview-As', 'lou@example.org'],
        ['Accept', 'text/csv'],
        ['Accept', 'application/xml'],
        ['Accept-Encoding', 'gzip'],
        ['Cookie', 'a=b'],
      ),
    },
  ),
})
type QueryRequest = ReturnType<typeof queryRequest.generate>['value']
const change = fc.record({
  kind: fc.constant('change' as const),
  name: fc.constantFrom(...people),
  change: fc.constantFrom(...Object.keys(changes), 'restoreAccess', 'restoreAccess', 'restoreAccess'),
  value: fc.nat(7),
})
const step = fc.oneof({ weight: 10, arbitrary: queryRequest }, { weight: 1, arbitrary: change })

/** The last `ETag` of each path. */
const lastTags = new Map<string, string>()
const writeTag = ({ tag, path }: QueryRequest): Headers => {
  const last = lastTags.get(path) ?? '"x"'
  const otherTag = [...lastTags.values()].find(value => value !== last) ?? '"y"'
  const value = {
    last,
    other: otherTag,
    any: '*',
    list: `"x", ${last}`,
    strong: last.replace('W/', ''),
    none: undefined,
  }[tag]
  return value === undefined ? [] : [['If-None-Match', value]]
}
const writeAuthorization = ({ name, authorization }: QueryRequest): Headers => {
  const token = tokens.get(name)?.text ?? ''
  const otherToken = tokens.get(name === 'ada' ? 'lou' : 'ada')?.text ?? ''
  const values: Record<string, readonly string[]> = {
    token: [`Bearer ${token}`],
    none: [],
    twice: [`Bearer ${token}`, `Bearer ${otherToken}`],
    narrow: [`Bearer ${narrowToken}`],
    broken: [`Bearer ${token.slice(0, -4)}AAAA`],
    basic: [`Basic ${token}`],
    'lower case': [`bearer ${token}`],
    DPoP: [`DPoP ${token}`],
  }
  return (values[authorization] ?? []).map(value => ['Authorization', value] as const)
}

const sendBothWays = async (query: QueryRequest): Promise<number | undefined> => {
  const version = engine.version(generation)
  const headers = [...writeTag(query), ...writeAuthorization(query), ...(query.header ? [query.header] : [])]
  const path = `/4/books/api/${query.path}`
  const shortcut = await send('shortcut', query.method, path, headers)
  const recipe = await send('recipe', query.method, path, headers)
  // After a merge of segments in between, the tags of the two replies differ, and what they are counted as.
  if (engine.version(generation) !== version) {
    for (const way of ways) usage[way].length = 0
    return sendBothWays(query)
  }
  const message = JSON.stringify({ path, method: query.method, headers })
  assert.deepEqual(comparable(shortcut), comparable(recipe), message)
  assert.deepEqual(comparableUsage('shortcut'), comparableUsage('recipe'), message)
  if (typeof shortcut.headers.etag === 'string') lastTags.set(query.path, shortcut.headers.etag)
  return shortcut.status
}

test('whatever is asked between whatever changes, status, headers, body and usage are the same both ways', async t => {
  // Otherwise the minutes of the limits would end for one service before the other.
  const startedAt = performance.now()
  t.mock.method(performance, 'now', () => startedAt)
  const counts = { notModified: 0, refused: 0 }
  const property = fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async steps => {
    for (const current of steps) {
      if (current.kind === 'change') {
        await changes[current.change]?.(current.name, current.value)
        continue
      }
      const status = await sendBothWays(current)
      if (status === 304) counts.notModified++
      if (status === 401 || status === 403) counts.refused++
    }
  })
  hits = 0
  const runs = chooseRuns(24, 120)
  await fc.assert(property, { numRuns: runs })
  assert.ok(hits > 1.5 * runs, `the fast path was taken ${hits} times`)
  assert.ok(counts.notModified > runs / 2, `${counts.notModified} replies were 304`)
  assert.ok(counts.refused > runs / 2, `${counts.refused} requests were refused`)
})

test('requests answered from memory count for the rate limit as the others do', async () => {
  await changes.defineWorkspace?.('ada', 0)
  await restoreAccess()
  const headers: Headers = [['Authorization', `Bearer ${tokens.get('ada')?.text}`]]
  const statuses = { shortcut: [] as number[], recipe: [] as number[] }
  hits = 0
  for (const way of ways) {
    const service = await serve(way, 5)
    let tag = '"none"'
    for (let index = 0; index < 7; index++) {
      const reply = await send(
        way,
        'GET',
        '/4/books/api/novels/e/all/results',
        [...headers, ['If-None-Match', tag]],
        service.port,
      )
      tag = String(reply.headers.etag ?? tag)
      statuses[way].push(reply.status)
    }
    await service.close()
  }
  assert.deepEqual(statuses.shortcut, [200, 304, 304, 304, 304, 429, 429])
  assert.deepEqual(statuses.recipe, statuses.shortcut)
  assert.ok(hits > 0)
})
