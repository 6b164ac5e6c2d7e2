import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from 'kysely'
import { openStartedSignIns } from '#oauth/requests/started-sign-ins'
import { openUserCodeAttempts } from '#oauth/requests/user-code-attempts'
import { startTestServer } from '#oauth/test-server'
import { consumeRecord, hashRecordId, removeRecord, saveRecord } from '#storage/oidc-records'
import { freshDatabase } from '#storage/test-postgres'
import { recordAdapter } from './adapter.ts'

const server = await startTestServer()
after(() => server.close())
const adapter = recordAdapter(server.storage, server.keyring, {
  startedSignIns: openStartedSignIns(server.storage.db, 'off', () => ''),
  userCodeAttempts: openUserCodeAttempts(server.storage, 'off', () => ''),
})

test('a record is found by id, uid and user code until it expires, and is stored under a hash', async () => {
  const sessions = adapter('Session')
  await sessions.upsert('secret-session-id', { jti: 'secret-session-id', uid: 'u1', accountId: 'a' }, 60)
  assert.deepEqual(await sessions.find('secret-session-id'), {
    jti: 'secret-session-id',
    uid: 'u1',
    accountId: 'a',
  })
  assert.deepEqual(await sessions.findByUid('u1'), { uid: 'u1', accountId: 'a' })
  assert.equal(await adapter('Interaction').find('secret-session-id'), undefined, 'of its model only')
  const codes = adapter('DeviceCode')
  const code = { jti: 'secret-device-code', userCode: 'ABCDEFGH', params: { scope: 'openid' } }
  await codes.upsert('secret-device-code', code, 60)
  assert.deepEqual(await codes.findByUserCode('ABCDEFGH'), code)
  assert.deepEqual(await codes.find('secret-device-code'), code)
  await sessions.upsert('d2', {}, -1)
  assert.equal(await sessions.find('d2'), undefined)
  await sessions.destroy('secret-session-id')
  assert.equal(await sessions.find('secret-session-id'), undefined)
  const files = await Promise.all(
    ['querent.sqlite', 'querent.sqlite-wal'].map(name => readFile(join(server.folder, name), 'latin1')),
  )
  for (const id of ['secret-session-id', 'secret-device-code', 'ABCDEFGH'])
    assert.ok(!files.join('').includes(id), id)
})

test('the request of an application is stored encrypted, for its own record only', async () => {
  const interactions = adapter('Interaction')
  const payload = { accountId: 'a', params: { login_hint: 'buffy@sealed.example' } }
  await interactions.upsert('i1', payload, 60)
  await interactions.upsert('i2', payload, 60)
  assert.deepEqual(await interactions.find('i1'), { ...payload, jti: 'i1' })
  const { db } = server.storage
  const rows = await db.selectFrom('oidc_records').selectAll().where('model', '=', 'Interaction').execute()
  for (const row of rows) {
    assert.equal(row.account_id, 'a')
    assert.ok(!row.payload_json.includes('buffy'))
  }
  await db
    .updateTable('oidc_records')
    .set({ payload_json: rows[0]?.payload_json ?? '' })
    .where('model', '=', 'Interaction')
    .execute()
  const foundInteractions = [await interactions.find('i1'), await interactions.find('i2')]
  assert.equal(foundInteractions.filter(one => one === undefined).length, 1)
})

test('a used code keeps its time of use and its proofs; the rest comes from its grant', async () => {
  const codes = adapter('AuthorizationCode')
  const ofGrant = { accountId: 'a', clientId: 'c' }
  const proof = { codeChallenge: 'h', redirectUri: 'https://app.example/cb' }
  await adapter('Grant').upsert('g', { ...ofGrant, openid: { scope: 'openid' } }, 60)
  await codes.upsert('c1', { ...ofGrant, ...proof, grantId: 'g', scope: 'openid', nonce: 'n' }, 60)
  await codes.consume('c1')
  const { consumed, exp, ...found } = (await codes.find('c1')) ?? {}
  assert.ok(Math.abs(Number(consumed) - Date.now() / 1000) < 5)
  assert.ok(Number(exp) > Date.now() / 1000, 'it is told as used, not as expired')
  assert.deepEqual(found, { ...ofGrant, ...proof, grantId: 'g', scope: 'openid', jti: 'c1' })
})

test('a refresh token that is used while its grant ends, and the end, do not wait for one another (PostgreSQL)', async t => {
  const otherServer = await startTestServer({ connection: await freshDatabase() })
  t.after(() => otherServer.close())
  const { db } = otherServer.storage
  const first = { model: 'RefreshToken', id: 't1', payload: { grantId: 'g' }, grantId: 'g' }
  await saveRecord(db, first)
  await saveRecord(db, { ...first, id: 't2', uid: `after ${hashRecordId('t1')}` })
  const end = await db.startTransaction().execute()
  await removeRecord(end, 'RefreshToken', 't1')
  const consumption = recordAdapter(otherServer.storage, otherServer.keyring, {
    startedSignIns: openStartedSignIns(otherServer.storage.db, 'off', () => ''),
    userCodeAttempts: openUserCodeAttempts(otherServer.storage, 'off', () => ''),
  })('RefreshToken').consume('t2')
  const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  while ((await waiting.execute(db)).rows.length === 0);
  await removeRecord(end, 'RefreshToken', 't2')
  await end.commit().execute()
  await consumption
})

test('ending a grant ends its records, and its access tokens at the query service', async () => {
  const tokens = adapter('RefreshToken')
  await tokens.upsert('r1', { grantId: 'g1' }, 60)
  await tokens.upsert('r2', { grantId: 'g2' }, 60)
  assert.equal(await server.directory.grantRevoked('g1'), false)
  await adapter('AccessToken').revokeByGrantId('g1')
  assert.equal(await tokens.find('r1'), undefined)
  assert.ok(await tokens.find('r2'))
  assert.equal(await server.directory.grantRevoked('g1'), true)
  assert.equal(await server.directory.grantRevoked('g2'), false)
})

test('a replay is refused until the record has expired', async () => {
  const replayDetection = adapter('ReplayDetection')
  await replayDetection.upsert('j1', {}, 60)
  await assert.rejects(replayDetection.upsert('j1', {}, 60), { error: 'invalid_client' })
  await replayDetection.upsert('j2', {}, -1)
  await replayDetection.upsert('j2', {}, 60)
})

test('a refresh token whose successor was used gives no sibling, also where the server ended before it was shrunk', async () => {
  const { db } = server.storage
  const tokens = adapter('RefreshToken')
  await saveRecord(db, { model: 'Grant', id: 'crashed', payload: { accountId: 'a', clientId: 'c' } })
  const record = { model: 'RefreshToken', payload: {}, grantId: 'crashed' }
  await saveRecord(db, { ...record, id: 'before' })
  await saveRecord(db, { ...record, id: 'successor', uid: `after ${hashRecordId('before')}` })
  await consumeRecord(db, 'RefreshToken', 'before')
  assert.equal((await tokens.find('before'))?.consumed, undefined)
  await consumeRecord(db, 'RefreshToken', 'successor')
  assert.ok((await tokens.find('before'))?.consumed)
})
