/** Requests whose bodies do not arrive, on a real port with a short limit. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { limitBodies } from './body-limit.ts'

const open = async (t: TestContext, limit: Parameters<typeof limitBodies>[0]) => {
  const server = createServer(
    limitBodies(limit, async (request, response) => {
      const body = request.url === '/early' ? '' : await text(request).catch(() => undefined)
      if (body !== undefined) response.end(`got ${body}`)
    }),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  const { port } = server.address() as AddressInfo
  /** Returns everything that arrives until the server ends the connection. */
  return async (request: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    socket.write(request)
    return text(socket)
  }
}
const head = (method: string, path: string, rest: string) =>
  `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${rest}\r\n\r\n`

test('a body that does not arrive in time gets 408, with a length or chunked, and its connection ends', async t => {
  const send = await open(t, { msMax: 50 })
  for (const rest of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
    const reply = await send(`${head('POST', '/', rest)}5\r\nhello`)
    assert.match(reply, /^HTTP\/1\.1 408 /)
    assert.match(reply, /"code":"request-timeout"/)
    assert.match(reply, /\r\nconnection: close\r\n/i)
  }
})

test('the connection ends if a request is answered before its body arrives', async t => {
  const send = await open(t, { msMax: 50 })
  const reply = await send(`${head('POST', '/early', 'Content-Length: 100')}hello`)
  assert.match(reply, /^HTTP\/1\.1 200 /)
  assert.doesNotMatch(reply, /408/)
})

test('a stream, and a body that arrives in time, have no limit', async t => {
  const send = await open(t, { msMax: 50, isStream: ({ url }) => url === '/stream' })
  const end = head('GET', '/early', 'Connection: close')
  assert.match(await send(`${head('POST', '/', 'Content-Length: 5')}hello${end}`), /got hello/)
  // A limit would end the stream before the request that starts after it.
  const streaming = send(`${head('POST', '/stream', 'Content-Length: 5')}hell`)
  assert.match(await send(`${head('POST', '/', 'Content-Length: 5')}hell`), /^HTTP\/1\.1 408 /)
  assert.equal(await Promise.race([streaming, 'still open']), 'still open')
})

test('a body is rejected for a method that has none', async t => {
  const send = await open(t, { isBodyless: ({ method }) => method === 'GET' })
  const reply = await send(`${head('GET', '/', 'Content-Length: 5')}hello`)
  assert.match(reply, /^HTTP\/1\.1 400 /)
  assert.match(reply, /"code":"bad-request"/)
  assert.match(
    await send(head('GET', '/early', 'Content-Length: 0\r\nConnection: close')),
    /^HTTP\/1\.1 200 /,
  )
})
