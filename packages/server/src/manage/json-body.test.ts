import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isQuickToParse } from './json-body.ts'
import { openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

test('a large body is a few long texts, whatever is escaped in them', () => {
  for (const [expected, body] of [
    [true, JSON.stringify({ source: '"\\\n{[,'.repeat(200_000), dryRun: true })],
    [true, `"${'\\\\'.repeat(500_000)}"`],
    [true, `{"a":[${'1,'.repeat(1000)}1]}`],
    [false, `[${'0,'.repeat(500_000)}0]`],
    [false, '['.repeat(500_000)],
    [false, `{${'"a":"b",'.repeat(100_000)}"c":1}`],
    [false, `{"source":"x"${' '.repeat(500_000)}}`],
  ] as const)
    assert.equal(isQuickToParse(body), expected, body.slice(0, 20))
})

test('millions of small values are refused before they are parsed', async () => {
  for (const body of [
    `{"source":"workspace: books","x":[${'0,'.repeat(1_000_000)}0]}`,
    // Not JSON at all: a parser would reject it only at its end.
    `{"source":"workspace: books","x":[${'[],'.repeat(500_000)}`,
  ]) {
    const { status, body: reply } = await server.call('ursula', 'POST', '/manage/v1/apply', body)
    assert.deepEqual([status, reply.code], [400, 'bad-request'])
    assert.match(reply.message, /values/)
  }
})

test('text that not every storage keeps is refused in the path, the query and the body', async () => {
  const manage = '/manage/v1'
  for (const [method, path, body] of [
    ['GET', '/audit?actor=a%00b'],
    ['GET', '/refusals/a%00b'],
    ['DELETE', '/workspaces/books/applications/a%00b'],
    ['DELETE', '/workspaces/books/invitations/a%00b'],
    ['PATCH', '/me', { name: 'a\0b' }],
    ['PATCH', '/workspaces/books/settings', { title: 'a\ud800' }],
    ['POST', '/tokens/inspect', { token: 'a.b.c', workspace: 'a\ud800' }],
  ] as const) {
    const person = path.startsWith('/workspaces') ? 'ada' : path === '/me' ? 'ursula' : 'operator'
    const { status, body: reply } = await server.call(person, method, manage + path, body)
    assert.deepEqual([status, reply.code], [400, 'bad-parameter'], `${method} ${path}`)
    assert.equal(reply.errors[0].code, 'storable-text')
  }
})

test('an empty body of type JSON is no body', async () => {
  const members = '/manage/v1/workspaces/books/members'
  const absent = await server.call('ada', 'DELETE', `${members}/nobody@example.org`, '')
  assert.deepEqual([absent.status, absent.body.code], [404, 'no-such-resource'])
  const refusal = await server.call('ada', 'POST', '/manage/v1/apply', '')
  assert.deepEqual([refusal.status, refusal.body.code], [400, 'bad-parameter'])
})
