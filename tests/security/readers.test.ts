/** Readers of documents and hidden fields: a change holds at once, names are exact, and a file may not undo what is hidden (docs/groups.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiError } from '@querent/client'
import { addTokens } from '#tests/support/rights-oracle'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
const tokens: Record<string, string> = {}
const fetchTokens = (workspace: string, prefix: string) => addTokens(server, tokens, workspace, prefix)
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
})
after(() => server.stop())

const get = (workspace: string, token: string | undefined, path: string, headers = {}) =>
  fetch(`${server.baseUrl}/4/${workspace}/api/news/${path}`, {
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
  })

const findIds = async (workspace: string, token: string | undefined, headers = {}): Promise<string[]> => {
  const reply = await get(workspace, token, 'e/everything/results?count=1000', headers)
  assert.equal(reply.status, 200)
  // The contract's results.
  const { items } = (await reply.json()) as { items: { tuple: [{ id: string }] }[] }
  return items.map(({ tuple }) => tuple[0].id.split('/').at(-1) ?? '').sort()
}
const findFault = (source: string): Promise<ApiError> =>
  server.applyWorkspace(source).then(
    () => assert.fail('the file was applied'),
    (error: ApiError) => error,
  )

const notes = (extra = '', readers = 'readers: { field: who, everyone: "*" }') => `
workspace: notes
collections:
  notes:
    id: { field: id, uri: "https://notes.example/{id}" }
    ${readers}
    fields: { title: { type: text }, who: { type: keyword } }
apis:
  news: { endpoints: { everything: { kind: all, collection: notes } } }
  open: { access: public, endpoints: { everything: { kind: all, collection: notes }, who: { kind: facet, field: who } } }
groups: { team: { title: Team } }
memberDefaults: { filter: {} }
systemToSystem:
  bot: { roles: [api] }
  member: { roles: [api], groups: [team] }
  importer: { roles: [data-provider] }
${extra}
`

test('names are exact, and only those of everyone are public', async () => {
  await server.applyWorkspace(notes())
  const { items } = await server.call('listSystemToSystem', {
    params: { workspace: 'notes' },
    query: { count: 100 },
  })
  const botId = items.find(({ name }) => name === 'bot')?.clientId ?? ''
  await fetchTokens('notes', 'notes/')
  const done = await server.importDocuments('notes', 'notes', [
    { id: 'bot', who: [botId] },
    { id: 'bot-upper', who: [botId.toUpperCase() === botId ? botId.toLowerCase() : botId.toUpperCase()] },
    { id: 'team', who: 'team' },
    { id: 'look-alike', who: ['tеam', 'Team', 'team ', 'ｔｅａｍ'] },
    { id: 'all', who: ['x', '*'] },
    { id: 'nobody', who: [] },
    { id: 'none', title: 'no readers' },
    { id: 'most', who: Array.from({ length: 1000 }, (_, index) => (index === 999 ? 'team' : `r${index}`)) },
    { id: 'too-many', who: Array.from({ length: 1001 }, () => '*') },
  ])
  assert.equal(done.rejected, 1)
  assert.match(done.errors[0]?.message ?? '', /"who": allowed: at most 1000 names/)
  assert.deepEqual(await findIds('notes', tokens['notes/bot']), ['all', 'bot'])
  assert.deepEqual(await findIds('notes', tokens['notes/member']), ['all', 'most', 'team'])
  const reply = await fetch(`${server.baseUrl}/4/notes/api/open/e/everything/results`)
  const text = await reply.text()
  assert.match(text, /notes\.example\/all"/)
  assert.doesNotMatch(text, /example\/(bot|team|nobody|none|most)|who/)
  const facet = await fetch(`${server.baseUrl}/4/notes/api/open/options/who`)
  assert.equal(facet.status, 400)
  assert.doesNotMatch(await facet.text(), /there are.*who|existing.*who/)
})

test('a change holds from the next request on, also for cursors and tags', async () => {
  const token = tokens['notes/member']
  const first = await get('notes', token, 'e/everything/results?cursor=*&count=1')
  // The contract's results.
  const { next } = (await first.json()) as { next: string }
  const tag = (await get('notes', token, 'e/everything/count')).headers.get('etag') ?? ''
  assert.equal((await get('notes', token, 'e/everything/count', { 'if-none-match': tag })).status, 304)
  await server.applyWorkspace(
    notes().replace('member: { roles: [api], groups: [team] }', 'member: { roles: [api] }'),
  )
  assert.deepEqual(await findIds('notes', token), ['all'])
  const count = await get('notes', token, 'e/everything/count', { 'if-none-match': tag })
  assert.equal(count.status, 200)
  assert.equal((await get('notes', token, `e/everything/results?cursor=${next}&count=1`)).status, 400)
  await server.applyWorkspace(notes('', ''))
  assert.equal((await findIds('notes', token)).length, 8)
  await server.applyWorkspace(notes())
  assert.deepEqual(await findIds('notes', token), ['all', 'most', 'team'])
})

test('who delivers documents reads none of them', async () => {
  const base = `${server.baseUrl}/4/notes/collections/notes/documents`
  const headers = { authorization: `Bearer ${tokens['notes/importer']}`, 'content-type': 'application/json' }
  const putReply = await fetch(`${base}/later`, {
    method: 'PUT',
    headers,
    body: JSON.stringify({ title: 'later', who: ['team'] }),
  })
  assert.equal(putReply.status, 200)
  assert.ok((await findIds('notes', tokens['notes/member'])).includes('later'))
  for (const path of ['', '/later']) assert.equal((await fetch(`${base}${path}`, { headers })).status, 403)
  assert.equal((await fetch(`${base}/later`, { method: 'DELETE', headers })).status, 204)
})

test('a group that a field names stays', async () => {
  const file = notes()
    .replace('who: { type: keyword }', 'who: { type: keyword, visible: [spare] }')
    .replace('team: { title: Team }', 'team: { title: Team }, spare: { title: Spare }')
  await server.applyWorkspace(file)
  const params = { workspace: 'notes', group: 'spare' }
  await assert.rejects(
    server.call('removeGroup', { params }),
    (error: ApiError) => error.status === 409 && error.message.includes('notes.who'),
  )
  await server.applyWorkspace(notes())
})

test('a file may not undo what is hidden by what it makes of it', async () => {
  const codes = async (source: string) => {
    const { status, errors = [] } = await findFault(source)
    assert.equal(status, 400)
    return errors.map(({ path, code }) => `${path} ${code}`)
  }
  const withFields = (fields: string, extra = '') =>
    notes().replace('who: { type: keyword } }', `who: { type: keyword }, ${fields} }${extra}`)
  assert.deepEqual(await codes(notes('', 'readers: { field: nobody }')), [
    'collections.notes.readers.field unknown-field',
  ])
  assert.deepEqual(await codes(notes('', 'readers: { field: title }')), [
    'collections.notes.readers.field readers-field',
  ])
  assert.deepEqual(await codes(notes('', 'readers: { field: who, everyone: "all@example.org" }')), [
    'collections.notes.readers.everyone everyone-address',
  ])
  assert.deepEqual(await codes(withFields('copy: { type: keyword, source: who }')), [
    'collections.notes.fields.copy made-from-hidden',
  ])
  assert.deepEqual(await codes(withFields('pay: { type: number, visible: [boss] }')), [
    'collections.notes.fields.pay.visible.0 unknown-group',
  ])
  assert.deepEqual(
    await codes(withFields('a: { type: object, visible: [team] }, a.b: { type: keyword, visible: [] }')),
    ['collections.notes.fields.a.b made-from-hidden'],
  )
  assert.deepEqual(
    await codes(withFields('kind: { type: keyword, visible: [team] }', '\n    class: { field: kind }')),
    ['collections.notes.class.field named-by-hidden'],
  )
  // A hash could be compared with those of tried values.
  const hashed = notes().replace(
    'id: { field: id, uri: "https://notes.example/{id}" }',
    'id: { generate: hash }',
  )
  assert.deepEqual(await codes(hashed), ['collections.notes.fields.who named-by-hidden'])
})
