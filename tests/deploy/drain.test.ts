/** Nodes behind HAProxy and Caddy as in docs/deploy.md: a node that is not ready gets no new requests, and no request is lost. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '#bench/peers/start'
import { waitUntil } from '#server/test-wait'
import {
  applyReplacements,
  askProxy,
  loginHost,
  makeCertificate,
  type ProxyLocation,
  proxyKinds,
  readDocumentedConfiguration,
  searchHost,
  startProxy,
} from '#tests/support/proxies'
import { startServerProcess } from '#tests/support/started-server'

/** Far longer than a proxy takes to notice: the node still answers when the proxies leave it alone. */
const drainSeconds = 60
/** Caddy chooses one of the two at random. It never chooses the same one this often. */
const requestsInARow = 24

const keysPath = '/.well-known/jwks.json'
/** Nodes of one service share their keys. These two do not, so that the test can tell them apart. */
const keysAt = async (url: string) => (await fetch(`${url}${keysPath}`)).text()

/** Adds the second node as the page describes it. */
const withSecond = {
  HAProxy: async (address: string) => {
    const line = '  server authorization-1 127.0.0.1:4001\n'
    return applyReplacements(await readDocumentedConfiguration('haproxy'), {
      [line]: `${line}  server authorization-2 ${address}\n`,
    })
  },
  Caddy: async (address: string) =>
    applyReplacements(await readDocumentedConfiguration('caddyfile'), {
      'reverse_proxy 127.0.0.1:4001 {': `reverse_proxy 127.0.0.1:4001 ${address} {`,
    }),
}

test('HAProxy and Caddy send no new requests to a stopping node while it still answers, and no request fails', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-drain-'))
  t.after(() => rm(folder, { recursive: true }))
  await makeCertificate(folder)
  const [leaving, staying] = await Promise.all(
    [0, 1].map(async () => {
      const flags = ['--only', 'authorization', '--base-url', `https://${searchHost}`]
      const node = await startServerProcess([...flags, '--drain-seconds', String(drainSeconds)], {
        hasOwnKeys: true,
      })
      t.after(async () => {
        await node.kill()
        await node.stop()
      })
      return node
    }),
  )
  if (!leaving || !staying) return assert.fail('no nodes')
  const keysOfLeaving = await keysAt(leaving.authUrl)
  const keysOfStaying = await keysAt(staying.authUrl)
  assert.notEqual(keysOfLeaving, keysOfStaying)

  const places = await Promise.all(
    proxyKinds.flatMap(kind =>
      Object.entries(withSecond).flatMap(([name, configure]) =>
        name !== kind.name
          ? []
          : [
              (async (): Promise<ProxyLocation> => {
                const place = {
                  folder: await mkdtemp(join(folder, 'proxy-')),
                  certificates: folder,
                  port: await freePort(),
                  plainPort: await freePort(),
                  query: await freePort(),
                  authorization: Number(new URL(leaving.authUrl).port),
                }
                const proxy = await startProxy(kind, place, await configure(new URL(staying.authUrl).host))
                t.after(() => proxy.stop())
                return place
              })(),
            ],
      ),
    ),
  )
  assert.equal(places.length, 2)
  /** Sends `count` requests through a proxy and returns the keys in the replies. Every request is answered. */
  const readKeys = async (place: ProxyLocation): Promise<Set<string>> => {
    const keys = new Set<string>()
    for (let requestCount = 0; requestCount < requestsInARow; requestCount++) {
      const { status, body } = await askProxy(place, `https://${loginHost}${keysPath}`)
      assert.equal(status, 200, body.toString())
      keys.add(body.toString())
    }
    return keys
  }
  const bothKeys = new Set([keysOfLeaving, keysOfStaying])
  for (const place of places) assert.deepEqual(await readKeys(place), bothKeys)

  const stopped = leaving.shutDown()
  // A node that is not ready gets no more requests.
  for (const place of places) await waitUntil(async () => !(await readKeys(place)).has(keysOfLeaving))
  // It could have answered.
  assert.equal(await keysAt(leaving.authUrl), keysOfLeaving)
  await leaving.kill()
  await stopped
  for (const place of places) assert.deepEqual(await readKeys(place), new Set([keysOfStaying]))
})
