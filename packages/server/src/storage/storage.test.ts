import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { patienceMs } from '#test-wait'
import { addSecret, createClient, listSecrets, touchSecrets } from './clients.ts'
import type { StorageLocation } from './connection.ts'
import { allKeys, type ChangeNotice, openStorage } from './db.ts'
import { type Cuttable, directorySuite } from './directory.suite.ts'
import { emailAddressesSuite } from './email-addresses.suite.ts'
import { identityProvidersSuite } from './identity-providers.suite.ts'
import { mailsSuite } from './mails.suite.ts'
import { first } from './migrations/0001-first.ts'
import { people } from './migrations/0002-people.ts'
import { generations } from './migrations/0003-generations.ts'
import { oidcRecordsSuite } from './oidc-records.suite.ts'
import { peopleSuite } from './people.suite.ts'
import { prune } from './prune.ts'
import { isRevoked, revoke } from './revocations.ts'
import { secondFactorsSuite } from './second-factors.suite.ts'
import { serviceAddressesSuite } from './service-addresses.suite.ts'
import { signInLogSuite } from './sign-in-log.suite.ts'
import { storageSuite } from './storage.suite.ts'
import type { Tables } from './tables.ts'
import { freshDatabase } from './test-postgres.ts'
import { usageSuite } from './usage.suite.ts'
import { addUsage, type UsageRow } from './usage.ts'
import { createWorkspace, findWorkspace } from './workspaces.ts'

describe('SQLite', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'querent-storage-'))
  })
  after(() => rm(folder, { recursive: true }))
  const newFile = () => join(folder, `${randomUUID()}.sqlite`)
  const empty = async (): Promise<StorageLocation> => ({ file: newFile() })

  /** An open file cannot vanish from its process; without its tables it fails the same way. */
  const cuttable = async (): Promise<Cuttable> => {
    const file = newFile()
    const rename = (oldName: string, newName: string) => {
      const database = new Database(file)
      for (const table of ['users', 'changes'])
        database.exec(`alter table ${oldName}${table} rename to ${newName}${table}`)
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
  describe('e-mail addresses', () => emailAddressesSuite(empty))
  describe('mails', () => mailsSuite(empty))
  describe('second factors', () => secondFactorsSuite(empty))
  describe('addresses', () => serviceAddressesSuite(empty))
  describe('sign-in log', () => signInLogSuite(empty))
  describe('identity providers', () => identityProvidersSuite(empty))
  describe('usage', () => usageSuite(empty))
  describe('directory and change feed', () => directorySuite(cuttable))

  test('a node that heard nothing for so long that changes were pruned forgets everything', async t => {
    const storage = await openStorage({ file: newFile() })
    after(() => storage.close())
    const notice = Promise.withResolvers<ChangeNotice>()
    storage.onChange(notice.resolve)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 6 * 60 * 1000 })
    assert.equal((await notice.promise).key, allKeys)
  })
})

