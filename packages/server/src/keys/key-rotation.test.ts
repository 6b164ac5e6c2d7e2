import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { compactVerify, decodeProtectedHeader, importJWK, SignJWT } from 'jose'
import { Problem } from '#errors'
import { createWorkReports } from '#memory/work-reports'
import { openStorage } from '#storage/db'
import { listSigningKeys, saveSigningKey } from '#storage/signing-keys'
import { freshDatabase } from '#storage/test-postgres'
import { openKeyRotation, publishedBeforeUseMs } from './key-rotation.ts'
import { openKeyring } from './keyring.ts'

const folder = await mkdtemp(join(tmpdir(), 'querent-rotation-'))
after(() => rm(folder, { recursive: true }))
const secretKey = randomBytes(32)
const dayMs = 24 * 60 * 60 * 1000
let files = 0
const newFile = () => join(folder, `${++files}.sqlite`)

/** One node of a service. `onRead` comes before its keyring hears what the storage says. */
const openNode = async (
  place: string | { connection: string },
  {
    days = 'off',
    accessTokenAlgorithm = 'ES256',
    onRead = async () => {},
  }: { days?: number | 'off'; accessTokenAlgorithm?: 'ES256' | 'EdDSA'; onRead?: () => Promise<void> } = {},
) => {
  const storage = await openStorage(typeof place === 'string' ? { file: place } : place)
  const read = storage.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => onRead().then(() => result),
  })
  const keyring = await openKeyring({ storage: { ...storage, db: read }, secretKey, accessTokenAlgorithm })
  const reports = createWorkReports()
  const openRotation = (every: number | 'off' = days) =>
    openKeyRotation({ storage, secretKey, accessTokenAlgorithm, keyring, reports, days: every })
  const rotation = openRotation()
  after(async () => {
    rotation.close()
    keyring.close()
    await storage.close()
  })
  const signing = () => keyring.privateJwks().find(({ alg }) => alg === accessTokenAlgorithm)
  const rotated = () => new Promise<void>(resolve => keyring.onRotation(resolve))
  return { storage, keyring, rotation, openRotation, signing, rotated }
}
const unrecorded = async () => {}
const kids = async (node: Awaited<ReturnType<typeof openNode>>) =>
  (await listSigningKeys(node.storage.db)).map(({ kid }) => kid)

test('keys rotate while one node signs and another verifies, and no token is refused', async () => {
  const file = newFile()
  const [signer, verifier] = [await openNode(file), await openNode(file)]
  const first = signer.signing()?.kid
  let signsFrom = Number.POSITIVE_INFINITY
  const verified = new Set<string | undefined>()
  const signAndVerify = async () => {
    const jwk = signer.signing()
    assert.ok(jwk?.kid)
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: jwk.kid })
      .sign(await importJWK(jwk, 'ES256'))
    const { kid } = decodeProtectedHeader(token)
    if (kid !== first) assert.ok(Date.now() >= signsFrom - 1, 'the next key signs from its moment on')
    const key = verifier.keyring.verifier(kid ?? '')
    assert.ok(key, 'every key that signs is known to the other node')
    await compactVerify(token, key.key)
    verified.add(kid)
  }
  await signAndVerify()
  const rotation = await verifier.rotation.rotate(1500, unrecorded)
  signsFrom = rotation.signsFrom
  while (signer.signing()?.kid === first || Date.now() < signsFrom + 500) await signAndVerify()
  await signAndVerify()
  const next = signer.signing()?.kid
  assert.deepEqual([...verified], [first, next])
  assert.ok(rotation.published.includes(next ?? ''))
  const stillThere = verifier.keyring.publicJwks().map(({ kid }) => kid)
  assert.ok(stillThere.includes(first), 'the one before is published until its tokens are gone')
})

test('keys that wait for their turn are not followed by others, but brought forward', async () => {
  const node = await openNode(newFile())
  const scheduled = await node.rotation.rotate(dayMs, unrecorded)
  assert.equal(scheduled.published.length, 2)
  const events: unknown[] = []
  node.rotation.onKeyChange(done => events.push(done))
  events.length = 0
  const sooner = await node.rotation.rotate(60_000, unrecorded)
  const repeated = await node.rotation.rotate(dayMs, () => assert.fail('nothing new is recorded'))
  assert.deepEqual(events, [sooner])
  assert.deepEqual([sooner.published, repeated.published], [scheduled.published, scheduled.published])
  assert.ok(sooner.signsFrom <= Date.now() + 60_000)
  assert.equal(repeated.signsFrom, sooner.signsFrom)
  for (const row of await listSigningKeys(node.storage.db))
    assert.equal(row.retired_at, scheduled.published.includes(row.kid) ? null : sooner.signsFrom)
})

