import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { openCluster } from './cluster.ts'

/** Stands in for a cluster: answers each request by the next of these, and keeps what it was sent. */
async function clusterThat(...answers: { status: number; body: object }[]) {
  const sent: string[] = []
  const server = createServer(async (request, reply) => {
    sent.push(await text(request))
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
  return { cluster, sent, close }
}

const put = (key: string) => ({ index: 'x-g', key, document: { id: key } })
const item = (status: number) => ({
  index: { status, ...(status > 299 && { error: { type: 'some_exception', reason: 'some reason' } }) },
})

test('what the cluster has no room for is sent again, and only that', async () => {
  const { cluster, sent, close } = await clusterThat(
    { status: 429, body: { error: { type: 'rejected_execution_exception', reason: 'full' } } },
    { status: 200, body: { errors: true, items: [item(201), item(429)] } },
    { status: 200, body: { errors: false, items: [item(201)] } },
  )
  try {
    await cluster.bulk([put('a'), put('b')])
    assert.deepEqual(
      sent.map(body => [...body.matchAll(/"_id":"(\w)"/g)].map(([, key]) => key)),
      [['a', 'b'], ['a', 'b'], ['b']],
    )
  } finally {
    await close()
  }
})

test('a document that is refused fails the write; no error tells the password', async () => {
  const { cluster, close } = await clusterThat(
    { status: 200, body: { errors: true, items: [item(201), item(403)] } },
    { status: 401, body: {} },
  )
  try {
    await assert.rejects(cluster.bulk([put('a'), put('b')]), { code: 'unavailable' })
    const secret = Buffer.from('me:hush').toString('base64')
    await assert.rejects(cluster.call('GET', '/'), (error: Error) => {
      const told = inspect(error, { depth: 20 })
      return /refuses the name and password/.test(told) && !told.includes('hush') && !told.includes(secret)
    })
  } finally {
    await close()
  }
})

test('a node that is gone or does not answer keeps nobody longer than the deadline, and the others are asked', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1')
  const well = createServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{"well":true}')
  }).listen(0, '127.0.0.1')
  const gone = createServer().listen(0, '127.0.0.1')
  const nodes = await Promise.all(
    [silent, gone, well].map(async server => {
      await once(server, 'listening')
      const address = server.address()
      assert.ok(address !== null && typeof address === 'object')
      return `http://127.0.0.1:${address.port}`
    }),
  )
  gone.close()
  const cluster = openCluster({ nodes, prefix: 'x-', shards: 1, replicas: 0 })
  try {
    // One that waited in vain may still be answered by another node.
    const calls = Array.from({ length: 6 }, () => cluster.call('GET', '/', undefined, { msMax: 500 }))
    for (const call of await Promise.allSettled(calls))
      if (call.status === 'rejected') assert.equal(call.reason.code, 'timeout')
    // By now those that do not answer are known.
    assert.deepEqual(await cluster.call('GET', '/', undefined, { msMax: 500 }), { well: true })
  } finally {
    await cluster.close()
    for (const server of [silent, well]) {
      server.closeAllConnections()
      server.close()
    }
  }
})
