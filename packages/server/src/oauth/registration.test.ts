/** Dynamic client registration (RFC 7591), on each database; on PostgreSQL applications register at another node. */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { exportJWK, generateKeyPair } from 'jose'
import * as openid from 'openid-client'
import { openTestClient } from '#oauth/test-application'
import { openTestNode } from '#oauth/test-node'
import { startTestServer } from '#oauth/test-server'
import { findClient, removeClient } from '#storage/clients'
import { createRegistrationToken, removeRegistrationToken } from '#storage/registration-tokens'
import { freshDatabase } from '#storage/test-postgres'
import { removeWorkspace } from '#storage/workspaces'

const redirectUri = 'https://partner.example/callback'
const hourMs = 60 * 60 * 1000

for (const database of ['SQLite', 'PostgreSQL'])
  describe(database, async () => {
    const connection = database === 'SQLite' ? undefined : await freshDatabase()
    const server = await startTestServer(connection === undefined ? {} : { connection })
    after(() => server.close())
    const node = connection === undefined ? undefined : await openTestNode(server, connection)
    after(() => node?.close())
    const { authUrl, baseUrl, storage } = server
    const person = await server.newPerson()

    const newToken = (usesMax = 1, expiresAt = Date.now() + hourMs, workspaceId = server.workspace.id) =>
      storage.write(writer =>
        createRegistrationToken(writer, { workspaceId, name: 'partners', usesMax, expiresAt }),
      )
    const register = async (token: string | undefined, metadata: object = {}, to = node ?? server) => {
      const body = JSON.stringify({ redirect_uris: [redirectUri], ...metadata })
      return to.raw(
        [
          'POST /oauth/register HTTP/1.1',
          'Content-Type: application/json',
          `Content-Length: ${Buffer.byteLength(body)}`,
          ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
        ].join('\r\n'),
        body,
      )
    }

    test('a confidential application registers, signs a person in, and is an application like others', async () => {
      const { token } = await newToken()
      const { status, json, headers, text } = await register(token, {
        client_name: 'Partner\u202e\u0000 site',
        post_logout_redirect_uris: ['https://partner.example/bye'],
      })
      assert.equal(status, 201, text)
      assert.equal(headers.get('cache-control'), 'no-store')
      const { client_id: id, client_secret: secret } = json as Record<string, string>
      assert.match(String(id), /^[A-Za-z0-9_-]+$/)
      assert.match(String(secret), /^qrs_[A-Za-z0-9_-]+$/)
      assert.deepEqual(
        [json.client_secret_expires_at, json.token_endpoint_auth_method],
        [0, 'client_secret_basic'],
      )
      const row = await findClient(storage.db, String(id))
      assert.ok(row?.kind === 'application' && row.workspaceId === server.workspace.id)
      assert.equal(row.name, 'Partner site')
      assert.deepEqual(
        [row.settings.type, row.settings.own, row.settings.logoutUris],
        ['server', false, ['https://partner.example/bye']],
      )
      const application = openTestClient(server, { id: String(id), secret: String(secret), redirectUri })
      const tokens = await application.signIn(person.id, { scope: 'openid', audience: baseUrl })
      assert.equal(await server.query(String(tokens.access_token)), 200)
      await storage.write(writer => removeClient(writer, String(id)))
      assert.equal(await server.query(String(tokens.access_token)), 401)
    })

    test('openid-client registers a public application, and two of the same name', async () => {
      const { token } = await newToken(2)
      for (let copy = 0; copy < 2; copy++) {
        const config = await openid.dynamicClientRegistration(
          new URL(authUrl),
          {
            client_name: 'Reader',
            redirect_uris: [redirectUri],
            token_endpoint_auth_method: 'none',
            id_token_signed_response_alg: 'RS256',
          },
          undefined,
          { initialAccessToken: token, execute: [openid.allowInsecureRequests] },
        )
        const { client_id: id, client_secret: secret } = config.clientMetadata()
        assert.equal(secret, undefined)
        const application = openTestClient(server, { id, secret: undefined, redirectUri })
        const tokens = await application.signIn(person.id, { scope: 'openid', audience: baseUrl })
        assert.equal(await server.query(String(tokens.access_token)), 200)
      }
    })

    test('a missing, wrong, expired, used-up or removed token registers nothing', async () => {
      const expired = await newToken(1, Date.now() - 1)
      const usedUp = await newToken(1)
      assert.equal((await register(usedUp.token)).status, 201)
      const removed = await newToken()
      await storage.write(writer => removeRegistrationToken(writer, server.workspace.id, removed.id))
      const otherWorkspace = await server.newWorkspace()
      const orphan = await newToken(1, Date.now() + hourMs, otherWorkspace.id)
      await storage.write(writer => removeWorkspace(writer, otherWorkspace))
      const account = await server.newAccount()
      const accessToken = String((await server.token(account)).json.access_token)
      const count = async () => (await storage.db.selectFrom('clients').select('id').execute()).length
      const countedClients = await count()
      for (const token of [
        'qrr_none',
        expired.token,
        usedUp.token,
        removed.token,
        orphan.token,
        account.secret,
        accessToken,
      ]) {
        const { status, json, headers } = await register(token)
        assert.deepEqual([status, json.error], [401, 'invalid_token'], token)
        assert.match(headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/)
      }
      const { status, json, headers } = await register(undefined)
      assert.deepEqual([status, headers.get('www-authenticate')], [401, 'Bearer'])
      assert.match(String(json.error_description), /initial access token is missing/)
      assert.equal(await count(), countedClients)
    })

    test('concurrent registrations with one token succeed as often as it has uses', async () => {
      const { token } = await newToken(3)
      const replies = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          register(token, {}, index % 2 === 0 ? server : (node ?? server)),
        ),
      )
      const statuses = replies.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [201, 201, 201, ...Array.from({ length: 9 }, () => 401)])
    })

    test('metadata that an administrator could not register is rejected, and uses nothing up', async () => {
      const { token } = await newToken()
      for (const [metadata, error] of [
        [{ redirect_uris: ['http://partner.example/callback'] }, 'invalid_redirect_uri'],
        [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
        [{ redirect_uris: ['https://partner.example/callback#fragment'] }, 'invalid_redirect_uri'],
        [{ redirect_uris: ['https://*.partner.example/'] }, 'invalid_redirect_uri'],
        [{ redirect_uris: [] }, 'invalid_redirect_uri'],
        [{ redirect_uris: 'https://partner.example' }, 'invalid_redirect_uri'],
        [{ redirect_uris: ['example:/x'], token_endpoint_auth_method: 'none' }, 'invalid_redirect_uri'],
        [{ grant_types: ['client_credentials'], response_types: [] }, 'invalid_client_metadata'],
        [{ grant_types: ['implicit'], response_types: ['id_token'] }, 'invalid_client_metadata'],
        [{ response_types: ['token'] }, 'invalid_client_metadata'],
        [{ id_token_signed_response_alg: 'none' }, 'invalid_client_metadata'],
        [{ token_endpoint_auth_method: 'client_secret_jwt' }, 'invalid_client_metadata'],
        [{ token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
        [
          {
            token_endpoint_auth_method: 'private_key_jwt',
            jwks: { keys: [{ kty: 'RSA', e: 'AQAB', n: Buffer.alloc(128, 255).toString('base64url') }] },
          },
          'invalid_client_metadata',
        ],
        [{ post_logout_redirect_uris: ['http://evil.example/'] }, 'invalid_client_metadata'],
        [{ backchannel_logout_uri: 'http://10.0.0.1/' }, 'invalid_client_metadata'],
      ] as const) {
        const { status, json } = await register(token, metadata)
        assert.deepEqual(
          [status, json.error],
          [400, error],
          `${JSON.stringify(metadata)} ${JSON.stringify(json)}`,
        )
        assert.ok(json.error_description)
      }
      for (const body of ['[]', '"x"', 'null', '{'])
        assert.equal((await server.raw(rawHead(token, body), body)).status, 400, body)
      assert.equal((await register(token)).status, 201, 'the token is not used up')
    })
    const rawHead = (token: string, body: string) =>
      `POST /oauth/register HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nAuthorization: Bearer ${token}`

    test('an application with keys authenticates by private_key_jwt', async () => {
      const { token } = await newToken()
      const { privateKey, publicKey } = await generateKeyPair('ES256')
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] }
      const { status, json, text } = await register(token, {
        token_endpoint_auth_method: 'private_key_jwt',
        grant_types: ['authorization_code', 'refresh_token'],
        jwks,
      })
      assert.equal(status, 201, text)
      assert.equal(json.client_secret, undefined)
      const config = await openid.discovery(
        new URL(authUrl),
        String(json.client_id),
        undefined,
        openid.PrivateKeyJwt({ key: privateKey, kid: 'k' }),
        { execute: [openid.allowInsecureRequests] },
      )
      await assert.rejects(openid.refreshTokenGrant(config, 'none'), { error: 'invalid_grant' })
    })

    test('a client cannot choose its id and secret, skip consent, or register as first-party', async () => {
      const { token } = await newToken()
      const { status, json } = await register(token, {
        client_id: 'console',
        client_secret: 'chosen',
        own: true,
        workspaceId: 'other',
        kind: 'own',
      })
      assert.equal(status, 201)
      assert.notEqual(json.client_id, 'console')
      assert.notEqual(json.client_secret, 'chosen')
      const row = await findClient(storage.db, String(json.client_id))
      assert.ok(row?.kind === 'application' && !row.settings.own)
    })

    if (database === 'SQLite')
      test('no token and no secret stands in the data folder or the log in clear', async () => {
        const { token } = await newToken()
        const { json } = await register(token)
        const files = await readdir(server.folder)
        const stored = await Promise.all(files.map(file => readFile(join(server.folder, file), 'latin1')))
        for (const secret of [token, String(json.client_secret)]) {
          assert.ok(stored.every(text => !text.includes(secret)))
          assert.ok(!JSON.stringify(server.logged).includes(secret))
        }
      })
  })

test('an open registration needs no token, belongs to its workspace, and is limited per address', async () => {
  const closed = await startTestServer()
  after(() => closed.close())
  const { openAuthorizationServer } = await import('./provider/provider.ts')
  const { createServer } = await import('node:http')
  const open = await openAuthorizationServer({
    ...closed.dependencies,
    openRegistration: closed.workspace.slug,
    signInThrottle: 1,
  })
  const http = createServer((request, response) => open.handle(request, response))
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  after(async () => {
    http.close()
    http.closeAllConnections()
    await open.close()
  })
  const address = http.address()
  assert.ok(address && typeof address === 'object')
  const register = (authorization?: string) =>
    fetch(`http://127.0.0.1:${address.port}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }),
    })
  const reply = await register()
  assert.equal(reply.status, 201)
  // The JSON of RFC 7591, section 3.2.1.
  const { client_id: id } = (await reply.json()) as { client_id: string }
  assert.equal((await findClient(closed.storage.db, id))?.workspaceId, closed.workspace.id)
  assert.equal((await register('Bearer wrong')).status, 401, 'a wrong token is not ignored')
  const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await register()).status))
  assert.ok(statuses.includes(429))
})
