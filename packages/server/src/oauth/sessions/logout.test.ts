/** Logout at its three addresses (OpenID Connect RP-Initiated Logout 1.0). */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { logoutAddresses } from '#oauth/clients/clients'
import { openTestApplication } from '#oauth/test-application'
import { startTestServer } from '#oauth/test-server'
import { type Browser, openBrowser } from '#oauth/test-sign-in'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl } = server
const person = await server.newPerson()
const application = await openTestApplication(server)
const home = 'https://app.example'

const signedIn = async (scope = 'openid') => {
  const browser = openBrowser(authUrl)
  const earlier = await application.signIn(person.id, { scope: 'openid', audience: baseUrl }, { browser })
  const tokens = await application.signIn(person.id, { scope, audience: baseUrl }, { browser })
  return { browser, earlier, tokens }
}
const isSignedIn = async (browser: Browser) => {
  const landed = await application.authorize(person.id, { prompt: 'none' }, { browser })
  return landed.parameters.error !== 'login_required'
}
const button = (text: string) => ({
  xsrf: /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? '',
  logout: 'yes',
})

test('a logout with an ID token of the person who is signed in happens at once, and returns with the state', async () => {
  for (const path of ['/logout', '/oidc/logout', '/v2/logout']) {
    const { browser, earlier, tokens } = await signedIn()
    const back = path === '/v2/logout' ? 'returnTo' : 'post_logout_redirect_uri'
    const landed = await browser.go(`${path}?id_token_hint=${tokens.id_token}&${back}=${home}&state=x1`)
    assert.equal(landed.status, 303)
    assert.equal(landed.applicationUrl?.origin, home)
    assert.equal(landed.parameters.state, 'x1')
    assert.equal(await isSignedIn(browser), false)
    for (const { access_token } of [earlier, tokens])
      assert.equal(await server.query(String(access_token)), 401, 'its tokens end with the session')
  }
})

test('without registered addresses, it goes back to a redirect URI too', async () => {
  const { browser, tokens } = await signedIn()
  const { redirectUri } = application
  const landed = await browser.go(
    `/logout?id_token_hint=${tokens.id_token}&post_logout_redirect_uri=${redirectUri}`,
  )
  assert.deepEqual([landed.status, landed.applicationUrl?.href], [303, redirectUri])
  const redirectUris = ['com.example.app:/callback']
  const native = await openTestApplication(server, { type: 'native', redirectUris })
  const nativeLanded = await openBrowser(authUrl).go(
    `/logout?client_id=${native.id}&post_logout_redirect_uri=${native.redirectUri}`,
  )
  assert.deepEqual([nativeLanded.status, nativeLanded.applicationUrl?.href], [303, native.redirectUri])
})

test('from a page of an application that the browser signed in to, it happens at once', async () => {
  const path = `/v2/logout?client_id=${application.id}&returnTo=${home}`
  for (const headers of [
    { referer: `${home}/` },
    { referer: `${home}/page?a=b`, 'sec-fetch-site': 'cross-site' },
  ]) {
    const { browser, tokens } = await signedIn()
    const landed = await browser.go(path, { headers })
    assert.deepEqual([landed.status, landed.applicationUrl?.origin], [303, home])
    assert.equal(await isSignedIn(browser), false)
    assert.equal(await server.query(String(tokens.access_token)), 401)
  }
})

test('CSRF: a page of another origin, or of an application without a sign-in here, is asked first', async () => {
  const otherApplication = await openTestApplication(server)
  const { browser, tokens } = await signedIn()
  const request = `client_id=${application.id}&post_logout_redirect_uri=${home}`
  const attacks: [string, Record<string, string>][] = [
    [request, { referer: 'https://evil.example/' }],
    [request, { referer: `${home}.evil.example/` }],
    [request, { referer: 'https://evil.example/https://app.example' }],
    [request, { referer: 'null' }],
    [request, { origin: 'https://evil.example', referer: `${home}/` }],
    [`client_id=${otherApplication.id}`, { referer: `${home}/` }],
    [`post_logout_redirect_uri=${home}&client_id=none`, { referer: `${home}/` }],
    ['', { referer: `${home}/` }],
  ]
  for (const [query, headers] of attacks) {
    const { status, applicationUrl } = await browser.go(`/logout?${query}`, { headers })
    assert.ok(applicationUrl === undefined && (status === 200 || status === 400), query)
    assert.equal(await server.query(String(tokens.access_token)), 200)
  }
  assert.equal(await isSignedIn(browser), true)
})

