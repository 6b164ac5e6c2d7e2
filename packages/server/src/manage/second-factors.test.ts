/** Second factors in the management API. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import { findRecord } from '#storage/oidc-records'
import {
  addPasskey,
  findSecondFactors,
  replaceRecoveryCodes,
  saveAuthenticatorApp,
} from '#storage/second-factors'
import { openTestServer, signIn } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const secrets = ['sealed-secret', 'public-key', 'salt-of-codes', 'hash-of-code']
const giveFactors = (userId: string, id: string) =>
  server.storage.write(async writer => {
    await saveAuthenticatorApp(writer, { userId, encryptedSecret: 'sealed-secret', step: 1 })
    const passkey = { id, user_id: userId, name: 'Laptop', public_key: 'public-key', counter: 0 }
    await addPasskey(writer, { ...passkey, transports_json: '[]', synced: 0 })
    await replaceRecoveryCodes(writer, userId, { salt: 'salt-of-codes', hashes: ['hash-of-code'] })
  })

describe('second factors', () => {
  it('are listed for their person and an operator, who may export them, without secrets', async () => {
    await giveFactors(server.ids.ursula, 'passkey-of-ursula')
    const { body } = await server.call('ursula', 'GET', '/manage/v1/me/factors')
    assert.deepEqual(
      [typeof body.app.createdAt, body.passkeys[0].name, body.recoveryCodes],
      ['string', 'Laptop', 1],
    )
    const listed = await server.call('operator', 'GET', '/manage/v1/users/ursula@example.org/factors')
    assert.deepEqual(listed.body, body)
    const exported = await server.call('operator', 'GET', '/manage/v1/users/ursula@example.org/export')
    assert.equal(exported.body.factors.recoveryCodes, 1)
    for (const reply of [body, exported.body])
      for (const secret of secrets) assert.ok(!JSON.stringify(reply).includes(secret), secret)
  })

  it('are removed by an operator: the person is signed out everywhere, gets a mail, and the audit log says so', async () => {
    await giveFactors(server.ids.apollo, 'passkey-of-apollo')
    const { refreshToken } = await signIn(server.storage, server.ids.apollo)
    const letter = server.mailServer.next()
    const remove = () => server.call('operator', 'DELETE', '/manage/v1/users/apollo@example.org/factors')
    assert.equal((await remove()).status, 204)
    assert.deepEqual(await findSecondFactors(server.storage.db, server.ids.apollo), {
      app: undefined,
      passkeys: [],
      recoveryCodes: 0,
    })
    assert.equal(await findRecord(server.storage.db, 'RefreshToken', { id: refreshToken }), undefined)
    assert.match((await letter).content, /second factors were removed/)
    const entries = await server.storage.db
      .selectFrom('audit')
      .select('target')
      .where('action', '=', 'removeFactors')
      .execute()
    assert.deepEqual(entries, [{ target: 'apollo@example.org' }])
    assert.deepEqual((await remove()).body.code, 'conflict')
  })

  it('are required to manage a workspace that requires them, of operators too', async () => {
    const settings = '/manage/v1/workspaces/books/settings'
    assert.equal((await server.call('ada', 'PATCH', settings, { requireSecondFactor: true })).status, 200)
    for (const person of ['ada', 'operator'] as const) {
      const { status, body } = await server.call(person, 'GET', settings)
      assert.deepEqual([status, body.code], [401, 'insufficient-user-authentication'], person)
    }
    assert.equal((await server.call('eve', 'GET', settings)).body.code, 'insufficient-scope')
    const token = await server.issueToken('ada', 'console', twoFactorLevel)
    const restored = await server.call({ token }, 'PATCH', settings, { requireSecondFactor: false })
    assert.deepEqual([restored.status, restored.body.requireSecondFactor], [200, false])
    assert.equal((await server.call('ada', 'GET', settings)).status, 200)
  })
})
