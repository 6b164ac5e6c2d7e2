/** Groups, defaults and rights of accounts over the management API (docs/groups.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiError } from '@querent/client'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const params = { workspace: 'team' }
const file = `
workspace: team
collections:
  notes: { fields: { kind: { type: keyword } } }
apis:
  notes: { endpoints: { everything: { kind: all, collection: notes } } }
`

let server: StartedServer
let clientId: string
let token: string
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  await server.applyWorkspace(file)
  await server.importDocuments('team', 'notes', [
    { id: 'a', kind: 'legal' },
    { id: 'b', kind: 'press' },
    { id: 'c', kind: 'public' },
  ])
  const created = await server.call('createSystemToSystem', {
    params,
    input: { name: 'site', roles: ['api'] },
  })
  clientId = created.clientId
  token = await fetchToken(server, { clientId, clientSecret: String(created.clientSecret) })
})
after(() => server.stop())

const countVisible = async () => {
  const reply = await fetch(`${server.baseUrl}/4/team/api/notes/e/everything/count`, {
    headers: { authorization: `Bearer ${token}` },
  })
  // The contract's count, or an error.
  const body = (await reply.json()) as { total?: number; code?: string }
  return body.total ?? body.code
}
const setGroup = (group: string, kind?: string) =>
  server.call('setGroup', {
    params: { ...params, group },
    input: kind === undefined ? {} : { filter: { kind } },
  })
const fails = async (call: Promise<unknown>): Promise<string> => {
  const error = await call.then(
    () => assert.fail('it was accepted'),
    (thrown: ApiError) => thrown,
  )
  return `${error.status} ${error.code} ${error.errors?.[0]?.code ?? ''}`.trim()
}

test('a group with a filter needs a default first, and then holds from the next request', async () => {
  assert.equal(await countVisible(), 3)
  assert.equal(await fails(setGroup('legal', 'legal')), '400 bad-parameter missing-member-default')
  await server.call('setMemberDefaults', { params, input: { filter: { kind: 'public' } } })
  await setGroup('legal', 'legal')
  await setGroup('press', 'press')
  assert.equal(await countVisible(), 1)
  const update = (input: Parameters<typeof server.call<'updateSystemToSystem'>>[1]['input']) =>
    server.call('updateSystemToSystem', { params: { ...params, clientId }, input })
  assert.deepEqual((await update({ groups: ['press', 'legal'] })).groups, ['legal', 'press'])
  assert.equal(await countVisible(), 2)
  // Other rights leave the groups alone.
  await update({ apis: [] })
  assert.equal(await countVisible(), 'api-not-allowed')
  const updated = await update({ apis: null, limits: { atOnce: 2 }, until: '2999-01-01' })
  assert.deepEqual(
    [updated.groups, updated.apis, updated.limits, updated.until],
    [['legal', 'press'], undefined, { atOnce: 2 }, '2999-01-01'],
  )
  assert.equal(await countVisible(), 2)
  await update({ until: '2020-01-01' })
  assert.equal(await countVisible(), 'membership-ended')
  await update({ until: null, filter: {} })
  assert.equal(await countVisible(), 3)
  await update({ filter: null })
  assert.equal(await fails(update({ groups: ['nobody'] })), '400 bad-parameter unknown-group')
  assert.equal(await fails(update({ until: 'soon' })), '400 bad-parameter membership-end')
})

test('the defaults stay while a group needs them, and a group that is named cannot be deleted', async () => {
  assert.equal(
    await fails(server.call('setMemberDefaults', { params, input: {} })),
    '400 bad-parameter missing-member-default',
  )
  assert.equal(
    await fails(server.call('removeGroup', { params: { ...params, group: 'press' } })),
    '409 conflict',
  )
  await setGroup('spare')
  await server.call('removeGroup', { params: { ...params, group: 'spare' } })
  const email = (await server.call('getMe', {})).email ?? ''
  await server.call('setMember', {
    params: { ...params, email },
    input: { roles: ['administrator'], groups: ['legal'], attributes: { division: 'x' } },
  })
  const { items } = await server.call('listMembers', { params, query: {} })
  const member = items.find(item => item.email === email)
  assert.deepEqual([member?.groups, member?.attributes], [['legal'], { division: ['x'] }])
  // Setting the roles alone keeps the rest.
  await server.call('setMember', { params: { ...params, email }, input: { roles: ['administrator'] } })
  assert.equal(
    await fails(server.call('removeGroup', { params: { ...params, group: 'legal' } })),
    '409 conflict',
  )
})

test('an invitation carries the groups, and names them', async () => {
  await setGroup('guests')
  await server.call('setMember', {
    params: { ...params, email: 'new@example.org' },
    input: { roles: ['api'], groups: ['guests'], mail: false },
  })
  assert.equal(
    await fails(server.call('removeGroup', { params: { ...params, group: 'guests' } })),
    '409 conflict',
  )
})

test('the file has what was set here, and the audit log says who changed which rights', async () => {
  const source = await server.exportWorkspace('team')
  assert.match(source, /memberDefaults/)
  assert.deepEqual((await server.call('applyWorkspaceFile', { input: { source, dryRun: true } })).changes, [])
  const { items } = await server.call('listAudit', { params, query: { count: 100 } })
  const entry = items.find(
    ({ action, detail }) => action === 'updateSystemToSystem' && 'groups' in Object(detail),
  )
  assert.deepEqual(Object(entry?.detail).before, { groups: null })
})

test('a file warns of a value that no document has', async () => {
  const { source } = await server.call('exportWorkspaceFile', { params })
  const warn = async (text: string) => {
    const { warnings } = await server.call('applyWorkspaceFile', { input: { source: text, dryRun: true } })
    return warnings.filter(({ code }) => code === 'unmatched-value').map(({ path }) => path)
  }
  assert.deepEqual(await warn(source), [])
  const added = (filter: string) => source.replace(/^groups:$/m, `groups:\n  odd: { filter: ${filter} }`)
  assert.deepEqual(await warn(added('{ kind: [legal, Press, { not: x }] }').replace(', { not: x }', '')), [
    'groups.odd.filter.kind.1',
  ])
  assert.deepEqual(await warn(added('{ kind: { not: Press } }')), ['groups.odd.filter.kind.not'])
  assert.deepEqual(await warn(added('{ kind: { member: kind } }')), [])
})

test('an audit entry says which rights changed for whom, and where from', async () => {
  const { source } = await server.call('exportWorkspaceFile', { params })
  await server.call('applyWorkspaceFile', {
    input: { source: source.replace(/^groups:$/m, 'groups:\n  auditors: { filter: { kind: [legal] } }') },
  })
  await server.call('setGroup', { params: { ...params, group: 'auditors' }, input: { title: 'Auditors' } })
  const { items } = await server.call('listAudit', { params, query: { count: 10 } })
  const find = (action: string) => Object(items.find(entry => entry.action === action)?.detail)
  assert.deepEqual(
    [find('applyWorkspaceFile').rights, find('applyWorkspaceFile').source],
    [['groups.auditors: null → {"filter":{"kind":["legal"]}}'], 'file'],
  )
  assert.deepEqual(
    [find('setGroup').before, find('setGroup').source],
    [{ filter: { kind: ['legal'] } }, 'api'],
  )
  await server.run(['groups', 'set', params.workspace, 'auditors', '--title', 'Reviewers'])
  const { items: later } = await server.call('listAudit', { params, query: { count: 1 } })
  assert.equal(Object(later[0]?.detail).source, 'command-line')
})
