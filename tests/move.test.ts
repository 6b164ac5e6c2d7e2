/** `querent move`: a data folder goes over to PostgreSQL with one command, or stays as it is. */
import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import Database from 'better-sqlite3'
import pg from 'pg'
import { freshDatabase } from '#server/storage/test-postgres'
import { type Library, makeLibrary } from './library.ts'
import { makeMember, registerApplication } from './person.ts'
import { fetchToken, querent, type StartedServer, startServer } from './started-server.ts'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
})
after(() => server.stop())

const text = await readFile(join(import.meta.dirname, '..', 'docs', 'operate.md'), 'utf8')
const [, example = assert.fail('no example of move')] = /^ {4}npx querent (move .*)$/m.exec(text) ?? []

/** As docs/operate.md says. */
const move = (storage: string, data = server.data) => {
  const args = example.split(' ').map(word => (word === 'querent-data' ? data : word))
  return querent([...args, '--json'], { env: { QUERENT_STORAGE: storage } })
}
const tablesOf = async (connection: string): Promise<number> => {
  const client = new pg.Client({ connectionString: connection })
  await client.connect()
  const { rows } = await client.query("select from information_schema.tables where table_schema = 'public'")
  await client.end()
  return rows.length
}
const files = async () => (await readdir(server.data)).filter(name => name.startsWith('querent.db'))

test('what cannot be moved is refused in one line, and stays as it is', async t => {
  const refused = async (storage: string, reason: RegExp, data?: string, code = 1) => {
    const ran = await move(storage, data)
    assert.deepEqual([ran.code, ran.stdout, ran.stderr.split('\n').length], [code, '', 2], ran.stderr)
    assert.match(ran.stderr, reason)
  }
  const empty = await freshDatabase()
  await refused(empty, /another server uses .*: stop it first/)
  await refused(empty, /there is no .*nothing.querent\.db: /, join(server.data, 'nothing'))
  await server.shutDown()
  await refused('', /name the database to move to: --storage postgres:/, server.data, 2)
  const full = await freshDatabase()
  const client = new pg.Client({ connectionString: full })
  await client.connect()
  await client.query('create table precious (word text)')
  await client.end()
  await refused(full, /the database of --storage is not empty: give an empty one/)
  assert.equal(await tablesOf(full), 1)
  const nowhere = empty.replace(/[^/]*$/, 'nowhere')
  await refused(nowhere, /cannot be reached \(database "nowhere" does not exist\): check --storage/)

  const aside = join(server.data, 'querent.db.moved')
  await mkdir(aside)
  await refused(empty, /querent\.db\.moved is there already, of a move before: /)
  await rm(aside, { recursive: true })

  await t.test('one of a later version too, by serve with 2: it is not to be started again', async () => {
    const change = (statement: string) => {
      const database = new Database(join(server.data, 'querent.db'))
      database.exec(statement)
      database.close()
    }
    change("insert into kysely_migration (name, timestamp) values ('9999-later', '')")
    const { code, stderr } = await querent(['serve', '--data', server.data])
    assert.match(stderr, /was changed by a later version of Querent \(9999-later\): start that version/)
    assert.equal(code, 2)
    change("delete from kysely_migration where name = '9999-later'")
  })
  await t.test('also one that fails half way: PostgreSQL takes no zero characters', async () => {
    const change = (to: string) => {
      const database = new Database(join(server.data, 'querent.db'))
      // Among the last that are written.
      database.prepare('update audit set target = ? where seq = (select max(seq) from audit)').run(to)
      database.close()
    }
    change('a\0b')
    await refused(empty, /a row of the table audit is refused/)
    assert.equal(await tablesOf(empty), 0)
    change('a')
  })
  assert.deepEqual(await files(), ['querent.db'])
  await server.restart()
  assert.ok(await fetchToken(server, library))
})

test('a data folder moves, says what it moved, and the server goes on', async () => {
  await makeMember(server, 'library', 'reader@example.org')
  await registerApplication(server, 'library', 'browser', 'http://127.0.0.1:9/callback')
  const before = await (await library.get('library/e/search/p/query/winter/results')).text()
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

  const stale = await querent(['serve', '--data', server.data])
  assert.deepEqual([stale.code, stale.stdout], [1, ''])
  assert.match(stale.stderr, /was moved to PostgreSQL: name that by --storage or QUERENT_STORAGE/)
  assert.match((await move(await freshDatabase())).stderr, /was moved before: .*querent\.db\.moved/)
  assert.deepEqual(await files(), ['querent.db.moved'], 'nobody made an empty one')

  process.env.QUERENT_STORAGE = storage
  await server.restart()
  const found = await library.get('library/e/search/p/query/winter/results')
  assert.equal(await found.text(), before, 'with the token of before')
  assert.ok(await fetchToken(server, library))
  assert.deepEqual(await server.run(['audit']), audit)
})
