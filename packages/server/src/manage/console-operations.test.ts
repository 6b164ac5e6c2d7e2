/** Settings, applications and the audit log, as the console uses them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { authUrl } from '#authz/test-tokens'
import { touchSecrets } from '#storage/clients'
import { findWorkspace } from '#storage/workspaces'
import { openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const book = '/manage/v1/workspaces/books'
const redirectUris = ['https://app.example.org/callback']

describe('settings', () => {
  it('are changed one by one, and leave the rest of the definition alone', async () => {
    const definition = async () => (await findWorkspace(server.storage.db, 'books'))?.definition
    const definitionBefore = await definition()
    assert.equal((await server.call('ada', 'GET', `${book}/settings`)).body.accessTokenLifetime, '15m')
    const origins = ['https://app.example.org']
    // A form sends its other settings too. Those that stay need no line in the file.
    const form = { origins, allowMetadataClients: false, skipInvalidRedirectUris: false }
    await server.call('ada', 'PATCH', `${book}/settings`, form)
    const changed = await server.call('ada', 'PATCH', `${book}/settings`, { accessTokenLifetime: '1h' })
    assert.deepEqual(changed.body, {
      title: 'Books',
      description: '',
      accessTokenLifetime: '1h',
      origins,
      allowMetadataClients: false,
      skipInvalidRedirectUris: false,
      keepGenerations: 3,
      queryLog: { parameters: 'off', keep: '30d' },
      requireSecondFactor: false,
    })
    assert.deepEqual(await definition(), {
      ...definitionBefore,
      settings: { ...definitionBefore?.settings, accessTokenLifetime: '1h', origins },
    })
  })
  it('include title and description, which the workspace file then has, with its comments', async () => {
    const source =
      '# Our books\nworkspace: books\ntitle: Old # short\ncollections:\n  novels:\n    fields: { title: { type: text }, genre: { type: keyword } }\napis:\n  novels: { endpoints: { search: { kind: match, collection: novels } } }\n'
    await server.call('ada', 'POST', '/manage/v1/apply', { source })
    const file = async () => (await server.call('ada', 'GET', `${book}/file`)).body.source
    const names = { title: 'Books', description: 'Novels of the city library' }
    const changed = await server.call('ada', 'PATCH', `${book}/settings`, names)
    assert.deepEqual([changed.body.title, changed.body.description], [names.title, names.description])
    assert.match(
      await file(),
      /^# Our books\nworkspace: books\ntitle: Books # short\n[\s\S]*^description: Novels of the city library$/m,
    )
    const unchanged = await server.call('ada', 'POST', '/manage/v1/apply', { source: await file() })
    assert.deepEqual(unchanged.body.changes, [])
    await server.call('ada', 'PATCH', `${book}/settings`, { description: '' })
    assert.doesNotMatch(await file(), /description/)
  })
  it('refuse what a workspace file refuses, and say where', async () => {
    const { status, body } = await server.call('ada', 'PATCH', `${book}/settings`, {
      origins: ['https://app.example.org/path'],
    })
    assert.equal(status, 400)
    assert.equal(body.errors[0].path, 'body.origins.0')
    assert.match(body.errors[0].message, /only the origin: https:\/\/app\.example\.org/)
    const tooLong = await server.call('ada', 'PATCH', `${book}/settings`, {
      queryLog: { parameters: 'full', keep: '3651d' },
    })
    assert.equal(tooLong.status, 400)
    assert.equal(tooLong.body.errors[0].path, 'body.queryLog.keep')
  })
})

describe('an application', () => {
  it('is changed in part, under a name that no other has', async () => {
    const application = await server.call('ada', 'POST', `${book}/applications`, {
      name: 'Finder',
      redirectUris,
    })
    await server.call('ada', 'POST', `${book}/applications`, { name: 'Other', redirectUris })
    const path = `${book}/applications/${application.body.clientId}`
    const changed = await server.call('ada', 'PATCH', path, { name: 'Searcher', own: true })
    const { clientSecret: _, ...rest } = application.body
    assert.deepEqual(changed.body, { ...rest, name: 'Searcher', own: true })
    const conflict = await server.call('ada', 'PATCH', path, { name: 'Other' })
    assert.deepEqual([conflict.status, conflict.body.code], [409, 'conflict'])
  })
})

describe('the last activity of a member', () => {
  interface Listed {
    email?: string
    clientId?: string
    lastActivityAt: string | null
  }
  const list = async (): Promise<Listed[]> => (await server.call('ada', 'GET', `${book}/members`)).body.items
  const readLastActivity = async (name: string) =>
    (await list()).find(({ email, clientId }) => clientId === name || email === `${name}@example.org`)
      ?.lastActivityAt
  it('is their last request that was let through in this workspace', async () => {
    const minuteStart = Math.floor(Date.now() / 60_000) * 60_000
    assert.equal(await readLastActivity('apollo'), null)
    await server.call('apollo', 'GET', `${book}/members`)
    await server.call('apollo', 'GET', '/manage/v1/me')
    assert.equal(
      await readLastActivity('apollo'),
      null,
      'neither what was refused nor what concerns no workspace',
    )
    await server.call('apollo', 'GET', `${book}/apis`)
    const activeAt = Date.parse((await readLastActivity('apollo')) ?? '')
    assert.ok(activeAt >= minuteStart && activeAt <= Date.now(), String(activeAt))
  })
  it('is for a System-to-System account also the last use of a secret', async () => {
    const account = await server.call('ada', 'POST', `${book}/system-to-system`, {
      name: 'site',
      roles: ['api'],
    })
    const { clientId, secrets } = account.body
    assert.equal(await readLastActivity(clientId), null)
    const usedAt = Date.UTC(2026, 0, 2)
    await touchSecrets(server.storage, new Map([[secrets[0].id, usedAt]]))
    assert.equal(await readLastActivity(clientId), new Date(usedAt).toISOString())
  })
})

describe('the audit log', () => {
  it('tells who did what, newest first, in pages and by action, actor and time', async () => {
    const startedAt = new Date().toISOString()
    for (const name of ['One', 'Two', 'Three'])
      await server.call('ada', 'POST', `${book}/applications`, { name, redirectUris })
    await server.call('operator', 'PATCH', `${book}/settings`, { origins: [] })
    const list = async (query: string) => (await server.call('ada', 'GET', `${book}/audit?${query}`)).body
    const since = `from=${encodeURIComponent(startedAt)}`

    const [newest, ...otherEntries] = (await list(since)).items
    assert.deepEqual([newest.action, newest.actor], ['updateSettings', 'operator@example.org'])
    assert.deepEqual(
      otherEntries.map((entry: { detail: { name: string } }) => entry.detail.name),
      ['Three', 'Two', 'One'],
    )
    const first = await list(`${since}&count=3`)
    assert.equal(first.items.length, 3)
    const second = await list(`${since}&count=3&after=${first.next}`)
    assert.deepEqual(
      [second.items.map((entry: { detail: { name: string } }) => entry.detail.name), second.next],
      [['One'], null],
    )
    assert.equal((await list(`${since}&action=createApplication`)).items.length, 3)
    const listActors = async (actor: string) =>
      (await list(`${since}&actor=${encodeURIComponent(actor)}`)).items.map(
        (entry: { actor: string }) => entry.actor,
      )
    assert.deepEqual(await listActors('operator@example.org'), ['operator@example.org'])
    assert.deepEqual(await listActors('OPERA'), ['operator@example.org'], 'a part of it, in whatever case')
    assert.deepEqual(await listActors(server.ids.operator), ['operator@example.org'])
    assert.deepEqual(await listActors('oper%org'), [], 'no pattern')
    assert.deepEqual(await listActors('oper_tor'), [])
    assert.deepEqual((await list(`to=${encodeURIComponent('2000-01-01T00:00:00Z')}`)).items, [])
  })
  it('says what stood before, of what was changed', async () => {
    const last = async () => (await server.call('ada', 'GET', `${book}/audit?count=1`)).body.items[0].detail
    const creation = await server.call('ada', 'POST', `${book}/system-to-system`, {
      name: 'shop',
      roles: ['api'],
    })
    const account = `${book}/system-to-system/${creation.body.clientId}`
    const filter = { genre: ['drama'] }
    await server.call('ada', 'PATCH', account, { name: 'store', roles: ['api'], filter })
    const changed = { name: 'store', roles: ['api'], filter }
    assert.deepEqual(await last(), { ...changed, before: { name: 'shop', filter: null }, source: 'api' })
    await server.call('ada', 'PATCH', account, { disabled: true, addresses: ['192.0.2.1'] })
    const previousValues = { disabled: false, addresses: [] }
    assert.deepEqual(await last(), {
      disabled: true,
      addresses: ['192.0.2.1'],
      before: previousValues,
      source: 'api',
    })
    await server.call('ada', 'PUT', `${book}/members/ursula@example.org`, { roles: ['api', 'data-provider'] })
    assert.deepEqual((await last()).before, { roles: ['user'] })
    // Another program may have a token of the console; a browser sends the origin of the page.
    for (const [headers, source] of [
      [{ origin: authUrl }, 'console'],
      [{ 'user-agent': 'querent-cli' }, 'api'],
    ] as const) {
      await server.call('ada', 'PATCH', account, { disabled: source === 'api' }, headers)
      assert.equal((await last()).source, source)
    }
    await server.call('ada', 'PUT', `${book}/members/nobody@example.org`, { roles: ['api'] })
    assert.deepEqual(await last(), { roles: ['api'], source: 'api' }, 'a new member was nothing before')
    await server.call('ada', 'PATCH', `${book}/settings`, { accessTokenLifetime: '2h' })
    await server.call('ada', 'PATCH', `${book}/settings`, { accessTokenLifetime: '3h' })
    assert.deepEqual((await last()).before, { accessTokenLifetime: '2h' })
    const application = await server.call('ada', 'POST', `${book}/applications`, {
      name: 'Old',
      redirectUris,
    })
    await server.call('ada', 'PATCH', `${book}/applications/${application.body.clientId}`, { name: 'New' })
    assert.deepEqual(await last(), { name: 'New', before: { name: 'Old' } })
  })
  it('shows nothing of another workspace', async () => {
    await server.call('ada', 'PATCH', `${book}/settings`, { origins: [] })
    const { body } = await server.call('eve', 'GET', '/manage/v1/workspaces/films/audit')
    assert.ok(body.items.every((entry: { target: string }) => entry.target !== 'books'))
  })
})
