/** Promises of the OAuth library's records on every database. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import type { Row } from './dump.ts'
import { fillStorage } from './offline.ts'
import {
  addRecord,
  consumeRecord,
  findRecord,
  hashRecordId,
  pruneRecords,
  removeGrantRecords,
  removeRecord,
  saveRecord,
} from './oidc-records.ts'
import { prune } from './prune.ts'
import { findReplacedToken, saveReplacedToken, shrinkReplacedTokens } from './replaced-tokens.ts'

/** Runs the suite in an empty database. */
export const oidcRecordsSuite = (empty: () => Promise<StorageLocation>): void => {
  let storage: Storage
  before(async () => {
    storage = await openStorage(await empty())
  })
  after(() => storage.close())
  const find = (id: string) => findRecord(storage.db, 'AuthorizationCode', { id })
  const record = (id: string) => ({
    model: 'AuthorizationCode',
    id,
    payload: { kind: 'code', scope: 'openid' },
  })

  test('a record is found by id, uid and user code, in its own model', async () => {
    const { payload } = record('1')
    await saveRecord(storage.db, { ...record('1'), uid: 'u', userCode: 'ABCD-EFGH', grantId: 'g' })
    for (const key of [{ id: '1' }, { uid: 'u' }, { userCode: 'ABCD-EFGH' }]) {
      assert.deepEqual(await findRecord(storage.db, 'AuthorizationCode', key), payload)
      assert.equal(await findRecord(storage.db, 'Session', key), undefined)
    }
    await saveRecord(storage.db, { ...record('1'), payload: { scope: 'email' } })
    assert.deepEqual(await find('1'), { scope: 'email' })
  })

  test('ids are stored hashed: no code or token can be read out of the storage', async () => {
    const id = 'a-code-that-nobody-may-read'
    await saveRecord(storage.db, record(id))
    const rows = await storage.db.selectFrom('oidc_records').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes(id))
    assert.ok(rows.some(row => row.id_hash === hashRecordId(id)))
  })

  test('an expired record is not found, and pruning forgets it alone', async () => {
    await saveRecord(storage.db, { ...record('expired'), expiresAt: Date.now() - 1 })
    await saveRecord(storage.db, { ...record('fresh'), expiresAt: Date.now() + 60_000 })
    await saveRecord(storage.db, record('forever'))
    assert.equal(await find('expired'), undefined)
    await pruneRecords(storage.db)
    const rows = await storage.db.selectFrom('oidc_records').select('id_hash').execute()
    const isStored = (id: string) => rows.some(({ id_hash }) => id_hash === hashRecordId(id))
    assert.deepEqual(['expired', 'fresh', 'forever'].map(isStored), [false, true, true])
  })

  test('however many have expired, others get their turn while they are removed', async () => {
    const rows = Array.from({ length: 1_000 }, (_, number) => ({
      model: 'Session',
      id_hash: hashRecordId(`old ${number}`),
      payload_json: '{}',
      expires_at: number,
    }))
    await storage.db.insertInto('oidc_records').values(rows).execute()
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    await pruneRecords(storage.db)
    clearInterval(timer)
    assert.ok(turns > 1, `${turns} turns`)
    const remaining = await storage.db
      .selectFrom('oidc_records')
      .select('id_hash')
      .where('model', '=', 'Session')
      .execute()
    assert.deepEqual(remaining, [])
  })

  test('a consumed record says since when, in seconds', async () => {
    await saveRecord(storage.db, record('used'))
    const secondsBefore = Math.floor(Date.now() / 1000)
    await consumeRecord(storage.db, 'AuthorizationCode', 'used')
    const consumed = (await find('used'))?.consumed
    assert.ok(typeof consumed === 'number' && consumed >= secondsBefore && consumed <= Date.now() / 1000)
  })

  test('only one of several concurrent uses consumes a record, and the time of the first one stays', async () => {
    await saveRecord(storage.db, record('raced'))
    const consume = () => consumeRecord(storage.db, 'AuthorizationCode', 'raced')
    const results = await Promise.all([1, 2, 3].map(consume))
    assert.equal(results.filter(result => result !== undefined).length, 1)
    const consumedBefore = (await find('raced'))?.consumed
    assert.equal(await consume(), undefined)
    assert.equal((await find('raced'))?.consumed, consumedBefore)
    assert.equal(await consumeRecord(storage.db, 'AuthorizationCode', 'absent'), undefined)
  })

  test('a used record keeps only its hash, its grant, its times and the named parts', async () => {
    const payload = { accountId: 'a', clientId: 'c', scope: 'openid', redirectUri: 'r' }
    await saveRecord(storage.db, { ...record('used-up'), payload, grantId: 'g', uid: 'after x' })
    const expiresAt = Date.now() + 120_000
    const remains = { redirectUri: 'r' }
    const consumedPayload = await consumeRecord(storage.db, 'AuthorizationCode', 'used-up', {
      expiresAt,
      remains,
    })
    assert.deepEqual(consumedPayload, { uid: 'after x' })
    const { consumed, ...remainder } = (await find('used-up')) ?? {}
    assert.deepEqual([remainder, typeof consumed], [{ grantId: 'g', ...remains }, 'number'])
    const row = await storage.db
      .selectFrom('oidc_records')
      .select(['account_id', 'client_id', 'expires_at'])
      .where('id_hash', '=', hashRecordId('used-up'))
      .executeTakeFirstOrThrow()
    assert.deepEqual(row, { account_id: null, client_id: null, expires_at: expiresAt })
  })

  test('a refresh token that was replaced is known until its family has expired or was ended, and no record any more', async () => {
    const expiresAt = Date.now() + 60 * 60_000
    // Some have no grant, as when two nodes prune at once; they are removed all the same.
    const replaced = [
      ...Array.from({ length: 500 }, (_, index) => ({ id: `old ${index}`, grantId: 'over', expiresAt: 1 })),
      { id: 't1', grantId: 'going-on', jkt: 'k', expiresAt },
      { id: 't2', grantId: 'ended', expiresAt },
    ]
    for (const { id, ...token } of replaced) {
      await saveRecord(storage.db, { model: 'RefreshToken', id, payload: {}, grantId: token.grantId })
      await saveReplacedToken(storage.db, hashRecordId(id), token)
    }
    assert.equal(await findRecord(storage.db, 'RefreshToken', { id: 't1' }), undefined)
    assert.equal(await findReplacedToken(storage.db, 'old 0'), undefined)
    await removeGrantRecords(storage.db, 'ended')
    await pruneRecords(storage.db)
    assert.deepEqual(await findReplacedToken(storage.db, 't1'), { grantId: 'going-on', jkt: 'k' })
    const remaining = await storage.db
      .selectFrom('replaced_tokens')
      .select(['grant_id', 'expires_at'])
      .execute()
    assert.deepEqual(remaining, [{ grant_id: 'going-on', expires_at: expiresAt }])
  })

  test('only replaced refresh tokens that an older version stored whole are shortened', async () => {
    const location = await empty()
    const minuteMs = 60_000
    const expiresAt = Date.now() + 1_000 * minuteMs
    const row = (id: string, change: Row = {}): Row => ({
      ...{ model: 'RefreshToken', id_hash: hashRecordId(id), payload_json: '{}', grant_id: 'g', uid: 'u' },
      ...{ user_code: null, account_id: 'a', client_id: 'c', expires_at: expiresAt },
      ...{ consumed_at: Date.now() - minuteMs, ...change },
    })
    // More than one batch.
    const replaced = Array.from({ length: 300 }, (_, index) => row(`replaced ${index}`))
    const untouched = [
      row('unused', { consumed_at: null }),
      // It may still get a sibling.
      row('just replaced', { consumed_at: Date.now() }),
      row('bound to a key', { payload_json: '{"jkt":"k"}' }),
      row('code', { model: 'AuthorizationCode' }),
    ]
    await fillStorage(
      location,
      '0010-nodes',
      (async function* () {
        yield { table: 'oidc_records' as const, rows: [...untouched, ...replaced] }
      })(),
    )
    const older = await openStorage(location)
    const { db } = older
    // Too many to wait for at a start.
    assert.equal(await findReplacedToken(db, 'replaced 1'), undefined)
    // As on two nodes.
    await Promise.all([prune(older), shrinkReplacedTokens(older)])
    const rows: Row[] = await db.selectFrom('oidc_records').selectAll().execute()
    const byHash = (rows: readonly Row[]) => new Map(rows.map(row => [row.id_hash, row]))
    assert.deepEqual(byHash(rows), byHash(untouched))
    assert.deepEqual(await findReplacedToken(db, 'replaced 1'), { grantId: 'g' })
    assert.equal(await findReplacedToken(db, 'unused'), undefined)
    const shrunk = await db.selectFrom('replaced_tokens').select('expires_at').execute()
    assert.deepEqual(
      shrunk,
      replaced.map(() => ({ expires_at: expiresAt })),
    )
    await older.close()
  })

  test('tables that a start made before it was killed are no hindrance to the next one', async () => {
    const location = await empty()
    const killed = await openStorage(location)
    const token = { grantId: 'g', expiresAt: Date.now() + 60_000 }
    await saveReplacedToken(killed.db, hashRecordId('t'), token)
    await sql`delete from kysely_migration where name >= '0011'`.execute(killed.db)
    await killed.close()
    const next = await openStorage(location)
    assert.deepEqual(await findReplacedToken(next.db, 't'), { grantId: 'g' })
    await next.close()
  })

  test('only one of several concurrent additions of a record succeeds, and an expired one is replaced', async () => {
    const add = (expiresAt: number) => addRecord(storage.db, { ...record('once'), expiresAt })
    const results = await Promise.all([1, 2, 3].map(() => add(Date.now() + 60_000)))
    assert.deepEqual(results.toSorted(), [false, false, true])
    await saveRecord(storage.db, { ...record('once'), expiresAt: Date.now() - 1 })
    assert.equal(await add(Date.now() + 60_000), true)
  })

  test('records are removed one by one, or all of a grant', async () => {
    await saveRecord(storage.db, record('gone'))
    await removeRecord(storage.db, 'AuthorizationCode', 'gone')
    assert.equal(await find('gone'), undefined)
    await saveRecord(storage.db, { ...record('of-grant'), grantId: 'g1' })
    await saveRecord(storage.db, { model: 'RefreshToken', id: 'r', payload: {}, grantId: 'g1' })
    await saveRecord(storage.db, { ...record('of-another'), grantId: 'g2' })
    await removeGrantRecords(storage.db, 'g1')
    assert.equal(await find('of-grant'), undefined)
    assert.equal(await findRecord(storage.db, 'RefreshToken', { id: 'r' }), undefined)
    assert.ok(await find('of-another'))
  })
}
