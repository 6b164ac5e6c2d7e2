/** Adds memberships in the storage's format, or measures lookups of them. */
import { statSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { sql } from 'kysely'
import { authorize } from '#server/authz/authorize'
import { openAccessParts } from '#server/parts'
import { createClient } from '#server/storage/clients'
import type { StorageLocation } from '#server/storage/connection'
import { openStorage } from '#server/storage/db'
import { findMember, listMembers, listMemberships, removeMember, setMember } from '#server/storage/members'
import { createUser } from '#server/storage/users'
import { createWorkspace } from '#server/storage/workspaces'
import { accessToken, origins } from './members-token.ts'
import { halfAndMost, processorUs, readProcessorUs } from './processor.ts'
import { finishStep, taskOfStep } from './step.ts'

export type MembersTask = { location: StorageLocation } & (
  | { do: 'add'; members: number; workspaces: number }
  | { do: 'measure'; rounds: number }
)

export interface Added {
  seconds: number
  /** Bytes of one membership, with its indexes. */
  bytesEach: number
}
/** Values of each round. */
export interface Cost {
  p50Us: number[]
  /** Values of this process and, if there is one, of the database process. */
  processorUs: number[]
  databaseUs: number[]
}
export type Costs = Record<string, Cost>

const accounts = 6
const reads = 1_000
const pages = 50
const pageMembers = 101
const changes = 20
const pollMs = 400
/** Rows per statement, because a transaction of ten million rows needs memory for them. */
const rowsAtOnce = 250_000

const task = await taskOfStep<MembersTask>()
const { location } = task
const storage = await openStorage(location)
const { db, kind } = storage

/** Random ids in the format of UUIDs, like ids of users. */
const uuid =
  kind === 'postgres'
    ? sql`gen_random_uuid()::text`
    : sql`lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(6)))`

const numberRange = (from: number, to: number) =>
  kind === 'postgres'
    ? sql`SELECT n FROM generate_series(${sql.lit(from)}::bigint, ${sql.lit(to - 1)}::bigint) AS counted (n)`
    : sql`SELECT n FROM (WITH RECURSIVE numbers (n) AS (SELECT ${sql.lit(from)} UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${sql.lit(to)}) SELECT n FROM numbers)`

const workspaceSlug = (number: number) => `bench-${number}`

/** Creates workspaces, and accounts in the first one that send requests. */
const begin = async (workspaces: number): Promise<void> => {
  await storage.write(async writer => {
    for (let number = 0; number < workspaces; number++)
      await createWorkspace(writer, { workspace: workspaceSlug(number) })
  })
  const first = await firstWorkspace()
  for (let number = 0; number < accounts; number++)
    await storage.write(async writer => {
      const client = await createClient(writer, {
        kind: 'system-to-system',
        workspaceId: first,
        name: `account ${number}`,
        settings: { addresses: [] },
      })
      if (!client) throw new Error('the account is there already')
      const member = { workspaceId: first, subject: client.id, filter: undefined }
      await setMember(writer, { ...member, kind: 'system-to-system', roles: ['api'] })
    })
  for (let number = 0; number < 2; number++)
    await storage.write(async writer => {
      const user = await createUser(writer, { email: `administrator${number}@example.org`, name: 'Ada' })
      if (!user) throw new Error('the user is there already')
      const member = { workspaceId: first, subject: user.id, filter: undefined }
      await setMember(writer, { ...member, kind: 'user', roles: ['administrator'] })
    })
}

const firstWorkspace = async (): Promise<string> =>
  (
    await db
      .selectFrom('workspaces')
      .select('id')
      .where('slug', '=', workspaceSlug(0))
      .executeTakeFirstOrThrow()
  ).id

const countMembers = async (): Promise<number> =>
  Number(
    (
      await db
        .selectFrom('members')
        .select(({ fn }) => fn.countAll().as('all'))
        .executeTakeFirstOrThrow()
    ).all,
  )

/** Total size of the tables. Deleted space counts until it is reused. */
const bytesStored = async (): Promise<number> => {
  if (kind === 'postgres') {
    const { rows } = await sql<{
      bytes: number
    }>`SELECT pg_total_relation_size('members')::float8 AS bytes`.execute(db)
    return rows[0]?.bytes ?? Number.NaN
  }
  await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db)
  return 'file' in location ? statSync(location.file).size : Number.NaN
}

