/** Signing keys rotate under load without a failed request (docs/operate.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { waitUntil } from '#server/test-wait'
import { type Library, makeLibrary } from '#tests/support/library'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(() => server.stop())

const publishedKids = async (): Promise<string[]> => {
  const reply = await fetch(`${server.authUrl}/.well-known/jwks.json`)
  // RFC 7517, section 5.
  const { keys } = (await reply.json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}
const fetchStatus = async (token: string): Promise<number> => {
  const reply = await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await reply.arrayBuffer()
  return reply.status
}

test('no request fails while keys rotate by command and clients get and use tokens', async () => {
  const early = await fetchToken(server, library)
  const { kid: first = '' } = decodeProtectedHeader(early)
  const rotating = server.run(['keys', 'rotate', '--signs-in', '10s'])
  const seenKids = new Set<string>()
  let published: string[] = []
  let requests = 0
  const useToken = async () => {
    const token = await fetchToken(server, library)
    const { kid = '' } = decodeProtectedHeader(token)
    if (kid !== first) assert.ok(published.includes(kid), 'it was published before it signed')
    seenKids.add(kid)
    assert.equal(await fetchStatus(token), 200)
    requests += 1
  }
  /** Until the next key signs, and a bit longer. At intervals, because other tests need the processor. */
  const work = async () => {
    await waitUntil(async () => {
      await useToken()
      return seenKids.size > 1
    })
    for (let afterwards = 0; afterwards < 20; afterwards++) await useToken()
  }
  const working = Promise.all([work(), work(), work()])
  const rotation = (await rotating) as { published: string[]; signsFrom: string }
  published = await publishedKids()
  assert.ok(Date.now() < Date.parse(rotation.signsFrom), 'the keys were looked at in time')
  for (const kid of rotation.published) assert.ok(published.includes(kid))
  await working
  assert.ok(requests > 60)
  assert.deepEqual([seenKids.size, seenKids.has(first)], [2, true])
  assert.equal(await fetchStatus(early), 200, 'what the old key signed is good until it expires')
  assert.ok((await publishedKids()).includes(first))
})
