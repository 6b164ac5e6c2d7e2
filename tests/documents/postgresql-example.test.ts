/** The PostgreSQL example of `examples/`, run from a clean folder: after each run, a search finds what the table has. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { freshDatabase } from '#server/storage/test-postgres'
import { copyExample, linkDependencies } from '#tests/support/examples'
import { runExample } from '#tests/support/library-examples'
import { fetchToken, startServerProcess } from '#tests/support/started-server'

const openSync = async (t: TestContext) => {
  const [server, folder, address] = await Promise.all([
    startServerProcess(),
    copyExample(t, 'postgresql-sync'),
    freshDatabase(),
  ])
  t.after(() => server.stop())
  await linkDependencies(folder)
  const database = new pg.Client({ connectionString: address })
  await database.connect()
  t.after(() => database.end())
  for (const file of ['products.sql', 'changes.sql'])
    await database.query(await readFile(join(folder, file), 'utf8'))
  await server.applyFile(join(folder, 'workspace.yaml'))
  const client = await server.createAccount('shop', 'sync', 'data-provider')
  const reader = await server.createAccount('shop', 'website', 'api')
  const env = { DATABASE_URL: address, AUTH_URL: server.authUrl, BASE_URL: server.baseUrl }
  return {
    server,
    address,
    database,
    run: (...flags: string[]) =>
      runExample(process.execPath, { args: ['sync.ts', ...flags], folder, client, env }),
    /** Names of the documents that a search finds, the best first. */
    async search(words: string): Promise<string[]> {
      const authorization = `Bearer ${await fetchToken(server, reader)}`
      const path = `/4/shop/api/shop/e/search/p/query/${encodeURIComponent(words)}/resultpage`
      const reply = await fetch(server.baseUrl + path, { headers: { authorization } })
      assert.equal(reply.status, 200)
      // The server validates its replies.
      const { items } = (await reply.json()) as { items: { tuple: { name: string }[] }[] }
      return items.map(({ tuple }) => tuple[0]?.name ?? '')
    },
    async countChanges(): Promise<number> {
      const { rows } = await database.query('select count(*)::int as changes from product_changes')
      return rows[0].changes
    },
  }
}

test('a full run, then inserted, changed and deleted rows, are found as the table has them', async t => {
  const { database, run, search, countChanges } = await openSync(t)
  await run('--full')
  assert.deepEqual(await search('kettle'), ['Kettle', 'Camping stove'])

  await database.query("insert into products (name) values ('Camping kettle')")
  await database.query("update products set name = 'Water boiler', price = 12.5 where name = 'Kettle'")
  await database.query("delete from products where name = 'Camping stove'")
  await database.query("update products set id = 77 where name = 'Teapot'")
  await run()
  assert.deepEqual(await search('kettle'), ['Camping kettle'])
  assert.deepEqual(await search('boiler'), ['Water boiler'])
  assert.deepEqual(await search('teapot'), ['Teapot'])
  assert.equal(await countChanges(), 0)

  await database.query("truncate products; insert into products (name) values ('Ladle')")
  await run('--full')
  assert.deepEqual(await search('teapot boiler kettle ladle'), ['Ladle'])
})

test('changes are kept while the server is away, also of transactions that commit late', async t => {
  const { server, address, database, run, search, countChanges } = await openSync(t)
  await run('--full')
  const late = new pg.Client({ connectionString: address })
  await late.connect()
  t.after(() => late.end())
  await late.query("begin; insert into products (name) values ('Late ladle')")
  await database.query("insert into products (name) values ('Early ladle')")
  await server.shutDown()
  await assert.rejects(run(), /cannot be reached|ECONNREFUSED|unreachable/i)
  assert.equal(await countChanges(), 1)
  await server.restart()
  await run()
  assert.deepEqual(await search('ladle'), ['Early ladle'])
  await late.query('commit')
  await run()
  assert.deepEqual((await search('ladle')).toSorted(), ['Early ladle', 'Late ladle'])
})

test('a rejected row is named, and the others are sent', async t => {
  const { database, run, search, countChanges } = await openSync(t)
  await run('--full')
  await database.query("update products set name = repeat('x', 2000000) where name = 'Kettle'")
  await database.query("insert into products (name) values ('Ladle')")
  await assert.rejects(run(), /products 1: /)
  assert.deepEqual(await search('ladle'), ['Ladle'])
  await database.query("update products set name = 'Small kettle' where id = 1")
  await run()
  assert.deepEqual(await search('small'), ['Small kettle'])
  assert.equal(await countChanges(), 0)
})

test('a second run at the same time leaves the work to the first', async t => {
  const { database, run, search } = await openSync(t)
  await database.query("select pg_advisory_lock(hashtext('product_changes'))")
  await run('--full')
  assert.deepEqual(await search('kettle'), [])
  await database.query("select pg_advisory_unlock(hashtext('product_changes'))")
  await run('--full')
  assert.deepEqual(await search('kettle'), ['Kettle', 'Camping stove'])
})
