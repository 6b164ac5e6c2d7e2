/** Attacks on sign-in by code, each under the rule that it breaks (RFC 9700, RFC 6749 section 10, RFC 8252). */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { setMember } from '#storage/members'
import { hashRecordId, pruneRecords } from '#storage/oidc-records'
import { patienceMs } from '#test-wait'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { newPkce, openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl, workspace } = server
const person = await server.newPerson()
const application = await openTestApplication(server)
const confidential = await openTestApplication(server, {
  type: 'server',
  redirectUris: ['https://server.example/cb'],
})
const offline = { scope: 'openid offline_access', audience: baseUrl }

const assertRefused = (reply: { status: number; json: Record<string, unknown> }) => {
  assert.equal(reply.status, 400, JSON.stringify(reply.json))
  assert.equal(reply.json.error, 'invalid_grant')
  assert.match(String(reply.json.error_description), /start again at \/authorize/)
}
/** Sends a browser that is not signed in, and gives where it lands. */
const go = (query: string) => openBrowser(authUrl).go(`/authorize?${query}`)

test('RFC 6749 10.5: a replayed code is refused and ends its tokens, at the query service too', async () => {
  const { parameters, verifier } = await application.authorize(person.id, offline)
  const first = await application.exchange(parameters.code, verifier)
  assert.equal(await server.query(String(first.json.access_token)), 200)
  assertRefused(await application.exchange(parameters.code, verifier))
  assert.equal(await server.query(String(first.json.access_token)), 401)
  assertRefused(await application.refresh(first.json.refresh_token))
})

test('RFC 6749 10.5: a replayed code ends no other sign-in of the same browser', async () => {
  const browser = openBrowser(authUrl)
  const authorize = () => application.authorize(person.id, offline, { browser })
  const [one, two, three] = [await authorize(), await authorize(), await authorize()]
  const first = await application.exchange(one.parameters.code, one.verifier)
  const second = await application.exchange(two.parameters.code, two.verifier)
  assertRefused(await application.exchange(one.parameters.code, one.verifier))
  assert.equal(await server.query(String(first.json.access_token)), 401)
  assert.equal(await server.query(String(second.json.access_token)), 200)
  assert.equal((await application.refresh(second.json.refresh_token)).status, 200)
  assert.equal((await application.exchange(three.parameters.code, three.verifier)).status, 200)
})

test('RFC 6749 10.5: a code that is replayed after its minute ends its tokens; an unused one is only expired', async t => {
  const { parameters, verifier } = await application.authorize(person.id, offline)
  const first = await application.exchange(parameters.code, verifier)
  const unused = await application.authorize(person.id, offline)
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3 * 60 * 1000 })
  // The change feed has to be heard at the new time, else the directory takes storage for away.
  const { storage } = server
  await t.waitFor(() => assert.ok(storage.silentMs() <= 1000), { timeout: patienceMs })
  await pruneRecords(storage.db)
  assertRefused(await application.exchange(unused.parameters.code, unused.verifier))
  assertRefused(await confidential.exchange(parameters.code, verifier))
  assertRefused(await application.exchange(parameters.code, newPkce().verifier))
  assert.equal(await server.query(String(first.json.access_token)), 200, 'whoever guesses ends nothing')
  assertRefused(await application.exchange(parameters.code, verifier))
  assert.equal(await server.query(String(first.json.access_token)), 401)
  assertRefused(await application.refresh(first.json.refresh_token))
})

test('a used code is remembered as long as its tokens live', async () => {
  const dayMs = 24 * 60 * 60 * 1000
  for (const [scope, days] of [
    ['openid', 1],
    ['openid offline_access', 91],
  ] as const) {
    const { parameters, verifier } = await application.authorize(person.id, { scope, audience: baseUrl })
    assert.equal((await application.exchange(parameters.code, verifier)).status, 200)
    const { expires_at } = await server.storage.db
      .selectFrom('oidc_records')
      .select('expires_at')
      .where('id_hash', '=', hashRecordId(parameters.code ?? ''))
      .executeTakeFirstOrThrow()
    assert.ok(Math.abs(Number(expires_at) - Date.now() - days * dayMs) < 60_000, scope)
  }
})

test('RFC 6749 10.5: of many requests at once with one code at most one gets tokens, and those end', async () => {
  const { parameters, verifier } = await application.authorize(person.id, offline)
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => application.exchange(parameters.code, verifier)),
  )
  const successes = replies.filter(({ status }) => status === 200)
  assert.ok(successes.length <= 1, `${successes.length} got tokens`)
  for (const { json } of successes) {
    assert.equal(await server.query(String(json.access_token)), 401)
    assertRefused(await application.refresh(json.refresh_token))
  }
})

