/**
 * OpenID Connect Basic OP: the modules of the OpenID Foundation's `oidcc-basic-certification-test-plan`, one test each, under their names.
 * The suite's clients send no code challenge, which only a confidential application registered without may do.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { openUserCodeAttempts } from '#oauth/requests/user-code-attempts'
import { setEmailVerified } from '#storage/users'
import { recordAdapter } from './provider/adapter.ts'
import { openStartedSignIns } from './requests/started-sign-ins.ts'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { type InteractionPage, openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const { authUrl } = server
const person = await server.newPerson()
const application = await openTestApplication(server, { type: 'server', pkce: false })
const { query } = application

const basic = `Authorization: Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}`
const callback = encodeURIComponent(application.redirectUri)
const exchangeBasic = (code: string | undefined) =>
  server.form('/oauth/token', `grant_type=authorization_code&code=${code}&redirect_uri=${callback}`, basic)

/** Signs in with these parameters; the tokens and what the ID token says. */
const flow = async (parameters: Record<string, string | undefined>, browser = openBrowser(authUrl)) => {
  const seenPages: InteractionPage[] = []
  const query_ = query.call(application, { scope: 'openid', nonce: 'n1', ...parameters })
  const landed = await browser.authorize(query_, person.id, seenPages)
  assert.ok(landed.parameters.code, `${JSON.stringify(landed.parameters)} ${landed.text}`)
  assert.equal(landed.parameters.state, 's')
  const reply = await exchangeBasic(landed.parameters.code)
  assert.equal(reply.status, 200, reply.text)
  const identity = decodeJwt(String(reply.json.id_token))
  return { asked: seenPages.map(({ prompt }) => prompt), pages: seenPages, landed, reply, identity, browser }
}
const userinfo = (token: unknown) => server.raw(`GET /userinfo HTTP/1.1\r\nAuthorization: Bearer ${token}`)

test('oidcc-server: code, tokens, ID token, userinfo', async () => {
  const { reply, identity } = await flow({})
  assert.equal(identity.iss, `${authUrl}/`)
  assert.equal(identity.sub, person.id)
  assert.equal(identity.aud, application.id)
  assert.equal(identity.nonce, 'n1')
  assert.ok(Number(identity.exp) > Number(identity.iat))
  const info = await userinfo(reply.json.access_token)
  assert.equal(info.status, 200, info.text)
  assert.equal(info.json.sub, person.id)
  assert.match(info.headers.get('content-type') ?? '', /^application\/json/)
})

test('oidcc-response-type-missing: the application gets invalid_request', async () => {
  const landed = await openBrowser(authUrl).go(
    `/authorize?${query.call(application, { response_type: undefined })}`,
  )
  assert.equal(landed.parameters.error, 'invalid_request')
  assert.equal(landed.parameters.state, 's')
})

test('oidcc-userinfo-get, -post-header, -post-body', async () => {
  const { reply } = await flow({})
  const token = reply.json.access_token
  const replies = [
    await userinfo(token),
    await server.raw(`POST /userinfo HTTP/1.1\r\nContent-Length: 0\r\nAuthorization: Bearer ${token}`),
    await server.form('/userinfo', `access_token=${token}`),
  ]
  for (const { status, json, text } of replies) {
    assert.equal(status, 200, text)
    assert.equal(json.sub, person.id)
  }
})

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: with a code challenge, or registered so', async () => {
  const lenientApplication = await openTestApplication(server, { type: 'server', pkce: false, nonce: false })
  const answer = await openBrowser(authUrl).authorize(
    lenientApplication.query({ scope: 'openid' }),
    person.id,
  )
  const tokens = await lenientApplication.token({
    grant_type: 'authorization_code',
    code: answer.parameters.code ?? '',
    redirect_uri: lenientApplication.redirectUri,
  })
  assert.equal(tokens.status, 200, tokens.text)
  const landed = await application.authorize(person.id, { scope: 'openid' })
  const reply = await application.exchange(landed.parameters.code, landed.verifier)
  assert.equal(reply.status, 200, reply.text)
  assert.equal(decodeJwt(String(reply.json.id_token)).nonce, undefined)
})

