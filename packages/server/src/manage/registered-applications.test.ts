/** Applications and accounts with `dpop`, `pkce` and what an application registered: in the operations and in the workspace file. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ApplicationSettings, createClient, findClient, updateClient } from '#storage/clients'
import { findWorkspace } from '#storage/workspaces'
import { openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
before(async () => {
  server = await openTestServer()
})
after(() => server.close())

const book = '/manage/v1/workspaces/books'
const redirectUris = ['https://app.example.org/callback']
const call: (typeof server)['call'] = (...args) => server.call(...args)

describe('an application', () => {
  it('requires a proof and drops PKCE by PATCH, and goes back', async () => {
    const created = await call('ada', 'POST', `${book}/applications`, {
      name: 'Bound',
      type: 'server',
      redirectUris,
      dpop: true,
    })
    assert.deepEqual([created.status, created.body.dpop, created.body.registered], [201, true, null])
    const path = `${book}/applications/${created.body.clientId}`
    const changed = await call('ada', 'PATCH', path, { dpop: false, pkce: false })
    assert.deepEqual([changed.status, changed.body.dpop, changed.body.pkce], [200, false, false])
    const row = await findClient(server.storage.db, created.body.clientId)
    assert.ok(row?.kind === 'application')
    assert.deepEqual([row.settings.dpop, row.settings.pkce], [undefined, false])
    const back = await call('ada', 'PATCH', path, { pkce: true })
    assert.deepEqual([back.status, back.body.pkce], [200, true])
  })

  it('without a secret keeps PKCE', async () => {
    const { body } = await call('ada', 'POST', `${book}/applications`, { name: 'Page', redirectUris })
    const { status } = await call('ada', 'PATCH', `${book}/applications/${body.clientId}`, { pkce: false })
    assert.equal(status, 400)
  })

  it('of an editor may have its scheme, and no dangerous one', async () => {
    for (const [uri, status] of [
      ['cursor://anysphere.cursor-mcp/oauth/callback', 201],
      ['unknown://callback', 400],
      ['javascript:alert(1)', 400],
    ] as const) {
      const input = { name: uri, type: 'native', redirectUris: [uri] }
      assert.equal((await call('ada', 'POST', `${book}/applications`, input)).status, status, uri)
    }
  })
})

describe('a System-to-System account', () => {
  it('requires a proof, as created and by PATCH, and other changes keep it', async () => {
    const input = { name: 'bound', roles: ['api'], dpop: true }
    const { status, body } = await call('ada', 'POST', `${book}/system-to-system`, input)
    assert.deepEqual([status, body.dpop], [201, true])
    const path = `${book}/system-to-system/${body.clientId}`
    const moved = await call('ada', 'PATCH', path, { addresses: ['192.0.2.1'] })
    assert.deepEqual([moved.body.dpop, moved.body.addresses], [true, ['192.0.2.1']])
    assert.equal((await call('ada', 'PATCH', path, { dpop: false })).body.dpop, false)
  })
})

describe('the workspace file', () => {
  it('has everything that an application registered, and changes nothing when applied again', async () => {
    const { storage } = server
    const workspace = await findWorkspace(storage.db, 'books')
    const settings: ApplicationSettings = {
      type: 'server',
      redirectUris,
      origins: [],
      logoutUris: [],
      own: false,
      jwksUri: 'https://app.example.org/keys',
      dpop: true,
      registered: {
        grantTypes: ['authorization_code', 'refresh_token'],
        scope: ['openid', 'email'],
        pushedRequests: true,
        maxAge: 60,
        acrValues: ['urn:querent:acr:mfa'],
        assertionAlgorithm: 'ES256',
        policyUri: 'https://app.example.org/privacy',
        termsUri: 'https://app.example.org/terms',
      },
    }
    const client = await storage.write(writer =>
      createClient(writer, {
        kind: 'application',
        workspaceId: workspace?.id ?? '',
        name: 'partner',
        settings,
      }),
    )
    const account = await call('ada', 'POST', `${book}/system-to-system`, {
      name: 'job',
      roles: ['api'],
      dpop: true,
    })
    const { source } = (await call('ada', 'GET', `${book}/file`)).body
    assert.match(source, /jwksUri: https:\/\/app\.example\.org\/keys/)
    const reapplied = await call('ada', 'POST', '/manage/v1/apply', { source })
    assert.deepEqual([reapplied.status, reapplied.body.changes], [200, []], JSON.stringify(reapplied.body))
    const row = await findClient(storage.db, client?.id ?? '')
    assert.ok(row?.kind === 'application')
    assert.deepEqual(row.settings, settings)
    const changed = source.replace(/(name: job|job:\n(?: {4}.*\n)*? {4})dpop: true/, '$1dpop: false')
    assert.notEqual(changed, source)
    assert.equal((await call('ada', 'POST', '/manage/v1/apply', { source: changed })).status, 200)
    const job = await findClient(storage.db, account.body.clientId)
    assert.ok(job?.kind === 'system-to-system')
    assert.equal(job.settings.dpop, undefined)
  })

  it('keeps the keys of an account whose addresses it changes', async () => {
    const { body } = await call('ada', 'POST', `${book}/system-to-system`, { name: 'keys', roles: ['api'] })
    const publicKeys = { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'x' }] }
    await server.storage.write(writer =>
      updateClient(writer, body.clientId, { settings: { addresses: [], publicKeys } }),
    )
    const { source } = (await call('ada', 'GET', `${book}/file`)).body
    const changed = source.replace(/( {2}keys:\n(?: {4}.*\n)*? {4}addresses:) \[\]/, '$1 [192.0.2.0/24]')
    assert.notEqual(changed, source)
    assert.equal((await call('ada', 'POST', '/manage/v1/apply', { source: changed })).status, 200)
    const row = await findClient(server.storage.db, body.clientId)
    assert.ok(row?.kind === 'system-to-system')
    assert.deepEqual(row.settings, { addresses: ['192.0.2.0/24'], publicKeys })
  })
})
