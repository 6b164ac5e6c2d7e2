/** Records of oidc-provider. Ids are stored hashed, so the data folder reveals no code or token. */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Db } from './db.ts'

export interface OidcRecord {
  model: string
  id: string
  payload: Record<string, unknown>
  grantId?: string
  uid?: string
  userCode?: string
  /** Milliseconds since 1970. */
  expiresAt?: number
}

/** Models whose payload may be encrypted (`sealed`): requests, before anything is decided. */
export const sealedModels = ['DeviceCode', 'Form', 'Interaction', 'PushedAuthorizationRequest']

export const hashRecordId = (id: string): string => createHash('sha256').update(id).digest('base64url')

const stringOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const makeRow = (record: OidcRecord) => ({
  payload_json: JSON.stringify(record.payload),
  // A grant has its own id as grant, so that it is removed with its records: a revoked grant must give no
  // further tokens.
  grant_id: record.model === 'Grant' ? record.id : (record.grantId ?? null),
  account_id: stringOrNull(record.payload.accountId),
  client_id: stringOrNull(record.payload.clientId),
  uid: record.uid ?? null,
  user_code: record.userCode ?? null,
  expires_at: record.expiresAt ?? null,
  consumed_at: null,
})

export const saveRecord = async (db: Db, record: OidcRecord): Promise<void> => {
  const row = makeRow(record)
  await db
    .insertInto('oidc_records')
    .values({ model: record.model, id_hash: hashRecordId(record.id), ...row })
    .onConflict(c => c.columns(['model', 'id_hash']).doUpdateSet(row))
    .execute()
}

/**
 * Adds a record that must not exist yet; one of several concurrent calls succeeds. Returns false if an
 * unexpired one exists.
 */
export const addRecord = async (db: Db, record: OidcRecord): Promise<boolean> => {
  const row = makeRow(record)
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('oidc_records')
    .values({ model: record.model, id_hash: hashRecordId(record.id), ...row })
    .onConflict(c =>
      c.columns(['model', 'id_hash']).doUpdateSet(row).where('oidc_records.expires_at', '<=', Date.now()),
    )
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/**
 * Returns the payload; a consumed record also has `consumed` (seconds since 1970) and its grant. Undefined if
 * absent or expired.
 */
export const findRecord = async (
  db: Db,
  model: string,
  key: { id: string } | { uid: string } | { userCode: string },
): Promise<Record<string, unknown> | undefined> => {
  let query = db.selectFrom('oidc_records').selectAll().where('model', '=', model)
  if ('id' in key) query = query.where('id_hash', '=', hashRecordId(key.id))
  else if ('uid' in key) query = query.where('uid', '=', key.uid)
  else query = query.where('user_code', '=', key.userCode)
  const row = await query.executeTakeFirst()
  if (!row || (row.expires_at !== null && row.expires_at <= Date.now())) return undefined
  // Written only by `saveRecord`.
  const payload = JSON.parse(row.payload_json) as Record<string, unknown>
  if (row.consumed_at === null) return payload
  return {
    ...(row.grant_id === null ? {} : { grantId: row.grant_id }),
    ...payload,
    consumed: Math.floor(row.consumed_at / 1000),
  }
}

/**
 * Marks the record as consumed. `expiresAt`: new expiry; `remains`: replaces the payload, because the grant
 * has the rest. Returns the `uid`; undefined if it was consumed before (the first time stays) or does not
 * exist.
 */
export const consumeRecord = async (
  db: Db,
  model: string,
  id: string,
  { expiresAt, remains }: { expiresAt?: number; remains?: Record<string, unknown> } = {},
): Promise<{ uid: string | null } | undefined> =>
  db
    .updateTable('oidc_records')
    .set({
      consumed_at: Date.now(),
      ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
      ...(remains === undefined
        ? {}
        : { payload_json: JSON.stringify(remains), account_id: null, client_id: null }),
    })
    .where('model', '=', model)
    .where('id_hash', '=', hashRecordId(id))
    .where('consumed_at', 'is', null)
    .returning('uid')
    .executeTakeFirst()

/** Whether a record of this `uid` was consumed. */
export const isAnyConsumed = async (db: Db, model: string, uid: string): Promise<boolean> => {
  const row = await db
    .selectFrom('oidc_records')
    .select('id_hash')
    .where('model', '=', model)
    .where('uid', '=', uid)
    .where('consumed_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export const removeRecord = async (db: Db, model: string, id: string): Promise<void> => {
  await db
    .deleteFrom('oidc_records')
    .where('model', '=', model)
    .where('id_hash', '=', hashRecordId(id))
    .execute()
}

/** Removes the grant and everything issued from it. */
export const removeGrantRecords = async (db: Db, grantId: string): Promise<void> => {
  await db.deleteFrom('replaced_tokens').where('grant_id', '=', grantId).execute()
  await db.deleteFrom('oidc_records').where('grant_id', '=', grantId).execute()
}

/** Rows per statement: SQLite blocks the thread while deleting, about 40 µs a row. */
const pruneBatchSize = 200

/** Removes expired records in batches, between which other requests run. */
export const pruneRecords = async (db: Db): Promise<void> => {
  const now = Date.now()
  await deleteInBatches(() => removeSomeReplaced(db, now))
  await deleteInBatches(() => removeSomeRecords(db, now))
}

const deleteInBatches = async (removeSome: () => Promise<{ numDeletedRows: bigint }>): Promise<void> => {
  for (let pruned = pruneBatchSize; pruned === pruneBatchSize; ) {
    pruned = Number((await removeSome()).numDeletedRows)
    await setImmediate()
  }
}

const removeSomeReplaced = (db: Db, now: number) =>
  db
    .deleteFrom('replaced_tokens')
    .where('id_hash', 'in', ({ selectFrom }) =>
      selectFrom('replaced_tokens').select('id_hash').where('expires_at', '<', now).limit(pruneBatchSize),
    )
    .executeTakeFirst()

const removeSomeRecords = (db: Db, now: number) =>
  db
    .deleteFrom('oidc_records')
    .where(({ eb, refTuple, selectFrom }) =>
      eb(
        refTuple('model', 'id_hash'),
        'in',
        selectFrom('oidc_records')
          .select(['model', 'id_hash'])
          .where('expires_at', '<', now)
          .limit(pruneBatchSize)
          .$asTuple('model', 'id_hash'),
      ),
    )
    .executeTakeFirst()
