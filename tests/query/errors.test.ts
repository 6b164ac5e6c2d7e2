/** Every error in the contract's tables, over HTTP (docs/errors.md). */
import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import { after, before, test } from 'node:test'
import { queryOptionNames } from '@querent/contract/query-options'
import { closeRaw, type RawReply, rawRequest } from '#tests/support/query-raw'
import { createCredentials, makeDocuments, setUpWorkspace } from '#tests/support/query-things'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
/** Tokens for `mine` and for `theirs`. */
let token: string
let foreign: string
before(async () => {
  server = await startServer(['--rate-limit', 'off'])
  const documents = makeDocuments(20, 1)
  await setUpWorkspace(server, 'mine', { things: documents, others: documents.slice(0, 3) })
  await setUpWorkspace(server, 'theirs', { things: documents })
  token = await fetchToken(server, await createCredentials(server, 'mine', 'reader'))
  foreign = await fetchToken(server, await createCredentials(server, 'theirs', 'reader'))
})
after(async () => {
  closeRaw()
  await server.stop()
})

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const ask = (path: string, headers: OutgoingHttpHeaders = bearer(token), method = 'GET') =>
  rawRequest(server.baseUrl, path, { headers, method })

/** Checks the members that all errors have, and returns the body. */
const readBody = (reply: RawReply, path: string) => {
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8', path)
  const body = JSON.parse(reply.text) as { message: string; status: number; code: string; requestId: string }
  assert.equal(body.status, reply.status, path)
  assert.match(body.code, /^[a-z]+(-[a-z]+)*$/)
  assert.match(body.requestId, /^[0-9a-f-]{36}$/)
  assert.equal(reply.headers['x-request-id'], body.requestId, path)
  return body
}

/** Returns everything that a client sees of a reply, without the parts that differ each time. */
const maskRequestId = ({ status, headers, text }: RawReply) => {
  const id = String(headers['x-request-id'])
  const { date: _date, ...rest } = headers
  return JSON.parse(JSON.stringify({ status, headers: rest, text }).replaceAll(id, 'ID')) as object
}

const api = '/4/mine/api/things'