/** People in random order, as they arrive in practice. */
const add = async (members: number, workspaces: number): Promise<Added> => {
  const isNew =
    (await db.selectFrom('workspaces').select('id').where('slug', '=', workspaceSlug(0)).execute()).length ===
    0
  if (isNew) await begin(workspaces)
  const existingMembers = await countMembers()
  const bytesBefore = await bytesStored()
  const startMs = performance.now()
  if (kind === 'sqlite') await sql`PRAGMA cache_size = -3000000`.execute(db)
  // Numbers of workspaces, which get rows in turn.
  await sql`CREATE TABLE dealt AS SELECT id, row_number() OVER (ORDER BY slug) - 1 AS place FROM workspaces WHERE slug LIKE 'bench-%'`.execute(
    db,
  )
  await sql`CREATE INDEX dealt_by_place ON dealt (place)`.execute(db)
  for (let start = existingMembers; start < members; start += rowsAtOnce) {
    const end = Math.min(members, start + rowsAtOnce)
    await db.transaction().execute(async trx => {
      // The referenced rows exist, so the foreign keys need no check.
      if (kind === 'postgres') await sql`SET LOCAL session_replication_role = replica`.execute(trx)
      await sql`
        INSERT INTO members (workspace_id, subject, kind, roles_json, created_at)
        SELECT dealt.id, ${uuid}, 'user', '["api"]', ${sql.lit(Date.now())}
        FROM (${numberRange(start, end)}) AS numbers JOIN dealt ON dealt.place = numbers.n % ${sql.lit(workspaces)}`.execute(
        trx,
      )
    })
  }
  await sql`DROP TABLE dealt`.execute(db)
  if (kind === 'postgres') await sql`VACUUM ANALYZE members`.execute(db)
  const seconds = (performance.now() - startMs) / 1000
  const bytes = await bytesStored()
  const added =
    kind === 'postgres'
      ? ([bytes, members] as const)
      : ([bytes - bytesBefore, members - existingMembers] as const)
  return { seconds, bytesEach: added[0] / added[1] }
}

/** Ids of the database processes behind this process's connections. */
const backends = async (): Promise<number[]> => {
  if (kind === 'sqlite') return []
  const { rows } = await sql<{
    pid: number
  }>`SELECT pid FROM pg_stat_activity WHERE datname = current_database()`.execute(db)
  return rows.map(({ pid }) => pid)
}

/** They are encrypted with a key that only their creator has, so the next process creates its own. */
const forgetKeys = () => db.deleteFrom('signing_keys').execute()

/** Subjects from the whole table: each is the next one after a random id, in any workspace. */
const someMembers = async (count: number): Promise<{ workspaceId: string; subject: string }[]> => {
  const workspaces = await db.selectFrom('workspaces').select('id').where('slug', 'like', 'bench-%').execute()
  const sample: { workspaceId: string; subject: string }[] = []
  for (let index = 0; index < count; index++) {
    const workspaceId = workspaces[Math.floor(Math.random() * workspaces.length)]?.id ?? ''
    const suffix = Math.random().toString(16).slice(2, 10)
    const rows = await listMembers(db, workspaceId, suffix, accounts + 3)
    const row = rows.find(({ kind, roles }) => kind === 'user' && roles[0] === 'api')
    if (row) sample.push({ workspaceId, subject: row.subject })
  }
  return sample
}

const measure = async (rounds: number): Promise<Costs> => {
  await forgetKeys()
  const parts = await openAccessParts(storage, {
    ...origins,
    secretKey: Buffer.alloc(32, 1),
    accessTokenAlgorithm: 'ES256',
    keyRotationDays: 'off',
    staleSeconds: 30,
    signInLogDays: 90,
    workers: 1,
    pathVersions: [],
  })
  const first = await firstWorkspace()
  const requests = await makeRequests(parts.keyring, first)
  const administrator = await findAdministrator(first)
  const meter = createCostMeter()
  for (let round = 0; round <= rounds; round++) {
    await meter.startRound()
    const sample = await someMembers(reads)
    await measureReads(parts, { requests, sample }, meter)
    await measureChanges({ administrator, sample }, meter)
    // Warm-up.
    if (round === 0) meter.clear()
  }
  await parts.close()
  await forgetKeys()
  return meter.costs
}

type AccessParts = Awaited<ReturnType<typeof openAccessParts>>
type Sample = Awaited<ReturnType<typeof someMembers>>
type AuthorizationRequest = Parameters<typeof authorize>[1]

/** Returns a query of each client of the workspace. */
const makeRequests = async (
  keyring: AccessParts['keyring'],
  workspaceId: string,
): Promise<AuthorizationRequest[]> => {
  const clients = await db
    .selectFrom('clients')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .execute()
  const path = `/4/${workspaceSlug(0)}/api/shop/e/search/p/query/two%20words/results`
  return Promise.all(
    clients.map(async ({ id }) => ({
      request: { headers: { authorization: `Bearer ${await accessToken(keyring, id)}` }, rawHeaders: [] },
      path,
      resourcePath: path,
      requestId: 'bench',
      clientAddress: () => '127.0.0.1',
    })),
  )
}