test('RFC 9700 2.1.1: a code is of no use without its verifier, with another, or with the challenge', async () => {
  for (const wrong of ['', newPkce().verifier, 'challenge']) {
    const { verifier, challenge } = newPkce()
    const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
    const landed = await openBrowser(authUrl).authorize(application.query(pkce), person.id)
    assertRefused(
      await application.exchange(landed.parameters.code, wrong === 'challenge' ? challenge : wrong),
    )
    const right = await application.exchange(landed.parameters.code, verifier)
    assert.equal(right.status, 200, 'whoever guesses does not take the code from its owner')
  }
})

test('RFC 9700 2.1.1: no downgrade: plain, no method, no challenge, an unknown method', async () => {
  const { verifier, challenge } = newPkce()
  for (const pkce of [
    { code_challenge: verifier, code_challenge_method: 'plain' },
    { code_challenge: challenge },
    {},
    { code_challenge: challenge, code_challenge_method: 's256' },
    { code_challenge_method: 'S256' },
    { code_challenge: 'short', code_challenge_method: 'S256' },
  ])
    for (const client of [application, confidential]) {
      const landed = await go(client.query(pkce))
      assert.equal(landed.parameters.error, 'invalid_request', JSON.stringify(pkce))
      const described = String(landed.parameters.error_description)
      if (pkce.code_challenge !== 'short') assert.match(described, /code_challenge.* S256|=S256/)
      assert.equal(landed.parameters.code, undefined)
    }
  const posted = await go(application.query({ response_mode: 'form_post' }))
  assert.match(posted.text, /value="code_challenge is missing: send it with code_challenge_method&#61;S256/)
  const undescribed = await go(application.query({ response_mode: 'form_post', request: 'x' }))
  assert.match(undescribed.text, /name="error" value="request_not_supported"/)
  assert.match(undescribed.text, /name="error_description" value="request objects are not supported/)
})

test('a confidential application registered without PKCE sends a nonce; a public one may not be', async () => {
  const applicationWithoutPkce = await openTestApplication(server, { type: 'server', pkce: false })
  assert.equal((await go(applicationWithoutPkce.query())).parameters.error, 'invalid_request')
  const landed = await openBrowser(authUrl).authorize(applicationWithoutPkce.query({ nonce: 'n' }), person.id)
  assert.equal(
    (await applicationWithoutPkce.exchange(landed.parameters.code, newPkce().verifier)).json.error,
    'invalid_grant',
  )
  const browser = await openTestApplication(server, { type: 'browser', pkce: false })
  assert.equal((await go(browser.query({ nonce: 'n' }))).parameters.error, 'invalid_request')
})

test('RFC 9700 4.5: a code injected into another application, or another redirect_uri, gives nothing', async () => {
  const two = await openTestApplication(server, {
    redirectUris: ['https://app.example/callback', 'https://app.example/other'],
  })
  for (const steal of [
    (code: string | undefined, verifier: string) =>
      confidential.exchange(code, verifier, { redirect_uri: two.redirectUri }),
    (code: string | undefined, verifier: string) => application.exchange(code, verifier),
    (code: string | undefined, verifier: string) =>
      two.exchange(code, verifier, { redirect_uri: 'https://app.example/other' }),
  ]) {
    const { parameters, verifier } = await two.authorize(person.id)
    assertRefused(await steal(parameters.code, verifier))
  }
})

test('RFC 9700 4.5: a confidential application must prove who it is, whatever it knows', async () => {
  const { parameters, verifier } = await confidential.authorize(person.id)
  for (const secret of ['', '&client_secret=wrong']) {
    const reply = await server.form(
      '/oauth/token',
      `grant_type=authorization_code&client_id=${confidential.id}&code=${parameters.code}&code_verifier=${verifier}&redirect_uri=${confidential.redirectUri}${secret}`,
    )
    assert.equal(reply.status, 401, reply.text)
    assert.equal(reply.json.error, 'invalid_client')
  }
  assert.equal((await confidential.exchange(parameters.code, verifier)).status, 200)
})

test('RFC 9700 4.1: redirect URIs are compared character by character; a wrong one gets a page and no redirect', async () => {
  for (const address of [
    'https://app.example/callback/',
    'https://app.example/callback/../evil',
    'https://app.example/callback/more',
    'https://app.example/callback?x=1',
    'https://app.example/callback#fragment',
    'https://app.example/CALLBACK',
    'https://APP.example/callback',
    'HTTPS://app.example/callback',
    'https://app.example:443/callback',
    'https://app.example:8443/callback',
    'https://user@app.example/callback',
    'https://app.example@evil.example/callback',
    'https://app.example.evil.example/callback',
    'https://evil.example/https://app.example/callback',
    'https://app.example/%63allback',
    'https://app.example%2fcallback',
    'https://app.example\\@evil.example/callback',
    'http://app.example/callback',
    '//app.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://app.example/callback ',
    '\thttps://app.example/callback',
    '',
  ]) {
    const landed = await go(application.query({ redirect_uri: address, prompt: 'none' }))
    assert.equal(landed.applicationUrl, undefined, address)
    assert.equal(landed.status, 400, address)
    assert.match(landed.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(landed.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.ok(!/<script|javascript:/i.test(landed.text))
  }
  const twice = `${application.query()}&redirect_uri=https://evil.example/`
  const landed = await go(twice)
  assert.deepEqual([landed.applicationUrl, landed.status], [undefined, 400])
})

test('RFC 8252 7.3: a native application comes back to a loopback address on any port, and to nothing else', async () => {
  const native = await openTestApplication(server, {
    type: 'native',
    redirectUris: [
      'http://127.0.0.1/callback',
      'http://[::1]/callback',
      // Applications that listen on a port of the operating system's choice register this.
      'http://127.0.0.1:0/any',
      'com.example.app:/callback',
      'com.example.app://',
    ],
  })
  for (const address of [
    'http://127.0.0.1:51234/callback',
    'http://127.0.0.1/callback',
    'http://[::1]:61023/callback',
    'http://127.0.0.1:51234/any',
    'com.example.app:/callback',
    'com.example.app://',
  ]) {
    const { verifier, challenge } = newPkce()
    const query = native.query({
      redirect_uri: address,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    const landed = await openBrowser(authUrl).authorize(query, person.id)
    assert.ok(landed.applicationUrl?.href.startsWith(address), `${address} ${landed.text}`)
    const exchangeReply = await native.exchange(landed.parameters.code, verifier, {
      redirect_uri: 'http://127.0.0.1:1/callback',
    })
    assertRefused(exchangeReply)
    assert.equal(
      (await native.exchange(landed.parameters.code, verifier, { redirect_uri: address })).status,
      200,
    )
  }
  for (const address of [
    'http://127.0.0.1:51234/other',
    'http://127.0.0.1:51234/callback?x',
    'http://127.0.0.1:51234/callback#x',
    'http://user@127.0.0.1:51234/callback',
    'http://127.0.0.1:80@evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.2:51234/callback',
    'http://127.1:51234/callback',
    'http://2130706433:51234/callback',
    'http://localhost:51234/callback',
    'https://127.0.0.1:51234/callback',
    'com.example.app:/callback/more',
    'com.example.app:',
    'com.example.app:/',
    'com.example.app:///',
    'com.example.app://callback',
    'com.example.other:/callback',
    'http://evil.example:51234/callback',
  ])
    assert.equal(
      (await go(native.query({ redirect_uri: address, prompt: 'none' }))).applicationUrl,
      undefined,
      address,
    )
  const browser = await openTestApplication(server, { redirectUris: ['http://127.0.0.1:3000/callback'] })
  const otherPort = browser.query({ redirect_uri: 'http://127.0.0.1:3001/callback', prompt: 'none' })
  assert.equal((await go(otherPort)).applicationUrl, undefined, 'of a browser application the port counts')
})

test('RFC 9207: every answer names the issuer, errors too, so that a mix-up is noticed', async () => {
  const good = await application.authorize(person.id)
  assert.equal(good.parameters.iss, `${authUrl}/`)
  const bad = await go(
    application.query({ prompt: 'none', code_challenge: newPkce().challenge, code_challenge_method: 'S256' }),
  )
  assert.equal(bad.parameters.error, 'login_required')
  assert.equal(bad.parameters.iss, `${authUrl}/`)
})

test("another workspace's application harvests nobody: no member, no code; and a member of both gives it its own workspace only", async () => {
  const elsewhere = await server.newWorkspace()
  const harvester = await openTestApplication(server, {}, elsewhere.id)
  const landed = await harvester.authorize(person.id, { audience: baseUrl })
  assert.equal(landed.applicationUrl, undefined)
  assert.match(landed.text, /"prompt":"member"/)
  const memberOfBoth = await server.newPerson(['administrator'])
  await server.storage.write(async writer => {
    await setMember(writer, {
      workspaceId: elsewhere.id,
      subject: memberOfBoth.id,
      kind: 'user',
      roles: ['api'],
      filter: undefined,
    })
  })
  const tokens = await harvester.signIn(memberOfBoth.id, { audience: baseUrl })
  assert.equal(await server.query(String(tokens.access_token), elsewhere.slug), 200)
  assert.equal(await server.query(String(tokens.access_token), workspace.slug), 403)
})

test('System-to-System accounts take no part in a code flow, as client or as person', async () => {
  const account = await server.newAccount()
  const { challenge } = newPkce()
  const query = `client_id=${account.id}&response_type=code&redirect_uri=https://app.example/callback&code_challenge=${challenge}&code_challenge_method=S256`
  const landed = await go(query)
  assert.deepEqual([landed.applicationUrl, landed.status], [undefined, 400])
  assert.match(landed.text, /System-to-System account, which cannot sign people in/)
  const asPerson = await application.authorize(account.id)
  assert.equal(asPerson.parameters.code, undefined)
  for (const grant of ['authorization_code', 'refresh_token']) {
    const reply = await server.form(
      '/oauth/token',
      `grant_type=${grant}&client_id=${account.id}&client_secret=${account.secret}&code=x&refresh_token=x`,
    )
    assert.equal(reply.json.error, 'unauthorized_client')
  }
})

test('session fixation: a sign-in replaces a planted cookie', async () => {
  const browser = openBrowser(authUrl)
  await browser.go(
    `/authorize?${application.query({ code_challenge: newPkce().challenge, code_challenge_method: 'S256' })}`,
  )
  const planted = new Map(browser.jar)
  await application.signIn(person.id, {}, { browser })
  const attacker = openBrowser(authUrl)
  for (const [name, cookie] of planted) attacker.jar.set(name, cookie)
  const landed = await application.authorize(person.id, { prompt: 'none' }, { browser: attacker })
  assert.equal(landed.parameters.error, 'login_required')
})

test("cookies are HttpOnly and SameSite=Lax, signed, and a changed one is nobody's", async () => {
  const browser = openBrowser(authUrl)
  await application.signIn(person.id, {}, { browser })
  const query = application.query({
    prompt: 'none',
    code_challenge: newPkce().challenge,
    code_challenge_method: 'S256',
  })
  const response = await fetch(`${authUrl}/authorize?${query.replace('prompt=none', 'prompt=login')}`, {
    redirect: 'manual',
  })
  assert.ok(response.headers.getSetCookie().length > 0)
  for (const cookie of response.headers.getSetCookie()) assert.match(cookie, /; samesite=lax; httponly/i)
  const key = [...browser.jar.keys()].find(name => name.startsWith('querent_session.sig'))
  assert.ok(key)
  browser.jar.set(key, { value: 'A'.repeat(27), path: '/' })
  assert.equal((await browser.go(`/authorize?${query}`)).parameters.error, 'login_required')
})

test('a token for /userinfo is refused by the query service with a word on audience', async () => {
  const forUserinfo = await application.signIn(person.id)
  assert.equal(decodeJwt(String(forUserinfo.access_token)).aud, `${authUrl}/userinfo`)
  await assert.rejects(
    server.identify(String(forUserinfo.access_token), `${baseUrl}/4/${workspace.slug}/api/main`),
    /audience=http:\/\/127\.0\.0\.1:4000/,
  )
  assert.equal(await server.query(String(forUserinfo.access_token)), 401)
  const jti = String(decodeJwt(String(forUserinfo.access_token)).jti)
  const jtiReply = await server.raw(`GET /userinfo HTTP/1.1\r\nAuthorization: Bearer ${jti}`)
  assert.equal(jtiReply.status, 401, 'what is stored is no token by itself')
})

test('RFC 9700 4.3.2: no CORS at /authorize and /logout; no framing; tokens never in URLs', async () => {
  for (const path of [`/authorize?${application.query()}`, '/logout']) {
    const reply = await server.raw(`GET ${path} HTTP/1.1\r\nOrigin: https://app.example\r\nAccept: text/html`)
    assert.equal(reply.headers.get('access-control-allow-origin'), undefined)
  }
  const page = await go('client_id=nobody')
  assert.equal(page.headers.get('x-frame-options'), 'DENY')
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
})

test('a request by POST that is no form, or too long, gets a page', async () => {
  for (const reply of [
    await server.form('/authorize', `client_id=${'x'.repeat(20_000)}`),
    await server.raw('POST /logout HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2', '{}'),
  ]) {
    assert.equal(reply.status, 400)
    assert.match(reply.headers.get('content-type') ?? '', /^text\/html/)
    assert.match(reply.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  }
})

test('management is not for applications: an audience of the console is invalid_target for them', async () => {
  const landed = await go(
    application.query({
      audience: `${authUrl}/manage/`,
      code_challenge: newPkce().challenge,
      code_challenge_method: 'S256',
    }),
  )
  assert.equal(landed.parameters.error, 'invalid_target')
})
