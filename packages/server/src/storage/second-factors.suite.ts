/** Promises of second factors on every database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import { setMember } from './members.ts'
import {
  addPasskey,
  countMembersWithoutFactor,
  countRecoveryCodes,
  findAuthenticatorApp,
  findPasskey,
  findRecoverySalt,
  findSecondFactors,
  hasSecondFactor,
  listPasskeys,
  passkeysMax,
  removeAuthenticatorApp,
  removePasskey,
  removeSecondFactors,
  renamePasskey,
  replaceRecoveryCodes,
  saveAuthenticatorApp,
  usePasskey,
  useRecoveryCode,
  useTimeStep,
} from './second-factors.ts'
import { createUser, removeUser } from './users.ts'
import { createWorkspace } from './workspaces.ts'

/** Runs the suite in an empty database. */
export const secondFactorsSuite = (empty: () => Promise<StorageLocation>): void => {
  let storage: Storage
  /** Another node on the same database. */
  let otherNode: Storage
  before(async () => {
    const location = await empty()
    storage = await openStorage(location)
    otherNode = await openStorage(location)
  })
  after(async () => {
    await storage.close()
    await otherNode.close()
  })

  const newUserId = async (): Promise<string> => {
    const user = await storage.write(w => createUser(w, { email: `${randomUUID()}@example.org` }))
    assert.ok(user)
    return user.id
  }
  const saveApp = (userId: string, encryptedSecret = 'sealed', step = 100) =>
    storage.write(w => saveAuthenticatorApp(w, { userId, encryptedSecret, step }))
  const newPasskey = async (userId: string, id: string = randomUUID()) => {
    const row = {
      id,
      user_id: userId,
      name: 'Laptop',
      public_key: 'k',
      counter: 5,
      transports_json: '["usb"]',
    }
    return { id, isAdded: await storage.write(w => addPasskey(w, { ...row, synced: 0 })) }
  }

  test('members without an authenticator app or a passkey are counted', async () => {
    const workspace = randomUUID()
    const row = await storage.write(w => createWorkspace(w, { workspace }))
    assert.ok(row)
    const [withNothing, withApp, withPasskey] = [await newUserId(), await newUserId(), await newUserId()]
    const join = (subject: string, kind: 'user' | 'system-to-system' = 'user', until?: string) =>
      storage.write(w =>
        setMember(w, {
          workspaceId: row.id,
          subject,
          kind,
          roles: ['api'],
          filter: undefined,
          rights: until === undefined ? {} : { until },
        }),
      )
    await saveApp(withApp)
    await newPasskey(withPasskey)
    for (const userId of [withNothing, withApp, withPasskey]) await join(userId)
    await join('account', 'system-to-system')
    await join(await newUserId(), 'user', '2020-01-31')
    assert.equal(await countMembersWithoutFactor(storage.db, row.id), 1)
    await saveApp(withNothing)
    await newPasskey(withApp)
    assert.equal(await countMembersWithoutFactor(storage.db, row.id), 0)
  })

  test('a code works once, also on two nodes at the same moment, and no earlier one works after it', async () => {
    const userId = await newUserId()
    await saveApp(userId)
    const use = (node: Storage, step: number) =>
      useTimeStep(node.db, { userId, encryptedSecret: 'sealed', step })
    assert.equal(await use(storage, 100), false, 'the code of the confirmation')
    const uses = await Promise.all([storage, otherNode, storage, otherNode].map(node => use(node, 102)))
    assert.equal(uses.filter(Boolean).length, 1)
    assert.equal(await use(storage, 101), false)
    assert.equal(await use(otherNode, 103), true)
    assert.equal((await findAuthenticatorApp(storage.db, userId))?.last_step, 103)
  })

  test('a code of a replaced secret does not work', async () => {
    const userId = await newUserId()
    await saveApp(userId, 'old')
    await saveApp(userId, 'new')
    assert.equal(await useTimeStep(storage.db, { userId, encryptedSecret: 'old', step: 200 }), false)
    assert.equal(await useTimeStep(storage.db, { userId, encryptedSecret: 'new', step: 200 }), true)
  })

  test('a recovery code works once, and new ones end the old ones', async () => {
    const [userId, otherId] = [await newUserId(), await newUserId()]
    await saveApp(userId)
    await storage.write(w => replaceRecoveryCodes(w, userId, { salt: 's', hashes: ['a', 'b', 'c'] }))
    assert.equal(await useRecoveryCode(storage.db, otherId, 'a'), false)
    const uses = await Promise.all([storage, otherNode].map(node => useRecoveryCode(node.db, userId, 'a')))
    assert.deepEqual(uses.toSorted(), [false, true])
    assert.equal(await countRecoveryCodes(storage.db, userId), 2)
    await storage.write(w => replaceRecoveryCodes(w, userId, { salt: 't', hashes: ['d'] }))
    assert.equal(await useRecoveryCode(storage.db, userId, 'b'), false)
    assert.equal(await findRecoverySalt(storage.db, userId), 't')
  })

  test('a passkey belongs to one person, is named, and is found by its id', async () => {
    const [userId, otherId] = [await newUserId(), await newUserId()]
    const { id, isAdded } = await newPasskey(userId)
    assert.equal(isAdded, true)
    assert.equal((await newPasskey(otherId, id)).isAdded, false)
    assert.equal((await findPasskey(storage.db, id))?.user_id, userId)
    assert.equal(await storage.write(w => renamePasskey(w, { userId: otherId, id, name: 'Mine' })), false)
    assert.equal(await storage.write(w => renamePasskey(w, { userId, id, name: 'Phone' })), true)
    assert.deepEqual(
      (await listPasskeys(storage.db, userId)).map(({ name }) => name),
      ['Phone'],
    )
    assert.equal(await storage.write(w => removePasskey(w, otherId, id)), undefined)
    assert.equal((await storage.write(w => removePasskey(w, userId, id)))?.name, 'Phone')
    assert.equal(await hasSecondFactor(storage.db, userId), false)
  })

  test('one of two copies of a passkey that sign at the same moment is refused', async () => {
    const { id } = await newPasskey(await newUserId())
    const uses = await Promise.all(
      [storage, otherNode].map(node => usePasskey(node.db, { id, counter: 5 }, 6)),
    )
    assert.deepEqual(uses.toSorted(), [false, true])
    assert.equal((await findPasskey(storage.db, id))?.counter, 6)
  })

  test('a person has a bounded number of passkeys', async () => {
    const userId = await newUserId()
    for (let count = 0; count < passkeysMax; count++) assert.equal((await newPasskey(userId)).isAdded, true)
    assert.equal((await newPasskey(userId)).isAdded, false)
  })

  test('recovery codes stay with any factor, and end with the last', async () => {
    const userId = await newUserId()
    await saveApp(userId)
    const { id } = await newPasskey(userId)
    await storage.write(w => replaceRecoveryCodes(w, userId, { salt: 's', hashes: ['a'] }))
    assert.equal(await storage.write(w => removeAuthenticatorApp(w, userId)), true)
    assert.equal(await countRecoveryCodes(storage.db, userId), 1)
    await storage.write(w => removePasskey(w, userId, id))
    assert.equal(await countRecoveryCodes(storage.db, userId), 0)
  })

  test('all factors go at once, and with their person', async () => {
    const [userId, otherId] = [await newUserId(), await newUserId()]
    for (const id of [userId, otherId]) {
      await saveApp(id)
      await newPasskey(id)
      await storage.write(w => replaceRecoveryCodes(w, id, { salt: 's', hashes: ['a'] }))
    }
    assert.equal(await storage.write(w => removeSecondFactors(w, userId)), true)
    assert.equal(await storage.write(w => removeSecondFactors(w, userId)), false)
    await storage.write(w => removeUser(w, otherId))
    for (const id of [userId, otherId])
      assert.deepEqual(await findSecondFactors(storage.db, id), {
        app: undefined,
        passkeys: [],
        recoveryCodes: 0,
      })
  })
}
