/** Imports by members with a row filter, and imports that break off, are slow or too many. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { listGenerations } from '#storage/generations'
import { setMember } from '#storage/members'
import { patienceMs } from '#test-wait'
import { lines, openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const novels = 'books/collections/novels/documents'

describe('a member with a row filter', () => {
  const mine = (id: string, attributes = {}) => ({ id, genre: 'crime', ...attributes })
  const putDocument = async (id: string, body: unknown) => {
    const reply = await server.call('fay', 'PUT', `${novels}/${id}`, JSON.stringify(body))
    return `${reply.status} ${reply.body.message ?? ''}`
  }
  const getDocument = async (id: string) => (await server.call('ada', 'GET', `${novels}/${id}`)).body
  before(() =>
    server.call(
      'dora',
      'POST',
      `${novels}?replace=true`,
      lines({ id: 'secret', genre: 'poetry' }, mine('seen'), { id: 'plain' }),
    ),
  )
  it('puts documents that match it, and replaces those', async () => {
    assert.match(await putDocument('new', { genre: ['poetry', 'crime'] }), /^200 /)
    assert.match(await putDocument('seen', { genre: 'crime', title: 'Again' }), /^200 /)
    assert.equal((await getDocument('seen')).title, 'Again')
    const outsideFilter = '403 your row filter lets you put only documents whose "genre" is crime'
    assert.equal(await putDocument('other', { genre: 'poetry' }), outsideFilter)
    assert.equal(await putDocument('other', {}), outsideFilter)
    assert.equal((await server.call('ada', 'GET', `${novels}/other`)).status, 404)
  })
  it('takes the place of no document that it hides, whichever way', async () => {
    assert.equal(
      await putDocument('secret', mine('secret')),
      '403 another document has this id, and your row filter hides it',
    )
    const body = lines(
      mine('fresh1'),
      mine('secret'),
      { id: 'x', genre: 'poetry' },
      mine('plain'),
      mine('fresh2'),
    )
    const partial = await server.call('fay', 'POST', novels, body)
    assert.deepEqual([partial.status, partial.body.accepted, partial.body.rejected], [200, 2, 3])
    assert.deepEqual(
      partial.body.errors.map(({ line }: { line: number }) => line),
      [2, 3, 4],
    )
    const strict = await server.call(
      'fay',
      'POST',
      `${novels}?strict=true`,
      lines(mine('s1'), mine('secret')),
    )
    assert.equal(strict.status, 403)
    assert.equal((await server.call('ada', 'GET', `${novels}/s1`)).status, 404)
    const replaced = await server.call('fay', 'POST', `${novels}?replace=true`, lines(mine('s2')))
    assert.equal(replaced.status, 403)
    assert.match(replaced.headers.get('www-authenticate') ?? '', /insufficient_scope/)
    assert.deepEqual(await getDocument('secret'), { id: 'secret', genre: 'poetry' })
    assert.deepEqual(await getDocument('plain'), { id: 'plain' })
    assert.equal((await server.call('fay', 'POST', `${novels}?strict=true`, lines(mine('s3')))).status, 200)
  })
  it('whose filter is on dates puts what lies in that day', async () => {
    await server.redefine(definition => ({
      ...definition,
      collections: {
        ...definition.collections,
        novels: { fields: { ...definition.collections?.novels?.fields, day: { type: 'date' } } },
      },
    }))
    const { fay } = server.ids.people
    const filter = { day: '2024-01-31' }
    const member = { workspaceId: server.ids.books, subject: fay, kind: 'user', roles: ['user'] } as const
    await server.storage.write(writer => setMember(writer, { ...member, roles: ['user'], filter }))
    for (const [day, status] of [
      ['2024-01-31', 200],
      ['2024-01-31T23:59:59.9Z', 200],
      ['2024-02-01T00:30:00+01:00', 200],
      ['2024-02-01', 403],
      ['2024-01-31T00:30:00+01:00', 403],
    ] as const)
      assert.match(await putDocument('dated', { day }), new RegExp(`^${status} `), day)
  })
})

describe('a user with a row filter, where a public API shows the collection', () => {
  it('puts and deletes no document; with the role data-provider those that match the filter', async () => {
    const { fay } = server.ids.people
    const member = {
      workspaceId: server.ids.books,
      subject: fay,
      kind: 'user',
      filter: { genre: 'crime' },
    } as const
    const setRoles = (...roles: ('user' | 'data-provider' | 'administrator')[]) =>
      server.storage.write(writer => setMember(writer, { ...member, roles }))
    const body = lines({ id: 'published', genre: 'crime' })
    const attempts = [
      ['POST', novels, body],
      ['POST', `${novels}?strict=true`, body],
      ['PUT', `${novels}/published`, '{"genre":"crime"}'],
      ['DELETE', `${novels}/published`, undefined],
    ] as const
    const statuses = async () => {
      const statuses: number[] = []
      for (const [method, path, body] of attempts)
        statuses.push((await server.call('fay', method, path, body)).status)
      return statuses
    }
    await setRoles('user')
    assert.deepEqual(await statuses(), [200, 200, 200, 204])
    await server.redefine(definition => ({
      ...definition,
      apis: { open: { access: 'public', endpoints: { replaced: { kind: 'all', collection: 'novels' } } } },
    }))
    assert.deepEqual(await statuses(), [403, 403, 403, 403])
    await setRoles('user', 'data-provider')
    assert.deepEqual(await statuses(), [200, 200, 200, 204])
    assert.equal((await server.call('fay', 'PUT', `${novels}/other`, '{"genre":"drama"}')).status, 403)
    await setRoles('user')
    await server.redefine(({ apis: _, ...definition }) => definition)
    assert.deepEqual(await statuses(), [200, 200, 200, 204])
  })
})

describe('imports that are broken off, slow or many', () => {
  const open = async (query = '') => {
    const token = await server.requestToken('dora')
    const request = httpRequest(`http://127.0.0.1:${server.port}/4/${novels}${query}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    })
    const closed = new Promise(resolve => request.on('error', () => {}).on('close', resolve))
    return { request, closed, token }
  }
  const rows = () => listGenerations(server.storage.db, server.ids.books, 'novels')
  const building = async () => (await rows()).filter(({ state }) => state !== 'ready')
  const folders = async () => (await readdir(join(server.folder, 'engine'))).length
  const documents = lines(...Array.from({ length: 3000 }, (_, index) => ({ id: `half${index}` })))
  for (const query of ['?replace=true', '?replace=true&stage=true', '?strict=true'])
    it(`leave nothing behind of ${query}`, async t => {
      const stateBefore = {
        live: server.live()?.id,
        folders: await folders(),
        total: (await server.search()).total,
      }
      const { request, closed } = await open(query)
      request.write(documents)
      await t.waitFor(async () => assert.equal((await building()).length, 1), { timeout: patienceMs })
      request.destroy()
      await closed
      await t.waitFor(async () => assert.equal((await building()).length, 0), { timeout: patienceMs })
      assert.equal(server.live()?.id, stateBefore.live)
      assert.equal(await folders(), stateBefore.folders)
      assert.equal((await server.search()).total, stateBefore.total)
    })
  it('hold up nobody while nothing comes, and are ended', async () => {
    const slow = await open()
    slow.request.write(lines({ id: 'slow1' }))
    const meanwhile = await server.call('dora', 'POST', `${novels}?replace=true`, lines({ id: 'quick' }))
    assert.equal(meanwhile.status, 200)
    const [reply] = await once(slow.request, 'response')
    assert.equal(reply.statusCode, 408)
    let text = ''
    for await (const chunk of reply) text += chunk
    assert.match(JSON.parse(text).message, /^no data of the body arrived for 5 s/)
    slow.request.destroy()
    await slow.closed
  })
  it('at the same time all count; of two that replace the last complete one stays', async () => {
    const send = (query: string, ...ids: string[]) =>
      server.call('dora', 'POST', `${novels}${query}`, lines(...ids.map(id => ({ id }))))
    await send('?replace=true', 'base')
    const replies = await Promise.all([
      send('', 'p1', 'p2'),
      send('', 'p3'),
      send('?strict=true', 'p4', 'p5'),
    ])
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    )
    assert.equal((await server.search()).total, 6)
    const replaced = await Promise.all([send('?replace=true', 'r1'), send('?replace=true', 'r2', 'r3')])
    assert.deepEqual(
      replaced.map(({ status }) => status),
      [200, 200],
    )
    const { total } = await server.search()
    assert.ok(total === 1 || total === 2, `wholly one of the two: ${total}`)
  })
  it('are 8 of a workspace at most; the next is told to try again', async t => {
    const openImports = await Promise.all(Array.from({ length: 8 }, () => open('?replace=true')))
    for (const { request } of openImports) request.write(lines({ id: 'held' }))
    await t.waitFor(async () => assert.equal((await building()).length, 8), { timeout: patienceMs })
    const ninth = await server.call('dora', 'POST', novels, lines({ id: 'ninth' }))
    assert.deepEqual(
      [ninth.status, ninth.body.code, ninth.headers.get('retry-after')],
      [503, 'overloaded', '1'],
    )
    assert.match(ninth.body.message, /^8 imports into this workspace are running/)
    for (const { request } of openImports) request.destroy()
    await Promise.all(openImports.map(({ closed }) => closed))
    const retry = async () =>
      assert.equal((await server.call('dora', 'POST', novels, lines({ id: 'ninth' }))).status, 200)
    await t.waitFor(retry, { timeout: patienceMs })
  })
})
