import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { calculateJwkThumbprint } from 'jose'
import { openStorage } from '#storage/db'
import { listSigningKeys, removeSigningKey, saveSigningKey } from '#storage/signing-keys'
import { patienceMs, waitUntil } from '#test-wait'
import { openKeyring } from './keyring.ts'

const folder = await mkdtemp(join(tmpdir(), 'querent-keyring-'))
after(() => rm(folder, { recursive: true }))
const secretKey = randomBytes(32)
let files = 0
const newStorage = async (file = join(folder, `${++files}.sqlite`)) => {
  const storage = await openStorage({ file })
  after(() => storage.close())
  return { storage, file }
}

test('a new storage gets an RS256 key and a key for access tokens, and the next start finds the same', async () => {
  const { storage } = await newStorage()
  const keyring = await openKeyring({ storage, secretKey, accessTokenAlgorithm: 'ES256' })
  after(() => keyring.close())
  const jwks = keyring.publicJwks()
  assert.deepEqual(jwks.map(({ alg }) => alg).toSorted(), ['ES256', 'RS256'])
  const rsa = jwks.find(({ alg }) => alg === 'RS256')
  assert.equal(Buffer.from(rsa?.n ?? '', 'base64url').length, 2048 / 8)
  for (const jwk of jwks) {
    assert.equal(jwk.kid, await calculateJwkThumbprint(jwk))
    assert.equal(jwk.d, undefined, 'no private part is published')
    assert.equal(jwk.use, 'sig')
    assert.equal(keyring.verifier(jwk.kid ?? '')?.alg, jwk.alg)
  }
  const reopened = await openKeyring({ storage, secretKey, accessTokenAlgorithm: 'ES256' })
  after(() => reopened.close())
  assert.deepEqual(reopened.publicJwks(), jwks)
  assert.equal(keyring.verifier('unknown'), undefined)
})

test('another access token algorithm adds a key and keeps the old one for verifying', async () => {
  const { storage } = await newStorage()
  const first = await openKeyring({ storage, secretKey, accessTokenAlgorithm: 'ES256' })
  const second = await openKeyring({ storage, secretKey, accessTokenAlgorithm: 'EdDSA' })
  after(() => [first, second].map(keyring => keyring.close()))
  assert.deepEqual(
    second
      .privateJwks()
      .map(({ alg }) => alg)
      .toSorted(),
    ['ES256', 'EdDSA', 'RS256'],
  )
})

test('nodes that start together end with one set of keys', async () => {
  const { storage, file } = await newStorage()
  const otherNodes = await Promise.all([newStorage(file), newStorage(file)])
  const keyrings = await Promise.all(
    [storage, ...otherNodes.map(otherKeyring => otherKeyring.storage)].map(key =>
      openKeyring({ storage: key, secretKey, accessTokenAlgorithm: 'ES256' }),
    ),
  )
  after(() => keyrings.map(keyring => keyring.close()))
  assert.equal((await listSigningKeys(storage.db)).length, 2)
  for (const keyring of keyrings) assert.deepEqual(keyring.publicJwks(), keyrings[0]?.publicJwks())
})

test('private keys are not in clear in the data folder, and a wrong key is one clear error', async () => {
  const { storage, file } = await newStorage()
  const keyring = await openKeyring({ storage, secretKey, accessTokenAlgorithm: 'ES256' })
  keyring.close()
  const stored = (
    await Promise.all([file, `${file}-wal`].map(name => readFile(name, 'latin1').catch(() => '')))
  ).join('')
  for (const { d } of keyring.privateJwks()) assert.ok(d && !stored.includes(d))
  await assert.rejects(
    openKeyring({ storage, secretKey: randomBytes(32), accessTokenAlgorithm: 'ES256' }),
    /QUERENT_KEY.*key file/,
  )
})

