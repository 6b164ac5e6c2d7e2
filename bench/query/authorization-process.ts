/**
 * Measures authorization without HTTP: a cached token, the membership, and the row filter, with the server's own query step. Accounts take
 * turns. Each message requests one round.
 */
import { sql } from 'kysely'
import { authorize } from '#server/authz/authorize'
import { baseUrl, openTestParts } from '#server/authz/test-tokens'
import { createClient } from '#server/storage/clients'
import { findMember, setMember } from '#server/storage/members'
import { createWorkspace } from '#server/storage/workspaces'

export type AuthorizationTask = { do: 'measure' } | { do: 'grow'; members: number } | { do: 'end' }
/** Microseconds per call, with cached data, and with a membership that must be read. */
export interface AuthorizationTimes {
  known: number
  read: number
}

const accounts = 10
const calls = 20_000
const reads = 1_000

const parts = await openTestParts()
const { storage, directory, bearer, refusalLog, activity } = parts
const deps = { bearer, directory, refusalLog, activity, origin: baseUrl }
const path = '/4/bench/api/shop/e/search/p/query/two%20words/results'

const workspace = await storage.write(writer => createWorkspace(writer, { workspace: 'bench' }))
if (!workspace) throw new Error('the workspace was not made')
let subjects: string[] = []
const requests: Parameters<typeof authorize>[1][] = []
for (let index = 0; index < accounts; index++) {
  const client = await storage.write(async writer => {
    const created = await createClient(writer, {
      kind: 'system-to-system',
      workspaceId: workspace.id,
      name: `account ${index}`,
      settings: { addresses: [] },
    })
    if (created)
      await setMember(writer, {
        workspaceId: workspace.id,
        subject: created.id,
        kind: 'system-to-system',
        roles: ['api'],
        filter: { place: ['Utrecht', 'Breda'] },
      })
    return created
  })
  if (!client) throw new Error('the account was not made')
  subjects.push(client.id)
  const token = await parts.token({ subject: client.id, clientId: client.id, audience: baseUrl })
  const request = { headers: { authorization: `Bearer ${token}` }, rawHeaders: [] }
  requests.push({ request, path, resourcePath: path, requestId: 'bench', clientAddress: () => '127.0.0.1' })
}

/** Inserts in one statement, in key order: a million rows in seconds. Names are random, like those of users. */
const grow = async (members: number) => {
  await storage.write(({ db }) =>
    sql`
      INSERT INTO members (workspace_id, subject, kind, roles_json, created_at)
      WITH RECURSIVE counted (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counted LIMIT ${members - accounts})
      SELECT ${workspace.id}, lower(hex(randomblob(16))) AS subject, 'user', '["api"]', ${Date.now()}
      FROM counted ORDER BY subject`.execute(db),
  )
  const rows = await storage.db
    .selectFrom('members')
    .select('subject')
    .orderBy(sql`random()`)
    .limit(reads)
    .execute()
  subjects = rows.map(({ subject }) => subject)
}

const microseconds = async (times: number, call: (index: number) => Promise<unknown>): Promise<number> => {
  const startMs = performance.now()
  for (let index = 0; index < times; index++) await call(index)
  return (1000 * (performance.now() - startMs)) / times
}

const pick = <T>(values: readonly T[], index: number): T => {
  const value = values[index % values.length]
  if (value === undefined) throw new Error('nothing to take from')
  return value
}

/** Deletes the created data. */
const end = async () => {
  await parts.close()
  process.exit()
}

process.on('message', async (task: AuthorizationTask) => {
  switch (task.do) {
    case 'measure':
      process.send?.({
        known: await microseconds(calls, index => authorize(deps, pick(requests, index), 'bench', 'query')),
        read: await microseconds(reads, index => findMember(storage.db, workspace.id, pick(subjects, index))),
      } satisfies AuthorizationTimes)
      break
    case 'grow':
      await grow(task.members)
      process.send?.({ grown: true })
      break
    case 'end':
      await end()
  }
})
process.on('disconnect', end)
process.send?.({ ready: true })
