import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { StorageLocation } from '#storage/connection'
import { openStorage, type Storage } from '#storage/db'
import { addUsedProofs, pruneUsedProofs } from '#storage/dpop-proofs'
import { freshDatabase } from '#storage/test-postgres'
import { createUsedProofs } from './used-proofs.ts'

const newProof = (issuedAt = Date.now() / 1000) => ({ keyThumbprint: 'key', jti: randomUUID(), issuedAt })

/** Two nodes on one empty database. */
const usedProofsSuite = (empty: () => Promise<StorageLocation>): void => {
  let storages: Storage[] = []
  before(async () => {
    const location = await empty()
    storages = [await openStorage(location), await openStorage(location)]
  })
  after(() => Promise.all(storages.map(storage => storage.close())))

  test('a proof is used once, on whichever node it arrives', async () => {
    const nodes = storages.map(createUsedProofs)
    const proof = newProof()
    assert.equal(await nodes[0]?.use(proof), true)
    assert.equal(await nodes[0]?.use(proof), false)
    assert.equal(await nodes[1]?.use(proof), false)
    assert.equal(await nodes[1]?.use({ ...proof, keyThumbprint: 'other' }), true, 'of another key')
  })

  test('only one of many concurrent uses of a proof on two nodes is accepted', async () => {
    const nodes = storages.map(createUsedProofs)
    const proofs = Array.from({ length: 700 }, () => newProof())
    const uses = await Promise.all(
      proofs.map(proof => Promise.all([0, 1, 0, 1].map(index => nodes[index]?.use(proof)))),
    )
    for (const outcomes of uses) assert.equal(outcomes.filter(Boolean).length, 1)
  })

  test('expired proofs are removed, and others stay', async () => {
    const [storage] = storages
    assert.ok(storage)
    const now = Date.now()
    const expired = Array.from({ length: 1200 }, (_, index) => ({ id: `old${index}`, expiresAt: now - 1000 }))
    await addUsedProofs(storage.db, expired)
    await addUsedProofs(storage.db, [{ id: 'current', expiresAt: now + 60_000 }])
    await pruneUsedProofs(storage)
    const rows = await storage.db.selectFrom('dpop_proofs').select('id').execute()
    assert.ok(rows.some(({ id }) => id === 'current'))
    assert.ok(!rows.some(({ id }) => id.startsWith('old')))
  })

  test('while the storage is away, no proof is accepted: 503', async () => {
    const [storage] = storages
    assert.ok(storage)
    const away = createUsedProofs({ ...storage, isAway: () => true })
    await assert.rejects(away.use(newProof()), { code: 'unavailable', status: 503 })
    const failing = createUsedProofs(storage)
    await storage.db.schema.alterTable('dpop_proofs').renameTo('dpop_proofs_away').execute()
    const proof = newProof()
    await assert.rejects(failing.use(proof))
    await storage.db.schema.alterTable('dpop_proofs_away').renameTo('dpop_proofs').execute()
    assert.equal(await failing.use(newProof()), true, 'later proofs are')
  })
}

describe('SQLite', () => {
  let folder = ''
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'querent-proofs-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))
  usedProofsSuite(async () => ({ file: join(folder, 'querent.sqlite') }))
})

describe('PostgreSQL', () => usedProofsSuite(async () => ({ connection: await freshDatabase() })))
