import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { PlanNode } from '#engines/engine'
import { setMember } from '#storage/members'
import { patienceMs } from '#test-wait'
import { allDocuments, lines, openTestServer, type Person } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const novels = 'books/collections/novels/documents'
const one = `${novels}/emma`

/** Each operation of the contract, with the roles that may call it. */
const requests: { method: string; path: string; body?: string; status: number; may: Person[] }[] = [
  {
    method: 'POST',
    path: novels,
    body: lines({ id: 'emma' }),
    status: 200,
    may: ['ada', 'ursula', 'dora', 'operator'],
  },
  {
    method: 'PUT',
    path: one,
    body: '{"title":"Emma"}',
    status: 200,
    may: ['ada', 'ursula', 'dora', 'operator'],
  },
  {
    method: 'PATCH',
    path: one,
    body: '{"title":"Emma"}',
    status: 200,
    may: ['ada', 'ursula', 'dora', 'operator'],
  },
  {
    method: 'GET',
    path: 'books/collections/novels/imports/none',
    status: 200,
    may: ['ada', 'ursula', 'dora', 'operator'],
  },
  { method: 'GET', path: one, status: 200, may: ['ada', 'ursula', 'operator'] },
  { method: 'GET', path: novels, status: 200, may: ['ada', 'ursula', 'operator'] },
  { method: 'GET', path: `${novels}?search=emma`, status: 200, may: ['ada', 'ursula', 'operator'] },
  { method: 'DELETE', path: `${novels}?genre=none`, status: 200, may: ['ada', 'ursula', 'operator'] },
  {
    method: 'DELETE',
    path: `${novels}/none`,
    status: 204,
    may: ['ada', 'ursula', 'dora', 'operator'],
  },
]
const everybody: Person[] = ['operator', 'ada', 'ursula', 'apollo', 'dora', 'eve']

for (const { method, path, body, status, may } of requests)
  describe(`${method} ${path}`, () => {
    it(`answers ${status} to ${may.join(', ')}, 403 to others, 401 without a good token`, async () => {
      const anonymous = await server.call(undefined, method, path, body)
      assert.equal(anonymous.status, 401)
      const metadata =
        /resource_metadata="[^"]+\/\.well-known\/oauth-protected-resource\/4\/books\/collections\/novels\/documents"/
      assert.match(anonymous.headers.get('www-authenticate') ?? '', metadata)
      const expired = await server.token({
        subject: server.ids.people.ada,
        clientId: 'console',
        audience: 'http://127.0.0.1:4000',
        expiresInSeconds: -100,
      })
      const late = await server.call({ token: expired }, method, path, body)
      assert.equal(late.status, 401)
      assert.match(
        late.headers.get('www-authenticate') ?? '',
        /error="invalid_token", error_description="the token has expired"/,
      )
      for (const person of everybody) {
        const reply = await server.call(person, method, path, body)
        assert.equal(
          reply.status,
          may.includes(person) ? status : 403,
          `${person}: ${JSON.stringify(reply.body)}`,
        )
        if (reply.status === 403)
          assert.match(reply.headers.get('www-authenticate') ?? '', /insufficient_scope/)
      }
    })
    it('answers for a workspace that is not there like for one of others, and 404 for a collection that is not', async () => {
      const nowhere = await server.call('ada', method, path.replace('books', 'nowhere'), body)
      const films = await server.call('ada', method, path.replace('books', 'films'), body)
      assert.deepEqual([nowhere.status, nowhere.body.message], [403, films.body.message])
      const missing = await server.call('ada', method, path.replace('novels', 'plays'), body)
      assert.equal(missing.status, 404)
      assert.match(missing.body.message, /^unknown collection "plays"; existing collections: novels$/)
    })
    it('refuses a token in the URL', async () => {
      const reply = await server.call(
        'ada',
        method,
        `${path}${path.includes('?') ? '&' : '?'}access_token=x`,
        body,
      )
      assert.deepEqual([reply.status, reply.body.code], [400, 'token-in-url'])
    })
  })

