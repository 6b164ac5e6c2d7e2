/** Request bodies with a content coding, which the server does not decode. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
before(async () => {
  server = await startServer()
})
after(() => server.stop())

test('management refuses an encoded body with 415 and Accept-Encoding (RFC 9110, section 15.5.16)', async () => {
  for (const [method, path] of [
    ['POST', '/manage/v1/me/email'],
    ['PUT', '/manage/v1/me/password'],
    ['POST', '/manage/v1/apply'],
    ['POST', '/manage/v1/workspaces/library/invitations'],
  ] as const) {
    const reply = await fetch(server.authUrl + path, {
      method,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: '{}',
    })
    const { code }: { code?: string } = Object(await reply.json())
    assert.deepEqual(
      [path, reply.status, code, reply.headers.get('accept-encoding')],
      [path, 415, 'unsupported-media-type', 'identity'],
    )
  }
})
