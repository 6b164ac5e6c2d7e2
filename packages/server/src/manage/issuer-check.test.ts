/** A file with a new issuer is applied only if the metadata of the provider do not contradict it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { definition, openTestServer } from './test-server.ts'

const server = await openTestServer()
after(() => server.close())

const url = 'https://login.example.org/.well-known/openid-configuration'
const apply = (issuer: string, name: string, dryRun = false, domains = ['staff.example']) =>
  server.call('ada', 'POST', '/manage/v1/apply', {
    source: JSON.stringify({
      ...definition,
      identityProvider: { issuer, clientId: 'q', domains, name },
    }),
    dryRun,
  })
const listCodes = ({ warnings }: { warnings: { code?: string }[] }) => warnings.map(({ code }) => code)
const readIssuer = async () =>
  (await server.call('ada', 'GET', '/manage/v1/workspaces/books/identity-provider')).body.issuer

test('metadata that contradict the issuer reject the file at its place, and change nothing', async () => {
  const issuer = 'https://login.example.org'
  for (const kind of ['missing', 'other-issuer', 'incomplete'] as const) {
    server.issuerFaults.set(issuer, { kind, url, found: 'https://other.example.org' })
    for (const dryRun of [true, false]) {
      const { status, body } = await apply(issuer, 'Staff', dryRun)
      assert.equal(status, 400)
      const [{ path, code }] = body.errors
      assert.deepEqual([path, code], ['identityProvider.issuer', `issuer-${kind}`])
    }
  }
  assert.equal(await readIssuer(), null)
})

test('a provider that does not answer is a warning, and an issuer that stays is not checked again', async () => {
  const issuer = 'https://offline.example.org'
  server.issuerFaults.set(issuer, { kind: 'unreachable', url, found: '' })
  const { status, body } = await apply(issuer, 'Staff')
  assert.equal(status, 200)
  assert.deepEqual(listCodes(body), ['unproved-domain', 'issuer-unreachable'])
  assert.equal(await readIssuer(), issuer)
  server.issuerFaults.set(issuer, { kind: 'missing', url, found: '' })
  const renamed = await apply(issuer, 'Everybody')
  assert.equal(renamed.status, 200)
  assert.deepEqual(listCodes(renamed.body), ['unproved-domain'])
  const { body: several } = await apply(issuer, 'All', true, ['staff.example', 'a.example'])
  assert.deepEqual(several.warnings[0].values.domains, 'staff.example, a.example')
  assert.equal(several.warnings.length, 1)
})
