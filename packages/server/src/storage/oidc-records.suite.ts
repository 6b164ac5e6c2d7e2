/** What the records of the OAuth library promise, on every database. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openStorage, type Storage, type StorageLocation } from './db.ts'
import {
  addRecord,
  consumeRecord,
  findRecord,
  hashRecordId,
  isAnyConsumed,
  pruneRecords,
  removeRecord,
  removeRecordsOfGrant,
  saveRecord,
} from './oidc-records.ts'

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
    for (const by of [{ id: '1' }, { uid: 'u' }, { userCode: 'ABCD-EFGH' }]) {
      assert.deepEqual(await findRecord(storage.db, 'AuthorizationCode', by), payload)
      assert.equal(await findRecord(storage.db, 'Session', by), undefined)
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
    const kept = (id: string) => rows.some(({ id_hash }) => id_hash === hashRecordId(id))
    assert.deepEqual(['expired', 'fresh', 'forever'].map(kept), [false, true, true])
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
    const left = await storage.db
      .selectFrom('oidc_records')
      .select('id_hash')
      .where('model', '=', 'Session')
      .execute()
    assert.deepEqual(left, [])
  })

  test('a consumed record says since when, in seconds', async () => {
    await saveRecord(storage.db, record('used'))
    const before = Math.floor(Date.now() / 1000)
    await consumeRecord(storage.db, 'AuthorizationCode', 'used')
    const consumed = (await find('used'))?.consumed
    assert.ok(typeof consumed === 'number' && consumed >= before && consumed <= Date.now() / 1000)
  })

  test('of several that consume a record at the same time one succeeds, and the first time stays', async () => {
    await saveRecord(storage.db, record('raced'))
    const consume = () => consumeRecord(storage.db, 'AuthorizationCode', 'raced')
    const results = await Promise.all([1, 2, 3].map(consume))
    assert.deepEqual(results.toSorted(), [false, false, true])
    const before = (await find('raced'))?.consumed
    assert.equal(await consume(), false)
    assert.equal((await find('raced'))?.consumed, before)
    assert.equal(await consumeRecord(storage.db, 'AuthorizationCode', 'absent'), false)
  })

  test('of records with one uid, whether any was used', async () => {
    await saveRecord(storage.db, { ...record('sibling-1'), uid: 'after x' })
    await saveRecord(storage.db, { ...record('sibling-2'), uid: 'after x' })
    assert.equal(await isAnyConsumed(storage.db, 'AuthorizationCode', 'after x'), false)
    await consumeRecord(storage.db, 'AuthorizationCode', 'sibling-2')
    assert.equal(await isAnyConsumed(storage.db, 'AuthorizationCode', 'after x'), true)
    assert.equal(await isAnyConsumed(storage.db, 'RefreshToken', 'after x'), false)
  })

  test('of several that add the same record at the same time one succeeds; an expired one gives way', async () => {
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
    await removeRecordsOfGrant(storage.db, 'g1')
    assert.equal(await find('of-grant'), undefined)
    assert.equal(await findRecord(storage.db, 'RefreshToken', { id: 'r' }), undefined)
    assert.ok(await find('of-another'))
  })
}