test('CSRF: a bare GET of another site ends no session; one button asks first', async () => {
  const { browser, earlier, tokens } = await signedIn()
  const page = await browser.go(`/v2/logout?client_id=${application.id}&returnTo=${home}`)
  assert.equal(page.status, 200)
  assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
  assert.equal(await server.query(String(tokens.access_token)), 200)
  const forged = await browser.post('/logout/confirm', { xsrf: 'guess', logout: 'yes' })
  assert.equal(forged.status, 400)
  const logoutPage = await browser.go(`/v2/logout?client_id=${application.id}&returnTo=${home}`)
  const landed = await browser.post('/logout/confirm', button(logoutPage.text))
  assert.equal(landed.applicationUrl?.origin, home)
  assert.equal(await isSignedIn(browser), false)
  for (const { access_token } of [earlier, tokens])
    assert.equal(await server.query(String(access_token)), 401)
})

test("somebody else's ID token asks first", async () => {
  const otherPerson = await server.newPerson()
  const theirs = await application.signIn(otherPerson.id)
  const { browser } = await signedIn()
  const page = await browser.go(`/logout?id_token_hint=${theirs.id_token}&post_logout_redirect_uri=${home}`)
  assert.equal(page.status, 200)
  assert.equal(await isSignedIn(browser), true)
})

test("an ID token of the same person's other browser, or of an earlier session of this one, asks first", async () => {
  const { tokens: elsewhere } = await signedIn()
  const { browser, tokens } = await signedIn()
  const otherApplication = await openTestApplication(server)
  const otherTokens = await otherApplication.signIn(
    person.id,
    { scope: 'openid offline_access' },
    { browser: openBrowser(authUrl) },
  )
  for (const [hint, target] of [
    [elsewhere.id_token, `&post_logout_redirect_uri=${home}`],
    [elsewhere.id_token, ''],
    [otherTokens.id_token, ''],
    [(await otherApplication.refresh(otherTokens.refresh_token)).json.id_token, ''],
  ]) {
    const page = await browser.go(`/logout?id_token_hint=${hint}${target}`)
    assert.equal(page.status, 200)
    assert.ok(button(page.text).xsrf)
    assert.equal(await isSignedIn(browser), true)
  }
  assert.match((await browser.go(`/logout?id_token_hint=${tokens.id_token}`)).url.pathname, /success$/)
  assert.equal(await isSignedIn(browser), false)
  await application.signIn(person.id, { scope: 'openid' }, { browser })
  assert.ok(button((await browser.go(`/logout?id_token_hint=${tokens.id_token}`)).text).xsrf)
  assert.equal(await isSignedIn(browser), true)
})

test('an ID token of a refresh is of the session of the sign-in', async () => {
  const { browser, tokens } = await signedIn('openid offline_access')
  const next = await application.refresh(tokens.refresh_token)
  assert.match((await browser.go(`/logout?id_token_hint=${next.json.id_token}`)).url.pathname, /success$/)
  assert.equal(await isSignedIn(browser), false)
})

test('RFC 9110 9.2.1: HEAD has no effect: no logout, and no code', async () => {
  const { browser, tokens } = await signedIn()
  const records = () =>
    server.storage.db
      .selectFrom('oidc_records')
      .select(['model', 'id_hash', 'payload_json'])
      .orderBy('id_hash')
      .execute()
  const storedBefore = await records()
  const authorization = `/authorize?${application.query({ scope: 'openid', prompt: 'none', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' })}`
  for (const path of ['/logout', '/oidc/logout', '/v2/logout', authorization]) {
    const address = path === authorization ? path : `${path}?id_token_hint=${tokens.id_token}`
    const reply = await browser.go(address, { method: 'HEAD' })
    assert.equal(reply.status, 200)
    assert.equal(reply.headers.get('cache-control'), 'no-store')
    assert.equal(reply.text, '')
  }
  assert.deepEqual(await records(), storedBefore)
  assert.equal(await isSignedIn(browser), true)
})

test('an ID token that is not valid asks first, as none does', async () => {
  const { browser, tokens } = await signedIn()
  const [header, payload, signature] = String(tokens.id_token).split('.')
  for (const hint of [
    'x',
    `${header}.${payload}.${'A'.repeat(342)}`,
    `${header}.e30.${signature}`,
    tokens.access_token,
  ]) {
    const page = await browser.go(
      `/logout?client_id=${application.id}&id_token_hint=${hint}&post_logout_redirect_uri=${home}`,
    )
    assert.equal(page.status, 200, String(hint))
    assert.match(page.text, /name="xsrf"/)
  }
  assert.equal(await isSignedIn(browser), true)
})

