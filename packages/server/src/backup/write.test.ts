/** Tests of concurrent, aborted and failed backups. Tests with a started server cover complete ones. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { EngineError } from '#engines/engine'
import type { Storage } from '#storage/db'
import { openBackups } from './write.ts'

/** Opens backups of fake parts, and counts the resources in use. */
const openServer = (rows: () => ReturnType<Storage['snapshot']>) => {
  const openResources = { readers: 0, snapshots: 0 }
  const backups = openBackups({
    storage: {
      async *snapshot() {
        openResources.snapshots += 1
        try {
          yield* rows()
        } finally {
          openResources.snapshots -= 1
        }
      },
    },
    engine: {
      list: id =>
        id === 'damaged'
          ? Promise.reject(new EngineError('fault', 'its files are damaged'))
          : Promise.resolve([]),
    },
    collections: {
      async withPinned(work) {
        openResources.readers += 1
        try {
          return await work()
        } finally {
          openResources.readers -= 1
        }
      },
      openPinned: async row => row.id,
    },
    keyring: { derive: () => Buffer.alloc(32) },
    ownKey: undefined,
  })
  return { backups, openResources }
}

const endless = async function* () {
  for (;;) yield { table: 'users' as const, rows: [{ id: randomBytes(20_000).toString('hex') }] }
}
const noop = async () => {}

test('a second backup is rejected while one runs, and an aborted one releases all resources', async t => {
  const { backups, openResources } = openServer(endless)
  const first = await backups.make(noop)
  await assert.rejects(backups.make(noop), { code: 'overloaded', status: 503 })
  const reader = first.iterator()
  await reader.next()
  assert.deepEqual(openResources, { readers: 1, snapshots: 1 })
  first.destroy()
  await t.waitFor(() => assert.deepEqual(openResources, { readers: 0, snapshots: 0 }), { timeout: 10_000 })
  const second = await backups.make(noop)
  second.destroy()
})

test('a failed backup ends its stream with an error', async t => {
  const { backups, openResources } = openServer(async function* () {
    yield { table: 'users' as const, rows: [{ id: 'ada' }] }
    throw new EngineError('unavailable', 'the storage went away')
  })
  const read = async () => {
    for await (const _ of await backups.make(noop));
  }
  await assert.rejects(read, /the storage went away/)
  await t.waitFor(() => assert.deepEqual(openResources, { readers: 0, snapshots: 0 }), { timeout: 10_000 })
})

test('the error names a collection that cannot be read', async () => {
  const { backups } = openServer(async function* () {
    yield { table: 'workspaces', rows: [{ id: 'w', slug: 'library' }] }
    const rows = ['whole', 'damaged'].map(id => ({ id, workspace_id: 'w', collection: `${id}-books` }))
    yield { table: 'generations', rows }
  })
  const read = async () => {
    for await (const _ of await backups.make(noop));
  }
  const message = 'the collection damaged-books of workspace library cannot be read: its files are damaged'
  await assert.rejects(read, { message, code: 'fault' })
})

test('a backup does not start if it cannot be recorded, and does not block the next one', async () => {
  const { backups, openResources } = openServer(endless)
  const failing = () => Promise.reject(new Error('no audit log'))
  await assert.rejects(backups.make(failing), /no audit log/)
  assert.deepEqual(openResources, { readers: 0, snapshots: 0 })
  await assert.rejects(backups.make(failing), /no audit log/)
})
