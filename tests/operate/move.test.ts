/** `querent move` moves a data folder to PostgreSQL with one command, or leaves it unchanged. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Database from 'better-sqlite3'
import pg from 'pg'
import { freshDatabase } from '#server/storage/test-postgres'
import { runQuerent } from '#tests/support/command-line'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember, registerApplication } from '#tests/support/person'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let library: Library
before(async () => {
  server = await startServerProcess()
  library = await makeLibrary(server)
})
after(() => server.stop())

const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'operate.md'), 'utf8')
const [, example = assert.fail('no example of move')] = /^ {4}npx querent (move .*)$/m.exec(text) ?? []

/** Flags from docs/operate.md. */
const move = (storage: string, data = server.data) => {
  const args = example.split(' ').map(word => (word === 'querent-data' ? data : word))
  return runQuerent([...args, '--json'], { env: { QUERENT_STORAGE: storage } })
}
const countTables = async (connection: string): Promise<number> => {
  const client = new pg.Client({ connectionString: connection })
  await client.connect()
  const { rows } = await client.query("select from information_schema.tables where table_schema = 'public'")
  await client.end()
  return rows.length
}
const files = async () => (await readdir(server.data)).filter(name => name.startsWith('querent.db'))

test('move rejects what it cannot move with one line, and leaves it unchanged', async t => {
  const assertRefused = async (storage: string, reason: RegExp, data?: string, code = 1) => {
    const result = await move(storage, data)
    assert.deepEqual(
      [result.code, result.stdout, result.stderr.split('\n').length],
      [code, '', 2],
      result.stderr,
    )
    assert.match(result.stderr, reason)
  }
  const empty = await freshDatabase()
  await assertRefused(empty, /another server uses .*: stop it first/)
  await assertRefused(empty, /there is no .*nothing.querent\.db: /, join(server.data, 'nothing'))
  await server.shutDown()
  await assertRefused('', /give the target: --storage postgres:/, server.data, 2)
  const full = await freshDatabase()
  const client = new pg.Client({ connectionString: full })
  await client.connect()
  await client.query('create table precious (word text)')
  await client.end()
  await assertRefused(full, /the database of --storage is not empty: give an empty one/)
  assert.equal(await countTables(full), 1)
  const nowhere = empty.replace(/[^/]*$/, 'nowhere')
  await assertRefused(nowhere, /cannot be reached \(database "nowhere" does not exist\): check --storage/)

  const aside = join(server.data, 'querent.db.moved')
  await mkdir(aside)
  await assertRefused(empty, /querent\.db\.moved already exists from an earlier move: /)
  await rm(aside, { recursive: true })

  await t.test(
    'serve exits with 2 for a storage of a later version, so that it is not restarted',
    async () => {
      const change = (statement: string) => {
        const database = new Database(join(server.data, 'querent.db'))
        database.exec(statement)
        database.close()
      }
      change("insert into kysely_migration (name, timestamp) values ('9999-later', '')")
      const { code, stderr } = await runQuerent(['serve', '--data', server.data])
      assert.match(stderr, /was changed by a later version of Querent \(9999-later\): start that version/)
      assert.equal(code, 2)
      change("delete from kysely_migration where name = '9999-later'")
    },
  )
  await t.test(
    'a move that fails halfway leaves the source unchanged, because PostgreSQL rejects zero characters',
    async () => {
      const change = (to: string) => {
        const database = new Database(join(server.data, 'querent.db'))
        // This is among the last rows that are written.
        database.prepare('update audit set target = ? where seq = (select max(seq) from audit)').run(to)
        database.close()
      }
      change('a\0b')
      await assertRefused(empty, /the table audit rejects a row/)
      assert.equal(await countTables(empty), 0)
      change('a')
    },
  )
  assert.deepEqual(await files(), ['querent.db', 'querent.db-reserve'])
  await server.restart()
  assert.ok(await fetchToken(server, library))
})

test('a data folder moves, the command reports what it moved, and the server continues', async () => {
  await makeMember(server, 'library', 'reader@example.org')
  await registerApplication(server, 'library', 'browser', 'http://127.0.0.1:9/callback')
  const replyBefore = await (await library.get('library/e/search/p/query/winter/results')).text()
  const audit = await server.run(['audit'])
  await server.shutDown()
  const storage = await freshDatabase()
  const { code, stdout, stderr } = await move(storage)
  assert.equal(code, 0, stderr)
  const { rows, documents, former } = JSON.parse(stdout)
  const { users, workspaces, members, accounts, applications } = rows
  assert.deepEqual(
    { users, workspaces, members, accounts, applications, documents, former },
    {
      users: 2,
      workspaces: 1,
      members: 3,
      accounts: 1,
      applications: 1,
      documents: undefined,
      former: join(server.data, 'querent.db.moved'),
    },
  )
  assert.deepEqual(await files(), ['querent.db.moved'])

  const stale = await runQuerent(['serve', '--data', server.data])
  assert.deepEqual([stale.code, stale.stdout], [1, ''])
  assert.match(stale.stderr, /was moved to PostgreSQL: set --storage or QUERENT_STORAGE/)
  assert.match((await move(await freshDatabase())).stderr, /was moved before: .*querent\.db\.moved/)
  assert.deepEqual(await files(), ['querent.db.moved'], 'nobody made an empty one')

  process.env.QUERENT_STORAGE = storage
  await server.restart()
  const replyAfter = await library.get('library/e/search/p/query/winter/results')
  assert.equal(await replyAfter.text(), replyBefore, 'with the token of before')
  assert.ok(await fetchToken(server, library))
  assert.deepEqual(await server.run(['audit']), audit)
})
