import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setMember } from '#storage/members'
import { createUser } from '#storage/users'
import { definition, lines, openTestServer } from './test-server.ts'

describe('changes of documents', () => {
  let server: Awaited<ReturnType<typeof openTestServer>>
  before(async () => {
    server = await openTestServer()
  })
  after(() => server.close())

  const novels = 'books/collections/novels/documents'
  const mergePatch = 'application/merge-patch+json'

  beforeEach(async () => {
    await server.redefine(() => definition)
    const reply = await server.call(
      'ada',
      'POST',
      `${novels}?replace=true`,
      lines(
        { id: 'emma', title: 'Emma', genre: 'romance', pages: 474, author: { name: 'Austen', born: 1775 } },
        { id: 'dune', title: 'Dune', genre: ['fiction', 'desert'], pages: 612 },
      ),
    )
    assert.equal(reply.status, 200)
  })

  const update = (body: string, options = '', type?: string) =>
    server.call('ada', 'POST', `${novels}?update=true${options}`, body, type)
  const read = async (id: string) => (await server.call('ada', 'GET', `${novels}/${id}`)).body

  describe('an import with update=true', () => {
    it('merges members, removes those that are null, and replaces lists (RFC 7396)', async () => {
      const reply = await update(
        lines(
          { id: 'emma', pages: null, author: { born: null, country: 'England' }, year: 1815 },
          { id: 'dune', genre: ['epic'] },
        ),
      )
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, { accepted: 2, updated: 2, rejected: 0, errors: [] })
      assert.deepEqual(await read('emma'), {
        id: 'emma',
        title: 'Emma',
        genre: 'romance',
        author: { name: 'Austen', country: 'England' },
        year: 1815,
      })
      assert.deepEqual(await read('dune'), { id: 'dune', title: 'Dune', genre: ['epic'], pages: 612 })
    })
    it('is searchable when it is acknowledged', async () => {
      await update(lines({ id: 'emma', genre: 'comedy' }))
      const listed = await server.call('ada', 'GET', `${novels}?genre=comedy`)
      assert.deepEqual(
        listed.body.items.map(({ id }: { id: string }) => id),
        ['emma'],
      )
    })
    it('rejects an unknown id, and creates it with create=true', async () => {
      const body = lines({ id: 'ulysses', title: 'Ulysses', pages: null }, { id: 'emma', year: 1815 })
      const rejected = await update(body)
      assert.equal(rejected.status, 200)
      assert.deepEqual(
        { ...rejected.body, errors: rejected.body.errors.map(({ line }: { line: number }) => line) },
        { accepted: 1, updated: 1, rejected: 1, errors: [1] },
      )
      assert.equal(await read('ulysses').then(({ code }) => code), 'no-such-resource')
      const created = await update(body, '&create=true')
      assert.deepEqual(created.body, { accepted: 2, updated: 1, rejected: 0, errors: [] })
      assert.deepEqual(await read('ulysses'), { id: 'ulysses', title: 'Ulysses' })
    })
    it('applies several changes of a document in their order, across batches', async () => {
      const changes = Array.from({ length: 2500 }, (_, index) => ({
        id: 'emma',
        pages: index,
        [`p${index % 3}`]: index,
      }))
      const reply = await update(
        lines(...changes, { id: 'new', pages: 1 }, { id: 'new', pages: 2 }),
        '&create=true',
      )
      assert.deepEqual(reply.body, { accepted: 2502, updated: 2501, rejected: 0, errors: [] })
      const emma = await read('emma')
      assert.deepEqual([emma.pages, emma.p0, emma.p1, emma.p2, emma.title], [2499, 2499, 2497, 2498, 'Emma'])
      assert.equal((await read('new')).pages, 2)
    })
    it('takes a JSON array and CSV, where an empty cell leaves the value as it is', async () => {
      const array = await update('[{"id":"emma","pages":1},{"id":"none","pages":2}]', '', 'application/json')
      assert.deepEqual([array.body.updated, array.body.errors[0].index], [1, 1])
      const csv = await update('id,title,pages\nemma,,500\ndune,Dune II,\n', '', 'text/csv')
      assert.deepEqual(csv.body, { accepted: 2, updated: 2, rejected: 0, errors: [] })
      assert.deepEqual([(await read('emma')).title, (await read('emma')).pages], ['Emma', 500])
      assert.deepEqual([(await read('dune')).title, (await read('dune')).pages], ['Dune II', 612])
    })
    it('keeps every digit of numbers', async () => {
      await server.call('ada', 'PUT', `${novels}/exact`, '{"big":9007199254740993,"price":1.50}')
      await update('{"id":"exact","other":12345678901234567890}\n')
      const { result, requestText } = await readText('exact')
      assert.equal(result, 200)
      assert.match(requestText, /"big":9007199254740993,"price":1\.50,"other":12345678901234567890/)
    })
    it('rejects what the document would become, with the line, and keeps the document', async () => {
      const reply = await update(
        lines({ id: 'emma', pages: 'many' }, { title: 'no id' }, { id: 'dune', pages: 1 }),
      )
      assert.deepEqual(
        [
          reply.body.accepted,
          reply.body.rejected,
          reply.body.errors.map(({ line }: { line: number }) => line),
        ],
        [1, 2, [1, 2]],
      )
      assert.equal((await read('emma')).pages, 474)
    })
    it('makes all changes or none with strict=true', async () => {
      const broken = await update(lines({ id: 'emma', pages: 1 }, { id: 'none', pages: 2 }), '&strict=true')
      assert.deepEqual(
        [
          broken.status,
          broken.body.code,
          broken.body.accepted,
          broken.body.updated,
          broken.body.errors[0].line,
        ],
        [400, 'bad-documents', 0, 0, 2],
      )
      assert.equal((await read('emma')).pages, 474)
      const accepted = await update(
        lines({ id: 'emma', pages: 1 }, { id: 'emma', year: 1 }, { id: 'neu', pages: 2 }),
        '&strict=true&create=true',
      )
      assert.deepEqual(accepted.body, { accepted: 3, updated: 2, rejected: 0, errors: [] })
      const emma = await read('emma')
      assert.deepEqual([emma.title, emma.pages, emma.year], ['Emma', 1, 1])
      assert.equal((await server.call('ada', 'GET', novels)).body.total, 3)
    })
    it('is durable with wait=false', async () => {
      const reply = await update(lines({ id: 'emma', pages: 5 }), '&wait=false')
      assert.equal(reply.status, 200)
      assert.equal((await read('emma')).pages, 5)
    })
    it('answers 400 if nothing was accepted', async () => {
      const reply = await update(lines({ id: 'none', pages: 1 }))
      assert.deepEqual(
        [reply.status, reply.body.code, reply.body.accepted, reply.body.updated, reply.body.rejected],
        [400, 'bad-documents', 0, 0, 1],
      )
    })
    it('loses no change when many change the same document at once', async () => {
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, index) => update(lines({ id: 'emma', [`change${index}`]: index }))),
      )
      assert.ok(replies.every(({ status }) => status === 200))
      const emma = await read('emma')
      for (let index = 0; index < 8; index += 1) assert.equal(emma[`change${index}`], index)
    })
    for (const options of [
      '?update=true&replace=true',
      '?create=true',
      '?update=yes',
      '?update=true&stage=true',
    ])
      it(`rejects ${options}`, async () => {
        const reply = await server.call('ada', 'POST', `${novels}${options}`, lines({ id: 'emma' }))
        assert.deepEqual([reply.status, reply.body.code], [400, 'bad-option'])
      })
    it('changes the document with the stated generated id, and rejects one without an id', async () => {
      await server.redefine(previous => ({
        ...previous,
        collections: { novels: { id: { generate: 'hash' }, fields: { title: { type: 'text' } } } },
      }))
      await server.call('ada', 'POST', `${novels}?replace=true`, lines({ title: 'Emma' }))
      const [{ id }] = (await server.call('ada', 'GET', novels)).body.items
      const reply = await update(lines({ id, year: 1815 }, { title: 'Emma', year: 1 }))
      assert.deepEqual([reply.body.accepted, reply.body.updated, reply.body.rejected], [1, 1, 1])
      assert.deepEqual(await read(id), { id, title: 'Emma', year: 1815 })
      assert.equal((await update(lines({ title: 'Emma' }))).status, 400)
      const patched = await server.call('ada', 'PATCH', `${novels}/${id}`, '{"year":null}', mergePatch)
      assert.deepEqual(patched.body, { id, title: 'Emma' })
    })
  })

  const readText = async (id: string) => {
    const token = await server.requestToken('ada')
    const reply = await fetch(`http://127.0.0.1:${server.port}/4/${novels}/${id}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return { result: reply.status, requestText: await reply.text() }
  }

  describe('PATCH of a document', () => {
    const patch = (body: string, headers = {}, id = 'emma') =>
      server.call('ada', 'PATCH', `${novels}/${id}`, body, mergePatch, headers)

    it('merges into it, and returns it with its ETag', async () => {
      const reply = await patch('{"pages":480,"genre":null,"author":{"born":null}}')
      assert.equal(reply.status, 200)
      assert.deepEqual(reply.body, { id: 'emma', title: 'Emma', pages: 480, author: { name: 'Austen' } })
      const stored = await server.call('ada', 'GET', `${novels}/emma`)
      assert.equal(reply.headers.get('etag'), stored.headers.get('etag'))
    })
    it('answers 404 for a document that does not exist, and creates none', async () => {
      const reply = await patch('{"pages":1}', {}, 'none')
      assert.deepEqual([reply.status, reply.body.code], [404, 'no-such-resource'])
      assert.equal((await read('none')).code, 'no-such-resource')
    })
    it('applies only if the document has the ETag in If-Match', async () => {
      const tag = (await server.call('ada', 'GET', `${novels}/emma`)).headers.get('etag') ?? ''
      assert.equal((await patch('{"pages":1}', { 'if-match': tag })).status, 200)
      const late = await patch('{"pages":2}', { 'if-match': tag })
      assert.deepEqual([late.status, late.body.code], [412, 'precondition-failed'])
      assert.equal((await read('emma')).pages, 1)
    })
    it('takes the id of the address only, another media type is 415, and a list is 400', async () => {
      assert.equal((await patch('{"id":"emma","pages":1}')).status, 200)
      for (const body of ['{"id":"dune"}', '{"id":null}', '[]', 'null', '{"pages":"many"}', '{']) {
        const reply = await patch(body)
        assert.deepEqual([reply.status, reply.body.code], [400, 'bad-documents'], body)
      }
      const refusal = await server.call('ada', 'PATCH', `${novels}/emma`, '{}', 'application/json')
      assert.deepEqual([refusal.status, refusal.body.code], [415, 'unsupported-media-type'])
    })
    it('tells a data-provider whether an id exists, and nothing else', async () => {
      const path = `${novels}/emma`
      const reply = await server.call('dora', 'PATCH', path, '{"pages":480}', mergePatch)
      assert.deepEqual([reply.status, reply.body, reply.headers.get('etag')], [200, { id: 'emma' }, null])
      assert.equal((await server.call('dora', 'PATCH', `${novels}/none`, '{}', mergePatch)).status, 404)
      const conditional = await server.call('dora', 'PATCH', path, '{}', mergePatch, { 'if-match': '*' })
      assert.equal(conditional.status, 403)
      // The stored value no longer fits, and must not be in the message.
      await server.call('ada', 'PUT', path, '{"note":"secret"}')
      await server.redefine(previous => ({
        ...previous,
        collections: { novels: { ...previous.collections?.novels, fields: { note: { type: 'number' } } } },
      }))
      for (const [method, url, body, type] of [
        ['PATCH', path, '{"title":"x"}', mergePatch],
        ['POST', `${novels}?update=true`, lines({ id: 'emma', title: 'x' }), 'application/x-ndjson'],
      ] as const) {
        const misfit = await server.call('dora', method, url, body, type)
        assert.equal(misfit.status, 400)
        assert.doesNotMatch(JSON.stringify(misfit.body), /secret/)
      }
      assert.match((await patch('{"title":"x"}')).body.message, /secret/)
    })
  })

  describe('a member with a row filter', () => {
    it('changes no document that the filter hides, nor one so that it would hide it', async () => {
      const token = await server.storage.write(async writer => {
        const row = await createUser(writer, { email: 'filtered@example.org', operator: false })
        if (!row) throw new Error('the user is there already')
        await setMember(writer, {
          workspaceId: server.ids.books,
          subject: row.id,
          kind: 'user',
          roles: ['data-provider'],
          filter: { genre: 'romance' },
        })
        return row.id
      })
      const person = {
        token: await server.token({ subject: token, clientId: 'console', audience: 'http://127.0.0.1:4000' }),
      }
      const call = (body: string, options = '') =>
        server.call(person, 'POST', `${novels}?update=true${options}`, body)
      const reply = await call(
        lines({ id: 'emma', pages: 1 }, { id: 'dune', pages: 2 }, { id: 'emma', genre: 'crime' }),
      )
      assert.deepEqual(
        [reply.body.updated, reply.body.errors.map(({ line }: { line: number }) => line)],
        [1, [2, 3]],
      )
      assert.equal((await call(lines({ id: 'dune', genre: 'romance' }), '&create=true')).status, 400)
      assert.equal((await call(lines({ id: 'dune', genre: 'romance' }), '&strict=true')).status, 400)
      assert.equal((await server.call(person, 'PATCH', `${novels}/dune`, '{}', mergePatch)).status, 404)
      const moved = await server.call(person, 'PATCH', `${novels}/emma`, '{"genre":"crime"}', mergePatch)
      assert.deepEqual([moved.status, (await read('emma')).genre], [403, 'romance'])
      assert.deepEqual([(await read('dune')).pages, (await read('emma')).genre], [612, 'romance'])
    })
  })
})
