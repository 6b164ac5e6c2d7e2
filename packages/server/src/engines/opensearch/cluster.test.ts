import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { openCluster } from './cluster.ts'

/** Starts a fake cluster that sends these replies in turn, and records the requests. */
async function startFakeCluster(...answers: { status: number; body: object }[]) {
  const sentBodies: string[] = []
  const server = createServer(async (request, reply) => {
    sentBodies.push(await text(request))
    const { status, body } = answers.shift() ?? { status: 500, body: {} }
    reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const cluster = openCluster({
    nodes: [`http://127.0.0.1:${address.port}`],
    username: 'me',
    password: 'hush',
    prefix: 'x-',
    shards: 1,
    replicas: 0,
  })
  const close = async () => {
    await cluster.close()
    server.closeAllConnections()
    server.close()
  }
  return { cluster, sent: sentBodies, close }
}

const putOperation = (key: string) => ({ index: 'x-g', key, document: { id: key } })
const item = (status: number) => ({
  index: { status, ...(status > 299 && { error: { type: 'some_exception', reason: 'some reason' } }) },
})

test('a bulk write retries exactly the operations that the cluster rejects as overloaded', async () => {
  const {
    cluster,
    sent: sentBodies,
    close,
  } = await startFakeCluster(
    { status: 429, body: { error: { type: 'rejected_execution_exception', reason: 'full' } } },
    { status: 200, body: { errors: true, items: [item(201), item(429)] } },
    { status: 200, body: { errors: false, items: [item(201)] } },
  )
  try {
    await cluster.bulk([putOperation('a'), putOperation('b')])
    assert.deepEqual(
      sentBodies.map(body => [...body.matchAll(/"_id":"(\w)"/g)].map(([, key]) => key)),
      [['a', 'b'], ['a', 'b'], ['b']],
    )
  } finally {
    await close()
  }
})

test('a rejected document fails the write, and no error contains the password', async () => {
  const { cluster, close } = await startFakeCluster(
    { status: 200, body: { errors: true, items: [item(201), item(403)] } },
    { status: 401, body: {} },
  )
  try {
    await assert.rejects(cluster.bulk([putOperation('a'), putOperation('b')]), { code: 'unavailable' })
    const secret = Buffer.from('me:hush').toString('base64')
    await assert.rejects(cluster.call('GET', '/'), (error: Error) => {
      const details = inspect(error, { depth: 20 })
      return (
        /rejects the user name and password/.test(details) &&
        !details.includes('hush') &&
        !details.includes(secret)
      )
    })
  } finally {
    await close()
  }
})

test('calls avoid stopped and unresponsive nodes, and never exceed their deadline', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  const healthy = createServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{"well":true}')
  }).listen(0, '127.0.0.1')
  const stopped = createServer().listen(0, '127.0.0.1')
  const nodes = await Promise.all(
    [silent, stopped, healthy].map(async server => {
      await once(server, 'listening')
      const address = server.address()
      assert.ok(address !== null && typeof address === 'object')
      return `http://127.0.0.1:${address.port}`
    }),
  )
  stopped.close()
  const cluster = openCluster({ nodes, prefix: 'x-', shards: 1, replicas: 0 })
  try {
    // A call may time out on the unresponsive node, or get its answer from another one.
    const calls = Array.from({ length: 6 }, () => cluster.call('GET', '/', undefined, { msMax: 500 }))
    for (const call of await Promise.allSettled(calls))
      if (call.status === 'rejected') assert.equal(call.reason.code, 'timeout')
    // By now the client skips the nodes that do not respond.
    assert.deepEqual(await cluster.call('GET', '/', undefined, { msMax: 500 }), { well: true })
  } finally {
    await cluster.close()
    for (const server of [silent, healthy]) {
      server.closeAllConnections()
      server.close()
    }
  }
})

test('a call whose caller goes away fails as canceled, and nothing else fails', async () => {
  const server = createServer(() => {
    caller.abort()
  }).listen(0, '127.0.0.1')
  const caller = new AbortController()
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const cluster = openCluster({
    nodes: [`http://127.0.0.1:${address.port}`],
    prefix: 'x-',
    shards: 1,
    replicas: 0,
  })
  try {
    // Node raises an uncaught exception for it if an event listener returns the failing request.
    await assert.rejects(cluster.call('GET', '/', undefined, { signal: caller.signal }), {
      code: 'cancelled',
    })
  } finally {
    await cluster.close()
    server.closeAllConnections()
    server.close()
  }
})