describe('an import', () => {
  it('is searchable when it is acknowledged', async () => {
    const documents = Array.from({ length: 2500 }, (_, index) => ({
      id: `n${index}`,
      title: `novel ${index}`,
      genre: 'crime',
    }))
    const reply = await server.call('dora', 'POST', novels, lines(...documents))
    assert.deepEqual(reply.body, { accepted: 2500, documents: 2500, replaced: 0, rejected: 0, errors: [] })
    const filter: PlanNode = {
      kind: 'filter',
      field: 'genre',
      alternatives: [{ score: 1, values: ['crime'] }],
    }
    const results = await server.search({ ...allDocuments, nodes: [filter], count: 0 })
    assert.equal(results.total, 2500)
  })
  it('says what is wrong with each line, and keeps the others', async () => {
    const body = Buffer.concat([
      Buffer.from('\ufeff{"id":"a","title":"A"}\r\n\r\n   \n{"id":"b","pages":"many"}\n{"title":"no id"}\n'),
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d, 0x0a]),
      Buffer.from(`{half\n{"id":"big","title":"${'x'.repeat(1024 * 1024)}"}\n[]\n{"id":"z","title":"Z"}`),
    ])
    const { status, body: reply } = await server.call('dora', 'POST', novels, body)
    assert.equal(status, 200)
    assert.deepEqual([reply.accepted, reply.rejected], [2, 6])
    assert.deepEqual(
      reply.errors.map(({ line }: { line: number }) => line),
      [4, 5, 6, 7, 8, 9],
    )
    const [pages, id, bytes, json, long, list] = reply.errors.map(
      (error: { message: string }) => error.message,
    )
    assert.match(pages, /"pages": found "many", allowed: a number/)
    assert.match(id, /id is missing/)
    assert.match(bytes, /not UTF-8/)
    assert.match(json, /not JSON/)
    assert.match(long, /longer than 1048576 bytes/)
    assert.match(list, /a document is a JSON object/)
    assert.equal((await server.call('ada', 'GET', `${novels}/z`)).body.title, 'Z')
  })
  it('shows the first 100 errors and counts them all', async () => {
    const { body } = await server.call('dora', 'POST', novels, `${'{}\n'.repeat(150)}${lines({ id: 'ok' })}`)
    assert.deepEqual([body.accepted, body.rejected, body.errors.length], [1, 150, 100])
  })
  it('answers 400 with the counts when nothing was accepted', async () => {
    const { status, body } = await server.call('dora', 'POST', novels, '{}\n')
    assert.equal(status, 400)
    assert.deepEqual(
      { ...body, requestId: '', message: '', errors: [] },
      {
        status: 400,
        code: 'bad-documents',
        accepted: 0,
        documents: 0,
        replaced: 0,
        rejected: 1,
        errors: [],
        requestId: '',
        message: '',
      },
    )
    assert.match(body.message, /line 1: the id is missing/)
    assert.equal(body.errors.length, 1)
    assert.match((await server.call('dora', 'POST', novels, '\n')).body.message, /^no documents were sent$/)
  })
  it('takes application/x-ndjson and application/json, and refuses other types by name', async () => {
    const send = (type: string) => server.call('dora', 'POST', novels, lines({ id: 'a' }), type)
    assert.equal((await send('application/x-ndjson; charset=utf-8')).status, 200)
    const csv = await server.call(
      'dora',
      'POST',
      novels,
      'id,title,genre,genre,pages\nc1,"One, two",crime,poetry,12\nc2,Many,,,many\n',
      'text/csv; charset=utf-8; header=present',
    )
    assert.deepEqual([csv.body.accepted, csv.body.rejected, csv.body.errors[0].line], [1, 1, 3])
    assert.match(csv.body.errors[0].message, /^"pages": found "many", allowed: a number/)
    assert.deepEqual((await server.call('ada', 'GET', `${novels}/c1`)).body, {
      id: 'c1',
      title: 'One, two',
      genre: ['crime', 'poetry'],
      pages: 12,
    })
    const array = JSON.stringify([{ id: 'j1' }, { pages: 'x' }, { id: 'j2' }])
    const reply = await server.call('dora', 'POST', novels, array, 'application/json')
    assert.deepEqual([reply.body.accepted, reply.body.rejected, reply.body.errors[0].index], [2, 1, 1])
    assert.equal((await server.call('ada', 'GET', `${novels}/j2`)).status, 200)
    const single = await server.call('dora', 'POST', novels, '{"id":"a"}', 'application/json')
    assert.deepEqual([single.status, single.body.accepted], [200, 1])
    const object = await server.call('dora', 'POST', novels, '{"items":[]}', 'application/json')
    assert.deepEqual([object.status, object.body.code, object.body.rejected], [400, 'bad-documents', 1])
    const otherType = await send('text/plain')
    assert.equal(otherType.status, 415)
    assert.match(otherType.body.message, /found "text\/plain", allowed: application\/x-ndjson/)
    assert.equal((await server.call('dora', 'POST', novels)).status, 415)
    const packed = await server.call('dora', 'POST', novels, gzipSync(lines({ id: 'a' })))
    assert.equal(packed.status, 415)
    assert.match(packed.body.message, /^found gzip without Content-Encoding; .*"Content-Encoding: gzip"/)
  })
  it('takes gzip that is announced, in members and cut anywhere, with the limits of what it holds', async () => {
    const send = async (body: Uint8Array, encoding = 'gzip', method = 'POST', path = novels) =>
      fetch(`http://127.0.0.1:${server.port}/4/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await server.requestToken('dora')}`,
          'content-type': method === 'POST' ? 'application/x-ndjson' : 'application/json',
          'content-encoding': encoding,
        },
        body: Buffer.from(body),
      }).then(async reply => ({
        status: reply.status,
        headers: reply.headers,
        body: Object(await reply.json()),
      }))
    const members = Buffer.concat([gzipSync(lines({ id: 'gz1' })), gzipSync(`\n${lines({ id: 'gz2' })}`)])
    for (const encoding of ['gzip', 'x-gzip', 'GZIP'])
      assert.deepEqual((await send(members, encoding)).body, {
        accepted: 2,
        documents: 2,
        replaced: 0,
        rejected: 0,
        errors: [],
      })
    const bomb = await send(gzipSync(`{"id":"gz3","title":"${'x'.repeat(8 * 1024 * 1024)}"}`))
    assert.deepEqual([bomb.status, bomb.body.code], [400, 'bad-documents'])
    const large = await send(
      gzipSync(`{"title":"${'x'.repeat(1024 * 1024)}"}`),
      'gzip',
      'PUT',
      `${novels}/gz4`,
    )
    assert.deepEqual([large.status, large.body.code], [413, 'body-too-large'])
    assert.equal((await send(gzipSync('{"title":"x"}'), 'gzip', 'PUT', `${novels}/gz4`)).status, 200)
    for (const damaged of [Buffer.from('{"id":"gz5"}'), members.subarray(0, members.length - 3)]) {
      const { status, body } = await send(damaged)
      assert.deepEqual([status, body.code], [400, 'bad-documents'])
    }
    const brotli = await send(members, 'br')
    assert.deepEqual(
      [brotli.status, brotli.body.code, brotli.headers.get('accept-encoding')],
      [415, 'unsupported-media-type', 'gzip'],
    )
  })
  it('lists all documents as NDJSON that can be imported again, and counts what would be deleted', async () => {
    const documents = Array.from({ length: 2500 }, (_, index) => ({ id: `all${index}`, genre: 'counted' }))
    await server.call('dora', 'POST', `${novels}?replace=true`, lines(...documents))
    const get = async (query: string) =>
      fetch(`http://127.0.0.1:${server.port}/4/${novels}?${query}`, {
        headers: { authorization: `Bearer ${await server.requestToken('ada')}` },
      })
    const streamed = await get('format=ndjson')
    assert.equal(streamed.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    const text = await streamed.text()
    assert.deepEqual(
      text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line)),
      documents.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    )
    assert.equal((await server.call('dora', 'POST', novels, text)).body.accepted, 2500)
    const page = await server.call('ada', 'GET', `${novels}?count=1000`)
    const rest = await get(`format=ndjson&after=${encodeURIComponent(page.body.next)}`)
    assert.equal((await rest.text()).trim().split('\n').length, 1500)
    for (const query of ['format=ndjson&count=3', 'format=csv']) assert.equal((await get(query)).status, 400)
    const remove = (query: string) => server.call('ada', 'DELETE', `${novels}?${query}`)
    assert.deepEqual((await remove('genre=counted&dryRun=true')).body, { deleted: 2500 })
    assert.equal((await remove('dryRun=true')).status, 400, 'no filter')
    assert.equal((await remove('genre=counted&dryRun=perhaps')).status, 400)
    assert.deepEqual((await remove('genre=counted')).body, { deleted: 2500 })
  })
  it('with wait=false is durable at once, and searchable soon without another request', async t => {
    await server.call('dora', 'POST', `${novels}?replace=true`, lines({ id: 'first', genre: 'soon' }))
    const countsTo = (expected: number) =>
      t.waitFor(async () => assert.equal((await server.search()).total, expected), { timeout: patienceMs })
    const added = await server.call('dora', 'POST', `${novels}?wait=false`, lines({ id: 'second' }))
    assert.deepEqual(added.body, { accepted: 1, documents: 1, replaced: 0, rejected: 0, errors: [] })
    assert.equal((await server.call('ada', 'GET', `${novels}/second`)).status, 200)
    await countsTo(2)
    assert.equal((await server.call('dora', 'PUT', `${novels}/third?wait=false`, '{}')).status, 200)
    assert.equal((await server.call('ada', 'GET', `${novels}/third`)).status, 200)
    await countsTo(3)
    assert.equal((await server.call('dora', 'DELETE', `${novels}/first?wait=false`)).status, 204)
    assert.equal((await server.call('ada', 'GET', `${novels}/first`)).status, 404)
    await countsTo(2)
  })
  it('of csv has the delimiter of its header line or of the option, and lists with | in fields that are no text', async () => {
    const send = (query: string, body: string) =>
      server.call('dora', 'POST', `${novels}?${query}`, body, 'text/csv')
    for (const [query, body] of [
      ['replace=true', 'id;title;genre\nd1;a|b, c;crime|drama\n'],
      ['replace=true', 'id\ttitle\tgenre\nd1\ta|b, c\tcrime|drama\n'],
      ['replace=true', 'id,title,genre\nd1,"a|b, c",crime|drama\n'],
      ['replace=true&delimiter=%3B', 'id;"title";genre\nd1;"a|b, c";crime|drama\n'],
      ['replace=true&delimiter=%09', 'id\ttitle\tgenre\nd1\ta|b, c\tcrime|drama\n'],
    ] as const) {
      assert.equal((await send(query, body)).body.accepted, 1, query)
      assert.deepEqual((await server.call('ada', 'GET', `${novels}/d1`)).body, {
        id: 'd1',
        title: 'a|b, c',
        genre: ['crime', 'drama'],
      })
    }
    for (const query of ['delimiter=%7C', 'delimiter=', 'delimiter=,&delimiter=,']) {
      const { status, body } = await send(query, 'id\n1\n')
      assert.deepEqual([status, body.code], [400, 'bad-option'], query)
    }
    const wrong = await send('delimiter=,', 'id;title\nd1;x\n')
    assert.deepEqual([wrong.status, wrong.body.code], [400, 'bad-documents'])
    const exported = 'rank,probability,id,class,title\n1,0.9,https://books.example/e1,x,Kept\n'
    assert.equal((await send('replace=true', exported)).body.accepted, 1)
    assert.deepEqual((await server.call('ada', 'GET', `${novels}/e1`)).body, { id: 'e1', title: 'Kept' })
  })
  it('refuses bad options by name', async () => {
    const send = (query: string) => server.call('dora', 'POST', `${novels}?${query}`, lines({ id: 'a' }))
    const staged = await send('stage=true')
    assert.deepEqual([staged.status, staged.body.code], [400, 'bad-option'])
    assert.match(staged.body.message, /^stage=true needs replace=true/)
    assert.match((await send('wait=perhaps')).body.message, /^wait: found "perhaps", allowed: true or false$/)
    assert.match((await send('wait=true&wait=true')).body.message, /^wait is given 2 times$/)
    assert.match(
      (await send('wait=false&colour=red')).body.message,
      /^unknown option "colour"; allowed: wait/,
    )
  })
  it('that is strict keeps all or nothing', async () => {
    const send = (body: string, query = 'strict=true') =>
      server.call('dora', 'POST', `${novels}?${query}`, body)
    const total = async () => (await server.search()).total
    // Earlier writes with wait=false become searchable together with this one.
    await server.call('dora', 'POST', novels, lines({ id: 'a' }))
    const totalBefore = await total()
    for (const query of ['strict=true', 'strict=true&replace=true']) {
      const rejected = await send(`${lines({ id: 's1' }, { id: 's2' })}{}\n`, query)
      assert.deepEqual([rejected.status, rejected.body.accepted, rejected.body.rejected], [400, 0, 1])
      assert.equal(rejected.body.errors[0].line, 3)
      assert.equal(await total(), totalBefore)
    }
    const done = await send(lines({ id: 's1' }, { id: 's2' }))
    assert.deepEqual(done.body, { accepted: 2, documents: 2, replaced: 0, rejected: 0, errors: [] })
    assert.equal(await total(), totalBefore + 2)
  })
  it('that replaces becomes the whole collection, in a new generation', async () => {
    const liveBefore = server.live()
    const documents = [{ id: 'only', title: 'Only' }]
    const failed = await server.call('dora', 'POST', `${novels}?replace=true`, '{}\n')
    assert.equal(failed.status, 400)
    assert.equal(server.live()?.id, liveBefore?.id, 'nothing is replaced by nothing')
    const reply = await server.call('dora', 'POST', `${novels}?replace=true`, lines(...documents))
    const counts = { accepted: 1, documents: 1, replaced: 0, rejected: 0 }
    assert.deepEqual(reply.body, { ...counts, errors: [], emptyFields: ['genre', 'pages'] })
    assert.notEqual(server.live()?.id, liveBefore?.id)
    assert.equal((await server.search()).total, 1)
  })
  it('an interrupted replacement replaces nothing; otherwise the read part stays, and the reply names the rest', async () => {
    const long = 'x'.repeat(1024 * 1024 + 1)
    for (const [type, body, message] of [
      ['application/json', `[${'{},'.repeat(120)}{"id":"a"},{"id":"b"`, /^the text ends before the "]"/],
      [
        'application/json',
        '[{"id":"a"}][{"id":"b"}]',
        /after the end of the array; nothing from here on was read$/,
      ],
      ['text/csv', 'id,title\na,b\nc,"d\ne,f\n', /never closed; nothing from here on was read$/],
      ['text/csv', `id,title\na,b\nc,${long}\nd,e\n`, /longer than .*; nothing from here on was read$/],
    ] as const) {
      const liveBefore = server.live()
      const send = (options: string) => server.call('dora', 'POST', `${novels}${options}`, body, type)
      for (const options of ['?replace=true', '?replace=true&stage=true']) {
        const { status, body } = await send(options)
        assert.deepEqual([status, body.code], [400, 'bad-documents'])
        assert.match(body.message, /^nothing was replaced because the stream broke off; (line|index) \d+: /)
        assert.match(body.errors[0].message, message)
      }
      const { status, body: done } = await send('')
      assert.deepEqual([status, done.accepted], [200, 1])
      assert.match(done.errors.at(-1).message, message)
      assert.ok(done.errors.length <= 100)
      assert.deepEqual(server.live(), liveBefore)
    }
    assert.deepEqual((await server.call('ada', 'DELETE', `${novels}/a`)).status, 204)
    assert.equal((await server.search()).total, 1, 'nothing else was kept')
  })
  it('that is cut off keeps what was written, and the server goes on', async t => {
    const token = await server.requestToken('dora')
    const first = lines(...Array.from({ length: 3000 }, (_, index) => ({ id: `cut${index}`, title: 'cut' })))
    const request = httpRequest(`http://127.0.0.1:${server.port}/4/${novels}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
    })
    const closed = new Promise(resolve => request.on('error', () => {}).on('close', resolve))
    request.write(first)
    const isWritten = async () => assert.ok((await server.search()).total >= 2001)
    await t.waitFor(isWritten, { timeout: patienceMs })
    request.destroy()
    await closed
    const { total } = await server.search()
    assert.ok(total === 3001 || total === 2001, `whole batches: ${total}`)
    assert.equal((await server.call('ada', 'GET', `${novels}/cut0`)).status, 200)
  })
  it('that is refused is answered before its end', async () => {
    let bytesSent = 0
    const endless = new ReadableStream({
      async pull(controller) {
        bytesSent += 1
        await turn()
        if (bytesSent > 400) controller.close()
        else controller.enqueue(new TextEncoder().encode(lines({ id: `e${bytesSent}` })))
      },
    })
    const reply = await server.call('apollo', 'POST', novels, endless)
    assert.equal(reply.status, 403)
    assert.ok(bytesSent < 400, `after ${bytesSent} chunks`)
  })
})

describe('one document', () => {
  it('is put, got as it was put, and deleted, also under an id that is a URI', async () => {
    const uri = 'https://elsewhere.example/a%2Fb/ü?x=1#y'
    const path = `${novels}/${encodeURIComponent(uri)}`
    const reply = await server.call('dora', 'PUT', path, '{"title":"Elsewhere","extra":{"deep":[1]}}')
    assert.deepEqual([reply.status, reply.body], [200, { id: uri, title: 'Elsewhere', extra: { deep: [1] } }])
    assert.deepEqual((await server.call('ada', 'GET', path)).body, reply.body)
    assert.equal((await server.call('ursula', 'DELETE', path)).status, 204)
    assert.equal((await server.call('ada', 'GET', path)).status, 404)
    assert.equal((await server.call('ursula', 'DELETE', path)).status, 204, 'also when absent')
  })
  it('is the same under its short id and its URI', async () => {
    await server.call('dora', 'PUT', one, '{"id":"https://books.example/emma","title":"Emma"}')
    const byUri = await server.call(
      'ada',
      'GET',
      `${novels}/${encodeURIComponent('https://books.example/emma')}`,
    )
    assert.deepEqual(byUri.body, { id: 'emma', title: 'Emma' })
  })
  it('is refused with the reason', async () => {
    const putBody = async (body: string, type?: string) => {
      const reply = await server.call('dora', 'PUT', one, body, type)
      return `${reply.status} ${reply.body.message}`
    }
    assert.match(
      await putBody('{"id":"other"}'),
      /^400 "id": found "other", allowed: none, or the id in the address, "emma"/,
    )
    assert.match(await putBody('{"pages":"x"}'), /^400 "pages": found "x"/)
    assert.match(
      await putBody('{"pages":1e400}'),
      /^400 "pages": found a number beyond 1\.8e308, allowed: a number/,
    )
    assert.match(
      await putBody('{"id":1234567890123456789}'),
      /^400 "id": a number beyond 9007199254740991 loses digits/,
    )
    assert.match(await putBody('[]'), /^400 found a list of 0; a document is a JSON object/)
    assert.match(await putBody('{'), /^400 the body is not JSON/)
    assert.match(
      await putBody('{}', 'text/plain'),
      /^415 Content-Type: found "text\/plain", allowed: application\/json/,
    )
    assert.match(
      await putBody(JSON.stringify({ title: 'x'.repeat(1024 * 1024) })),
      /^413 the body is larger than 1048576/,
    )
  })
  it('has an address in UTF-8 that does not end with a slash, else nothing is read, put or deleted', async () => {
    for (const path of [
      `${novels}/%E0%A4`,
      `${novels}/%`,
      `${novels}/a%2`,
      'b%E9/collections/novels/documents/a',
    ])
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, body } = await server.call('ada', method, path, method === 'PUT' ? '{}' : undefined)
        assert.deepEqual([status, body.code], [400, 'bad-path'], `${method} ${path}`)
        assert.match(body.message, /^malformed percent-encoding/)
      }
    await server.call('dora', 'PUT', one, '{}')
    for (const path of [`${one}/`, `${novels}/`])
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, body } = await server.call('ada', method, path, method === 'PUT' ? '{}' : undefined)
        assert.deepEqual([status, body.code], [400, 'bad-path'], `${method} ${path}`)
        assert.match(body.message, /^the path ends with a slash;.*%2F$/)
      }
    assert.equal((await server.call('dora', 'PUT', `${one}%2F`, '{}')).body.id, 'emma/')
    assert.equal((await server.call('ursula', 'DELETE', `${one}%2F`)).status, 204)
    assert.equal((await server.call('ada', 'GET', one)).status, 200)
  })
  it('is JSON in UTF-8; of what is sent as something else, only those who may send learn so', async () => {
    const odd = ['garbage', 'application/json;; charset', 'application/json; charset=latin1']
    for (const type of odd) {
      const reply = await server.call('dora', 'PUT', one, '{}', type)
      assert.deepEqual([reply.status, reply.body.code], [415, 'unsupported-media-type'], type)
      assert.match(reply.body.message, /^Content-Type: found .*, allowed: (application\/json|utf-8)$/)
      const post = await server.call('dora', 'POST', novels, '{}', type.replace('json', 'x-ndjson'))
      assert.equal(post.status, 415, type)
      assert.match(post.body.message, /, allowed: (application\/x-ndjson, application\/json|utf-8)/)
    }
    assert.equal((await server.call(undefined, 'PUT', one, '{}', 'garbage')).status, 401)
    assert.equal((await server.call('apollo', 'PUT', one, '{}', 'garbage')).status, 403)
    const good = await server.call('dora', 'PUT', one, '{}', 'application/json; Charset="UTF-8"')
    assert.equal(good.status, 200)
  })
  it('has no other methods, and says which there are', async () => {
    const posted = await server.call('ada', 'POST', one, '{}')
    assert.deepEqual(
      [posted.status, posted.headers.get('allow')],
      [405, 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    )
    const reply = await server.call('ada', 'PUT', novels, '{}')
    assert.deepEqual([reply.status, reply.headers.get('allow')], [405, 'GET, HEAD, POST, DELETE, OPTIONS'])
  })
})

describe('a sync job with the role data-provider', () => {
  it('deletes a document, and gets the same reply for a missing one', async () => {
    await server.call('dora', 'PUT', one, '{"title":"Emma"}')
    const replies = [await server.call('dora', 'DELETE', one), await server.call('dora', 'DELETE', one)]
    assert.deepEqual(
      replies.map(({ status, body }) => [status, body]),
      [
        [204, undefined],
        [204, undefined],
      ],
    )
    assert.equal((await server.call('ada', 'GET', one)).status, 404)
  })
  it('deletes documents that its row filter shows; a hidden one gets the reply of an absent one and stays', async () => {
    await server.storage.write(writer =>
      setMember(writer, {
        workspaceId: server.ids.books,
        subject: server.ids.people.dora,
        kind: 'user',
        roles: ['data-provider'],
        filter: { genre: 'crime' },
      }),
    )
    try {
      await server.call('ada', 'PUT', `${novels}/shown`, '{"genre":"crime"}')
      await server.call('ada', 'PUT', `${novels}/hidden`, '{"genre":"drama"}')
      for (const id of ['shown', 'hidden', 'absent']) {
        const { status, body } = await server.call('dora', 'DELETE', `${novels}/${id}`)
        assert.deepEqual([status, body], [204, undefined], id)
      }
      assert.equal((await server.call('ada', 'GET', `${novels}/shown`)).status, 404)
      assert.equal((await server.call('ada', 'GET', `${novels}/hidden`)).status, 200)
    } finally {
      await server.storage.write(writer =>
        setMember(writer, {
          workspaceId: server.ids.books,
          subject: server.ids.people.dora,
          kind: 'user',
          roles: ['data-provider'],
          filter: undefined,
        }),
      )
    }
  })
})

describe('many documents', () => {
  it('are listed in pages without overlap or gap', async () => {
    await server.call(
      'dora',
      'POST',
      `${novels}?replace=true`,
      lines(...'abcdefg'.split('').map(id => ({ id }))),
    )
    const ids: string[] = []
    let afterId = ''
    do {
      const { body } = await server.call('ada', 'GET', `${novels}?count=3${afterId}`)
      ids.push(...body.items.map((item: { id: string }) => item.id))
      afterId = body.next === null ? '' : `&after=${encodeURIComponent(body.next)}`
    } while (afterId !== '')
    assert.equal(ids.join(''), 'abcdefg')
    for (const query of ['count=0', 'count=1001', 'count=x', 'count=1&count=2', 'after='])
      assert.equal((await server.call('ada', 'GET', `${novels}?${query}`)).status, 400, query)
  })
  it('are listed by conditions, by text and by id, with their number and the values of a field', async () => {
    const documents = [
      ...Array.from({ length: 1200 }, (_, index) => ({
        id: `b${index}`,
        title: index % 3 === 0 ? `The silent river ${index}` : `A garden ${index}`,
        genre: index % 2 === 0 ? 'crime' : 'poetry',
        pages: index,
      })),
      { id: 'river', title: 'Something else', genre: 'drama' },
    ]
    await server.call('dora', 'POST', `${novels}?replace=true`, lines(...documents))
    const list = async (query: string) => (await server.call('ada', 'GET', `${novels}?${query}`)).body
    assert.deepEqual((({ total, items }) => [total, items.length])(await list('')), [1201, 100])
    const crime = await list('genre=crime&pages=8')
    assert.deepEqual([crime.total, crime.items, crime.next], [1, [documents[8]], null])
    assert.equal((await list('search=Silent+river')).total, 400)
    const byId = await list('search=river')
    assert.deepEqual([byId.total, byId.items[0].id], [401, 'river'], 'the document with this id is first')
    assert.deepEqual((await list('search=https%3A%2F%2Fbooks.example%2Fb7')).items[0], documents[7])
    assert.equal((await list('search=river&genre=crime')).total, 200)
    const { values, total } = await list('count=1&values=genre&search=silent')
    assert.deepEqual(
      [total, values],
      [
        400,
        [
          { value: 'crime', documents: 200 },
          { value: 'poetry', documents: 200 },
        ],
      ],
    )
    const ids: string[] = []
    for (let query = 'search=river&count=90'; query !== ''; ) {
      const { items, next } = await list(query)
      ids.push(...items.map(({ id }: { id: string }) => id))
      query = next === null ? '' : `search=river&count=90&after=${next}`
    }
    assert.deepEqual([ids.length, new Set(ids).size], [401, 401])
    const streamed = await fetch(`http://127.0.0.1:${server.port}/4/${novels}?format=ndjson&genre=poetry`, {
      headers: { authorization: `Bearer ${await server.requestToken('ada')}` },
    })
    const poems = (await streamed.text())
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    assert.deepEqual(poems.length, 600)
    assert.ok(poems.every(({ genre }) => genre === 'poetry'))
  })
  it('are never listed by something else than what was given', async () => {
    for (const [query, code] of [
      ['cursor=x', 'bad-parameter'],
      ['count=1&Count=2', 'bad-parameter'],
      ['pages.from=1&pages.from=2', 'bad-parameter'],
      ['title=x', 'bad-parameter'],
      ['search=', 'bad-option'],
      ['values=title', 'bad-option'],
      ['format=ndjson&values=genre', 'bad-option'],
      ['genre=%E9', 'bad-option'],
    ] as const) {
      const { status, body } = await server.call('ada', 'GET', `${novels}?${query}`)
      assert.deepEqual([status, body.code], [400, code], query)
    }
    const first = await server.call('ada', 'GET', `${novels}?genre=crime&count=1`)
    for (const query of [
      `genre=poetry&count=1&after=${first.body.next}`,
      `search=river&after=${first.body.next}`,
      'genre=crime&after=eyJ4IjoxfQ',
      'format=ndjson&genre=crime&after=b1',
    ]) {
      const { status, body } = await server.call('ada', 'GET', `${novels}?${query}`)
      assert.deepEqual([status, body.code], [400, 'bad-option'], query)
    }
  })
  it('are deleted by what they have, and never all of them by mistake', async () => {
    const documents = [
      { id: '1', genre: 'crime', pages: 100 },
      { id: '2', genre: 'crime', pages: 200 },
      { id: '3', genre: 'poetry' },
    ]
    await server.call('dora', 'POST', `${novels}?replace=true&wait=false`, lines(...documents))
    const remove = (query: string) => server.call('ursula', 'DELETE', `${novels}?${query}`)
    for (const [query, message] of [
      ['', /^a filter is missing/],
      ['colour=red', /^unknown field "colour"; filterable fields: genre, pages/],
      ['title=x', /^the field "title" is of type text; allowed/],
      ['pages=many', /^pages: found "many", allowed: a decimal number/],
      ['pages.to=1&pages.to=2', /^"pages.to" is given twice/],
      ['genre=%E9', /^malformed percent-encoding in the query/],
    ] as const) {
      const reply = await remove(query)
      assert.equal(reply.status, 400, query)
      assert.match(reply.body.message, message)
    }
    assert.deepEqual((await remove('genre=crime&pages=200')).body, { deleted: 1 })
    assert.deepEqual((await remove('genre=crime')).body, { deleted: 1 })
    assert.equal((await server.search()).total, 1)
  })
  it('are deleted by the id too, where its field is declared, however they came', async () => {
    await server.redefine(present => ({
      ...present,
      collections: {
        ...present.collections,
        coded: { id: { field: 'code' }, fields: { code: { type: 'keyword' } } },
      },
    }))
    const coded = 'books/collections/coded/documents'
    await server.call('dora', 'POST', coded, lines({ code: 'a' }, { code: 'b b' }))
    await server.call('dora', 'POST', coded, 'code\nc\n', 'text/csv')
    await server.call('dora', 'PUT', `${coded}/d`, '{}')
    for (const code of 'a,b b,c,d'.split(','))
      assert.deepEqual(
        (await server.call('ursula', 'DELETE', `${coded}?code=${code}`)).body,
        { deleted: 1 },
        code,
      )
  })
  it('are not shown to a member with a row filter, and the rejection is recorded', async () => {
    for (const [method, path] of [
      ['GET', novels],
      ['GET', `${novels}?genre=drama`],
      ['GET', `${novels}?search=river`],
      ['GET', `${novels}?values=genre&count=1`],
      ['GET', `${novels}?format=ndjson&genre=crime`],
      ['GET', one],
      ['DELETE', `${novels}?genre=crime`],
    ] as const) {
      const reply = await server.call('fay', method, path)
      assert.equal(reply.status, 403)
      assert.match(reply.headers.get('www-authenticate') ?? '', /row filter/)
    }
  })
})

