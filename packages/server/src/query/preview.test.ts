/** "Preview as this member": an administrator sees what a member's row filter lets through, never more than their own. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Role, RowFilter } from '@querent/contract/manage'
import type { Count, Options, ResultPage, Results } from '@querent/contract/query'
import { baseUrl, openTestParts } from '#authz/test-tokens'
import { openEngine } from '#engines/open'
import { createClient } from '#storage/clients'
import { listMembers, setMember } from '#storage/members'
import { createUser } from '#storage/users'
import { createWorkspace, type WorkspaceRow } from '#storage/workspaces'
import { serveQueries } from './test-service.ts'

const stories = [
  { id: 'a', genre: ['crime'], inPrint: true },
  { id: 'b', genre: ['crime', 'love'], inPrint: false },
  { id: 'c', genre: ['love'], inPrint: true },
  { id: 'd', genre: ['war'], inPrint: true },
]
const filters: Record<string, RowFilter> = {
  crime: { genre: 'crime' },
  love: { genre: ['love'] },
  print: { inPrint: true },
}
/** The members of the workspace: role and name of the row filter. */
const members: Record<string, [Role, string?]> = {
  ada: ['administrator'],
  crimson: ['administrator', 'crime'],
  ursula: ['user'],
  carla: ['api', 'crime'],
  lou: ['user', 'love'],
  peter: ['data-provider', 'print'],
}

const open = async () => {
  const parts = await openTestParts()
  const engine = await openEngine({ kind: 'embedded', dataDir: join(parts.folder, 'engine') })
  const generation = randomUUID()
  const fields = [
    { name: 'genre', type: 'keyword' },
    { name: 'inPrint', type: 'boolean' },
  ] as const
  await engine.open(generation, { fields: [...fields] })
  await engine.write(
    generation,
    stories.map(({ id, ...attributes }) => ({
      put: { id, entity: JSON.stringify({ id, class: [], attributes }) },
    })),
  )
  await engine.refresh(generation)
  const people = new Map<string, string>()
  const workspace = await parts.storage.write(async (writer): Promise<WorkspaceRow> => {
    const endpoints = {
      all: { kind: 'all', collection: 'novels' },
      genre: { kind: 'facet', field: 'genre' },
    } as const
    const workspace = await createWorkspace(writer, {
      workspace: 'books',
      collections: { novels: { fields: { genre: { type: 'keyword' }, inPrint: { type: 'boolean' } } } },
      apis: { novels: { endpoints }, open: { access: 'public', endpoints } },
      groups: { lovers: { filter: filters.love ?? {} }, none: { title: 'None' } },
      memberDefaults: { filter: {} },
    })
    if (!workspace) throw new Error('the workspace exists already')
    for (const name of [...Object.keys(members), 'operator', 'stranger']) {
      const user = await createUser(writer, { email: `${name}@example.org`, operator: name === 'operator' })
      if (!user) throw new Error('the user exists already')
      people.set(name, user.id)
      const [role, filter] = members[name] ?? []
      const membership = { workspaceId: workspace.id, subject: user.id, kind: 'user' } as const
      if (role) await setMember(writer, { ...membership, roles: [role], filter: filters[filter ?? ''] })
    }
    await createClient(writer, {
      id: 'console',
      kind: 'own',
      workspaceId: null,
      name: 'Console',
      settings: { actsAs: null },
    })
    const inWorkspace = { workspaceId: workspace.id, name: 'website' }
    const system = { addresses: [] }
    await createClient(writer, { ...inWorkspace, id: 'website', kind: 'system-to-system', settings: system })
    await setMember(writer, {
      workspaceId: workspace.id,
      subject: 'website',
      kind: 'system-to-system',
      roles: ['api'],
      filter: filters.love,
    })
    const application = { type: 'browser', redirectUris: [], origins: [], logoutUris: [], own: true }
    await createClient(writer, {
      ...inWorkspace,
      id: 'finder',
      kind: 'application',
      // A registered application. Its sign-in settings don't matter here.
      settings: { ...application, pkce: true, nonce: false } as never,
    })
    return workspace
  })
  const service = await serveQueries({
    ...parts,
    engine,
    generation: async () => ({ id: generation, name: '1' }),
  })

  const getToken = (name: string, clientId = 'console') =>
    parts.token({ subject: people.get(name) ?? name, clientId, audience: baseUrl })
  /** `path` starts after `/api/`. */
  const get = async (
    token: string | undefined,
    path: string,
    previewAs?: string,
    extraHeaders?: Record<string, string>,
  ) =>
    fetch(`http://127.0.0.1:${service.port}/4/books/api/${path}`, {
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(previewAs === undefined ? {} : { 'querent-preview-as': previewAs }),
        ...extraHeaders,
      },
    })
  const close = async () => {
    await service.close()
    await engine.close()
    await parts.close()
  }
  return { ...parts, workspace, people, tokenOf: getToken, get, close }
}

