/** "Who can read this, and why not": agrees with what queries find (docs/groups.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiError } from '@querent/client'
import type { Member } from '@querent/contract/manage'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const params = { workspace: 'sight' }
const inArticles = { ...params, collection: 'articles' }
const file = `
workspace: sight
collections:
  articles:
    readers: { field: who, everyone: all }
    fields:
      title: { type: text }
      department: { type: keyword }
      pages: { type: number }
      embargo: { type: date }
      salary: { type: number, visible: [legal] }
      who: { type: keyword }
apis:
  news: { endpoints: { everything: { kind: all, collection: articles } } }
  closed: { endpoints: { everything: { kind: all, collection: articles } } }
groups:
  legal: { title: Legal, filter: { department: [legal] } }
  press: { filter: { department: [press], embargo: { to: now } } }
  own: { filter: { department: { member: division } } }
  staff: { title: Staff }
memberDefaults: { filter: { pages: { from: 5 } }, apis: [news] }
systemToSystem:
  nobody: { roles: [api] }
  lawyer: { roles: [api], groups: [legal] }
  editor: { roles: [api], groups: [press, staff] }
  both: { roles: [api], groups: [legal, press] }
  divided: { roles: [api], groups: [own], attributes: { division: [press] } }
  undivided: { roles: [api], groups: [own] }
  filtered: { roles: [api], filter: { department: { not: [legal] } }, groups: [legal] }
  shut-out: { roles: [api], apis: [], filter: {} }
  loader: { roles: [data-provider], filter: {} }
members:
  eve@example.org: { roles: [user], groups: [staff], filter: {} }
`
const departments = ['legal', 'press', 'board', undefined]
const readers = [['all'], ['legal'], ['press', 'staff'], ['eve@example.org'], undefined]
const documents = Array.from({ length: 40 }, (_, index) => ({
  id: `d${index}`,
  title: `Article ${index}`,
  ...(departments[index % 4] !== undefined && { department: departments[index % 4] }),
  pages: index % 9,
  embargo: index % 3 === 0 ? '2999-01-31' : '2020-01-31',
  ...(readers[index % 5] !== undefined && { who: readers[index % 5] }),
}))

let server: StartedServer
let accounts: { name: string; clientId: string }[]
/** Ids of the documents that each account finds, by name. */
const foundIds = new Map<string, Set<string>>()
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await server.call('createUser', {
    input: { email: 'eve@example.org', password: 'correct-horse-battery-staple' },
  })
  await server.applyWorkspace(file)
  await server.importDocuments('sight', 'articles', documents)
  accounts = (await server.call('listSystemToSystem', { params, query: { count: 100 } })).items
  for (const { name, clientId } of accounts) {
    const secret = await server.call('addSecret', { params: { ...params, clientId }, input: {} })
    const reply = await fetch(`${server.baseUrl}/4/sight/api/news/e/everything/results?count=100`, {
      headers: { authorization: `Bearer ${await fetchToken(server, secret)}` },
    })
    // The contract's results, or an error.
    const { items = [] } = (await reply.json()) as { items?: { tuple: [{ id: string }] }[] }
    foundIds.set(name, new Set(items.map(({ tuple }) => tuple[0].id.split(':').at(-1) ?? '')))
  }
})
after(() => server.stop())

const explain = (member: string, id: string) =>
  server.call('explainDocumentAccess', { params: inArticles, query: { id, member } })
const listReaders = (id: string, query = {}) =>
  server.call('listDocumentReaders', { params: inArticles, query: { id, ...query } })

test('the accounts that see a document are those whose queries find it', async () => {
  assert.equal(accounts.length, 9)
  assert.ok((foundIds.get('both')?.size ?? 0) > (foundIds.get('lawyer')?.size ?? 0))
  for (const { id } of documents) {
    const { items } = await listReaders(id)
    const seeing = items.filter(({ kind }) => kind === 'system-to-system').map(({ name }) => name)
    const expected = accounts.filter(({ name }) => foundIds.get(name)?.has(id)).map(({ name }) => name)
    assert.deepEqual(seeing.toSorted(), expected.toSorted(), id)
  }
})

test('the reason agrees with what the query of the account finds', async () => {
  for (const { name, clientId } of accounts)
    for (const { id } of documents.slice(0, 20)) {
      const { sees, checks } = await explain(clientId, id)
      assert.equal(sees, foundIds.get(name)?.has(id), `${name} ${id} ${JSON.stringify(checks)}`)
    }
})

const clientId = (name: string) => accounts.find(account => account.name === name)?.clientId ?? ''

