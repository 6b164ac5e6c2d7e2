/** deploy/postgresql.sql makes a role and a database that `init` and `serve` can use, and that others can't. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Cluster, startCluster } from '#server/storage/test-postgres'
import { runQuerent } from '#tests/support/command-line'

const script = join(import.meta.dirname, '..', '..', 'deploy', 'postgresql.sql')
const password = `it's "a" password`

let cluster: Cluster
before(async () => {
  cluster = await startCluster()
  const args = [
    '--no-psqlrc',
    '--set',
    `password=${password}`,
    '--file',
    script,
    `${cluster.address}/postgres`,
  ]
  await promisify(execFile)('psql', args)
})
after(() => cluster?.stop())

const addressFor = (role: string, rolePassword: string): string => {
  const url = new URL(`${cluster.address}/querent`)
  url.username = role
  url.password = encodeURIComponent(rolePassword)
  return url.href
}

test('init creates the tables with the role of the script, which is no superuser', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-role-'))
  t.after(() => rm(folder, { recursive: true }))
  const { code, stderr } = await runQuerent(
    ['init', '--data', join(folder, 'data'), '--admin', 'ada@example.org'],
    {
      env: {
        QUERENT_STORAGE: addressFor('querent', password),
        QUERENT_KEY: Buffer.alloc(32, 7).toString('base64'),
      },
    },
  )
  assert.equal(code, 0, stderr)
  const client = new pg.Client({ connectionString: addressFor('querent', password) })
  await client.connect()
  const { rows } = await client.query(
    'select rolsuper, rolcreatedb, rolcreaterole from pg_roles where rolname = user',
  )
  const { rows: tables } = await client.query(
    "select 1 from pg_tables where schemaname = 'public' and tableowner = user",
  )
  await client.end()
  assert.deepEqual(rows, [{ rolsuper: false, rolcreatedb: false, rolcreaterole: false }])
  assert.ok(tables.length > 10)
})

test('another role of the cluster cannot connect to the database', async () => {
  const admin = new pg.Client({ connectionString: `${cluster.address}/postgres` })
  await admin.connect()
  await admin.query("create role other login password 'other'")
  await admin.end()
  const client = new pg.Client({ connectionString: addressFor('other', 'other') })
  await assert.rejects(client.connect(), { code: '42501' })
})
