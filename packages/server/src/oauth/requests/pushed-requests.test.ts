/** Pushed authorization requests (RFC 9126), on each database; on PostgreSQL the request is pushed to another node. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { openTestApplication, type TestApplication } from '#oauth/test-application'
import { openTestNode } from '#oauth/test-node'
import { startTestServer } from '#oauth/test-server'
import { newPkce, openBrowser } from '#oauth/test-sign-in'
import { freshDatabase } from '#storage/test-postgres'

/** Tests move the clock, which must not look like a broken change feed. */
const dayMs = 24 * 60 * 60 * 1000

for (const database of ['SQLite', 'PostgreSQL'])
  describe(database, async () => {
    const connection = database === 'SQLite' ? undefined : await freshDatabase()
    const server = await startTestServer({ staleMs: dayMs, ...(connection !== undefined && { connection }) })
    after(() => server.close())
    const node = connection === undefined ? undefined : await openTestNode(server, connection)
    after(() => node?.close())
    const { authUrl, baseUrl, storage } = server
    const person = await server.newPerson()
    const browserApplication = await openTestApplication(server, { origins: ['https://app.example'] })
    const serverApplication = await openTestApplication(server, { type: 'server' })

    const push = (
      application: TestApplication,
      parameters: Record<string, string | undefined> = {},
      ...fields: string[]
    ) => {
      const { verifier, challenge } = newPkce()
      const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
      const secret = application.secret === undefined ? {} : { client_secret: application.secret }
      const body = application.query({ ...pkce, ...secret, ...parameters })
      return (node ?? server)
        .form('/oauth/par', body, ...fields)
        .then(reply => ({ ...reply, verifier, uri: String(reply.json.request_uri) }))
    }
    const authorizeQuery = (application: TestApplication, requestUri: string) =>
      new URLSearchParams({ client_id: application.id, request_uri: requestUri }).toString()

    for (const application of [browserApplication, serverApplication])
      test(`a pushed request of a ${application.secret ? 'server' : 'browser'} application gives the tokens that a direct one gives`, async () => {
        const pushed = await push(application, {
          scope: 'openid email offline_access',
          audience: `${baseUrl}/`,
        })
        assert.equal(pushed.status, 201, pushed.text)
        assert.equal(pushed.headers.get('cache-control'), 'no-store')
        assert.match(pushed.uri, /^urn:ietf:params:oauth:request_uri:/)
        assert.ok(Number(pushed.json.expires_in) <= 60)
        const browser = openBrowser(authUrl)
        const landed = await browser.authorize(authorizeQuery(application, pushed.uri), person.id)
        assert.deepEqual([landed.parameters.state, landed.parameters.iss], ['s', `${authUrl}/`])
        const { status, json, text } = await application.exchange(landed.parameters.code, pushed.verifier)
        assert.equal(status, 200, text)
        assert.deepEqual(decodeJwt(String(json.access_token)).aud, [baseUrl, `${authUrl}/userinfo`])
        assert.equal(json.scope, 'openid email offline_access')
        assert.equal(await server.query(String(json.access_token)), 200)
        assert.equal((await application.refresh(json.refresh_token)).status, 200)
      })

    test('a request_uri gives one code, and none from its second use', async () => {
      const { uri } = await push(browserApplication)
      const browser = openBrowser(authUrl)
      const query = authorizeQuery(browserApplication, uri)
      assert.ok((await browser.authorize(query, person.id)).parameters.code)
      const secondLanding = await browser.authorize(query, person.id)
      assert.deepEqual([secondLanding.applicationUrl, secondLanding.status], [undefined, 400])
      assert.match(secondLanding.text, /invalid_request_uri/)
    })

    test('parameters next to request_uri do not change the pushed request', async () => {
      const { uri, verifier } = await push(browserApplication, { audience: baseUrl })
      const extra =
        'scope=openid+email&redirect_uri=https://evil.example/&state=evil&audience=https://evil.example/'
      const landed = await openBrowser(authUrl).authorize(
        `${authorizeQuery(browserApplication, uri)}&${extra}`,
        person.id,
      )
      assert.equal(
        `${landed.applicationUrl?.origin}${landed.applicationUrl?.pathname}`,
        browserApplication.redirectUri,
      )
      assert.equal(landed.parameters.state, 's')
      const { json } = await browserApplication.exchange(landed.parameters.code, verifier)
      const { aud } = decodeJwt(String(json.access_token))
      assert.deepEqual([json.scope, aud], ['openid', [baseUrl, `${authUrl}/userinfo`]])
    })

    test('a pushed state of 4,096 bytes comes back unchanged', async () => {
      const state = 'é'.repeat(2048)
      const pushed = await push(browserApplication, { state, scope: 'openid' })
      assert.equal(pushed.status, 201, pushed.text)
      const landed = await openBrowser(authUrl).authorize(
        authorizeQuery(browserApplication, pushed.uri),
        person.id,
      )
      assert.equal(landed.parameters.state, state)
    })

    test('a pushed request is refused for the same reasons as at /authorize, as JSON', async () => {
      for (const [parameters, error] of [
        [{ redirect_uri: 'https://evil.example/' }, 'invalid_request'],
        [{ code_challenge: undefined }, 'invalid_request'],
        [{ code_challenge_method: 'plain' }, 'invalid_request'],
        [{ audience: 'https://evil.example/' }, 'invalid_target'],
        [{ resource: `${baseUrl}/4/another-workspace` }, 'invalid_target'],
        [{ state: 'x'.repeat(4097) }, 'invalid_request'],
        [{ state: 'é'.repeat(2049) }, 'invalid_request'],
        [{ request_uri: 'urn:ietf:params:oauth:request_uri:x' }, 'request_uri_not_supported'],
        [{ request: 'x.y.z' }, 'request_not_supported'],
        [{ response_type: 'token' }, 'unsupported_response_type'],
      ] as const) {
        const reply = await push(browserApplication, parameters)
        assert.deepEqual([reply.status, reply.json.error], [400, error], JSON.stringify(parameters))
        assert.ok(reply.json.error_description)
      }
      const twice = await (node ?? server).form('/oauth/par', `${browserApplication.query()}&state=t`)
      assert.equal(twice.json.error, 'invalid_request')
    })

    test('an unknown client and a wrong secret get the same 401', async () => {
      const { id } = serverApplication
      const wrong = await push(serverApplication, { client_secret: 'wrong' })
      const unknown = await push(serverApplication, {
        client_id: 'n'.repeat(id.length),
        client_secret: 'wrong',
      })
      assert.deepEqual([wrong.status, wrong.json.error], [401, 'invalid_client'])
      assert.deepEqual([unknown.status, unknown.json], [wrong.status, wrong.json])
      // A confidential client does not get by without its secret.
      assert.equal((await push(serverApplication, { client_secret: undefined })).status, 401)
    })

    test('a System-to-System account cannot push a request', async () => {
      const account = await server.newAccount()
      const reply = await push(browserApplication, { client_id: account.id, client_secret: account.secret })
      assert.deepEqual([reply.status, reply.json.error], [400, 'invalid_request'])
      assert.match(String(reply.json.error_description), /registered application/)
    })

    test('pages of registered origins can push, others cannot read the answer', async () => {
      const ownReply = await push(browserApplication, {}, 'Origin: https://app.example')
      assert.equal(ownReply.headers.get('access-control-allow-origin'), 'https://app.example')
      const foreignReply = await push(browserApplication, {}, 'Origin: https://evil.example')
      assert.equal(foreignReply.headers.get('access-control-allow-origin'), undefined)
    })

    test('the storage has no pushed parameter in clear', async () => {
      await push(browserApplication, { login_hint: 'secret-hint@example.org' })
      const rows = await storage.db
        .selectFrom('oidc_records')
        .select('payload_json')
        .where('model', '=', 'PushedAuthorizationRequest')
        .execute()
      assert.ok(rows.length > 0)
      for (const { payload_json } of rows) assert.doesNotMatch(payload_json, /secret-hint|eyJhbGciOiJub25l/)
    })

    test('only one of two sign-ins with the same request_uri gets a code, however long they take', async t => {
      const { uri } = await push(browserApplication)
      const query = authorizeQuery(browserApplication, uri)
      const browsers = [openBrowser(authUrl), openBrowser(authUrl)]
      const pages = await Promise.all(browsers.map(browser => browser.go(`/authorize?${query}`)))
      // Longer than the request_uri is valid, shorter than a page may stay open.
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 5 * 60 * 1000 })
      const codes: (string | undefined)[] = []
      for (const [index, browser] of browsers.entries()) {
        const path = pages[index]?.url.pathname
        let landed = await browser.post(`${path}/login?account=${person.id}`)
        if (landed.url.pathname.startsWith('/interaction/'))
          landed = await browser.post(`${landed.url.pathname}/consent`)
        codes.push(landed.parameters.code)
      }
      assert.equal(codes.filter(code => code !== undefined).length, 1)
    })

    test('a request_uri is refused after a minute, from another client, and if it is invented', async t => {
      const { uri } = await push(browserApplication)
      const otherApplication = await openTestApplication(server)
      const browser = openBrowser(authUrl)
      for (const query of [
        authorizeQuery(otherApplication, uri),
        authorizeQuery(browserApplication, `${uri}x`),
        authorizeQuery(browserApplication, 'urn:ietf:params:oauth:request_uri:invented'),
      ]) {
        const landed = await browser.authorize(query, person.id)
        assert.deepEqual([landed.applicationUrl, landed.status], [undefined, 400], query)
      }
      t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 61 * 1000 })
      const late = await browser.authorize(authorizeQuery(browserApplication, uri), person.id)
      assert.deepEqual([late.applicationUrl, late.status], [undefined, 400])
    })
  })

test('an address may push only so many requests a minute for public clients', async () => {
  const server = await startTestServer({ signInThrottle: 1 })
  try {
    const application = await openTestApplication(server)
    const challenge = { code_challenge: newPkce().challenge, code_challenge_method: 'S256' }
    const push = () => server.form('/oauth/par', application.query(challenge))
    for (let pushed = 0; pushed < 60; pushed++) assert.equal((await push()).status, 201)
    const reply = await push()
    assert.deepEqual([reply.status, reply.json.error], [429, 'temporarily_unavailable'])
    assert.ok(reply.headers.get('retry-after'))
  } finally {
    await server.close()
  }
})