let server: Awaited<ReturnType<typeof open>>
before(async () => {
  server = await open()
})
after(() => server.close())

/** Ids that a member can find. Checks that all request types agree on them. */
const findIds = async (name: string, previewAs?: string): Promise<string[]> => {
  const token = await server.tokenOf(name)
  // Replies of the contract (query.ts).
  const body = async <T>(path: string) =>
    (await (await server.get(token, `novels/${path}`, previewAs)).json()) as T
  const { items } = await body<Results>('e/all/results')
  const ids = items.map(({ tuple: [entity] }) => entity?.id ?? '').toSorted()
  assert.equal((await body<Count>('e/all/count')).total, ids.length)
  const visible = stories.filter(({ id }) => ids.includes(id))
  const genres = [...new Set(visible.flatMap(({ genre }) => genre))].toSorted()
  const { options } = await body<Options>('e/all/options/genre')
  assert.deepEqual(options.map(({ value }) => value).toSorted(), genres)
  assert.equal((await body<ResultPage>('e/all/resultpage')).items.length, ids.length)
  return ids
}

test("an administrator sees the documents that a member's row filter allows, for any kind of member", async () => {
  assert.deepEqual(await findIds('ada'), ['a', 'b', 'c', 'd'])
  assert.deepEqual(await findIds('ada', 'carla@example.org'), ['a', 'b'])
  assert.deepEqual(await findIds('ada', 'Carla%40Example.org'), ['a', 'b'])
  assert.deepEqual(await findIds('ada', 'website'), ['b', 'c'])
  assert.deepEqual(await findIds('ada', 'peter@example.org'), ['a', 'c', 'd'])
  assert.deepEqual(await findIds('ada', 'ursula@example.org'), ['a', 'b', 'c', 'd'])
})

test('an administrator sees what somebody sees who is in one group only', async () => {
  assert.deepEqual(await findIds('ada', 'group:lovers'), ['b', 'c'])
  assert.deepEqual(await findIds('ada', 'group%3Anone'), ['a', 'b', 'c', 'd'])
  assert.deepEqual(await findIds('crimson', 'group:lovers'), ['b'])
  const token = await server.tokenOf('ada')
  for (const name of ['group:', 'group:Lovers', 'group:constructor', 'lovers'])
    assert.equal((await server.get(token, 'novels/e/all/count', name)).status, 404, name)
  assert.equal(
    (await server.get(await server.tokenOf('ursula'), 'novels/e/all/count', 'group:lovers')).status,
    403,
  )
})

test("a preview never shows more than the administrator's own row filter allows", async () => {
  assert.deepEqual(await findIds('crimson'), ['a', 'b'])
  assert.deepEqual(await findIds('crimson', 'ada@example.org'), ['a', 'b'])
  assert.deepEqual(await findIds('crimson', 'lou@example.org'), ['b'])
  assert.deepEqual(await findIds('crimson', 'peter@example.org'), ['a'])
})

