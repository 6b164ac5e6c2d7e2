/** Tests of concurrent, aborted and failed backups. Tests with a started server cover complete ones. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { EngineError } from '#engines/engine'
import type { Storage } from '#storage/db'
import { patienceMs } from '#test-wait'
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
/** Remembers what is reported. */
const createRecord = () => {
  const recorded: unknown[] = []
  const record = async (value: unknown) => void recorded.push(value)
  return { recorded, requestId: 'r', start: noop, incomplete: record, failed: record }
}
/** Unpacks a backup, and returns its lines. */
const readLines = async (packed: Readable) => {
  const text = gunzipSync(Buffer.concat(await packed.toArray())).toString()
  return text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
}

test('a second backup is rejected while one runs, and an aborted one releases all resources', async t => {
  const { backups, openResources } = openServer(endless)
  const first = await backups.make(createRecord())
  await assert.rejects(backups.make(createRecord()), { code: 'overloaded', status: 503 })
  const reader = first.iterator()
  await reader.next()
  assert.deepEqual(openResources, { readers: 1, snapshots: 1 })
  first.destroy()
  await t.waitFor(() => assert.deepEqual(openResources, { readers: 0, snapshots: 0 }), {
    timeout: patienceMs,
  })
  const second = await backups.make(createRecord())
  second.destroy()
})

test('a failed backup ends its stream with an error', async t => {
  const { backups, openResources } = openServer(async function* () {
    yield { table: 'users' as const, rows: [{ id: 'ada' }] }
    throw new EngineError('unavailable', 'the storage went away')
  })
  const read = async () => {
    for await (const _ of await backups.make(createRecord()));
  }
  await assert.rejects(read, /the storage went away/)
  await t.waitFor(() => assert.deepEqual(openResources, { readers: 0, snapshots: 0 }), {
    timeout: patienceMs,
  })
})

test('a collection that cannot be read is missing, named in the file, the log and the record, and everything else is there', async () => {
  const common = { workspace_id: 'w', state: 'ready', build: 0, spec_json: '{"fields":[],"synonyms":[]}' }
  const rows = ['damaged', 'whole'].map((id, index) => ({
    ...common,
    id,
    collection: `${id}-books`,
    number: index + 1,
    promoted_at: 1,
  }))
  const { backups } = openServer(async function* () {
    yield { table: 'workspaces', rows: [{ id: 'w', slug: 'library' }] }
    yield { table: 'generations', rows }
    yield { table: 'users', rows: [{ id: 'ada' }] }
  })
  const logged: string[] = []
  const note = (_: object, message: string) => void logged.push(message)
  backups.setLogger({ info: note, error: note })
  const record = createRecord()
  const lines = await readLines(await backups.make(record))
  const gap = {
    id: 'damaged',
    workspace: 'library',
    collection: 'damaged-books',
    generation: '1',
    live: true,
    reason: 'its files are damaged',
  }
  assert.deepEqual(lines.at(-1).end.missing, [gap])
  const { id, ...recordedGap } = gap
  assert.deepEqual(record.recorded, [[recordedGap]])
  assert.equal(logged.length, 1)
  assert.ok(lines.some(({ generation }) => generation === 'whole'))
  assert.ok(lines.some(({ table }) => table === 'users'))
})

test('a backup does not start if it cannot be recorded, and does not block the next one', async () => {
  const { backups, openResources } = openServer(endless)
  const failing = () => Promise.reject(new Error('no audit log'))
  await assert.rejects(backups.make({ ...createRecord(), start: failing }), /no audit log/)
  assert.deepEqual(openResources, { readers: 0, snapshots: 0 })
  await assert.rejects(backups.make({ ...createRecord(), start: failing }), /no audit log/)
})
