/** Audit records of changed documents; none for single documents and imports of programs that add. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { lines, openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())
describe('audit records of bulk changes', () => {
  beforeEach(() => server.storage.db.deleteFrom('audit').execute())

  const novels = 'books/collections/novels/documents'
  const replace = (person: Person, query: string, body: string) =>
    server.call(person, 'POST', `${novels}?replace=true${query}`, body)
  const entries = async () => {
    const rows = await server.storage.db.selectFrom('audit').selectAll().orderBy('seq').execute()
    return rows.map(({ actor, action, target, workspace_id, address, request_id, detail_json }) => {
      assert.equal(workspace_id, server.ids.books)
      assert.equal(address, '127.0.0.1')
      assert.match(request_id, /\S/)
      return { actor, action, target, detail: JSON.parse(detail_json) }
    })
  }

  test('who replaced all documents of a collection, and by how many; staged ones too', async () => {
    const { dora, ada } = server.ids.people
    const target = 'novels'
    const action = 'replaceDocuments'
    assert.equal((await replace('dora', '', `${lines({ id: 'a' }, { id: 'b' })}{}\n`)).status, 200)
    assert.equal((await replace('ada', '&stage=true', lines({ id: 'c' }))).status, 200)
    assert.deepEqual(await entries(), [
      { actor: dora, action, target, detail: { accepted: 2, rejected: 1, staged: false } },
      { actor: ada, action, target, detail: { accepted: 1, rejected: 0, staged: true } },
    ])
  })

  test('who deleted documents, how many, and which', async () => {
    await replace('ada', '', lines({ id: 'a', genre: 'crime' }, { id: 'b', genre: 'crime' }, { id: 'c' }))
    await server.storage.db.deleteFrom('audit').execute()
    assert.deepEqual((await server.call('ursula', 'DELETE', `${novels}?genre=crime`)).body, { deleted: 2 })
    assert.deepEqual(await entries(), [
      {
        actor: server.ids.people.ursula,
        action: 'deleteDocuments',
        target: 'novels',
        detail: { deleted: 2, where: ['genre=crime'] },
      },
    ])
  })

  test('an import that adds, and each document that somebody saved or deleted in the console, with its id', async () => {
    assert.equal(
      (await server.call('dora', 'POST', novels, `${lines({ id: 'x' }, { id: 'y' })}{}\n`)).status,
      200,
    )
    assert.equal((await server.call('ursula', 'PUT', `${novels}/z`, '{"title":"Z"}')).status, 200)
    assert.equal((await server.call('ursula', 'PATCH', `${novels}/z`, '{"title":"Zed"}')).status, 200)
    assert.equal((await server.call('ursula', 'DELETE', `${novels}/z`)).status, 204)
    // Nothing was deleted.
    assert.equal((await server.call('ursula', 'DELETE', `${novels}/z`)).status, 204)
    const { dora, ursula } = server.ids.people
    const target = 'novels'
    assert.deepEqual(await entries(), [
      { actor: dora, action: 'importDocuments', target, detail: { accepted: 2, rejected: 1 } },
      { actor: ursula, action: 'saveDocument', target, detail: { ids: ['z'] } },
      { actor: ursula, action: 'saveDocument', target, detail: { ids: ['z'] } },
      { actor: ursula, action: 'deleteDocuments', target, detail: { deleted: 1, ids: ['z'] } },
    ])
  })

  test('imports and deletions of an administrator’s token are recorded, and those of other programs are not', async () => {
    const asScript = async (person: Person, method: string, path: string, body?: string) => {
      const token = await server.requestToken(person, 'script')
      const { status } = await server.call({ token }, method, path, body)
      assert.ok(status < 300, String(status))
    }
    for (const person of ['ursula', 'ada'] as const) {
      await asScript(person, 'POST', novels, lines({ id: 'x' }))
      await asScript(person, 'PUT', `${novels}/x`, '{"title":"X"}')
      await asScript(person, 'DELETE', `${novels}/x`)
    }
    const { ada } = server.ids.people
    const target = 'novels'
    assert.deepEqual(await entries(), [
      { actor: ada, action: 'importDocuments', target, detail: { accepted: 1, rejected: 0 } },
      { actor: ada, action: 'deleteDocuments', target, detail: { deleted: 1, ids: ['x'] } },
    ])
  })

  test('nothing of what replaced or deleted nothing', async () => {
    assert.equal((await replace('ada', '', '{}\n')).status, 400)
    assert.equal((await replace('ada', '&strict=true', `${lines({ id: 'a' })}{}\n`)).status, 400)
    assert.equal((await server.call('ada', 'DELETE', `${novels}?genre=none`)).status, 200)
    assert.equal((await server.call('ada', 'POST', novels, '{}\n')).status, 400)
    assert.equal((await server.call('ada', 'DELETE', `${novels}/none`)).status, 204)
    assert.deepEqual(await entries(), [])
  })

  test('documents that cannot be recorded as replaced are not replaced', async () => {
    assert.equal((await replace('ada', '', lines({ id: 'kept' }))).status, 200)
    await server.storage.db.schema.alterTable('audit').renameTo('audit_away').execute()
    try {
      assert.equal((await replace('ada', '', lines({ id: 'other' }))).status, 500)
    } finally {
      await server.storage.db.schema.alterTable('audit_away').renameTo('audit').execute()
    }
    assert.equal((await server.call('ada', 'GET', `${novels}/kept`)).status, 200)
  })
})
