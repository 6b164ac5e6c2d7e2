/** Groups, defaults and attributes decide what members see, from their next request on (docs/groups.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiError } from '@querent/client'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const documents = [
  { id: 'l1', department: 'legal', pages: 3 },
  { id: 'p1', department: 'press', pages: 5, embargo: '2020-01-01' },
  { id: 'p2', department: 'press', pages: 9, embargo: '2999-01-01' },
  { id: 'h1', department: ['hr', 'legal'], pages: 1 },
  { id: 'x1', pages: 7 },
]

/** Accounts with what the file says of them. */
const accounts = {
  default: '{ roles: [api] }',
  legal: '{ roles: [api], groups: [legal] }',
  press: '{ roles: [api], groups: [press] }',
  both: '{ roles: [api], groups: [press, legal] }',
  untitled: '{ roles: [api], groups: [plain] }',
  everything: '{ roles: [api], groups: [press, all] }',
  own: '{ roles: [api], filter: { pages: { from: 5, to: 7 } }, groups: [all] }',
  'own-all': '{ roles: [api], filter: {} }',
  attribute: '{ roles: [api], groups: [own-department], attributes: { department: [hr] } }',
  'no-attribute': '{ roles: [api], groups: [own-department] }',
  negated: '{ roles: [api], filter: { department: { not: [press] } } }',
  'negated-attribute': '{ roles: [api], filter: { department: { not: { member: absent } } } }',
  ended:
    '{ roles: [api], groups: [{ group: legal, until: 2020-01-01 }, { group: press, until: 2999-01-01T00:00:00Z }] }',
}
type AccountName = keyof typeof accounts

const defaults = 'memberDefaults: { filter: { pages: 3 } }'
const groupLines = [
  '  legal: { title: Legal, filter: { department: [legal] } }',
  '  press: { filter: { department: [press], embargo: { to: now } } }',
  '  plain: { title: Plain }',
  '  all: { filter: {} }',
  '  own-department: { filter: { department: { member: department } } }',
]
const file = ({
  groups = groupLines,
  memberDefaults = defaults,
  systemToSystem = accounts as Record<string, string>,
} = {}) => `
workspace: news
collections:
  articles:
    fields:
      department: { type: keyword }
      pages: { type: number }
      embargo: { type: date }
apis:
  news:
    endpoints:
      everything: { kind: all, collection: articles }
      department: { kind: facet, field: department }
groups:
${groups.join('\n')}
${memberDefaults}
systemToSystem:
${Object.entries(systemToSystem)
  .map(([name, value]) => `  ${name}: ${value}`)
  .join('\n')}
`

let server: StartedServer
let tokens: Record<string, string>
let clientIds: Record<string, string>
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await server.applyWorkspace(file())
  await server.importDocuments('news', 'articles', documents)
  const { items } = await server.call('listSystemToSystem', {
    params: { workspace: 'news' },
    query: { count: 100 },
  })
  clientIds = Object.fromEntries(items.map(({ name, clientId }) => [name, clientId]))
  tokens = Object.fromEntries(
    await Promise.all(
      items.map(async ({ name, clientId }) => {
        const params = { workspace: 'news', clientId }
        return [
          name,
          await fetchToken(server, await server.call('addSecret', { params, input: {} })),
        ] as const
      }),
    ),
  )
})
after(() => server.stop())