const findAdministrator = async (workspaceId: string) => {
  const administrators = await db
    .selectFrom('members')
    .select('subject')
    .where('workspace_id', '=', workspaceId)
    .where('roles_json', '=', '["administrator"]')
    .execute()
  return { workspaceId, subject: pick(administrators, 0).subject, kind: 'user', filter: undefined } as const
}

type CostMeter = ReturnType<typeof createCostMeter>

/** Measures calls one after the other: their time, and the processor time of this process and of the database. */
const createCostMeter = () => {
  const costs: Costs = {}
  let database: Awaited<ReturnType<typeof backends>> = []
  const databaseUs = () => database.reduce((sum, pid) => sum + readProcessorUs(pid), 0)
  return {
    costs,
    async startRound(): Promise<void> {
      database = await backends()
    },
    async measure(name: string, times: number, call: (index: number) => unknown): Promise<void> {
      const cost: Cost = costs[name] ?? { p50Us: [], processorUs: [], databaseUs: [] }
      costs[name] = cost
      const durations: number[] = []
      // SQLite answers synchronously. Without a pause, the change feed cannot run, and the directory takes the storage for unreachable.
      await wait(pollMs)
      const spentBefore = { own: processorUs(), database: databaseUs() }
      for (let index = 0; index < times; index++) {
        const startMs = performance.now()
        await call(index)
        durations.push(1000 * (performance.now() - startMs))
      }
      cost.p50Us.push(halfAndMost(durations).p50)
      cost.processorUs.push((processorUs() - spentBefore.own) / times)
      cost.databaseUs.push((databaseUs() - spentBefore.database) / times)
    },
    clear(): void {
      for (const cost of Object.values(costs)) {
        cost.p50Us = []
        cost.processorUs = []
        cost.databaseUs = []
      }
    },
  }
}

const pick = <T>(values: readonly T[], index: number): T => {
  const value = values[index % values.length]
  if (value === undefined) throw new Error('nothing to take from')
  return value
}

const measureReads = async (
  parts: AccessParts,
  { requests, sample }: { requests: readonly AuthorizationRequest[]; sample: Sample },
  meter: CostMeter,
): Promise<void> => {
  const { directory } = parts
  const deps = { ...parts, origin: origins.baseUrl }
  await meter.measure('reading a membership that is not in memory', reads, index => {
    const { workspaceId, subject } = pick(sample, index)
    return findMember(db, workspaceId, subject)
  })
  for (const { workspaceId, subject } of sample) await directory.member(workspaceId, subject)
  await meter.measure('a membership in memory', 20 * reads, index => {
    const { workspaceId, subject } = pick(sample, index)
    return directory.member(workspaceId, subject)
  })
  await meter.measure('authorization, token seen before', 20 * reads, index =>
    authorize(deps, pick(requests, index), workspaceSlug(0), 'query'),
  )
  await meter.measure('a page of 100 members', pages, index => {
    const { workspaceId, subject } = pick(sample, index)
    return listMembers(db, workspaceId, subject, pageMembers)
  })
  await meter.measure("somebody's memberships", pages, index =>
    listMemberships(db, pick(sample, index).subject),
  )
}

const measureChanges = async (
  { administrator, sample }: { administrator: Awaited<ReturnType<typeof findAdministrator>>; sample: Sample },
  meter: CostMeter,
): Promise<void> => {
  const removed = [...new Map(sample.map(member => [member.subject, member])).values()].slice(0, changes)
  await meter.measure('removing a member', removed.length, index => {
    const { workspaceId, subject } = pick(removed, index)
    return storage.write(writer => removeMember(writer, workspaceId, subject))
  })
  await meter.measure('making a member', removed.length, index => {
    const { workspaceId, subject } = pick(removed, index)
    const member = { workspaceId, subject, kind: 'user', filter: undefined } as const
    return storage.write(writer => setMember(writer, { ...member, roles: ['api'] }))
  })
  await meter.measure('an administrator steps down', 1, () =>
    storage.write(writer => setMember(writer, { ...administrator, roles: ['api'] })),
  )
  await storage.write(writer => setMember(writer, { ...administrator, roles: ['administrator'] }))
}

const result = task.do === 'add' ? await add(task.members, task.workspaces) : await measure(task.rounds)
await storage.close()
finishStep(result)
