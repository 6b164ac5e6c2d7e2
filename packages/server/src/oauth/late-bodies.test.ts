/** Bodies that do not arrive (authorization-server.md, Request bodies); the time is shortened, all else is as it runs. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startPages } from './interactions/test-pages.ts'

let server: Awaited<ReturnType<typeof startPages>>
before(async () => {
  server = await startPages({ bodyMsMax: 100 })
})
after(() => server.close())

const forms = [
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/introspect',
  '/userinfo',
  '/authorize',
  '/logout',
  '/logout/confirm',
  '/password/forgot',
]

for (const path of forms)
  for (const length of ['Content-Length: 100', 'Transfer-Encoding: chunked'])
    test(`a form for ${path} that does not arrive gets 408 and is no fault (${length})`, async () => {
      const loggedBefore = server.logged.length
      const head = [`POST ${path} HTTP/1.1`, 'Content-Type: application/x-www-form-urlencoded', length]
      const { status, json, text } = await server.raw(head.join('\r\n'), '5\r\ngrant')
      assert.equal(status, 408, text)
      if (path === '/password/forgot') assert.equal(json.code, 'request-timeout')
      else assert.equal(json.error, 'invalid_request')
      const faults = server.logged.slice(loggedBefore).filter(({ level }) => level !== 'debug')
      assert.deepEqual(faults, [])
    })