test('bad requests of a member get status, code, and a message with the reason, the value and the allowed values', async () => {
  const table: [path: string, status: number, code: string, message: RegExp][] = [
    ['/4/mine/api/thing', 404, 'no-such-api', /^No such api "thing".*things/],
    ['/4/mine/api/toString/e/all/results', 404, 'no-such-api', /^No such api/],
    ['/4/mine/api/__proto__', 404, 'no-such-api', /^No such api/],
    [`${api}/e/all/results?config=x`, 404, 'no-such-configuration', /^No such workspace configuration "x"/],
    [`${api}/status?config=toString`, 404, 'no-such-configuration', /^No such workspace configuration/],
    [`${api}?config=x`, 404, 'no-such-configuration', /^No such workspace configuration/],
    [`${api}/e/wrds/p/query/x/results`, 400, 'unknown-endpoint', /^no endpoint "wrds".*: words/],
    [`${api}/e/constructor/results`, 400, 'unknown-endpoint', /^no endpoint "constructor"/],
    [`${api}/e/all/options/wrds`, 400, 'unknown-endpoint', /^no endpoint "wrds"/],
    [`${api}/e/all/options/alpha`, 400, 'unknown-endpoint', /^no endpoint "alpha"/],
    [`${api}/e/tags/e/all/results`, 400, 'bad-path', /"tags".*last/],
    [`${api}/e/tags/options/kind`, 400, 'bad-path', /"tags".*last/],
    [`${api}/e/all/result`, 400, 'bad-path', /"result".*results/],
    [`${api}/e/all/results/`, 400, 'bad-path', /results/],
    [`${api}/e/all/results/e/all/results`, 400, 'bad-path', /results/],
    [`${api}//e/all/results`, 400, 'bad-path', /e\/\{endpoint\}/],
    [`${api}/results`, 400, 'bad-path', /results/],
    [`${api}/e//results`, 400, 'bad-path', /endpoint/],
    [`${api}/e/words/p//results`, 400, 'bad-path', /parameter/],
    [`${api}/e/words/p/query`, 400, 'bad-path', /"query"/],
    [`${api}/e/words/results`, 400, 'bad-parameter', /"query".*missing/],
    [`${api}/e/words/p/q/x/results`, 400, 'bad-parameter', /"q".*query/],
    [`${api}/e/words/p/toString/x/results`, 400, 'bad-parameter', /"toString".*query/],
    [`${api}/e/words/p/query/x/p/query/x/results`, 400, 'bad-parameter', /"query".*twice/],
    [`${api}/e/all/p/query/x/results`, 400, 'bad-parameter', /"query"/],
    [`${api}/e/alpha/p/value/x/results`, 400, 'bad-parameter', /"value"/],
    [`${api}/e/size:FILTER/p/value/many/results`, 400, 'bad-parameter', /"many".*number/],
    [`${api}/e/size:FILTER/p/value/1(2,x)/results`, 400, 'bad-parameter', /"x".*number/],
    [`${api}/e/flag:FILTER/p/value/yes/results`, 400, 'bad-parameter', /"yes".*true or false/],
    [`${api}/e/size-range/p/from/0x1/results`, 400, 'bad-parameter', /"0x1".*number/],
    [`${api}/e/added-range/p/since/2020-13-01/results`, 400, 'bad-parameter', /2020-13-01.*RFC 3339/],
    [`${api}/e/all/results?count=0`, 400, 'bad-option', /"count".*"0".*1 to 1000/],
    [`${api}/e/all/count?count=1001`, 400, 'bad-option', /"count".*"1001".*1 to 1000/],
    [`${api}/e/all/results?count=`, 400, 'bad-option', /"count".*1 to 1000/],
    [`${api}/e/all/results?count`, 400, 'bad-option', /"count".*1 to 1000/],
    [`${api}/e/all/results?count=%201`, 400, 'bad-option', /"count".*1 to 1000/],
    [`${api}/e/all/results?offset=10001`, 400, 'bad-option', /"offset".*0 to 10000/],
    [`${api}/e/all/results?cutoff=1.01`, 400, 'bad-option', /"cutoff".*0 to 1/],
    [`${api}/e/all/results?cutoff=NaN`, 400, 'bad-option', /"cutoff".*0 to 1/],
    [`${api}/e/all/results?format=pdf`, 400, 'bad-option', /"format".*"pdf".*json/],
    [`${api}/e/all/results?homogeneousArrays=1`, 400, 'bad-option', /"homogeneousArrays".*true or false/],
    [`${api}/e/all/results?highlight=yes`, 400, 'bad-option', /"highlight".*true or false/],
    [`${api}/e/all/options/tags?multiselect=TRUE`, 400, 'bad-option', /"multiselect".*true or false/],
    [`${api}/e/all/resultitem?rank=0`, 400, 'bad-option', /"rank" is "0".* 1 to 11000/],
    [`${api}/e/all/resultitem?column=0`, 400, 'bad-option', /"column" is "0"; allowed is 1$/],
    [`${api}/e/all/resultitem?rank=21`, 404, 'no-such-resource', /rank 21/],
    [`${api}/e/all/resultitem?rank=999999999`, 404, 'no-such-resource', /rank/],
    [
      `${api}/e/all/resultitem?rank=${'9'.repeat(400)}`,
      404,
      'no-such-resource',
      /rank above 9007.* go to 11000$/,
    ],
    [`${api}/e/all/resultitem?column=2`, 404, 'no-such-resource', /column 2/],
    [`${api}/e/all/resultitem?column=1001`, 404, 'no-such-resource', /column 1001/],
    [`${api}/e/thing/p/id/nobody/resultitem`, 404, 'no-such-resource', /rank 1/],
    ...queryOptionNames.map((name): [string, number, string, RegExp] => [
      `${api}/e/all/results?${name}=1&${name}=1`,
      400,
      'bad-option',
      new RegExp(`"${name}".*twice`),
    ]),
    ['/5/mine/api/things', 404, 'no-such-version', /4/],
    ['/3.1/mine', 404, 'no-such-version', /4/],
    ['/', 404, 'no-such-path', /\/4\//],
    ['/4', 404, 'no-such-path', /\/4\//],
    ['/4/mine', 404, 'no-such-path', /\/4\//],
    ['/queries', 404, 'no-such-path', /\/4\//],
    [`${api}/e/all/results?access_token=x`, 400, 'token-in-url', /URL/],
    [`${api}/e/all/results?%61ccess_token=x`, 400, 'token-in-url', /URL/],
    ['/4/mine/api/open/e/all/results?access_token=x', 400, 'token-in-url', /URL/],
  ]
  for (const [path, status, code, message] of table) {
    const reply = await ask(path)
    const body = readBody(reply, path)
    assert.deepEqual([body.status, body.code], [status, code], `${path}: ${body.message}`)
    assert.match(body.message, message, path)
    assert.equal(reply.headers['www-authenticate'], undefined)
  }
})

test('a stack that mixes collections is rejected, and so is one that does not choose among several', async () => {
  const bothApi = '/4/mine/api/both'
  assert.equal((await ask(`${bothApi}/e/first/e/tags/results`)).status, 200)
  for (const [path, message] of [
    ['e/first/e/second/results', /"second".*"others".*"things"/],
    ['e/second/e/alpha/e/first/options/tags', /"first".*"things".*"others"/],
    ['e/alpha/e/first/count', /"alpha".*things.*others/],
    ['options/tags', /"tags".*things.*others/],
  ] as const) {
    const body = readBody(await ask(`${bothApi}/${path}`), path)
    assert.deepEqual([body.status, body.code], [400, 'bad-path'], path)
    assert.match(body.message, message)
  }
})

test('methods other than GET, HEAD and OPTIONS get 405 with Allow, before any other check', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND', 'TRACE', 'SEARCH'])
    for (const path of [`${api}/e/all/results`, api, `${api}/status`, '/4/nowhere/api/x/e/all/results']) {
      const reply = await ask(path, bearer('nonsense'), method)
      assert.equal(readBody(reply, path).code, 'method-not-allowed')
      assert.equal(reply.headers.allow, 'GET, HEAD, OPTIONS')
    }
})

test('HEAD has the status and the headers of GET, and no body', async () => {
  for (const path of [`${api}/e/all/results`, `${api}/e/nothing/results`, '/4/nowhere/api/x/e/all/results']) {
    const get = await ask(path)
    const head = await ask(path, bearer(token), 'HEAD')
    assert.equal(head.text, '')
    assert.equal(head.status, get.status)
    for (const name of ['content-type', 'etag', 'vary'])
      assert.equal(head.headers[name], get.headers[name], `${name} of ${path}`)
  }
})

/** Paths of existing private objects and of missing ones, of the same kinds. */
const hidden = [
  '/4/{w}/api/things',
  '/4/{w}/api/things/',
  '/4/{w}/api/things/status',
  '/4/{w}/api/things/e/all/results',
  '/4/{w}/api/things/e/all/count?config=x&count=0',
  '/4/{w}/api/things/e/nothing/results',
  '/4/{w}/api/things/e/thing/p/id/t0/resultitem',
  '/4/{w}/api/things/options/tags',
  '/4/{w}/api/things/%zz',
  '/4/{w}/api/nothing/e/all/results',
]
const fetchMasked = async (path: string, workspace: string, headers: OutgoingHttpHeaders) => {
  const reply = await ask(path.replace('{w}', workspace), headers)
  return { reply, text: JSON.stringify(maskRequestId(reply)).replaceAll(workspace, '{w}') }
}

test('without a token, private and missing objects get the same 401 without an error, byte for byte', async () => {
  for (const path of hidden) {
    const existingReply = await fetchMasked(path, 'theirs', {})
    assert.equal(existingReply.reply.status, 401, path)
    assert.equal((await fetchMasked(path, 'nowhere', {})).text, existingReply.text, path)
    assert.match(
      String(existingReply.reply.headers['www-authenticate']),
      /^Bearer realm="[^"]*", resource_metadata="http[^"]*"$/,
    )
    assert.equal(readBody(existingReply.reply, path).code, 'no-token')
  }
})

test('a token of another workspace gets the same 403 for existing and missing objects, byte for byte', async () => {
  for (const path of hidden) {
    const existingReply = await fetchMasked(path, 'theirs', bearer(token))
    assert.equal(existingReply.reply.status, 403, path)
    assert.equal((await fetchMasked(path, 'nowhere', bearer(token))).text, existingReply.text, path)
    assert.match(
      String(existingReply.reply.headers['www-authenticate']),
      /^Bearer realm="[^"]*", error="insufficient_scope", error_description="[^"]+another workspace", resource_metadata="http[^"]*"$/,
    )
    assert.equal(readBody(existingReply.reply, path).code, 'insufficient-scope')
  }
  assert.equal((await ask('/4/theirs/api/things/e/all/count', bearer(foreign))).status, 200)
})

test('a bad token gets the same 401 invalid_token everywhere, byte for byte', async () => {
  for (const badToken of ['nonsense', `${token}x`, 'a.b.c', foreign.replace(/\.[^.]*$/, '.AAAA')])
    for (const path of hidden) {
      const existingReply = await fetchMasked(path, 'theirs', bearer(badToken))
      assert.equal(existingReply.reply.status, 401, path)
      assert.equal((await fetchMasked(path, 'nowhere', bearer(badToken))).text, existingReply.text, path)
      assert.match(
        String(existingReply.reply.headers['www-authenticate']),
        /^Bearer realm="[^"]*", error="invalid_token", error_description="[^"]+", resource_metadata="http[^"]*"$/,
      )
    }
})

test('the reply to a malformed Authorization header explains the format', async () => {
  for (const authorization of [
    'Bearer',
    'Bearer ',
    token,
    `Bearer  ${token} x`,
    `Bearer ${token},x`,
    'Bearer é'.normalize('NFD'),
  ]) {
    const reply = await ask(`${api}/e/all/count`, {
      authorization: Buffer.from(authorization).toString('latin1'),
    })
    assert.equal(reply.status, 401, authorization)
    assert.match(String(reply.headers['www-authenticate']), /error="invalid_token", error_description="/)
  }
  const basic = await ask(`${api}/e/all/count`, { authorization: 'Basic YTpi' })
  assert.equal(basic.status, 401)
  assert.match(String(basic.headers['www-authenticate']), /^Bearer realm="[^"]*", resource_metadata="[^"]*"$/)
  assert.match(readBody(basic, 'basic').message, /another scheme/)
})

test('an administrator without the role and a stranger get the same message', async () => {
  const account = await server.createAccount('mine', 'loader', 'data-provider')
  const loader = await fetchToken(server, account)
  for (const path of hidden) {
    const reply = await ask(path.replace('{w}', 'mine'), bearer(loader))
    assert.equal(reply.status, 403, path)
    assert.match(
      String(reply.headers['www-authenticate']),
      /error="insufficient_scope", error_description="[^"]*no member[^"]*role api/,
    )
  }
})

test('URLs of 16 KiB are served, one byte more gets 414, and headers may have up to 64 KiB', async () => {
  const start = `${api}/e/words/p/query/`
  const long = (bytes: number) => `${start}${'a'.repeat(bytes - start.length - '/count'.length)}/count`
  assert.equal((await ask(long(16 * 1024 - 1))).status, 200)
  assert.equal((await ask(long(16 * 1024))).status, 200)
  assert.equal(readBody(await ask(long(16 * 1024 + 1)), 'long').code, 'url-too-long')
  assert.equal((await ask(long(16 * 1024), { ...bearer(token), cookie: 'x'.repeat(46_000) })).status, 200)
  assert.equal((await ask(long(16 * 1024 + 1), { cookie: 'x'.repeat(46_000) })).status, 414)
  const query = `${api}/e/all/count?x=${'a'.repeat(16 * 1024)}`
  assert.equal((await ask(query.slice(0, 16 * 1024))).status, 200)
  assert.equal((await ask(query.slice(0, 16 * 1024 + 1))).status, 414)
})

test('offsets up to 10,000 and counts up to 1,000 are served, and an offset past the end gets an empty result', async () => {
  const reply = await ask(`${api}/e/all/results?offset=10000&count=1000`)
  assert.deepEqual(JSON.parse(reply.text), { offset: 10000, count: 1000, type: ['OBJ'], items: [] })
})
