/** Writes by people whom documents name as readers, and from whom fields are hidden (authorization-server.md, "A limited user"). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { findReaders } from '#authz/readers'
import { findRights } from '#authz/rights'
import type { Plan } from '#engines/engine'
import { findMember, setMember } from '#storage/members'
import { allDocuments, definition, lines, openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
const novels = 'books/collections/novels/documents'
const { id, language, fields } = definition.collections?.novels ?? {}
before(async () => {
  server = await openTestServer()
  await server.redefine(present => ({
    ...present,
    groups: { hr: { title: 'HR' } },
    memberDefaults: { filter: {} },
    collections: {
      novels: {
        ...(id && { id }),
        ...(language && { language }),
        readers: { field: 'readers', everyone: '*' },
        fields: {
          ...fields,
          readers: { type: 'keyword' },
          salary: { type: 'number', visible: ['hr'] },
          'author.age': { type: 'number', visible: ['hr'] },
        },
      },
    },
  }))
  const delivered = await server.call(
    'dora',
    'POST',
    `${novels}?replace=true`,
    lines(
      {
        id: 'mine',
        title: 'Mine',
        readers: ['Ursula@EXAMPLE.org '],
        salary: 5,
        author: { name: 'A', age: 40 },
      },
      { id: 'all', title: 'All', readers: '*', salary: 6 },
      {
        id: 'theirs',
        title: 'Theirs',
        readers: ['eve@example.org', 'ursula@example.com', 'ursuIa@example.org'],
      },
      { id: 'none', title: 'None' },
    ),
  )
  assert.deepEqual([delivered.status, delivered.body.accepted], [200, 4])
})
after(() => server.close())

const get = async (name: string) => (await server.call('ada', 'GET', `${novels}/${name}`)).body
const patch = async (name: string, members: object) =>
  (await server.call('ursula', 'PATCH', `${novels}/${name}`, JSON.stringify(members))).status

test('a person changes the documents that name them, and keeps what they do not see', async () => {
  assert.equal(
    await patch('mine', { title: 'Ours', salary: 9, author: { name: 'B', age: 1 }, readers: ['*'] }),
    200,
  )
  assert.deepEqual(await get('mine'), {
    id: 'mine',
    title: 'Ours',
    readers: ['Ursula@EXAMPLE.org '],
    salary: 5,
    author: { name: 'B', age: 40 },
  })
  assert.equal(await patch('mine', { author: null }), 400)
  assert.equal(await patch('mine', { author: ['B'] }), 400)
  assert.equal(await patch('all', { salary: null }), 200)
  assert.equal((await get('all')).salary, 6)
})

test('a whole document keeps the stored values of the fields that its writer does not see', async () => {
  const putWhole = (name: string, document: object) =>
    server.call('ursula', 'PUT', `${novels}/${name}`, JSON.stringify(document))
  const firstMine = await get('mine')
  const reply = await putWhole('mine', {
    title: 'Whole',
    salary: 1,
    readers: ['eve@example.org'],
    author: { name: 'C', age: 2 },
  })
  assert.deepEqual([reply.status, reply.body], [200, { id: 'mine' }])
  const { readers, salary } = firstMine
  const expectedMine = { id: 'mine', title: 'Whole', author: { name: 'C', age: 40 }, salary, readers }
  assert.deepEqual(await get('mine'), expectedMine)
  // An attribute that is left out goes, except what they do not see of it.
  assert.equal((await putWhole('mine', { title: 'Short' })).status, 200)
  assert.deepEqual(await get('mine'), { id: 'mine', title: 'Short', author: { age: 40 }, salary, readers })
  assert.equal((await putWhole('mine', { title: 'Short', constructor: 'B', toString: 'C' })).status, 200)
  assert.equal((await putWhole('mine', { title: 'Short' })).status, 200)
  assert.deepEqual(await get('mine'), { id: 'mine', title: 'Short', author: { age: 40 }, salary, readers })
  assert.equal((await putWhole('mine', { author: ['C'] })).status, 400)
  for (const options of ['', '?strict=true']) {
    const imported = await server.call(
      'ursula',
      'POST',
      `${novels}${options}`,
      lines(
        { id: 'mine', title: 'Lines', salary: 2 },
        { id: 'mine', title: 'Again' },
        { id: 'all', salary: 0 },
      ),
    )
    assert.deepEqual(
      [imported.status, imported.body.accepted, imported.body.documents, imported.body.replaced],
      [200, 3, 2, 1],
    )
    assert.deepEqual(await get('mine'), { id: 'mine', title: 'Again', author: { age: 40 }, salary, readers })
    assert.deepEqual(await get('all'), { id: 'all', readers: '*', salary: 6 })
  }
})

test('a document that does not name them is an unknown one', async () => {
  for (const name of ['theirs', 'none', 'absent']) assert.equal(await patch(name, { title: 'x' }), 404, name)
  for (const name of ['theirs', 'absent'])
    assert.equal((await server.call('ursula', 'DELETE', `${novels}/${name}`)).status, 204)
  assert.equal((await get('theirs')).title, 'Theirs')
})

test('they neither read, list, replace nor delete by field, nor create what they would not see', async () => {
  const assertRefused = async (method: string, path: string, body?: string) => {
    const reply = await server.call('ursula', method, `${novels}${path}`, body)
    assert.equal(reply.status, 403, `${method} ${path}`)
  }
  await assertRefused('GET', '')
  await assertRefused('GET', '/mine')
  await assertRefused('DELETE', '?genre=crime')
  await assertRefused('POST', '?replace=true', lines({ id: 'mine', readers: ['*'] }))
  await assertRefused('PUT', '/new', JSON.stringify({ title: 'New', readers: ['*'] }))
  await assertRefused('PUT', '/theirs', JSON.stringify({ title: 'Mine now' }))
  const added = await server.call('ursula', 'POST', novels, lines({ id: 'new', readers: ['*'] }))
  assert.deepEqual([added.status, added.body.rejected], [400, 1])
  const created = await server.call(
    'ursula',
    'POST',
    `${novels}?update=true&create=true`,
    lines({ id: 'new', readers: ['*'] }),
  )
  assert.equal(created.body.rejected ?? 1, 1)
  assert.equal((await server.call('ada', 'GET', `${novels}/new`)).status, 404)
})

test('names follow the current address, in any spelling', async () => {
  const workspace = await server.directory.workspace('books')
  assert.ok(workspace)
  const member = { workspaceId: workspace.id, subject: server.ids.people.apollo, kind: 'user' } as const
  await server.storage.write(writer =>
    setMember(writer, { ...member, roles: ['api'], filter: undefined, rights: { groups: ['hr'] } }),
  )
  const row = await findMember(server.storage.db, workspace.id, member.subject)
  assert.ok(row)
  const rights = findRights(workspace.definition, row)
  const names = async (email: string) => {
    const user = await server.directory.user(row.subject)
    const users = { user: () => user && { ...user, email } }
    return (await findReaders(workspace.definition, rights, row, users))?.readers
  }
  assert.deepEqual(await names('apollo@example.org'), ['apollo@example.org', 'hr'])
  assert.deepEqual(await names('apollo@new.example'), ['apollo@new.example', 'hr'])
  await server.call(
    'dora',
    'POST',
    novels,
    lines(
      { id: 'idn', readers: ['Bj\u00d6rn@B\u00dcCHER.example'] },
      { id: 'nfd', readers: ['bjo\u0308rn@xn--bcher-kva.example'] },
      { id: 'other', readers: ['bjorn@bücher.example', 'bj\u0456rn@bücher.example'] },
    ),
  )
  const find = async (name: string) => {
    const node: Plan['restrictions'][number] = {
      kind: 'filter',
      field: 'readers',
      alternatives: [{ score: 1, values: [name] }],
    }
    const { hits } = await server.search({ ...allDocuments, restrictions: [node] })
    return hits.map(({ entity }) => JSON.parse(entity).id.split('/').at(-1)).sort()
  }
  assert.deepEqual(await find('björn@xn--bcher-kva.example'), ['idn', 'nfd'])
})
