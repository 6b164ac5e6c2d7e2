import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { type ChangeNotice, everyKey, openStorage, type StorageLocation } from './db.ts'
import { type Cuttable, directorySuite } from './directory.suite.ts'
import { oidcRecordsSuite } from './oidc-records.suite.ts'
import { peopleSuite } from './people.suite.ts'
import { storageSuite } from './storage.suite.ts'
import { freshDatabase } from './test-postgres.ts'
import { createWorkspace, findWorkspace } from './workspaces.ts'

describe('SQLite', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'querent-storage-'))
  })
  after(() => rm(folder, { recursive: true }))
  const newFile = () => join(folder, `${randomUUID()}.sqlite`)
  const empty = async (): Promise<StorageLocation> => ({ file: newFile() })

  /** A file cannot go away from a process that has it open; without its tables it answers as little. */
  const cuttable = async (): Promise<Cuttable> => {
    const file = newFile()
    const rename = (from: string, to: string) => {
      const database = new Database(file)
      for (const table of ['users', 'changes'])
        database.exec(`alter table ${from}${table} rename to ${to}${table}`)
      database.close()
    }
    return {
      location: { file },
      async cut() {
        rename('', 'away_')
        return async () => rename('away_', '')
      },
      close: async () => {},
    }
  }
  describe('queries', () => storageSuite(empty))
  describe('records of the OAuth library', () => oidcRecordsSuite(empty))
  describe('people', () => peopleSuite(empty))
  describe('directory and change feed', () => directorySuite(cuttable))

  test('a node that heard nothing for so long that changes were pruned forgets everything', async t => {
    const storage = await openStorage({ file: newFile() })
    after(() => storage.close())
    const heard = Promise.withResolvers<ChangeNotice>()
    storage.onChange(heard.resolve)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 6 * 60 * 1000 })
    assert.equal((await heard.promise).key, everyKey)
  })
})

describe('PostgreSQL', () => {
  const empty = async (): Promise<StorageLocation> => ({ connection: await freshDatabase() })

  /** The real server behind a relay that can be closed. */
  const cuttable = async (): Promise<Cuttable> => {
    const url = new URL(await freshDatabase())
    const server = { host: url.hostname, port: Number(url.port) }
    const sockets = new Set<Socket>()
    const relay = createServer(client => {
      const onward = connect(server)
      client.pipe(onward).pipe(client)
      for (const [socket, other] of [
        [client, onward],
        [onward, client],
      ] as const) {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
      }
    })
    const open = (port: number) => new Promise<void>(resolve => relay.listen(port, '127.0.0.1', resolve))
    const close = () =>
      new Promise<void>(resolve => {
        relay.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      })
    await open(0)
    const address = relay.address()
    assert.ok(address && typeof address === 'object')
    const { port } = address
    url.port = String(port)
    return {
      location: { connection: url.href },
      async cut() {
        await close()
        return () => open(port)
      },
      close,
    }
  }
  describe('queries', () => storageSuite(empty))
  describe('records of the OAuth library', () => oidcRecordsSuite(empty))
  describe('people', () => peopleSuite(empty))
  describe('directory and change feed', () => directorySuite(cuttable))

  test('two services share a database in a schema each', async () => {
    const connection = await freshDatabase()
    const [one, two] = await Promise.all(['one', 'two'].map(schema => openStorage({ connection, schema })))
    assert.ok(one && two)
    await one.write(w => createWorkspace(w, { workspace: 'words' }))
    assert.ok(await findWorkspace(one.db, 'words'))
    assert.equal(await findWorkspace(two.db, 'words'), undefined)
    await one.close()
    await two.close()
  })

  test('nodes that start together on an empty database make its tables once', async () => {
    const connection = await freshDatabase()
    const nodes = await Promise.all([1, 2, 3].map(() => openStorage({ connection })))
    await Promise.all(nodes.map(node => node.close()))
  })
})
