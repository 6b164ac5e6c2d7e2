import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { perTurnMax } from './read-limit.ts'
import { listen } from './server.ts'

const connectionCount = 4 * perTurnMax

const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`

/** A server that counts the requests of each turn, and clients that have connected to it. */
const openBurst = async (t: TestContext, answer: RequestListener) => {
  const listening = await listen('127.0.0.1', 0)
  let readInTurn = 0
  let requestsMax = 0
  listening.setListener((incoming, response) => {
    if (readInTurn === 0)
      setImmediate(() => {
        readInTurn = 0
      })
    readInTurn += 1
    requestsMax = Math.max(requestsMax, readInTurn)
    answer(incoming, response)
  })
  const clients = Array.from({ length: connectionCount }, () => {
    const socket = connect(listening.port, '127.0.0.1').setEncoding('latin1')
    const client = { socket, text: '' }
    socket.on('data', chunk => {
      client.text += chunk
    })
    return client
  })
  t.after(async () => {
    for (const { socket } of clients) socket.destroy()
    if (listening.server.listening) await listening.close()
  })
  await Promise.all(clients.map(({ socket }) => once(socket, 'connect')))
  let accepted = 0
  while (accepted < connectionCount) {
    await turn()
    accepted = await new Promise(resolve => listening.server.getConnections((_, count) => resolve(count)))
  }
  return { listening, clients, readMost: () => requestsMax }
}

/** The bodies of replies. */
const readBodies = (text: string): string[] => [...text.matchAll(/<(.*?)>/g)].map(([, body = '']) => body)

test('a burst is read over several turns, and each connection gets its replies in order', async t => {
  const { clients, readMost } = await openBurst(t, ({ url }, response) => response.end(`<${url}>`))
  const expected: string[][] = clients.map(() => [])
  for (const round of ['first', 'second']) {
    for (const [index, { socket }] of clients.entries()) {
      // Pipelined, and with the end of the second request in a later packet.
      const paths = [`/${round}/${index}/a`, `/${round}/${index}/b`]
      expected[index]?.push(...paths)
      const text = paths.map(request).join('')
      socket.write(text.slice(0, -2))
      setImmediate(() => socket.write(text.slice(-2)))
    }
    while (clients.some(({ text }, index) => readBodies(text).length < (expected[index]?.length ?? 0)))
      await turn()
  }
  assert.deepEqual(
    clients.map(({ text }) => readBodies(text)),
    expected,
  )
  // The last connection of a turn may have sent two requests.
  assert.ok(readMost() <= perTurnMax + 1, `${readMost()} requests were read in one turn`)
})

test('clients that leave while they wait take no turn, and a server that stops answers the others', async t => {
  let replyCount = 0
  const waiting: Promise<void>[] = []
  const { listening, clients } = await openBurst(t, (_, response) => {
    replyCount += 1
    if (replyCount === 1) {
      // The first turn: most requests were not read yet.
      for (const { socket } of leaving) socket.destroy()
      waiting.push(listening.close())
    }
    response.end('<reply>')
  })
  const leaving = clients.splice(0, connectionCount / 2)
  for (const { socket } of [...clients, ...leaving]) socket.write(request('/'))
  await Promise.all(clients.map(({ socket }) => closed(socket)))
  assert.deepEqual(
    clients.map(({ text }) => readBodies(text)),
    clients.map(() => ['reply']),
  )
  await Promise.all(waiting)
})

const closed = async (socket: Socket): Promise<void> => {
  if (!socket.closed) await once(socket, 'close')
}