test('oidcc-scope-profile, -email, -all: the claims of a scope are in userinfo and ID token; address and phone do no harm', async () => {
  const email = { email: person.email, email_verified: false }
  const cases: [string, Record<string, unknown>, Record<string, unknown>][] = [
    ['openid profile', { name: person.name }, email],
    ['openid email', email, { name: person.name }],
    ['openid address phone', {}, { name: person.name, ...email }],
    ['openid profile email address phone', { name: person.name, ...email }, {}],
  ]
  for (const [scope, present, absent] of cases) {
    const { reply, identity } = await flow({ scope })
    const info = await userinfo(reply.json.access_token)
    for (const claims of [info.json, identity]) {
      for (const [name, value] of Object.entries(present))
        assert.equal(claims[name], value, `${scope}: ${name}`)
      for (const name of Object.keys(absent)) assert.equal(claims[name], undefined, `${scope}: ${name}`)
    }
  }
})

test('email_verified: of whoever used a link that was mailed', async () => {
  await server.storage.write(writer => setEmailVerified(writer, person.id))
  const { identity } = await flow({ scope: 'openid email' })
  assert.equal(identity.email_verified, true)
})

test('oidcc-ensure-other-scope-order-succeeds', async () => {
  const { identity } = await flow({ scope: 'email openid profile' })
  assert.equal(identity.email, person.email)
})

test('oidcc-display-page, -popup; oidcc-ui-locales, oidcc-claims-locales: no errors', async () => {
  await flow({ display: 'page' })
  await flow({ display: 'popup' })
  const { pages } = await flow({ ui_locales: 'nl se', claims_locales: 'nl' })
  assert.equal(pages[0]?.params.ui_locales, 'nl se', 'the pages are told')
})

test('oidcc-prompt-login: asks again, with a later auth_time', async () => {
  const browser = openBrowser(authUrl)
  const first = await flow({}, browser)
  const second = await flow({ prompt: 'login' }, browser)
  assert.deepEqual(second.asked, ['login'])
  assert.equal(second.identity.sub, first.identity.sub)
  assert.equal(typeof second.identity.auth_time, 'number')
})

test('oidcc-prompt-none-not-logged-in: login_required, and no page', async () => {
  const landed = await openBrowser(authUrl).go(
    `/authorize?${query.call(application, { prompt: 'none', nonce: 'n' })}`,
  )
  assert.equal(landed.parameters.error, 'login_required')
  assert.equal(landed.parameters.state, 's')
})

test('oidcc-prompt-none-logged-in: a code without a page', async () => {
  const browser = openBrowser(authUrl)
  const first = await flow({}, browser)
  const second = await flow({ prompt: 'none' }, browser)
  assert.deepEqual(second.asked, [])
  assert.equal(second.identity.sub, first.identity.sub)
})

test('prompt=select_account leads to the page of sign-in, where another can be chosen', async () => {
  const browser = openBrowser(authUrl)
  await flow({}, browser)
  assert.deepEqual((await flow({ prompt: 'select_account' }, browser)).asked, ['login'])
})

test('prompt=consent asks again; prompt=none is consent_required if a page is needed, and invalid_request with another prompt', async () => {
  const browser = openBrowser(authUrl)
  await flow({}, browser)
  assert.deepEqual((await flow({ prompt: 'consent' }, browser)).asked, ['consent'])
  const widerQuery = query.call(application, { prompt: 'none', nonce: 'n', audience: server.baseUrl })
  assert.equal((await browser.go(`/authorize?${widerQuery}`)).parameters.error, 'consent_required')
  const conflictingQuery = query.call(application, { prompt: 'none login', nonce: 'n' })
  assert.equal((await browser.go(`/authorize?${conflictingQuery}`)).parameters.error, 'invalid_request')
})