test('logout works with a cross-site POST at each address, and no URL contains form data', async () => {
  for (const [path, back] of [
    ['/logout', 'post_logout_redirect_uri'],
    ['/oidc/logout', 'post_logout_redirect_uri'],
    ['/v2/logout', 'returnTo'],
  ] as const) {
    const { browser, tokens } = await signedIn()
    browser.visited.length = 0
    const form = { id_token_hint: String(tokens.id_token), ui_locales: 'nl posted', [back]: home }
    const landed = await browser.postFromElsewhere(path, form)
    assert.equal(landed.applicationUrl?.origin, home, path)
    assert.equal(await isSignedIn(browser), false)
    for (const url of browser.visited) {
      assert.ok(!url.includes(String(tokens.id_token)), url)
      assert.doesNotMatch(url, /id_token_hint|app\.example%2F?&|posted/)
    }
  }
})

test('the address that a form is sent on to works once', async () => {
  const { browser, tokens } = await signedIn()
  const form = `id_token_hint=${tokens.id_token}&post_logout_redirect_uri=${home}`
  const reply = await server.form('/logout', form)
  assert.equal(reply.status, 303)
  const onward = reply.headers.get('location') ?? ''
  assert.match(onward, /^\/logout\?form=[\w-]{43}$/)
  assert.equal((await browser.go(onward)).applicationUrl?.origin, home)
  const secondTry = await browser.go(onward)
  assert.equal(secondTry.status, 400)
  assert.match(secondTry.text, /start again/)
  assert.equal((await browser.go('/logout?form=guessed')).status, 400)
})

test('where nobody is signed in there is nothing to ask', async () => {
  const landed = await openBrowser(authUrl).go(`/v2/logout?client_id=${application.id}&returnTo=${home}/`)
  assert.equal(landed.applicationUrl?.href, `${home}/`)
  const plainLogout = await openBrowser(authUrl).go('/logout')
  assert.equal(plainLogout.status, 200)
  assert.equal(plainLogout.url.pathname, '/logout/success')
})

test('no open redirect: an address that was not registered is refused, one without an application ignored', async () => {
  for (const address of [
    'https://evil.example',
    'https://app.example.evil.example',
    'https://app.example@evil.example',
    'https://app.example:8443',
    'https://app.example/elsewhere',
    'javascript:alert(1)',
    '//evil.example',
  ]) {
    const encodedAddress = encodeURIComponent(address)
    const { status, applicationUrl, text } = await openBrowser(authUrl).go(
      `/logout?client_id=${application.id}&post_logout_redirect_uri=${encodedAddress}`,
    )
    assert.deepEqual([status, applicationUrl], [400, undefined], address)
    assert.match(text, /<title>This sign-out request/)
    const ignored = await openBrowser(authUrl).go(`/logout?post_logout_redirect_uri=${encodedAddress}`)
    assert.deepEqual([ignored.status, ignored.applicationUrl], [200, undefined], address)
  }
})

test('registered addresses take the place of the redirect URIs and their origins', () => {
  const settings = { type: 'browser' as const, origins: [], own: false }
  const redirectUris = ['https://app.example/callback', 'com.example.app:/callback']
  assert.deepEqual(logoutAddresses({ ...settings, redirectUris, logoutUris: [] }), [
    ...redirectUris,
    home,
    `${home}/`,
  ])
  const logoutUris = ['https://app.example/bye']
  assert.deepEqual(logoutAddresses({ ...settings, redirectUris, logoutUris }), logoutUris)
})

test('only the grants with offline_access outlive the session', async () => {
  const { browser, earlier, tokens } = await signedIn('openid offline_access')
  await browser.go(`/logout?id_token_hint=${tokens.id_token}`)
  assert.equal(await isSignedIn(browser), false)
  assert.equal(await server.query(String(earlier.access_token)), 401)
  assert.equal(await server.query(String(tokens.access_token)), 200)
  assert.equal((await application.refresh(tokens.refresh_token)).status, 200)
})

test('the cookie of an ended session is worth nothing', async () => {
  const { browser, tokens } = await signedIn()
  const stolen = new Map(browser.jar)
  await browser.go(`/logout?id_token_hint=${tokens.id_token}`)
  const thief = openBrowser(authUrl)
  for (const [name, cookie] of stolen) thief.jar.set(name, cookie)
  assert.equal(await isSignedIn(thief), false)
})
