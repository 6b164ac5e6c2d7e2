/** Changes under a running server: keys, storage, other nodes. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import { openKeyring } from '#keys/keyring'
import { removeClient } from '#storage/clients'
import { openStorage } from '#storage/db'
import { listSigningKeys, saveSigningKey } from '#storage/signing-keys'
import { patienceMs } from '#test-wait'
import { startTestServer } from './test-server.ts'

const server = await startTestServer()
after(() => server.close())
const account = await server.newAccount()

test('signing keys rotate without a failed request', async t => {
  const fresh = await openStorage({ file: `${server.folder}/other.sqlite` })
  const donorKeyring = await openKeyring({
    storage: fresh,
    secretKey: server.secretKey,
    accessTokenAlgorithm: 'ES256',
  })
  const row = (await listSigningKeys(fresh.db)).find(({ alg }) => alg === 'ES256')
  donorKeyring.close()
  await fresh.close()
  assert.ok(row)

  const kids = new Set<string>()
  const old = String((await server.token(account)).json.access_token)
  let rotated = false
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let requestsAfter = 0; requestsAfter < 5; requestsAfter += rotated ? 1 : 0) {
        const reply = await server.token(account)
        assert.equal(reply.status, 200, reply.text)
        const token = String(reply.json.access_token)
        assert.ok(await server.bearer.read(token))
        kids.add(decodeProtectedHeader(token).kid ?? '')
      }
    }),
  )
  await server.storage.write(writer => saveSigningKey(writer, { ...row, active_from: Date.now() }))
  await t.waitFor(() => assert.ok(kids.has(row.kid)), { timeout: patienceMs })
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
  const notice = new Promise<number>((resolve, reject) => {
    const stop = server.storage.onChange(({ topic, key }) => {
      if (topic !== 'client' || key !== fleeting.id) return
      stop()
      resolve(performance.now())
    })
    AbortSignal.timeout(patienceMs).addEventListener('abort', () => reject(new Error('no node was told')))
  })
  await otherNode.write(writer => removeClient(writer, fleeting.id))
  const startedAt = performance.now()
  // Nothing else is asked meanwhile: the second is for the change feed, not for a machine that is busy with requests.
  assert.ok((await notice) - startedAt < 1000)
  assert.equal((await server.token(fleeting)).status, 401)
  await otherNode.close()
})

test('storage that is away for too long: 503 temporarily_unavailable with Retry-After', async t => {
  const { schema } = server.storage.db
  // Without its table the change feed hears nothing: an hour ago it was heard last.
  await schema.alterTable('changes').renameTo('changes_away').execute()
  t.after(() => schema.alterTable('changes_away').renameTo('changes').execute())
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60 * 60 * 1000 })
  const reply = await server.token(account)
  assert.equal(reply.status, 503)
  assert.equal(reply.json.error, 'temporarily_unavailable')
  assert.ok(reply.headers.get('retry-after'))
})
