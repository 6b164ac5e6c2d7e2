/** What changes under a running server: keys, storage, other nodes. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { openKeyring } from '#http/keyring'
import { removeClient } from '#storage/clients'
import { openStorage } from '#storage/db'
import { listSigningKeys, saveSigningKey } from '#storage/signing-keys'
import { startTestServer } from './test-server.ts'

const server = await startTestServer()
after(() => server.close())
const account = await server.newAccount()

test('signing keys rotate without a failed request', async t => {
  const fresh = await openStorage({ file: `${server.folder}/other.sqlite` })
  const other = await openKeyring({
    storage: fresh,
    secretKey: server.secretKey,
    accessTokenAlgorithm: 'ES256',
  })
  const row = (await listSigningKeys(fresh.db)).find(({ alg }) => alg === 'ES256')
  other.close()
  await fresh.close()
  assert.ok(row)

  const kids = new Set<string>()
  const old = String((await server.token(account)).json.access_token)
  let rotated = false
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let after = 0; after < 5; after += rotated ? 1 : 0) {
        const reply = await server.token(account)
        assert.equal(reply.status, 200, reply.text)
        const token = String(reply.json.access_token)
        assert.ok(await server.bearer.read(token))
        kids.add(decodeProtectedHeader(token).kid ?? '')
      }
    }),
  )
  await server.storage.write(writer => saveSigningKey(writer, { ...row, active_from: Date.now() }))
  await t.waitFor(() => assert.ok(kids.has(row.kid)), { timeout: 10_000 })
  rotated = true
  await load
  assert.ok(kids.has(row.kid), 'the new key signs')
  assert.ok(await server.bearer.read(old), 'tokens of the old key are still good')
  const published = (await server.raw('GET /.well-known/jwks.json HTTP/1.1')).json.keys
  assert.ok(
    Array.isArray(published) && published.some(({ kid }) => kid === row.kid) && published.length === 3,
  )
})

test('a client removed on another node is refused here within a second', async () => {
  const fleeting = await server.newAccount()
  assert.equal((await server.token(fleeting)).status, 200)
  const otherNode = await openStorage({ file: `${server.folder}/querent.sqlite` })
  await otherNode.write(writer => removeClient(writer, fleeting.id))
  await otherNode.close()
  const begun = Date.now()
  while ((await server.token(fleeting)).status !== 401) assert.ok(Date.now() - begun < 1000)
})

test('storage that is away for too long: 503 temporarily_unavailable with Retry-After', async t => {
  let reply = await server.token(account)
  for (let attempt = 1; attempt <= 5 && reply.status !== 503; attempt++) {
    // Unless the change feed is heard in this very moment, it was last heard an hour ago.
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60 * 60 * 1000 })
    reply = await server.token(account)
    t.mock.timers.reset()
  }
  assert.equal(reply.status, 503)
  assert.equal(reply.json.error, 'temporarily_unavailable')
  assert.ok(reply.headers.get('retry-after'))
})
