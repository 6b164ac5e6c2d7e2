/** Attacks on rights that are not tested elsewhere. docs/groups.md lists all of them with their tests. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiError } from '@querent/client'
import { makeMember } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { addTokens } from '#tests/support/rights-oracle'
import { type StartedServer, startServer } from '#tests/support/started-server'

const params = { workspace: 'attacked' }
const file = `
workspace: attacked
collections:
  notes: { fields: { title: { type: text }, team: { type: keyword } } }
apis:
  notes: { endpoints: { everything: { kind: all, collection: notes } } }
groups:
  red: { filter: { team: [red] } }
  blue: { filter: { team: [blue] } }
memberDefaults: { filter: { team: [none] } }
systemToSystem:
  reader: { roles: [api], groups: [red, blue] }
  writer: { roles: [data-provider], groups: [red] }
`
const notes = [
  { id: 'r1', title: 'red one', team: 'red' },
  { id: 'r2', title: 'red two', team: ['red', 'blue'] },
  { id: 'b1', title: 'blue one', team: 'blue' },
  { id: 'n1', title: 'nobody', team: 'none' },
]

let server: StartedServer
const tokens: Record<string, string> = {}
const clientIds: Record<string, string> = {}
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await server.applyWorkspace(file)
  await server.importDocuments('attacked', 'notes', notes)
  await addTokens(server, tokens, 'attacked', '')
  const { items } = await server.call('listSystemToSystem', { params, query: {} })
  for (const { name, clientId } of items) clientIds[name] = clientId
})
after(() => server.stop())

const send = (
  token: string | undefined,
  path: string,
  method = 'GET',
  body?: object,
  type = 'application/json',
) =>
  fetch(`${server.baseUrl}/4/attacked/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': type }) },
    ...(body && { body: JSON.stringify(body) }),
  })
const findCodes = (call: Promise<unknown>): Promise<unknown[]> =>
  call.then(
    () => [],
    ({ errors = [], code }: ApiError) => [code, ...errors.map(error => error.code)],
  )

test('a group cannot have the name of an account, by any way', async () => {
  // Client IDs of tests may have letters that names of groups do not have.
  const id = Object.values(clientIds).find(clientId => /^[a-z0-9-]+$/.test(clientId))
  const group = id ?? clientIds.reader ?? ''
  const byApi = await findCodes(server.call('setGroup', { params: { ...params, group }, input: {} }))
  const byFile = await findCodes(
    server.applyWorkspace(file.replace('groups:\n', `groups:\n  ${group}: {}\n`)),
  )
  assert.ok(byApi.length > 0 && byFile.length > 0)
  if (id !== undefined)
    assert.ok(byApi.includes('group-with-client-id') && byFile.includes('group-with-client-id'))
  const { items } = await server.call('listGroups', { params })
  assert.deepEqual(items.map(item => item.group).toSorted(), ['blue', 'red'])
})

test('a group that is deleted while somebody gets it is never named without being there', async () => {
  const clientId = clientIds.reader ?? ''
  for (let round = 0; round < 10; round++) {
    const group = `round-${round}`
    await server.call('setGroup', { params: { ...params, group }, input: { filter: { team: 'none' } } })
    const give = () =>
      server.call('updateSystemToSystem', {
        params: { ...params, clientId },
        input: { groups: ['red', group] },
      })
    const remove = () => server.call('removeGroup', { params: { ...params, group } })
    await Promise.allSettled(round % 2 === 0 ? [give(), remove()] : [remove(), give()])
    const { items } = await server.call('listSystemToSystem', { params, query: {} })
    const { items: groups } = await server.call('listGroups', { params })
    const grantsOfGroup = items.flatMap(({ groups: grants = [] }) => grants).filter(name => name === group)
    assert.equal(
      grantsOfGroup.length > 0,
      groups.some(item => item.group === group),
      group,
    )
  }
  await server.call('updateSystemToSystem', {
    params: { ...params, clientId },
    input: { groups: ['red', 'blue'] },
  })
})

test('a batch with cursors from before a change is refused', async () => {
  const path = 'e/everything/results?cursor=*&count=1'
  const batch = async (requests: string[]) => {
    const reply = await send(tokens.reader, 'api/notes/batch', 'POST', { requests })
    // The contract's batch.
    return (await reply.json()) as {
      responses: { status: number; body: { next?: string; items?: unknown[] } }[]
    }
  }
  const [first] = (await batch([path])).responses
  const next = `e/everything/results?cursor=${first?.body.next}&count=1`
  assert.deepEqual(
    (await batch([next])).responses.map(({ status }) => status),
    [200],
  )
  const params_ = { ...params, clientId: clientIds.reader ?? '' }
  await server.call('updateSystemToSystem', { params: params_, input: { groups: ['red'] } })
  const { responses } = await batch([next, 'e/everything/count', path])
  assert.deepEqual(
    responses.map(({ status }) => status),
    [400, 200, 200],
  )
  assert.deepEqual(responses[1]?.body, { total: 2 })
  await server.call('updateSystemToSystem', { params: params_, input: { groups: ['red', 'blue'] } })
})

test('nobody creates, changes, deletes or moves away what they do not see', async () => {
  const documents = 'collections/notes/documents'
  const patch = 'application/merge-patch+json'
  const attempts: [
    status: number,
    ...request: Parameters<typeof send> extends [unknown, ...infer R] ? R : never,
  ][] = [
    // Documents that others see.
    [403, `${documents}/b1`, 'PUT', { title: 'taken', team: 'red' }],
    [404, `${documents}/b1`, 'PATCH', { title: 'taken' }, patch],
    [204, `${documents}/b1`, 'DELETE'],
    [400, documents, 'POST', [{ id: 'b1', title: 'taken', team: 'red' }]],
    [
      400,
      `${documents}?strict=true`,
      'POST',
      [
        { id: 'r1', title: 'x', team: 'red' },
        { id: 'b1', team: 'blue' },
      ],
    ],
    [400, `${documents}?update=true`, 'POST', [{ id: 'b1', title: 'taken' }]],
    [400, `${documents}?update=true&create=true`, 'POST', [{ id: 'b1', team: 'red' }]],
    [403, `${documents}?replace=true`, 'POST', [{ id: 'r1', team: 'red' }]],
    [403, `${documents}?team=blue`, 'DELETE'],
    // New documents, and moves out of their own sight.
    [403, `${documents}/new`, 'PUT', { title: 'new', team: 'blue' }],
    [403, `${documents}/new`, 'PUT', { title: 'new' }],
    [400, documents, 'POST', [{ id: 'new', team: ['blue'] }]],
    [403, `${documents}/r1`, 'PUT', { title: 'gone', team: 'blue' }],
    [403, `${documents}/r1`, 'PATCH', { team: 'blue' }, patch],
    [403, `${documents}/r1`, 'PATCH', { team: null }, patch],
    [400, `${documents}?update=true`, 'POST', [{ id: 'r1', team: 'blue' }]],
    [400, documents, 'POST', [{ id: 'r1', title: 'gone' }]],
  ]
  for (const [expected, ...request] of attempts) {
    const reply = await send(tokens.writer, ...request)
    assert.equal(reply.status, expected, `${request[1]} ${request[0]} ${await reply.text()}`)
  }
  const { items } = await server.call('listDocumentReaders', {
    params: { ...params, collection: 'notes' },
    query: { id: 'b1' },
  })
  assert.ok(items.some(({ clientId }) => clientId === clientIds.reader))
  const reply = await send(tokens.reader, 'api/notes/e/everything/results?count=10')
  // The contract's results.
  const results = (await reply.json()) as { items: { tuple: [{ attributes: { title: string } }] }[] }
  assert.deepEqual(results.items.map(({ tuple: [{ attributes }] }) => attributes.title).toSorted(), [
    'blue one',
    'red one',
    'red two',
  ])
})

test('usage names nothing that is hidden or closed, and no searches of others', async () => {
  const workspace = 'figures'
  await server.applyWorkspace(`
workspace: figures
collections:
  staff: { fields: { name: { type: text }, salary: { type: number, visible: [board] } } }
  plans: { fields: { title: { type: text } } }
apis:
  staff:
    endpoints:
      search: { kind: match, collection: staff, fields: [name] }
      pay: { kind: range, collection: staff, field: salary }
      plans: { kind: all, collection: plans }
  closed: { endpoints: { everything: { kind: all, collection: plans } } }
groups: { board: { title: Board } }
memberDefaults: { filter: {}, apis: [staff], collections: [staff] }
systemToSystem:
  boss: { roles: [api], groups: [board], apis: all, collections: all }
settings: { queryLog: { parameters: full } }
`)
  await server.importDocuments(workspace, 'staff', [{ id: '1', name: 'Ada', salary: 5 }])
  await server.importDocuments(workspace, 'plans', [{ id: '1', title: 'Merger' }])
  await addTokens(server, tokens, workspace, 'figures/')
  const paths = [
    'staff/e/pay/p/from/9',
    'staff/e/search/p/query/merger',
    'staff/e/plans',
    'closed/e/everything',
  ]
  for (const path of paths) {
    const reply = await fetch(`${server.baseUrl}/4/${workspace}/api/${path}/count`, {
      headers: { authorization: `Bearer ${tokens['figures/boss']}` },
    })
    assert.equal(reply.status, 200, await reply.text())
  }
  const person = await makeMember(server, workspace, 'ursula@example.org', 'user')
  const token = await consoleToken(server, person)
  const read = async (bearer: string, path: string): Promise<string> => {
    const reply = await fetch(`${server.authUrl}/manage/v1/workspaces/${workspace}/${path}`, {
      headers: { authorization: `Bearer ${bearer}` },
    })
    assert.equal(reply.status, 200)
    return reply.text()
  }
  for (const path of ['usage', 'usage/summary', 'usage/searches', 'usage/summary?api=closed']) {
    const text = await read(token, path)
    assert.doesNotMatch(text, /pay|closed|plans|merger/i, path)
  }
  assert.match(await read(token, 'usage'), /"endpoint":"search"/)
  const summary = await server.call('summarizeUsage', { params: { workspace }, query: {} })
  assert.deepEqual(summary.endpoints.map(({ endpoint }) => endpoint).toSorted(), [
    'everything',
    'pay',
    'plans',
    'search',
  ])
})
