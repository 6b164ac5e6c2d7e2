/** Promises of remembered addresses on every database. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { StorageLocation } from './connection.ts'
import { openStorage, type Storage } from './db.ts'
import { addPasskey, saveAuthenticatorApp } from './second-factors.ts'
import { countFormerPasskeys, listServiceAddresses, recordServiceAddress } from './service-addresses.ts'
import { createUser } from './users.ts'

/** Runs the suite in an empty database. */
export const serviceAddressesSuite = (empty: () => Promise<StorageLocation>): void => {
  let storage: Storage
  before(async () => {
    storage = await openStorage(await empty())
  })
  after(() => storage.close())

  const makeAddress = (name: string) => ({
    baseUrl: `https://search.${name}.example`,
    authUrl: `https://login.${name}.example`,
  })
  const addPerson = async (passkeys: { rp_id?: string }[], hasApp = false) => {
    const user = await storage.write(w => createUser(w, { email: `${randomUUID()}@example.org` }))
    assert.ok(user)
    const row = { name: 'Laptop', public_key: 'k', counter: 0, transports_json: '[]', synced: 0 }
    for (const passkey of passkeys)
      await storage.write(w => addPasskey(w, { ...row, ...passkey, id: randomUUID(), user_id: user.id }))
    if (hasApp)
      await storage.write(w =>
        saveAuthenticatorApp(w, { userId: user.id, encryptedSecret: randomUUID(), step: 0 }),
      )
  }

  test('a start at the same address changes nothing; another address is remembered with the former ones', async () => {
    const [a, b] = [makeAddress('a'), makeAddress('b')]
    assert.deepEqual(await recordServiceAddress(storage, a), { former: [], hasMoved: false })
    assert.deepEqual(await recordServiceAddress(storage, a), { former: [], hasMoved: false })
    const { former, hasMoved } = await recordServiceAddress(storage, b)
    assert.deepEqual([former.map(({ authUrl }) => authUrl), hasMoved], [[a.authUrl], true])
    const back = await recordServiceAddress(storage, a)
    assert.deepEqual([back.former.map(({ authUrl }) => authUrl), back.hasMoved], [[b.authUrl], true])
    for (let index = 0; index < 30; index++) await recordServiceAddress(storage, makeAddress(`n${index}`))
    assert.equal((await listServiceAddresses(storage.db)).length, 21)
  })

  test('passkeys of former host names are counted, with the people who have no other factor', async () => {
    const [latest] = await listServiceAddresses(storage.db)
    assert.ok(latest)
    const { hostname: former } = new URL(latest.authUrl)
    // Added by an earlier version: it belongs to the address before the move.
    await addPerson([{}])
    const current = makeAddress('current')
    await recordServiceAddress(storage, current)
    const { hostname } = new URL(current.authUrl)
    await addPerson([{ rp_id: former }, { rp_id: former }])
    await addPerson([{ rp_id: former }], true)
    await addPerson([{ rp_id: former }, { rp_id: hostname }])
    await addPerson([{ rp_id: hostname }])
    assert.deepEqual(await countFormerPasskeys(storage.db, hostname), {
      hosts: [former],
      passkeys: 5,
      people: 2,
    })
  })
}