test('only an administrator may preview, through a client of the server itself: others get 403 for any name', async () => {
  for (const [name, client] of [
    ['ursula', 'console'],
    ['carla', 'console'],
    ['operator', 'console'],
    ['stranger', 'console'],
    ['website', 'website'],
    ['ada', 'finder'],
  ] as const)
    for (const previewAs of ['lou@example.org', `${name}@example.org`, 'nobody@example.org', '', '%']) {
      const token = await server.tokenOf(name, client)
      for (const path of ['novels/e/all/results', 'novels/', 'open/e/all/count', 'none/']) {
        const reply = await server.get(token, path, previewAs)
        assert.equal(reply.status, 403, `${name} as ${previewAs}: ${path}`)
        assert.match(reply.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
      }
    }
  const rejected = await server.get(await server.tokenOf('ursula'), 'novels/e/all/count', 'lou@example.org')
  // The error of the contract (errors.ts).
  const { message } = (await rejected.json()) as { message: string }
  assert.match(message, /only an administrator, through the console, may .* Querent-Preview-As/)
  assert.equal((await server.get(undefined, 'open/e/all/count', 'lou@example.org')).status, 401)
})

test('the administrator gets 404 for an unknown member, and 400 for malformed text', async () => {
  const token = await server.tokenOf('ada')
  const status = async (previewAs: string) =>
    (await server.get(token, 'novels/e/all/count', previewAs)).status
  for (const previewAs of ['nobody@example.org', 'stranger@example.org', 'operator@example.org', 'none', ''])
    assert.equal(await status(previewAs), 404, previewAs)
  assert.equal(await status('%'), 400)
})

test('a preview of a public API shows everything', async () => {
  const reply = await server.get(await server.tokenOf('ada'), 'open/e/all/count', 'lou@example.org')
  assert.equal(((await reply.json()) as { total: number }).total, 4)
})

test('a preview never uses the cached result of another preview', async () => {
  const token = await server.tokenOf('ada')
  const get = (previewAs?: string, tag = '') =>
    server.get(token, 'novels/e/all/count', previewAs, { 'if-none-match': tag })
  const tag = async (previewAs?: string) => (await get(previewAs)).headers.get('etag') ?? ''
  const carla = await tag('carla@example.org')
  assert.equal((await get('carla@example.org', carla)).status, 304)
  assert.equal((await get('lou@example.org', carla)).status, 200)
  assert.equal((await get(undefined, carla)).status, 200)
})

test('a changed row filter shows in the next preview', async () => {
  const subject = server.people.get('carla') ?? ''
  const change = (filter: RowFilter | undefined) =>
    server.storage.write(writer =>
      setMember(writer, { workspaceId: server.workspace.id, subject, kind: 'user', roles: ['api'], filter }),
    )
  await change({ genre: 'war' })
  assert.deepEqual(await findIds('ada', 'carla@example.org'), ['d'])
  await change(filters.crime)
  assert.deepEqual(await findIds('ada', 'carla@example.org'), ['a', 'b'])
})

test('a query records its member as active, to the minute; a rejected query or a preview does not', async () => {
  const lastActive = async (name: string) => {
    await server.activity.flush()
    const rows = await listMembers(server.storage.db, server.workspace.id, '', 100)
    return rows.find(({ subject }) => subject === server.people.get(name))?.lastActiveAt
  }
  const query = async (name: string) =>
    (await server.get(await server.tokenOf(name), 'novels/e/all/count')).status
  assert.equal(await lastActive('lou'), null)
  const minuteStart = Math.floor(Date.now() / 60_000) * 60_000
  assert.equal(await query('lou'), 200)
  const active = (await lastActive('lou')) ?? 0
  assert.ok(active >= minuteStart && active <= Date.now() && active % 60_000 === 0, String(active))
  assert.equal(await query('peter'), 403)
  assert.equal(await lastActive('peter'), null)
})