test('oidcc-max-age-1: a sign-in longer ago is asked for again, with auth_time; oidcc-max-age-10000: it is not', async () => {
  const browser = openBrowser(authUrl)
  const first = await flow({ max_age: '15000' }, browser)
  const authTime = Number(first.identity.auth_time)
  const secondFlow = await flow({ max_age: '10000' }, browser)
  assert.deepEqual(secondFlow.asked, [])
  assert.equal(secondFlow.identity.auth_time, authTime)
  // The clock of the server cannot be moved, so the sign-in is.
  const rows = await server.storage.db
    .selectFrom('oidc_records')
    .selectAll()
    .where('model', '=', 'Session')
    .execute()
  for (const row of rows) {
    const payload = JSON.parse(row.payload_json)
    const payload_json = JSON.stringify({ ...payload, loginTs: Number(payload.loginTs) - 5 })
    await server.storage.db
      .updateTable('oidc_records')
      .set({ payload_json })
      .where('id_hash', '=', row.id_hash)
      .execute()
  }
  const late = await flow({ max_age: '1' }, browser)
  assert.deepEqual(late.asked, ['login'])
  assert.ok(Number(late.identity.auth_time) >= authTime)
  assert.deepEqual((await flow({ max_age: '0' }, browser)).asked, ['login'])
})

test('auth_time is when the person signed in, not when they left the page of the consent', async () => {
  const browser = openBrowser(authUrl)
  const start = await browser.go(
    `/authorize?${query.call(application, { nonce: 'n', prompt: 'login consent' })}`,
  )
  const page = await browser.post(`${start.url.pathname}/login?account=${person.id}`)
  const interactions = recordAdapter(server.storage, server.keyring, {
    startedSignIns: openStartedSignIns(server.storage.db, 'off', () => ''),
    userCodeAttempts: openUserCodeAttempts(server.storage, 'off', () => ''),
  })('Interaction')
  const uid = page.url.pathname.split('/').at(-1) ?? ''
  const payload = await interactions.find(uid)
  const login = payload?.lastSubmission?.login
  assert.ok(payload && login)
  const signedInAt = Number(login.ts) - 100
  const lastSubmission = { ...payload.lastSubmission, login: { ...login, ts: signedInAt } }
  await interactions.upsert(uid, { ...payload, lastSubmission }, 60)
  const landed = await browser.post(`${page.url.pathname}/consent`)
  const reply = await exchangeBasic(landed.parameters.code)
  assert.equal(decodeJwt(String(reply.json.id_token)).auth_time, signedInAt)
})

test('oidcc-ensure-request-with-unknown-parameter-succeeds', async () => {
  await flow({ extra: 'foobar' })
})

test('oidcc-id-token-hint: no page for the person who is signed in, login_required for anybody else', async () => {
  const browser = openBrowser(authUrl)
  const { reply } = await flow({}, browser)
  const hint = String(reply.json.id_token)
  assert.deepEqual((await flow({ prompt: 'none', id_token_hint: hint }, browser)).asked, [])
  const otherPerson = await server.newPerson()
  const elsewhere = openBrowser(authUrl)
  await elsewhere.authorize(query.call(application, { nonce: 'n' }), otherPerson.id)
  const silentQuery = query.call(application, { prompt: 'none', nonce: 'n', id_token_hint: hint })
  assert.equal((await elsewhere.go(`/authorize?${silentQuery}`)).parameters.error, 'login_required')
})

test('a person who signs in as somebody else than the hint or the claim sub gets no code, sees why, and may switch', async () => {
  const hint = String((await flow({})).reply.json.id_token)
  const claims = JSON.stringify({ id_token: { sub: { value: person.id } } })
  const otherPerson = await server.newPerson()
  for (const demand of [{ id_token_hint: hint }, { claims }]) {
    const demandingQuery = query.call(application, { nonce: 'n', ...demand })
    const browser = openBrowser(authUrl)
    const fresh = await browser.authorize(demandingQuery, otherPerson.id)
    const { prompt, reasons }: InteractionPage = JSON.parse(fresh.text)
    assert.equal(prompt, 'login')
    assert.ok(reasons.includes('another_account'), reasons.join())
    const silent = query.call(application, { nonce: 'n', prompt: 'none', ...demand })
    const silentQuery = await browser.go(`/authorize?${silent}`)
    assert.equal(silentQuery.parameters.error, 'login_required')
    assert.equal(silentQuery.parameters.state, 's')
    assert.ok((await browser.authorize(demandingQuery, person.id)).parameters.code, 'the one who was meant')
  }
})