test('a rotation that cannot be recorded does not happen', async () => {
  const node = await openNode(newFile())
  const kidsBefore = await kids(node)
  const refuse = () => Promise.reject(new Error('no'))
  await assert.rejects(node.rotation.rotate(1000, refuse), /^Error: no$/)
  assert.deepEqual(await kids(node), kidsBefore)
})

test('a key that is withdrawn is gone, and another signs in its place from the moment that it signed or was to sign', async () => {
  const node = await openNode(newFile())
  const { rotation, storage, signing } = node
  const listAlgorithmKeys = async () =>
    (await listSigningKeys(storage.db)).filter(({ alg }) => alg === 'ES256')
  const findOnlyKey = async () => (await listAlgorithmKeys())[0] ?? assert.fail()
  const withdraw = async (kid: string) => {
    const startedAt = Date.now()
    const done = (await rotation.withdraw(kid, unrecorded)) ?? assert.fail('not known')
    assert.ok((await listAlgorithmKeys()).every(row => row.kid !== kid))
    assert.equal(node.keyring.verifier(kid), undefined)
    const { published, signsFrom = 0 } = done
    return { published, signsFrom, isNow: signsFrom >= startedAt && signsFrom <= Date.now() }
  }
  const first = await findOnlyKey()
  // With nothing published to follow, a new one.
  const { published, isNow } = await withdraw(first.kid)
  const second = await findOnlyKey()
  assert.deepEqual([published, isNow, second.retired_at], [[second.kid], true, null])
  assert.equal(signing()?.kid, second.kid)

  const rotated = await rotation.rotate(dayMs, unrecorded)
  const [, waiting] = await listAlgorithmKeys()
  assert.ok(waiting && rotated.published.includes(waiting.kid))
  const nextKey = await withdraw(waiting.kid)
  assert.deepEqual([nextKey.published.length, nextKey.signsFrom], [1, rotated.signsFrom])
  assert.equal(signing()?.kid, second.kid, 'that which signs goes on until then')
  const third = await withdraw(second.kid)
  assert.deepEqual([third.published, third.isNow], [nextKey.published, true], 'the next begins sooner')
  assert.equal(signing()?.kid, nextKey.published[0])

  const retired = { ...first, active_from: first.active_from - dayMs, retired_at: Date.now() - 1000 }
  await storage.write(writer => saveSigningKey(writer, retired))
  assert.deepEqual(await rotation.withdraw(retired.kid, unrecorded), { kid: retired.kid, published: [] })
  assert.deepEqual(
    (await listAlgorithmKeys()).map(({ kid }) => kid),
    nextKey.published,
  )
  for (const kid of ['unknown', retired.kid])
    assert.equal(await rotation.withdraw(kid, unrecorded), undefined)
})

test('the replacement of a key that was to sign soon is published long enough before it signs', async () => {
  const { rotation, storage } = await openNode(newFile())
  const { published } = await rotation.rotate(5000, unrecorded)
  const keys = async () => (await listSigningKeys(storage.db)).filter(({ alg }) => alg === 'ES256')
  const next = (await keys()).find(({ kid }) => published.includes(kid)) ?? assert.fail()
  const startedAt = Date.now()
  const { signsFrom = 0 } = (await rotation.withdraw(next.kid, unrecorded)) ?? {}
  assert.ok(signsFrom >= startedAt + publishedBeforeUseMs && signsFrom <= Date.now() + publishedBeforeUseMs)
  assert.deepEqual(
    (await keys()).map(({ retired_at }) => retired_at),
    [signsFrom, null],
    'the one that signs goes on until then',
  )
})