const get = (account: AccountName, path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.baseUrl}/4/news/api/news/${path}`, {
    headers: { authorization: `Bearer ${tokens[account]}`, ...headers },
  })
const find = async (account: AccountName): Promise<string[]> => {
  const reply = await get(account, 'e/everything/results')
  assert.equal(reply.status, 200, account)
  // The contract's results.
  const { items } = (await reply.json()) as { items: { tuple: [{ id: string }] }[] }
  return items.map(({ tuple }) => tuple[0].id.split(':').at(-1) ?? '').sort()
}
/** Returns the codes of the faults of a file that the server rejects. */
const findFaults = async (source: string) => {
  const error = await server.applyWorkspace(source).then(
    () => assert.fail('the file was applied'),
    (thrown: ApiError) => thrown,
  )
  assert.equal(error.status, 400)
  return (error.errors ?? []).map(({ path, code }) => `${path} ${code}`)
}

const sees: Record<AccountName, string[]> = {
  default: ['l1'],
  legal: ['h1', 'l1'],
  press: ['p1'],
  both: ['h1', 'l1', 'p1'],
  untitled: ['l1'],
  everything: ['h1', 'l1', 'p1', 'p2', 'x1'],
  own: ['p1', 'x1'],
  'own-all': ['h1', 'l1', 'p1', 'p2', 'x1'],
  attribute: ['h1'],
  'no-attribute': [],
  negated: ['h1', 'l1', 'x1'],
  'negated-attribute': [],
  ended: ['p1'],
}

test('each member sees what own filter, groups, attributes and defaults open', async () => {
  for (const [account, ids] of Object.entries(sees))
    assert.deepEqual(await find(account as AccountName), ids, account)
})

test('counts and facets are those of the visible documents', async () => {
  const reply = await get('both', 'options/department')
  // The contract's options.
  const { options } = (await reply.json()) as { options: { value: string; count: number }[] }
  assert.deepEqual(
    options.map(({ value, count }) => [value, count]),
    [
      ['legal', 2],
      ['hr', 1],
      ['press', 1],
    ],
  )
})

test('a reply under a filter with now has no tag, and others have one', async () => {
  assert.equal((await get('press', 'e/everything/results')).headers.get('etag'), null)
  const tag = (await get('legal', 'e/everything/results')).headers.get('etag') ?? ''
  assert.equal((await get('legal', 'e/everything/results', { 'if-none-match': tag })).status, 304)
  assert.equal((await get('own-all', 'e/everything/results', { 'if-none-match': tag })).status, 200)
})

test('a cursor goes on under a filter with now, and not under the filter of somebody else', async () => {
  const first = await get('press', 'e/everything/results?cursor=*&count=1')
  assert.equal(first.status, 200)
  const firstPage = await (await get('both', 'e/everything/results?cursor=*&count=1')).json()
  const { next } = firstPage as { next: string }
  assert.equal((await get('both', `e/everything/results?cursor=${next}&count=1`)).status, 200)
  assert.equal((await get('everything', `e/everything/results?cursor=${next}&count=1`)).status, 400)
})

test('a change of a group holds from the next request on, and a cursor from before it is refused', async t => {
  t.after(() => server.applyWorkspace(file()))
  const page = (await (await get('both', 'e/everything/results?cursor=*&count=1')).json()) as { next: string }
  const tag = (await get('legal', 'e/everything/results')).headers.get('etag') ?? ''
  const changed = groupLines.map(line => line.replace('[legal]', '[press]'))
  await server.applyWorkspace(file({ groups: changed }))
  assert.deepEqual(await find('legal'), ['p1', 'p2'])
  assert.equal((await get('legal', 'e/everything/results', { 'if-none-match': tag })).status, 200)
  assert.equal((await get('both', `e/everything/results?cursor=${page.next}&count=1`)).status, 400)
})

test('taking a group from an account closes what it opened', async t => {
  t.after(() => server.applyWorkspace(file()))
  await server.applyWorkspace(file({ systemToSystem: { legal: '{ roles: [api] }' } }))
  assert.deepEqual(await find('legal'), ['l1'])
})

test('the exported file changes nothing when it is applied again', async () => {
  const source = await server.exportWorkspace('news')
  assert.match(source, /own-department/)
  const { changes } = await server.call('applyWorkspaceFile', { input: { source, dryRun: true } })
  assert.deepEqual(changes, [])
})

test('a file that would open something by mistake is rejected, with the name of what is missing', async () => {
  const legalOnly = { systemToSystem: { legal: '{ roles: [api], groups: [legal] }' } }
  assert.deepEqual(await findFaults(file({ memberDefaults: '' })), [
    'groups.legal.filter missing-member-default',
    'groups.press.filter missing-member-default',
    'groups.all.filter missing-member-default',
    'groups.own-department.filter missing-member-default',
  ])
  assert.deepEqual(
    await findFaults(file({ systemToSystem: { legal: '{ roles: [api], groups: [nobody, legal, legal] }' } })),
    ['systemToSystem.legal.groups.0 unknown-group', 'systemToSystem.legal.groups.2 duplicate-group'],
  )
  // Accounts that the file does not mention still name the group.
  assert.deepEqual(
    await findFaults(file({ ...legalOnly, groups: groupLines.filter(line => !line.includes('plain')) })),
    ['groups named-group'],
  )
  assert.deepEqual(
    await findFaults(
      file({ groups: [...groupLines, '  bad: { filter: { pages: { not: { from: 9, to: 1 } } } }'] }),
    ),
    ['groups.bad.filter.pages.not reversed-range'],
  )
  assert.deepEqual(
    await findFaults(
      file({ groups: [...groupLines, '  bad: { filter: { department: { to: now }, gone: a } }'] }),
    ),
    [
      'groups.bad.filter.department wrong-row-filter-range',
      'groups.bad.filter.gone unknown-row-filter-field',
    ],
  )
  for (const name of ['Legal', 'лegal', 'a_b', 'x'.repeat(64)])
    assert.equal((await findFaults(file({ groups: [...groupLines, `  ${name}: {}`] }))).length, 1, name)
  const account = '{ roles: [api], groups: [{ group: legal, until: 2026-02-30 }] }'
  assert.deepEqual(await findFaults(file({ systemToSystem: { legal: account } })), [
    'systemToSystem.legal.groups.0.until membership-end',
  ])
})

test('a group that the map of a provider names cannot be deleted', async () => {
  const identityProvider = (name: string) =>
    `identityProvider: { issuer: "https://login.corp.example", clientId: q, domains: [corp.example], groups: { claim: groups, map: { A: [${name}] } } }`
  assert.deepEqual(await findFaults(`${file()}\n${identityProvider('gone')}`), [
    'identityProvider.groups.map.A.0 unknown-group',
  ])
})

test('a file may not take away a field that a stored filter of a group needs', async () => {
  const source = file().replace('      embargo: { type: date }\n', '')
  assert.deepEqual(await findFaults(source), ['groups.press.filter.embargo unknown-row-filter-field'])
})

test('refusals and inspected tokens show the groups, and nobody else does', async () => {
  const { checks } = await server.call('inspectToken', {
    input: { token: tokens.both ?? '', workspace: 'news', api: 'news' },
  })
  assert.match(checks.find(({ name }) => name === 'row-filter')?.found ?? '', /groups legal, press$/)
  assert.ok(clientIds.both)
})
