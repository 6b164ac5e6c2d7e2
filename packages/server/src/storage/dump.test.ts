import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openStorage } from './db.ts'
import { readRows, writeRows } from './dump.ts'
import {
  addPasskey,
  findAuthenticatorApp,
  findPasskey,
  replaceRecoveryCodes,
  saveAuthenticatorApp,
  useRecoveryCode,
  useTimeStep,
} from './second-factors.ts'
import { listSignIns, newSignInId, saveSignIns } from './sign-in-log.ts'
import { createUser, findUser } from './users.ts'

test('a restored or moved storage has the second factors, passkeys and sign-in log, and used codes stay used', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-dump-'))
  after(() => rm(folder, { recursive: true }))
  const source = await openStorage({ file: join(folder, 'source.sqlite') })
  const target = await openStorage({ file: join(folder, 'target.sqlite') })
  const user = await source.write(w => createUser(w, { email: 'ada@example.org' }))
  assert.ok(user)
  const { id: userId } = user
  const passkey = {
    id: randomUUID(),
    user_id: userId,
    name: 'Laptop',
    public_key: 'k',
    counter: 5,
    transports_json: '["usb"]',
    synced: 0,
  }
  await source.write(async w => {
    await saveAuthenticatorApp(w, { userId, encryptedSecret: 'sealed', step: 100 })
    await replaceRecoveryCodes(w, userId, { salt: 's', hashes: ['a', 'b'] })
    await addPasskey(w, passkey)
  })
  assert.equal(await useRecoveryCode(source.db, userId, 'a'), true)
  assert.equal(await useTimeStep(source.db, { userId, encryptedSecret: 'sealed', step: 200 }), true)
  const now = Date.now()
  await saveSignIns(source.db, [
    {
      id: newSignInId(now),
      at: now,
      kind: 'second-factor',
      result: 'ok',
      failed: 0,
      method: 'recovery-code',
      user_id: userId,
      client_id: null,
      workspace_id: '',
      source: userId,
      address: '192.0.2.1',
      browser: null,
      system: null,
      request_id: 'r',
    },
  ])

  await source.db.transaction().execute(trx => writeRows(target.db, 'sqlite', readRows(trx, 'sqlite')))
  assert.deepEqual(await findUser(target.db, userId), user)
  assert.deepEqual(
    await findAuthenticatorApp(target.db, userId),
    await findAuthenticatorApp(source.db, userId),
  )
  assert.deepEqual(await findPasskey(target.db, passkey.id), await findPasskey(source.db, passkey.id))
  const query = { scope: { userId }, count: 10 }
  assert.deepEqual(await listSignIns(target.db, query), await listSignIns(source.db, query))
  assert.equal((await listSignIns(target.db, query)).length, 1)
  assert.equal(await useTimeStep(target.db, { userId, encryptedSecret: 'sealed', step: 200 }), false)
  assert.equal(await useRecoveryCode(target.db, userId, 'a'), false)
  assert.equal(await useRecoveryCode(target.db, userId, 'b'), true)
  await source.close()
  await target.close()
})