test('a withdrawal is answered when this node has dropped the key, however slowly it reads', async () => {
  let turns = 0
  const node = await openNode(newFile(), {
    async onRead() {
      for (let turnsLeft = turns; turnsLeft > 0; turnsLeft--) await turn()
    },
  })
  const kid = node.signing()?.kid ?? assert.fail()
  turns = 1000
  const { published } = (await node.rotation.withdraw(kid, unrecorded)) ?? assert.fail()
  assert.equal(node.keyring.verifier(kid), undefined)
  assert.deepEqual([node.signing()?.kid], published)
})

test('a withdrawal that this node cannot read is told as such, and read as soon as it can be', async () => {
  let isCut = false
  const node = await openNode(newFile(), {
    async onRead() {
      if (isCut) throw new Error('cut')
    },
  })
  const kid = node.signing()?.kid ?? assert.fail()
  isCut = true
  await assert.rejects(
    node.rotation.withdraw(kid, unrecorded),
    (error: unknown) =>
      error instanceof Problem && error.status === 503 && /is withdrawn/.test(error.message),
  )
  assert.ok(!(await kids(node)).includes(kid))
  const rotated = node.rotated()
  isCut = false
  await rotated
  assert.equal(node.keyring.verifier(kid), undefined)
})

test('a node withdraws a key of an algorithm that others use and it does not: they go on with another', async () => {
  const file = newFile()
  const otherNode = await openNode(file, { accessTokenAlgorithm: 'EdDSA' })
  const node = await openNode(file)
  const kid = otherNode.signing()?.kid ?? assert.fail()
  const rotated = otherNode.rotated()
  const { published } = (await node.rotation.withdraw(kid, unrecorded)) ?? assert.fail()
  await rotated
  assert.deepEqual([otherNode.signing()?.kid], published)
})

test('a withdrawal that cannot be recorded does not happen', async () => {
  const node = await openNode(newFile())
  const kidsBefore = await kids(node)
  const refuse = () => Promise.reject(new Error('no'))
  await assert.rejects(node.rotation.withdraw(kidsBefore[0] ?? '', refuse), /^Error: no$/)
  assert.deepEqual(await kids(node), kidsBefore)
})

test('a rotation that was done before there is who hears of it is told then, once', async t => {
  const node = await openNode(newFile())
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 90 * dayMs })
  const rotated = node.rotated()
  const rotation = node.openRotation(90)
  t.after(() => rotation.close())
  await rotated
  // Waits for that one: SQLite lets one transaction in at a time.
  const { published } = await rotation.rotate(dayMs / 2, unrecorded)
  const events: string[][] = []
  rotation.onKeyChange(event => events.push(event.published))
  assert.deepEqual(events, [published, published])
  rotation.onKeyChange(event => events.push(event.published))
  assert.equal(events.length, 2)
})

for (const database of ['SQLite', 'PostgreSQL'])
  test(`a key of the age that is set is followed by another, once, however many nodes look (${database})`, async t => {
    const place = database === 'SQLite' ? newFile() : { connection: await freshDatabase() }
    const nodes = [await openNode(place), await openNode(place)]
    const [node] = nodes
    assert.ok(node)
    assert.equal((await kids(node)).length, 2)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 90 * dayMs })
    const rotated = Promise.all(nodes.map(event => event.rotated()))
    const looking = nodes.map(({ openRotation }) => openRotation(90))
    await rotated
    // A manual one waits for those under way: SQLite lets one transaction in at a time.
    const waiting = await node.rotation.rotate(2 * dayMs, unrecorded)
    assert.equal((await kids(node)).length, 4)
    assert.ok(waiting.signsFrom <= Date.now() + dayMs, 'published a day before its use')
    for (const rotation of looking) rotation.close()
  })

test('a key is replaced neither before its age nor without rotation, and expired keys are deleted', async t => {
  const node = await openNode(newFile(), { days: 90 })
  const [old] = await listSigningKeys(node.storage.db)
  assert.ok(old)
  const expiredRow = { ...old, kid: 'gone', retired_at: Date.now() - 2 * dayMs }
  await node.storage.write(writer => saveSigningKey(writer, expiredRow))
  assert.equal((await kids(node)).length, 3)
  await node.rotation.rotate(1000, unrecorded)
  const remainingKids = await kids(node)
  assert.deepEqual([remainingKids.length, remainingKids.includes('gone')], [4, false])
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 365 * dayMs })
  node.openRotation('off').close()
  assert.deepEqual(await kids(node), remainingKids)
})
