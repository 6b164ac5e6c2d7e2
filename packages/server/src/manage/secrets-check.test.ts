/** `querent doctor` after the encryption key was replaced. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import type { HealthCheck } from '@querent/contract/manage'
import { createProviderSecrets } from '#keys/provider-secrets'
import { saveProviderSecret } from '#storage/identity-providers'
import { openTestServer } from './test-server.ts'

const server = await openTestServer()
after(() => server.close())

const readCheck = async () => {
  const { status, body } = await server.call('operator', 'GET', '/manage/v1/diagnosis')
  assert.equal(status, 200, JSON.stringify(body))
  return body.checks.find(({ name }: HealthCheck) => name === 'secrets')
}
const readSecret = async () =>
  (await server.call('operator', 'GET', '/manage/v1/workspaces/books/identity-provider')).body.secret
const save = async (key: Buffer | undefined) => {
  const secrets = createProviderSecrets(key ? { derive: () => key } : server.keyring)
  const receiver = { issuer: 'https://login.example.org', clientId: 'q' }
  const encrypted = await secrets.encrypt(server.books.id, receiver, 'a secret')
  await server.storage.write(writer => saveProviderSecret(writer, server.books.id, encrypted))
}

test('secrets under an earlier key fail the check, with their number; those under the current key pass', async () => {
  await save(undefined)
  assert.equal(await readCheck(), undefined)
  // The workspace names no provider.
  assert.equal(await readSecret(), 'other-provider')
  await save(randomBytes(32))
  const check = await readCheck()
  assert.equal(check.state, 'fail')
  assert.match(check.message, /: 1 client secret of an OpenID provider$/)
  assert.equal(await readSecret(), 'unreadable')
})