test('oidcc-login-hint: the page shows the hint', async () => {
  const { pages } = await flow({ login_hint: 'buffy@example.org' })
  assert.equal(pages[0]?.params.login_hint, 'buffy@example.org')
})

test('oidcc-ensure-request-with-acr-values-succeeds: acr says how the person signed in', async () => {
  const { identity } = await flow({ acr_values: 'urn:querent:acr:password other' })
  assert.equal(identity.acr, 'urn:querent:acr:password')
  await flow({ acr_values: '1 2' })
})

test('oidcc-codereuse, -30seconds: a code works once, and its replay ends its tokens', async () => {
  const { landed, reply } = await flow({})
  assert.equal((await userinfo(reply.json.access_token)).status, 200)
  const secondExchange = await exchangeBasic(landed.parameters.code)
  assert.equal(secondExchange.status, 400)
  assert.equal(secondExchange.json.error, 'invalid_grant')
  assert.equal((await userinfo(reply.json.access_token)).status, 401)
})

test('oidcc-ensure-registered-redirect-uri: another gets a page, and no redirect', async () => {
  const otherQuery = query.call(application, { redirect_uri: 'https://evil.example/callback', nonce: 'n' })
  const landed = await openBrowser(authUrl).go(`/authorize?${otherQuery}`)
  assert.equal(landed.applicationUrl, undefined)
  assert.equal(landed.status, 400)
  assert.match(landed.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(landed.text, /redirect_uri/)
})

test('oidcc-ensure-redirect-uri-in-authorization-request: without one, a page and no redirect, though one is registered', async () => {
  for (const redirect_uri of [undefined, '']) {
    const parameters = new URLSearchParams(query.call(application, { nonce: 'n' }))
    if (redirect_uri === undefined) parameters.delete('redirect_uri')
    else parameters.set('redirect_uri', redirect_uri)
    const landed = await openBrowser(authUrl).go(`/authorize?${parameters}`)
    assert.deepEqual([landed.applicationUrl, landed.status], [undefined, 400])
    assert.match(landed.text, /redirect_uri/)
  }
})

test('oidcc-ensure-post-request-succeeds: the request as a form of another site', async () => {
  const browser = openBrowser(authUrl)
  await flow({}, browser)
  const form = Object.fromEntries(
    new URLSearchParams(query.call(application, { nonce: 'n', scope: 'openid' })),
  )
  // Cookies that are SameSite=Lax do not come along.
  const first = await fetch(`${authUrl}/authorize`, {
    method: 'POST',
    body: new URLSearchParams(form),
    redirect: 'manual',
    headers: { origin: 'https://app.example' },
  })
  assert.equal(first.status, 303)
  const landed = await browser.go(first.headers.get('location') ?? '')
  assert.ok(landed.parameters.code, 'signed in already, agreed already')
})

test('oidcc-server-client-secret-post: the secret in the body works for the same client', async () => {
  const { landed } = await flow({}).then(async ({ browser }) => ({
    landed: await browser.go(`/authorize?${query.call(application, { nonce: 'n' })}`),
  }))
  const reply = await application.token({
    grant_type: 'authorization_code',
    code: landed.parameters.code ?? '',
    redirect_uri: application.redirectUri,
  })
  assert.equal(reply.status, 200, reply.text)
})

test('oidcc-request-uri-unsigned, oidcc-unsigned-request-object: refused as not supported', async () => {
  const object = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`
  for (const [name, value] of [
    ['request', object],
    ['request_uri', 'https://app.example/request.jwt'],
    ['registration', '{}'],
  ] as const) {
    const landed = await openBrowser(authUrl).go(
      `/authorize?${query.call(application, { [name]: value, nonce: 'n' })}`,
    )
    assert.equal(landed.parameters.error, `${name}_not_supported`)
    assert.match(landed.parameters.error_description ?? '', new RegExp(`leave ${name} out`))
    assert.equal(landed.parameters.iss, `${authUrl}/`)
  }
})

test('oidcc-claims-essential: claims asked for one by one come where they were asked', async () => {
  const claims = JSON.stringify({
    userinfo: { name: { essential: true } },
    id_token: { email: null, auth_time: { essential: true } },
  })
  const { reply, identity, pages } = await flow({ claims, prompt: 'login consent' })
  const info = await userinfo(reply.json.access_token)
  assert.equal(info.json.name, person.name)
  assert.equal(info.json.email, undefined)
  assert.equal(identity.email, person.email)
  assert.equal(identity.name, undefined)
  assert.equal(typeof identity.auth_time, 'number')
  assert.deepEqual(pages.at(-1)?.consent?.claims, ['name', 'email'])
})

test('an essential acr that no sign-in here has is refused, not asked for again and again', async () => {
  const claims = JSON.stringify({ id_token: { acr: { essential: true, values: ['urn:other'] } } })
  const landed = await openBrowser(authUrl).go(
    `/authorize?${query.call(application, { claims, nonce: 'n' })}`,
  )
  assert.equal(landed.parameters.error, 'unmet_authentication_requirements')
})

test('oidcc-refresh-token: new tokens, a new ID token of the same person, and only for its own client', async () => {
  const { reply } = await flow({ scope: 'openid offline_access', prompt: 'consent' })
  assert.equal(typeof reply.json.refresh_token, 'string')
  const otherQuery = await openTestApplication(server, { type: 'server' })
  const stolen = await otherQuery.refresh(reply.json.refresh_token)
  assert.equal(stolen.json.error, 'invalid_grant')
  const next = await application.refresh(reply.json.refresh_token)
  assert.equal(next.status, 200, next.text)
  const identity = decodeJwt(String(next.json.id_token))
  const previousIdentity = decodeJwt(String(reply.json.id_token))
  for (const name of ['iss', 'sub', 'aud']) assert.deepEqual(identity[name], previousIdentity[name])
})

test('oidcc-ensure-request-with-valid-pkce-succeeds', async () => {
  const tokens = await application.signIn(person.id, { scope: 'openid', nonce: 'n' })
  assert.equal(typeof tokens.id_token, 'string')
})

test('response_mode=form_post and fragment work; a response type that puts tokens in URLs does not', async () => {
  const browser = openBrowser(authUrl)
  await flow({}, browser)
  const form = await browser.go(
    `/authorize?${query.call(application, { response_mode: 'form_post', nonce: 'n' })}`,
  )
  assert.equal(form.status, 200)
  assert.match(form.text, /name="code"/)
  const [, script = ''] = /<script>(.*)<\/script>/.exec(form.text) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  assert.match(
    form.headers.get('content-security-policy') ?? '',
    new RegExp(`default-src 'none'.* script-src 'sha256-${hash.replace(/[+/]/g, '\\$&')}'`),
  )
  assert.match(form.text, /<html lang="en">/)
  assert.match(form.text, /<button>Continue<\/button>/)
  const fragment = await browser.go(
    `/authorize?${query.call(application, { response_mode: 'fragment', nonce: 'n' })}`,
  )
  assert.match(fragment.applicationUrl?.hash ?? '', /code=/)
  for (const response_type of ['token', 'id_token', 'id_token token', 'code id_token']) {
    const landed = await browser.go(`/authorize?${query.call(application, { response_type, nonce: 'n' })}`)
    assert.match(landed.applicationUrl?.href ?? '', /unsupported_response_type/)
  }
})
