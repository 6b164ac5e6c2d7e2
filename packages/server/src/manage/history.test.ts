/** The history of the workspace file: applied states, and the files that restore them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Change, WorkspaceVersion } from '@querent/contract/manage'
import { openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const workspacePath = '/manage/v1/workspaces/shop'
const get = async (as: Person, path: string) => {
  const { status, body } = await server.call(as, 'GET', `${workspacePath}${path}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}
const readHistory = async (as: Person = 'ada'): Promise<WorkspaceVersion[]> =>
  (await get(as, '/history')).items
const readVersion = async (as: Person, version: WorkspaceVersion | undefined): Promise<string> =>
  (await get(as, `/history/${version?.id}`)).source
const exported = async (): Promise<string> => (await get('ada', '/file')).source
const apply = async (as: Person, source: string): Promise<string[]> => {
  const { status, body } = await server.call(as, 'POST', '/manage/v1/apply', { source })
  assert.equal(status, 200, JSON.stringify(body))
  return body.changes.map(({ path }: Change) => path)
}

const file = (weight: string) => `workspace: shop
# Comments stay.
collections:
  books:
    fields:
      title: { type: text${weight} }
      price: { type: number }
apis:
  shop:
    endpoints:
      search: { kind: match, collection: books, fields: [title] }
members:
  ada@example.org: [administrator]
  ursula@example.org: [user]
  operator@example.org: [administrator]
`

test('each applied state is kept with who, when and what, and an unchanged file adds none', async () => {
  await apply('operator', file(''))
  await apply('ada', file(', weight: 3'))
  assert.deepEqual(await apply('ada', file(', weight: 3')), [])
  const [latest, first, ...others] = await readHistory()
  assert.deepEqual(others, [])
  assert.deepEqual(
    [latest?.actor, first?.actor, latest?.edits],
    [
      'ada@example.org',
      'operator@example.org',
      [{ change: 'change', path: 'collections.books.fields.title', before: {}, after: { weight: 3 } }],
    ],
  )
  assert.ok(Date.parse(latest?.at ?? '') > Date.parse(first?.at ?? ''))
  const page = await get('ada', '/history?count=1')
  const next = await get('ada', `/history?after=${page.next}`)
  assert.deepEqual([page.items[0]?.id, next.items[0]?.id, next.next], [latest?.id, first?.id, null])
})

test('a state is restored with its comments, and members and groups stay as they are now', async () => {
  const [, first] = await readHistory()
  await server.call('ada', 'PUT', `${workspacePath}/members/apollo@example.org`, { roles: ['api'] })
  await server.call('ada', 'PUT', `${workspacePath}/groups/staff`, { title: 'Staff' })
  const source = await readVersion('ada', first)
  assert.match(source, /# Comments stay\./)
  assert.match(source, /apollo@example\.org/)
  assert.match(source, /staff/)
  assert.deepEqual(await apply('ada', source), ['collections.books.fields.title'])
  // With that of the group.
  assert.equal((await readHistory()).length, 4)
  assert.doesNotMatch(await exported(), /weight/)
})

test('changes in the forms of settings, groups and defaults are states, with the text and its comments', async () => {
  const send = async (method: 'PATCH' | 'PUT' | 'DELETE', path: string, body?: unknown) => {
    const reply = await server.call('ada', method, `${workspacePath}${path}`, body)
    assert.ok(reply.status < 300, JSON.stringify(reply.body))
  }
  const earlierStates = (await readHistory()).length
  await send('PATCH', '/settings', { title: 'The shop', accessTokenLifetime: '5m' })
  await send('PATCH', '/settings', { title: 'The shop' })
  await send('PUT', '/groups/press', { title: 'Press' })
  await send('PUT', '/member-defaults', { apis: 'all' })
  await send('DELETE', '/groups/press')
  const states = (await readHistory()).slice(0, -earlierStates)
  assert.deepEqual(
    states.map(({ edits, actor }) => [actor, ...edits.map(({ change, path }) => `${change} ${path}`)]),
    [
      ['ada@example.org', 'remove groups.press'],
      ['ada@example.org', 'add memberDefaults'],
      ['ada@example.org', 'add groups.press'],
      ['ada@example.org', 'add settings.accessTokenLifetime', 'add title'],
    ],
  )
  const titled = await readVersion('ada', states.at(-1))
  assert.match(titled, /# Comments stay\./)
  assert.match(titled, /title: The shop/)
  await send('PATCH', '/settings', { title: 'Books' })
  assert.deepEqual(await apply('ada', titled), ['title'])
})

test('an applied file with other comments alone says so, and is a state that is restored', async () => {
  const source = await exported()
  const applyText = async (text: string, dryRun = false) => {
    const { body } = await server.call('ada', 'POST', '/manage/v1/apply', { source: text, dryRun })
    return [body.changes.length, body.textChanged]
  }
  const earlierStates = (await readHistory()).length
  assert.deepEqual(await applyText(source), [0, false])
  assert.equal((await readHistory()).length, earlierStates)
  const commented = `# Reviewed.\n${source}`
  assert.deepEqual(await applyText(commented, true), [0, true])
  assert.deepEqual(await applyText(commented), [0, true])
  assert.deepEqual(await applyText(commented), [0, false])
  assert.equal(await exported(), commented)
  const [latest, previous] = await readHistory()
  assert.deepEqual([latest?.changes, latest?.textOnly, previous?.textOnly], [0, true, false])
  assert.match(await readVersion('ada', latest), /# Reviewed\./)
  assert.deepEqual(await applyText(await readVersion('ada', previous)), [0, true])
  assert.doesNotMatch(await exported(), /Reviewed/)
})

test('somebody without the role administrator restores only what they may change', async () => {
  await apply(
    'ada',
    (await exported())
      .replace('  shop:\n', '  shop:\n    access: public\n')
      .replace('type: number', 'type: number, visible: [staff]'),
  )
  const [withRights] = await readHistory()
  await apply(
    'ada',
    (await exported())
      .replace('    access: public\n', '')
      .replace('type: number, visible: [staff]', 'type: number, title: Price'),
  )
  const readable = (await readHistory('ursula')).flatMap(({ edits }) => edits.map(({ path }) => path))
  assert.ok(readable.includes('collections.books.fields.title'))
  assert.ok(!readable.some(path => path.startsWith('members')), readable.join())
  const source = await readVersion('ursula', withRights)
  assert.doesNotMatch(source, /public|visible|members|groups|ada@/)
  assert.deepEqual(await apply('ursula', source), ['collections.books.fields.price'])
  const { status } = await server.call('eve', 'GET', `${workspacePath}/history`)
  assert.equal(status, 403)
})

test('the address of a removed person is erased from the history', async () => {
  await apply(
    'ada',
    (await exported()).replace('# Comments stay.', '# Ask apollo@example.org\ndescription: Books'),
  )
  const [latest] = await readHistory()
  assert.match(await readVersion('ada', latest), /Ask apollo@example\.org/)
  await server.call('operator', 'DELETE', '/manage/v1/users/apollo@example.org')
  const source = await readVersion('ada', latest)
  assert.doesNotMatch(source, /apollo@/)
  assert.match(source, /Ask removed-/)
})