test('a condition that fails is shown with the values of the document', async () => {
  const { sees, checks, filters, hiddenFields } = await explain(clientId('editor'), 'd0')
  assert.equal(sees, false)
  assert.deepEqual(
    checks.filter(({ passed }) => !passed).map(({ name }) => name),
    ['row-filter'],
  )
  assert.deepEqual(filters, [
    {
      source: 'group',
      group: 'press',
      passed: false,
      conditions: [
        { field: 'department', passed: false, allowed: '["press"]', found: ['legal'] },
        { field: 'embargo', passed: false, allowed: '{"to":"now"}', found: ['2999-01-31'] },
      ],
    },
  ])
  assert.deepEqual(hiddenFields.toSorted(), ['salary', 'who'])
  const undivided = await explain(clientId('undivided'), 'd0')
  assert.deepEqual(undivided.filters[0]?.passed, false)
  const shutOut = await explain(clientId('shut-out'), 'd0')
  assert.deepEqual(
    shutOut.checks.filter(({ passed }) => !passed).map(({ name }) => name),
    ['api'],
  )
})

test('people are named by their current address', async () => {
  const { items } = await listReaders('d3')
  const eve = items.find(({ email }) => email === 'eve@example.org')
  assert.deepEqual([eve?.through, eve?.namedAs], [['own'], 'eve@example.org'])
  assert.equal((await explain('Eve@Example.org', 'd3')).sees, true)
  assert.equal((await explain('eve@example.org', 'd4')).sees, false)
})

test('a document says which groups see it', async () => {
  const { groups } = await listReaders('d1')
  const byName = Object.fromEntries(groups.map(({ group, ...sight }) => [group, sight]))
  assert.deepEqual(byName.legal, { title: 'Legal', sees: false, matches: false, named: true })
  assert.deepEqual(byName.press, { sees: false, matches: true, named: false })
  assert.deepEqual(byName.staff, { title: 'Staff', sees: false, matches: null, named: false })
})

test('readers come in pages', async () => {
  const { items: whole } = await listReaders('d20')
  const paged: typeof whole = []
  let page = await listReaders('d20', { count: 1 })
  for (;;) {
    assert.ok(page.items.length <= 1)
    paged.push(...page.items)
    if (page.next === null) break
    page = await listReaders('d20', { count: 1, after: page.next })
    assert.deepEqual(page.groups, [])
  }
  assert.deepEqual(paged, whole)
})

test('unknown documents, members and collections are not found', async () => {
  const codes = [
    listReaders('none'),
    explain('none@example.org', 'd1'),
    server.call('listDocumentReaders', { params: { ...params, collection: 'none' }, query: { id: 'd1' } }),
    server.call('listGroupMembers', { params: { ...params, group: 'none' } }),
  ].map(call =>
    call.then(
      () => 'found',
      (error: ApiError) => error.code,
    ),
  )
  assert.deepEqual(new Set(await Promise.all(codes)), new Set(['no-such-resource']))
})

test('the command line shows readers, reasons and groups', async () => {
  // The JSON output of the commands.
  const readers = (await server.run(['documents', 'readers', 'sight', 'articles', 'd3'])) as {
    members: { email?: string }[]
  }
  assert.ok(readers.members.some(({ email }) => email === 'eve@example.org'))
  const reason = (await server.run(['members', 'why', 'sight', 'eve@example.org', 'articles', 'd4'])) as {
    sees: boolean
  }
  assert.equal(reason.sees, false)
  const filter = '{"department":["board"]}'
  await server.run([
    'groups',
    'set',
    'sight',
    'board',
    '--title',
    'Board',
    '--filter',
    filter,
    '--api',
    'news',
  ])
  await server.run([
    ...['members', 'add', 'sight', 'eve@example.org', '--role', 'user'],
    ...['--group', 'board', '--until', '2999-12-31'],
  ])
  const members = (await server.run(['groups', 'members', 'sight', 'board'])) as Member[]
  assert.deepEqual(
    members.map(({ email, until }) => [email, until]),
    [['eve@example.org', '2999-12-31']],
  )
  await server.run(['groups', 'defaults', 'sight', '--filter', '{}', '--api', 'all'])
  const { items, memberDefaults } = (await server.run(['groups', 'list', 'sight'])) as {
    items: object[]
    memberDefaults: object
  }
  assert.deepEqual(memberDefaults, { filter: {}, apis: 'all' })
  assert.deepEqual(items.at(-1), {
    group: 'board',
    title: 'Board',
    filter: { department: ['board'] },
    apis: ['news'],
  })
  await server.run(['groups', 'set', 'sight', 'spare'])
  await server.run(['groups', 'remove', 'sight', 'spare'])
})
