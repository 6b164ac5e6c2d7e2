import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findWorkspaceText } from '#storage/workspace-texts'
import { openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const apply = async (as: Person, source: string, dryRun = false) => {
  const reply = await server.call(as, 'POST', '/manage/v1/apply', { source, dryRun })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.changes as unknown[]
}
const exported = async (as: Person, workspace: string): Promise<string> =>
  (await server.call(as, 'GET', `/manage/v1/workspaces/${workspace}/file`)).body.source

const file = (workspace: string) => `# Made by Ada
workspace:  ${workspace}     # the name
title: Texts


collections:
  notes:
    fields:
      # What readers see
      title:  { type: text,   weight: 2 }

# People of ${workspace}
members:
  Ada@Example.org:     [administrator]   # the boss
  ursula@example.org:  [user]
  operator@example.org: [administrator]
  # carol@example.org: [api]

# The rest
settings: { accessTokenLifetime: 15m }  # a quarter
`

test('the text that was applied comes back to the byte, and can be replaced by one with other comments', async () => {
  const source = file('texts')
  await apply('operator', source)
  assert.equal(await exported('ada', 'texts'), source)
  assert.deepEqual(await apply('ada', source.replace('# the name', '# another comment'), true), [])
  assert.ok((await exported('ada', 'texts')).includes('# the name'), 'a dry run stores nothing')
  const editedSource = source.replace('# the name', '# another comment')
  assert.deepEqual(await apply('ada', editedSource), [])
  assert.equal(await exported('ada', 'texts'), editedSource)
})

test('changes by other operations are in the text, and its other lines stay', async () => {
  const source = file('changed')
  await apply('operator', source)
  const workspacePath = '/manage/v1/workspaces/changed'
  const putMember = (email: string, input: object) =>
    server.call('ada', 'PUT', `${workspacePath}/members/${email}`, input)
  assert.equal((await putMember('apollo@example.org', { roles: ['api'] })).status, 200)
  const settings = await server.call('ada', 'PATCH', `${workspacePath}/settings`, {
    accessTokenLifetime: '5m',
  })
  assert.equal(settings.status, 200)
  const text = await exported('ada', 'changed')
  assert.ok(text.includes('5m') && text.includes('apollo@example.org'))
  const unchangedLines = source.split('\n').filter(line => !line.includes('15m'))
  assert.deepEqual(
    unchangedLines.filter(line => !text.split('\n').includes(line)),
    [],
    text,
  )
  assert.ok(text.includes('# a quarter'))
  assert.deepEqual(await apply('ada', text), [])
  assert.equal(await exported('ada', 'changed'), text)
})

test('a member who is no administrator sees nothing of the reserved sections, and does not lose them for others', async () => {
  await apply('operator', file('shared'))
  const reduced = await exported('ursula', 'shared')
  assert.doesNotMatch(reduced, /example\.org|People|boss|settings|quarter|The rest/i)
  for (const comment of ['# Made by Ada', '# the name', '# What readers see'])
    assert.ok(reduced.includes(comment))
  await apply('ursula', reduced.replace('title: Texts', 'title: Our texts'))
  const text = await exported('ada', 'shared')
  for (const comment of ['# the boss', '# carol@example.org', '# a quarter', '# What readers see'])
    assert.ok(text.includes(comment), text)
  assert.ok(text.includes('title: Our texts'))
  assert.doesNotMatch(await exported('ursula', 'shared'), /example\.org|boss|quarter/i)
})

test('JSON comes back as JSON', async () => {
  const source = `${JSON.stringify({ workspace: 'json', title: 'In JSON' }, undefined, 2)}\n`
  await apply('operator', source)
  const text = await exported('operator', 'json')
  assert.equal(JSON.parse(text).title, 'In JSON')
  assert.match(text, /^\{\n {2}"workspace"/)
})

test('the text goes with its workspace, and forgets the address of a person who is removed', async () => {
  const leaver = 'leaver@example.org'
  const reply = await server.call('operator', 'POST', '/manage/v1/users', { email: leaver })
  assert.equal(reply.status, 201)
  const comment = `# ask ${leaver.toUpperCase()} or not-${leaver}`
  await apply('operator', `${comment}\nworkspace: left\nmembers:\n  ${leaver}: [api] # the temp\n`)
  const removed = await server.call('operator', 'DELETE', `/manage/v1/users/${leaver}`)
  assert.equal(removed.status, 204)
  const row = await server.storage.db
    .selectFrom('workspaces')
    .select('id')
    .where('slug', '=', 'left')
    .executeTakeFirstOrThrow()
  const stored = (await findWorkspaceText(server.storage.db, row.id)) ?? ''
  assert.match(stored, /^# ask removed-[0-9a-f]+@invalid\.example or not-leaver@example\.org$/m)
  assert.doesNotMatch(stored, /(?<!not-)leaver@example\.org/i)
  assert.doesNotMatch(await exported('operator', 'left'), /the temp/)
  assert.equal((await server.call('operator', 'DELETE', '/manage/v1/workspaces/left')).status, 204)
  assert.equal(await findWorkspaceText(server.storage.db, row.id), undefined)
})

test('a person whom the text names and who is invited stays in it, until the invitation is withdrawn', async () => {
  const source =
    'workspace: invited\nmembers:\n  operator@example.org: [administrator]\n  new@example.org: [api] # from Monday\n'
  await apply('operator', source)
  assert.equal(await exported('operator', 'invited'), source)
  assert.deepEqual(await apply('operator', source), [])
  const invitationsPath = '/manage/v1/workspaces/invited/invitations'
  const [invitation] = (await server.call('operator', 'GET', invitationsPath)).body.items
  assert.equal((await server.call('operator', 'DELETE', `${invitationsPath}/${invitation.id}`)).status, 204)
  assert.doesNotMatch(await exported('operator', 'invited'), /new@example/)
})