describe('PostgreSQL', () => {
  const empty = async (): Promise<StorageLocation> => ({ connection: await freshDatabase() })

  /** The real server behind a relay that can be closed. */
  const cuttable = async (): Promise<Cuttable> => {
    const url = new URL(await freshDatabase())
    const server = { host: url.hostname, port: Number(url.port) }
    const sockets = new Set<Socket>()
    let isCut = false
    const relay = createServer(client => {
      // Keeps its port meanwhile, because another process could take it.
      if (isCut) return void client.resetAndDestroy()
      const onward = connect(server)
      client.pipe(onward).pipe(client)
      for (const [socket, otherSocket] of [
        [client, onward],
        [onward, client],
      ] as const) {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.on('close', () => {
          sockets.delete(socket)
          otherSocket.destroy()
        })
      }
    })
    const cut = () => {
      isCut = true
      for (const socket of sockets) socket.destroy()
    }
    await new Promise<void>(resolve => relay.listen(0, '127.0.0.1', resolve))
    const address = relay.address()
    assert.ok(address && typeof address === 'object')
    url.port = String(address.port)
    return {
      location: { connection: url.href },
      async cut() {
        cut()
        return async () => {
          isCut = false
        }
      },
      close: () =>
        new Promise<void>(resolve => {
          relay.close(() => resolve())
          cut()
        }),
    }
  }
  describe('queries', () => storageSuite(empty))
  describe('records of the OAuth library', () => oidcRecordsSuite(empty))
  describe('people', () => peopleSuite(empty))
  describe('e-mail addresses', () => emailAddressesSuite(empty))
  describe('mails', () => mailsSuite(empty))
  describe('second factors', () => secondFactorsSuite(empty))
  describe('addresses', () => serviceAddressesSuite(empty))
  describe('sign-in log', () => signInLogSuite(empty))
  describe('identity providers', () => identityProvidersSuite(empty))
  describe('usage', () => usageSuite(empty))
  describe('directory and change feed', () => directorySuite(cuttable))

  test('a change whose commit was not answered is told, also where the feed was there first', async t => {
    const url = new URL(await freshDatabase())
    const otherNode = await openStorage({ connection: url.href })
    const workspace = { workspace: 'library' }
    let cut: Socket | undefined
    let isArmed = false
    const relay = createServer(client => {
      const onward = connect(Number(url.port), url.hostname)
      client.on('data', message => {
        if (isArmed && message.includes('commit')) cut ??= client
        onward.write(message)
      })
      onward.on('data', answer => client !== cut && client.write(answer))
      for (const [one, end] of [
        [client, onward],
        [onward, client],
      ] as const)
        one.on('error', () => {}).on('close', () => end.destroy())
    })
    await new Promise<void>(resolve => relay.listen(0, '127.0.0.1', resolve))
    const address = relay.address()
    assert.ok(address && typeof address === 'object')
    const relayUrl = new URL(url)
    relayUrl.port = String(address.port)
    const storage = await openStorage({ connection: relayUrl.href })
    t.after(async () => {
      await storage.close()
      await otherNode.close()
      relay.close()
    })

    const heardKeys: string[] = []
    storage.onChange(({ key }) => heardKeys.push(key))
    isArmed = true
    const pendingWrite = storage.write(writer => createWorkspace(writer, workspace))
    while (!(await findWorkspace(otherNode.db, 'library'))) {}
    await otherNode.write(async ({ announce }) => announce('user', 'later'))
    await t.waitFor(() => assert.deepEqual(heardKeys, ['later']), { timeout: patienceMs })
    cut?.destroy()
    await assert.rejects(pendingWrite, { status: 503 })
    assert.deepEqual(heardKeys, ['later', 'library'])
  })

  test('lookups and the change feed go on while all open connections hang, on new ones', async t => {
    const url = new URL(await freshDatabase())
    const open = new Set<Socket>()
    const hanging = new Set<Socket>()
    const relay = createServer(client => {
      const onward = connect(Number(url.port), url.hostname)
      open.add(client)
      client.on('data', chunk => hanging.has(client) || onward.write(chunk))
      onward.on('data', chunk => hanging.has(client) || client.write(chunk))
      for (const [one, end] of [
        [client, onward],
        [onward, client],
      ] as const)
        one.on('error', () => {}).on('close', () => end.destroy())
    })
    await new Promise<void>(resolve => relay.listen(0, '127.0.0.1', resolve))
    const address = relay.address()
    assert.ok(address && typeof address === 'object')
    const relayUrl = new URL(url)
    relayUrl.port = String(address.port)
    const storage = await openStorage({ connection: relayUrl.href })
    const otherNode = await openStorage({ connection: url.href })
    t.after(async () => {
      await storage.close()
      await otherNode.close()
      relay.close()
    })
    const lookups = () => Promise.all(Array.from({ length: 4 }, () => findWorkspace(storage.db, 'library')))
    await storage.write(writer => createWorkspace(writer, { workspace: 'library' }))
    // Opens several connections.
    await lookups()
    const notice = Promise.withResolvers<ChangeNotice>()
    storage.onChange(notice.resolve)
    for (const socket of open) hanging.add(socket)

    const workspaces = await lookups()
    assert.deepEqual(
      workspaces.map(workspace => workspace?.slug),
      Array.from({ length: 4 }, () => 'library'),
    )
    await otherNode.write(async ({ announce }) => announce('user', 'changed'))
    assert.deepEqual(await notice.promise, { topic: 'user', key: 'changed' })
  })

  test('while the storage hangs, lookups, transactions and locks fail with 503, and then go on', async t => {
    const url = new URL(await freshDatabase())
    let hangs = false
    const heldChunks: (() => void)[] = []
    const relay = createServer(client => {
      const onward = connect(Number(url.port), url.hostname)
      client.on('data', chunk => {
        const pass = () => void onward.write(chunk)
        if (hangs) heldChunks.push(pass)
        else pass()
      })
      onward.on('data', chunk => client.write(chunk))
      for (const [one, end] of [
        [client, onward],
        [onward, client],
      ] as const)
        one.on('error', () => {}).on('close', () => end.destroy())
    })
    await new Promise<void>(resolve => relay.listen(0, '127.0.0.1', resolve))
    const address = relay.address()
    assert.ok(address && typeof address === 'object')
    const relayUrl = new URL(url)
    relayUrl.port = String(address.port)
    const storage = await openStorage({ connection: relayUrl.href })
    t.after(async () => {
      await storage.close()
      await new Promise(resolve => relay.close(resolve))
    })
    const { locks } = storage
    assert.ok(locks)
    await (await locks.take('collection', 'shared')).release()
    await createWorkspaceNamed('before')
    const { promise: isUnderway, resolve: underway } = Promise.withResolvers<void>()
    const { promise: hanging, resolve: hang } = Promise.withResolvers<void>()
    const transaction = storage.write(async writer => {
      underway()
      await hanging
      return createWorkspace(writer, { workspace: 'half' })
    })
    await isUnderway
    hangs = true
    hang()
    const outcomes = await Promise.allSettled([
      transaction,
      findWorkspace(storage.db, 'before'),
      createWorkspaceNamed('never'),
      locks.take('collection', 'exclusive'),
    ])
    for (const outcome of outcomes) {
      assert.equal(outcome.status, 'rejected')
      assert.equal(outcome.reason.code, 'unavailable')
    }
    assert.ok(storage.isAway())
    hangs = false
    for (const pass of heldChunks.splice(0)) pass()
    await t.waitFor(() => assert.ok(!storage.isAway()), { timeout: patienceMs })
    assert.ok(await findWorkspace(storage.db, 'before'))
    for (const name of ['half', 'never']) assert.equal(await findWorkspace(storage.db, name), undefined)
    await (await locks.take('collection', 'exclusive')).release()

    function createWorkspaceNamed(workspace: string) {
      return storage.write(writer => createWorkspace(writer, { workspace }))
    }
  })

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

  test('a node whose clock is an hour ahead forgets nothing that the others still need', async t => {
    const storage = await openStorage({ connection: await freshDatabase() })
    try {
      const minuteMs = 60_000
      const expiresAt = Date.now() + 30 * minuteMs
      await storage.write(writer => revoke(writer, 'token', 'revoked', expiresAt))
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60 * minuteMs })
      await prune(storage)
      assert.ok(await isRevoked(storage.db, 'token', 'revoked'))
      t.mock.timers.reset()
      await storage.write(writer => revoke(writer, 'token', 'long ago', Date.now() - 60 * minuteMs))
      await prune(storage)
      assert.deepEqual(
        [await isRevoked(storage.db, 'token', 'revoked'), await isRevoked(storage.db, 'token', 'long ago')],
        [true, false],
      )
    } finally {
      await storage.close()
    }
  })

  test('nodes that start together on an empty database make its tables once', async () => {
    const connection = await freshDatabase()
    const nodes = await Promise.all([1, 2, 3, 4].map(() => openStorage({ connection })))
    await Promise.all(nodes.map(node => node.close()))
  })

  test('figures and uses of secrets that nodes write at the same time, each in its own order, are all there', async () => {
    const connection = await freshDatabase()
    const nodes = await Promise.all([1, 2].map(() => openStorage({ connection })))
    const [node] = nodes
    assert.ok(node)
    const { id: workspace_id } = (await node.write(w => createWorkspace(w, { workspace: 'words' }))) ?? {}
    assert.ok(workspace_id)
    const client = await node.write(w =>
      createClient(w, {
        kind: 'system-to-system',
        workspaceId: workspace_id,
        name: 'busy',
        settings: { addresses: [] },
      }),
    )
    assert.ok(client)
    const secrets = await node.write(w =>
      Promise.all(Array.from({ length: 200 }, () => addSecret(w, client.id, null))),
    )
    const figures: UsageRow[] = secrets.map(({ id: account }) => ({
      ...{ workspace_id, day: 1, api: 'words', endpoint: 'search', account, queries: 1, failed: 0, empty: 0 },
      ...{ total_ms: 1, under_5_ms: 1, under_20_ms: 0, under_100_ms: 0, under_500_ms: 0, under_2000_ms: 0 },
      slowest_ms: 1,
    }))
    const rounds = 10
    for (let round = 1; round <= rounds; round++)
      await Promise.all(
        nodes.map(async (storage, index) => {
          const inOwnOrder = <T>(rows: readonly T[]) => (index === 0 ? [...rows] : rows.toReversed())
          await addUsage(storage.db, inOwnOrder(figures))
          await touchSecrets(storage, new Map(inOwnOrder(secrets).map(({ id }) => [id, 10 * round + index])))
        }),
      )
    const { queries } = await node.db
      .selectFrom('usage')
      .select(({ fn }) => fn.sum<number>('queries').as('queries'))
      .executeTakeFirstOrThrow()
    assert.equal(Number(queries), rounds * nodes.length * secrets.length)
    for (const { lastUsedAt } of await listSecrets(node.db, [client.id]))
      assert.equal(lastUsedAt, 10 * rounds + 1)
    await Promise.all(nodes.map(node => node.close()))
  })

  /** Tables after the latest of these migrations. */
  const older = { '0001-first': first(false), '0002-people': people, '0003-generations': generations }

  test('nodes that start together on the tables of an older version change them once, and lose nothing', async () => {
    const connection = await freshDatabase()
    const pool = new pg.Pool({ connectionString: connection })
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
    const migrator = new Migrator({ db, provider: { getMigrations: async () => older } })
    assert.equal((await migrator.migrateToLatest()).error, undefined)
    await sql`insert into workspaces (id, slug, title, definition_json, version, created_at)
      values ('w', 'words', 'Words', '{"workspace":"words"}', 1, 1)`.execute(db)
    await db.destroy()
    const nodes = await Promise.all([1, 2, 3, 4].map(() => openStorage({ connection })))
    for (const node of nodes) assert.equal((await findWorkspace(node.db, 'words'))?.id, 'w')
    await Promise.all(nodes.map(node => node.close()))
  })

  test('the tables of a later version are refused by its name; who runs on them goes on', async () => {
    const connection = await freshDatabase()
    const running = await openStorage({ connection })
    await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(running.db)
    await assert.rejects(openStorage({ connection }), {
      message:
        'the storage was changed by a later version of Querent (9999-later): start that version, or restore a backup from before',
    })
    assert.ok(await running.write(w => createWorkspace(w, { workspace: 'words' })))
    await running.close()
  })
})
