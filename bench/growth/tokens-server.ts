/**
 * The authorization server in a separate process, for people who sign in without pages; the cost of passwords is measured separately. It
 * prints its address, then answers one question at a time.
 */
import { sql } from 'kysely'
import { hashPassword, verifyPassword } from '#server/accounts/password-hash'
import { openTestApplication } from '#server/oauth/test-application'
import { startTestServer } from '#server/oauth/test-server'
import { pruneRecords } from '#server/storage/oidc-records'
import { pruneRevocations } from '#server/storage/revocations'
import { processorUs } from './processor.ts'

export type Question =
  | { do: 'processor' }
  | { do: 'password'; times: number }
  /** Rows and bytes that are stored now, by model. */
  | { do: 'kept' }
  /** Bytes of each of many copies of the records of a model, with its indexes. */
  | { do: 'copy'; model: string; count: number }
  | { do: 'prune'; count: number }

export interface StartedSignIn {
  authUrl: string
  baseUrl: string
  application: { id: string; secret: string | undefined; redirectUri: string }
  people: string[]
}
export interface StoredTokens {
  model: string
  rows: number
}

/** Stored in a separate table. */
const replaced = 'replaced refresh token'
const people = 100
const clockSlackMs = 2 * 60 * 1000

const server = await startTestServer()
const { storage } = server
const { db } = storage
const application = await openTestApplication(server, { type: 'server', own: true })
const ids: string[] = []
for (let number = 0; number < people; number++) ids.push((await server.newPerson()).id)

const fileBytes = async (): Promise<number> => {
  const { rows } = await sql<{
    bytes: number
  }>`SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size`.execute(
    db,
  )
  return rows[0]?.bytes ?? Number.NaN
}

const numbers = (count: number) =>
  sql`(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT ${sql.lit(count)}) SELECT n FROM numbers)`
/** 43 characters, like a hash; about 36, like an id. */
const newHash = sql`substr(hex(randomblob(22)), 1, 43)`

/** Copies of an existing record, each with its own ids. */
const copy = async (model: string, count: number, expiresAt: number): Promise<number> => {
  const bytesBefore = await fileBytes()
  if (model === 'revocation')
    await sql`INSERT INTO revocations (kind, id, expires_at) SELECT 'grant', ${newHash}, ${sql.lit(expiresAt)} FROM ${numbers(count)}`.execute(
      db,
    )
  else if (model === replaced)
    await sql`
      INSERT INTO replaced_tokens (id_hash, grant_id, expires_at)
      SELECT substr(${newHash}, 1, length(id_hash)), substr(${newHash}, 1, length(grant_id)), ${sql.lit(expiresAt)} + n
      FROM (SELECT * FROM replaced_tokens LIMIT 1) CROSS JOIN ${numbers(count)}`.execute(db)
  else
    await sql`
      INSERT INTO oidc_records (model, id_hash, payload_json, grant_id, uid, user_code, account_id, client_id, expires_at, consumed_at)
      SELECT model, ${newHash}, payload_json, iif(grant_id IS NULL, NULL, ${newHash}), iif(uid IS NULL, NULL, substr(hex(randomblob(11)), 1, 21)),
             user_code, iif(account_id IS NULL, NULL, lower(hex(randomblob(18)))), client_id, ${sql.lit(expiresAt)} + n, consumed_at
      FROM (SELECT * FROM oidc_records WHERE model = ${model} LIMIT 1) CROSS JOIN ${numbers(count)}`.execute(
      db,
    )
  return ((await fileBytes()) - bytesBefore) / count
}

const answers = {
  processor: async () => ({ us: processorUs() }),
  async password({ times }: { times: number }) {
    const hash = await hashPassword('correct horse battery staple')
    const beforeUs = processorUs()
    for (let time = 0; time < times; time++) await verifyPassword(hash, 'correct horse battery staple')
    return { us: (processorUs() - beforeUs) / times }
  },
  async kept() {
    const rows = await db
      .selectFrom('oidc_records')
      .select(({ fn }) => ['model', fn.countAll<number>().as('rows')])
      .groupBy('model')
      .execute()
    const { rows: replacedRows } = await db
      .selectFrom('replaced_tokens')
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    return [...rows, { model: replaced, rows: replacedRows }] satisfies StoredTokens[]
  },
  async copy({ model, count }: { model: string; count: number }) {
    return { bytes: await copy(model, count, Date.now() + 14 * 24 * 60 * 60 * 1000) }
  },
  async prune({ count }: { count: number }) {
    await copy('RefreshToken', count, 1)
    await copy('revocation', count, 1)
    const startMs = performance.now()
    await pruneRecords(db)
    const recordsMs = performance.now() - startMs
    await pruneRevocations(db, clockSlackMs)
    return { recordsMs, revocationsMs: performance.now() - startMs - recordsMs }
  },
}

process.on('message', async (question: Question) => {
  // Each answer receives the question of its name.
  const answer = answers[question.do] as (question: Question) => Promise<object>
  process.send?.(await answer(question))
})
process.on('disconnect', async () => {
  await server.close()
  process.exit()
})
const { authUrl, baseUrl } = server
const { id, secret, redirectUri } = application
process.send?.({
  authUrl,
  baseUrl,
  application: { id, secret, redirectUri },
  people: ids,
} satisfies StartedSignIn)