describe('pages of other origins', () => {
  const ask = (method: string, origin: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${server.port}/4/${novels}`, { method, headers: { origin, ...headers } })

  it('may call with what they ask for when they are the console’s, and read errors too', async () => {
    const origin = 'http://127.0.0.1:4001'
    const preflight = await ask('OPTIONS', origin, {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), origin)
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/)
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization,content-type')
    const rejected = await ask('GET', origin)
    assert.deepEqual([rejected.status, rejected.headers.get('access-control-allow-origin')], [401, origin])
  })
  it('may not when nobody listed them', async () => {
    for (const method of ['OPTIONS', 'GET']) {
      const reply = await ask(method, 'https://evil.example')
      assert.equal(reply.headers.get('access-control-allow-origin'), null)
      assert.match(reply.headers.get('vary') ?? '', /origin/i)
    }
  })
})

describe('a condition on the stored document', () => {
  const path = `${novels}/conditional`
  const call = async (person: Person, method: string, headers: Record<string, string>, body?: string) => {
    const reply = await server.call(person, method, path, body, undefined, headers)
    return { status: reply.status, code: reply.body?.code, tag: reply.headers.get('etag') ?? '' }
  }
  it('prevents lost updates: the second of two people who read the same document gets 412', async () => {
    const { tag } = await call('ada', 'PUT', { 'if-none-match': '*' }, '{"title":"Persuasion"}')
    assert.match(tag, /^"[\w-]{43}"$/)
    assert.equal((await call('ursula', 'GET', {})).tag, tag)
    const first = await call('ada', 'PUT', { 'if-match': tag }, '{"title":"Persuasion, by Ada"}')
    assert.equal(first.status, 200)
    assert.notEqual(first.tag, tag)
    const second = await call('ursula', 'PUT', { 'if-match': tag }, '{"title":"Persuasion, by Ursula"}')
    assert.deepEqual([second.status, second.code], [412, 'precondition-failed'])
    assert.equal((await call('ursula', 'DELETE', { 'if-match': tag })).status, 412)
    assert.equal((await server.call('ada', 'GET', path)).body.title, 'Persuasion, by Ada')
    // A proxy that compresses replies makes the tag weak.
    const weak = await call('ursula', 'PUT', { 'if-match': `"other", W/${first.tag}` }, '{"title":"Both"}')
    assert.equal(weak.status, 200)
    assert.equal((await call('ada', 'DELETE', { 'if-match': weak.tag })).status, 204)
    assert.equal((await call('ada', 'PUT', { 'if-match': weak.tag }, '{"title":"Gone"}')).status, 412)
    assert.equal((await call('ada', 'DELETE', { 'if-match': '*' })).status, 412)
  })
  it('lets one of many simultaneous writers win', async () => {
    const { tag } = await call('ada', 'PUT', {}, '{"title":"Race"}')
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        call('ada', 'PUT', { 'if-match': tag }, JSON.stringify({ title: `Race ${index}` })),
      ),
    )
    const statuses = replies.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, ...Array(7).fill(412)])
    const additions = await Promise.all([0, 1].map(() => call('ada', 'PUT', { 'if-none-match': '*' }, '{}')))
    assert.deepEqual(
      additions.map(({ status }) => status),
      [412, 412],
    )
  })
  it('is refused to people who may not read the document, and if it is no entity tag', async () => {
    assert.equal((await call('dora', 'PUT', { 'if-none-match': '*' }, '{}')).status, 403)
    assert.equal((await call('dora', 'DELETE', { 'if-match': '"guess"' })).status, 403)
    const { status, code } = await call('ada', 'PUT', { 'if-match': 'guess' }, '{}')
    assert.deepEqual([status, code], [400, 'bad-request'])
  })
})
