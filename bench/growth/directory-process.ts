/** Creates data for the directory, or looks up many entries of one kind and measures the memory. */
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { catalog } from '#bench/engine/corpus'
import { compileApi } from '#server/query/plan/compile'
import { openStorage } from '#server/storage/db'
import { type Directory, openDirectory } from '#server/storage/directory'
import { readMemory } from './processor.ts'
import { finishStep, taskOfStep } from './step.ts'

export type DirectoryTask = { file: string } & (
  | { do: 'fill'; rows: number }
  | { do: 'look'; kind: LookedUp; sizes: number[] }
)

/** Megabytes after each number of lookups. */
export interface Looked {
  /** Live objects of the directory, by V8's own count. */
  heap: number[]
  /** Growth of the process, including garbage of the lookups. */
  anonymous: number[]
}

const task = await taskOfStep<DirectoryTask>()
const storage = await openStorage({ file: task.file })
const { db } = storage

const staleMs = 30_000
/** SQLite answers synchronously, so the change feed needs a pause to run. */
const lookupsATurn = 100
const uuid = (number: number) => `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`
const uuidInSql = sql`printf('%08d-0000-4000-8000-000000000000', n)`
const filter = { place: Array.from({ length: 20 }, (_, place) => `place ${place}`) }
/** As much of an address as a request may have. V8 keeps the whole string alive for slices of 13 characters or more. */
const longAddress = (number: number) => `/4/nobody-${uuid(number)}/api/${'x'.repeat(15 * 1024)}`
const compiled = new WeakMap<object, unknown>()

/** The lookups by their name in the table. Each returns the entry of a number. */
const lookups = {
  memberships: (directory, number) => directory.member(uuid(0), uuid(number)),
  'memberships, row filter of 20 values': (directory, number) => directory.member(uuid(1), uuid(number)),
  people: (directory, number) => directory.user(uuid(number)),
  accounts: (directory, number) => directory.client(uuid(number)),
  'tokens not revoked': (directory, number) => directory.tokenRevoked(uuid(number)),
  'workspaces, an API each': async (directory, number) => {
    const workspace = await directory.workspace(uuid(number))
    if (!workspace) throw new Error('there is no such workspace')
    compiled.set(workspace, compileApi(workspace.definition, 'shop'))
  },
  'unknown workspaces, long addresses': (directory, number) =>
    directory.workspace(longAddress(number).split('/')[2] ?? ''),
} satisfies Record<string, (directory: Directory, number: number) => unknown>
export type LookedUp = keyof typeof lookups

const fill = async (rows: number): Promise<void> => {
  const numbers = sql`(WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers LIMIT ${sql.lit(rows)}) SELECT n FROM numbers)`
  const now = sql.lit(Date.now())
  const { workspace: _, ...definition } = catalog
  await sql`INSERT INTO workspaces (id, slug, title, definition_json, version, created_at)
    SELECT ${uuidInSql}, ${uuidInSql}, 'Bench', json_insert(${JSON.stringify(definition)}, '$.workspace', ${uuidInSql}), 1, ${now} FROM ${numbers}`.execute(
    db,
  )
  for (const [workspace, filterJson] of [null, JSON.stringify(filter)].entries())
    await sql`INSERT INTO members (workspace_id, subject, kind, roles_json, filter_json, created_at)
      SELECT ${uuid(workspace)}, ${uuidInSql}, 'user', '["api"]', ${filterJson}, ${now} FROM ${numbers}`.execute(
      db,
    )
  // As long as a hash in PHC form.
  await sql`INSERT INTO users (id, email, name, password_hash, operator, disabled, created_at, email_verified)
    SELECT ${uuidInSql}, 'person-' || n || '@example.org', 'Ada Lovelace ' || n, '$argon2id$' || hex(randomblob(44)), 0, 0, ${now}, 1 FROM ${numbers}`.execute(
    db,
  )
  await sql`INSERT INTO clients (id, workspace_id, kind, name, settings_json, disabled, created_at)
    SELECT ${uuidInSql}, ${uuid(0)}, 'system-to-system', 'account ' || n, '{"addresses":["192.0.2.0/24"]}', 0, ${now} FROM ${numbers}`.execute(
    db,
  )
}

const bytesOfMegabyte = 1024 * 1024

const settled = async (): Promise<{ heap: number; anonymous: number }> => {
  for (let turn = 0; turn < 5; turn++) {
    globalThis.gc?.()
    await wait(100)
  }
  return {
    heap: process.memoryUsage().heapUsed / bytesOfMegabyte,
    anonymous: readMemory(process.pid).anonymous,
  }
}

/** The first directory is a warm-up for statements, compiled code and garbage. The second one is measured. */
const look = async (kind: LookedUp, sizes: readonly number[]): Promise<Looked> => {
  const lookup: (directory: Directory, number: number) => unknown = lookups[kind]
  const ask = async (directory: Directory, from: number, to: number) => {
    for (let number = from; number < to; number++) {
      await lookup(directory, number)
      if (number % lookupsATurn === 0) await wait(0)
    }
  }
  const warm = openDirectory(storage, staleMs)
  await ask(warm, 0, sizes[0] ?? 0)
  warm.close()
  const directory = openDirectory(storage, staleMs)
  const memoryBefore = await settled()
  const looked: Looked = { heap: [], anonymous: [] }
  let start = 0
  for (const end of sizes) {
    await ask(directory, start, end)
    const now = await settled()
    looked.heap.push(now.heap - memoryBefore.heap)
    looked.anonymous.push(now.anonymous - memoryBefore.anonymous)
    start = end
  }
  directory.close()
  return looked
}

const done = task.do === 'fill' ? await fill(task.rows) : await look(task.kind, task.sizes)
await storage.close()
finishStep(done ?? {})