test('a key that is stored reaches the ring by the change feed, published before it signs', async t => {
  const { storage } = await newStorage()
  const keyring = await openKeyring({ storage, secretKey, accessTokenAlgorithm: 'ES256' })
  const donor = await newStorage()
  const donorKeyring = await openKeyring({ storage: donor.storage, secretKey, accessTokenAlgorithm: 'ES256' })
  after(() => [keyring, donorKeyring].map(key => key.close()))
  const row = (await listSigningKeys(donor.storage.db)).find(({ alg }) => alg === 'ES256')
  assert.ok(row)
  const signing = () => keyring.privateJwks().find(({ alg }) => alg === 'ES256')?.kid
  const signingBefore = signing()
  const rotated = () => new Promise<void>(resolve => keyring.onRotation(resolve))

  const published = rotated()
  await storage.write(writer => saveSigningKey(writer, { ...row, active_from: Date.now() + 60 * 60 * 1000 }))
  await published
  assert.ok(keyring.verifier(row.kid), 'it verifies')
  assert.equal(signing(), signingBefore, 'but does not sign yet')

  await storage.write(writer => saveSigningKey(writer, { ...row, active_from: Date.now() + 300 }))
  const signs = () => assert.equal(signing(), row.kid, 'it signs from its time on')
  await t.waitFor(signs, { timeout: patienceMs })

  const retired = rotated()
  await storage.write(writer => saveSigningKey(writer, { ...row, retired_at: Date.now() - 1 }))
  await retired
  assert.equal(signing(), signingBefore)
  assert.ok(keyring.verifier(row.kid), 'its tokens are still good')

  const removal = rotated()
  await storage.write(writer =>
    saveSigningKey(writer, { ...row, retired_at: Date.now() - 25 * 60 * 60 * 1000 }),
  )
  await removal
  assert.equal(keyring.verifier(row.kid), undefined)
})

test('a read that fails is tried again until it succeeds, warned of once; one listener that throws keeps no other from hearing', {
  timeout: 60_000,
}, async () => {
  const { storage } = await newStorage()
  let cuts = 0
  const db = storage.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (cuts > 0) throw new Error(`cut ${cuts--}`)
      return result
    },
  })
  const keyring = await openKeyring({
    storage: { ...storage, db },
    secretKey,
    accessTokenAlgorithm: 'ES256',
  })
  after(() => keyring.close())
  const logLines: string[] = []
  const logLine =
    (level: string) =>
    ({ err }: { err: unknown }) =>
      void logLines.push(`${level} ${String(err)}`)
  keyring.setLogger({ warn: logLine('warn'), error: logLine('error') })
  keyring.onRotation(() => {
    throw new Error('no')
  })
  const rotated = new Promise<void>(resolve => keyring.onRotation(resolve))
  const [{ kid = '' } = {}] = keyring.publicJwks()
  cuts = 2
  await storage.write(writer => removeSigningKey(writer, kid))
  assert.ok(keyring.verifier(kid))
  await rotated
  assert.equal(keyring.verifier(kid), undefined)
  assert.deepEqual(logLines, ['warn Error: cut 2', 'error Error: no'])
})

test('a keyring that is closed reads no more, also where its last read failed', async t => {
  const { storage } = await newStorage()
  let reads = 0
  let isCut = false
  const db = storage.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      reads += 1
      if (isCut) throw new Error('cut')
      return result
    },
  })
  const keyring = await openKeyring({
    storage: { ...storage, db },
    secretKey,
    accessTokenAlgorithm: 'ES256',
  })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  isCut = true
  await assert.rejects(keyring.reload(), /cut/)
  const last = keyring.reload()
  keyring.close()
  await assert.rejects(last, /cut/)
  const readsBefore = reads
  t.mock.timers.tick(60_000)
  await keyring.reload().catch(() => {})
  assert.equal(reads, readsBefore + 1, 'this one alone')
})

test('a clock that is set back keeps nobody waiting who brings an unknown key', {
  timeout: 60_000,
}, async t => {
  const { storage } = await newStorage()
  const keyring = await openKeyring({ storage, secretKey, accessTokenAlgorithm: 'ES256' })
  after(() => keyring.close())
  await keyring.reloadForUnknownKid()
  const { now } = Date
  t.mock.method(Date, 'now', () => now() - 60 * 60 * 1000)
  await keyring.reloadForUnknownKid()
})

test('while storage hangs, one look is under way and one waits, however many ask and however long', async t => {
  const { storage } = await newStorage()
  const heldRead = Promise.withResolvers<void>()
  let isHeld = false
  let reads = 0
  const slow = storage.db.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      reads += 1
      if (isHeld) await heldRead.promise
      return result
    },
  })
  const keyring = await openKeyring({
    storage: { ...storage, db: slow },
    secretKey,
    accessTokenAlgorithm: 'ES256',
  })
  after(() => keyring.close())
  reads = 0
  isHeld = true
  // Each caller comes a second after the previous one.
  let aheadMs = 0
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => now() + aheadMs)
  const looks = [keyring.reloadForUnknownKid()]
  await waitUntil(() => reads === 1)
  for (let attempt = 0; attempt < 10; attempt++) {
    aheadMs += 1000
    looks.push(keyring.reloadForUnknownKid())
    await turn()
  }
  heldRead.resolve()
  await Promise.all(looks)
  assert.equal(reads, 2)
})
