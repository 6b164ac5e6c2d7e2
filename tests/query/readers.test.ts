/** Slow readers delay nobody else (issue "The whole query service", limits). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { makeDocuments, setUpWorkspace } from '#tests/support/query-things'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

/** The default number of concurrent queries per account (docs/query.md). */
const atOnce = 64
/** So long that a page of results does not fit into one packet, nor into most buffers on the way. */
const filling = 'wordy '.repeat(4000)

let server: StartedServer
let token: string
before(async () => {
  // On a slow machine, 64 concurrent replies of megabytes take longer than a query may take by default.
  server = await startServer(['--rate-limit', 'off', '--query-timeout-ms', '60000'])
  const documents = makeDocuments(100, 4).map(thing => ({ ...thing, filling }))
  await setUpWorkspace(server, 'readers', { things: documents }, {})
  const account = await server.createAccount('readers', 'reader', 'api')
  token = await fetchToken(server, account)
})
after(() => server.stop())

const path = '/4/readers/api/things/e/all/results?count=100'
const query = () =>
  fetch(`${server.baseUrl}${path.replace('count=100', 'count=1')}`, {
    headers: { authorization: `Bearer ${token}` },
  })

/** Sends a query, reads the start of its reply, and then stops reading. */
const readHalf = async (): Promise<Socket> => {
  const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(`GET ${path} HTTP/1.1\r\nhost: querent\r\nauthorization: Bearer ${token}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  assert.match(first.toString('latin1'), /^HTTP\/1\.1 200 /)
  return socket
}

test('after 64 replies are half read and then dropped, the account can still query', async () => {
  const sockets = await Promise.all(Array.from({ length: atOnce }, readHalf))
  assert.equal((await query()).status, 200)
  for (const socket of sockets) socket.resetAndDestroy()
  const secondReplies = await Promise.all(Array.from({ length: atOnce }, query))
  assert.deepEqual(new Set(secondReplies.map(({ status }) => status)), new Set([200]))
})

test('queries of disconnected clients end, and then no longer count against the account', async () => {
  const sockets = Array.from({ length: atOnce }, () => {
    const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1')
    socket.on('error', () => {})
    return socket
  })
  await Promise.all(sockets.map(socket => once(socket, 'connect')))
  const request = `GET ${path} HTTP/1.1\r\nhost: querent\r\nauthorization: Bearer ${token}\r\n\r\n`
  await Promise.all(sockets.map(socket => new Promise(resolve => socket.write(request, resolve))))
  for (const socket of sockets) socket.resetAndDestroy()
  // They count until the engine has stopped them. Otherwise, dropping connections would bypass the limit.
  const burst = async () =>
    new Set((await Promise.all(Array.from({ length: atOnce }, query))).map(({ status }) => status))
  let statuses: Set<number>
  do statuses = await burst()
  while (statuses.has(429))
  assert.deepEqual(statuses, new Set([200]))
})
