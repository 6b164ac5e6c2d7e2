/** People sign in with the applications of `examples/`, a real Chromium, and a server of another site (docs/sign-people-in.md). */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { decodeJwt } from 'jose'
import { register, startExample } from '#tests/support/examples'
import { makeLibrary } from '#tests/support/library'
import { makeMember } from '#tests/support/person'
import { openProfile, openSignInSite, type Profile, type SignInSite } from '#tests/support/sign-in-site'

let site: SignInSite
let server: SignInSite['server']
let library: SignInSite['library']
let browser: SignInSite['browser']
let ada: SignInSite['ada']
let singlePage: SignInSite['singlePage']
let portal: SignInSite['portal']
before(async () => {
  site = await openSignInSite()
  ;({ server, library, browser, ada, singlePage, portal } = site)
})
after(() => site?.close())

let context: Profile['context']
let page: Profile['page']
let finder: Profile['finder']
let requests: Profile['requests']
beforeEach(async () => {
  ;({ context, page, finder, requests } = await openProfile(browser, singlePage))
})
afterEach(() => context.close())

test('all ten steps of the flow work, from a page of another site', async () => {
  const requestTo = (prefix: string) =>
    requests.find(request => request.method() !== 'OPTIONS' && request.url().startsWith(prefix)) ??
    assert.fail(`nothing was sent to ${prefix}`)

  // 1. The user chooses to log in within the application.
  await finder.open()
  await finder.button('Sign in').click()

  // 2 to 4. Verifier, challenge, and the redirect to a login prompt.
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const authorizeParameters = new URL(requestTo(`${server.authUrl}/authorize`).url()).searchParams
  assert.equal(authorizeParameters.get('code_challenge_method'), 'S256')
  assert.equal(authorizeParameters.get('code_verifier'), null)

  // 5. The user authenticates. The consent page lists the permissions.
  await finder.signInAs(ada)
  await page.getByRole('heading', { name: 'Allow Finder to access your account?' }).waitFor()
  const permissions = await page.getByRole('listitem').allInnerTexts()
  for (const words of [
    /search on your behalf everything/,
    /your e-mail address/,
    /your name/,
    /while you are away/,
  ])
    assert.ok(
      permissions.some(permission => words.test(permission)),
      `${words} is in ${permissions.join('; ')}`,
    )

  // 6. Back to the application, with a code.
  await finder.button('Allow').click()
  await page.getByText('Signed in as reader@example.org.').waitFor()
  const back = new URL(requestTo(`${singlePage.url}/callback`).url()).searchParams
  assert.equal(back.get('iss'), `${server.authUrl}/`)

  // 7 and 8. The code and the verifier, whose hash is the challenge.
  const exchange = requestTo(`${server.authUrl}/oauth/token`)
  const tokenParameters = new URLSearchParams(exchange.postData() ?? '')
  assert.equal(tokenParameters.get('code'), back.get('code'))
  assert.equal(
    createHash('sha256')
      .update(tokenParameters.get('code_verifier') ?? '')
      .digest('base64url'),
    authorizeParameters.get('code_challenge'),
  )

  // 9. An ID token, an access token, and a refresh token because of offline_access.
  const answer = await exchange.response()
  assert.equal(answer?.headers()['access-control-allow-origin'], singlePage.url)
  // The reply of RFC 6749, section 5.1, with OpenID Connect Core, section 3.1.3.3.
  const tokens = (await answer?.json()) as Record<string, string>
  assert.equal(decodeJwt(tokens.id_token ?? '').email, 'reader@example.org')
  assert.deepEqual(decodeJwt(tokens.access_token ?? '').aud, [server.baseUrl, `${server.authUrl}/userinfo`])
  assert.ok(tokens.refresh_token)

  // 10. A query to another origin, with the browser's own preflight.
  await finder.search('golden')
  await page.getByRole('status').filter({ hasText: '25 results' }).waitFor()
  const query = requestTo(`${server.baseUrl}/4/library/api/library/e/search`)
  const headers = await query.allHeaders()
  assert.equal(headers.authorization, `Bearer ${tokens.access_token}`)
  assert.equal(headers.origin, singlePage.url)
  for (const request of requests) assert.ok(!request.url().includes(tokens.access_token ?? ''))

  // The code is valid once, and its replay ends its tokens.
  const replay = await fetch(`${server.authUrl}/oauth/token`, { method: 'POST', body: tokenParameters })
  assert.equal(replay.status, 400)
  // The application then begins a new sign-in.
  const signIn = page.waitForRequest(request => request.url().startsWith(`${server.authUrl}/authorize?`))
  await finder.search('golden')
  await signIn
})

test('the second visit shows neither the consent page nor the login', async () => {
  const grace = await makeMember(server, library.workspace, 'second@example.org')
  await finder.signIn(grace)
  // The application forgets everything. The authorization server does not.
  await page.evaluate(() => sessionStorage.clear())
  await finder.open()
  await page.getByText('Not signed in.').waitFor()
  await finder.button('Sign in').click()
  await page.getByText('Signed in as second@example.org.').waitFor()
})

test('the page renews its token with the refresh token, and continues to search', async () => {
  const grace = await makeMember(server, library.workspace, 'renew@example.org')
  await finder.signIn(grace)
  for (const _ of [1, 2]) {
    await finder.button('Renew the token').click()
    await page.getByText('The token is renewed.').waitFor()
    await finder.search('golden')
    await page.getByRole('status').filter({ hasText: '25 results' }).waitFor()
  }
})

test('a person who denies consent returns to the application, which learns that and gets no code', async () => {
  const sceptic = await makeMember(server, library.workspace, 'sceptic@example.org')
  await finder.open()
  await finder.button('Sign in').click()
  await finder.signInAs(sceptic)
  const [request] = await Promise.all([
    page.waitForRequest(candidate => candidate.url().startsWith(`${singlePage.url}/callback`)),
    finder.button('Do not allow').click(),
  ])
  await page.getByRole('status').filter({ hasText: 'access_denied' }).waitFor()
  assert.equal(new URL(request.url()).searchParams.get('code'), null)
  await page.getByText('Not signed in.').waitFor()
})

test('a person who is not a member is told so, and the application gets no code', async () => {
  await makeLibrary(server, 'museum')
  const visitor = await makeMember(server, 'museum', 'visitor@example.org')
  await finder.open()
  await finder.button('Sign in').click()
  await finder.signInAs(visitor)
  await page.getByRole('heading', { name: 'You are not a member' }).waitFor()
  await page.getByText(/visitor@example\.org is not a member .* The library/).waitFor()
  assert.equal(new URL(page.url()).origin, server.authUrl)
  const [request] = await Promise.all([
    page.waitForRequest(candidate => candidate.url().startsWith(`${singlePage.url}/callback`)),
    finder.button('Back to Finder').click(),
  ])
  assert.equal(new URL(request.url()).searchParams.get('code'), null)
  assert.equal(new URL(request.url()).searchParams.get('error'), 'access_denied')
})

test('signing out ends the session, returns to the application, and the next sign-in asks for the password', async () => {
  const leaver = await makeMember(server, library.workspace, 'leaver@example.org')
  await finder.signIn(leaver)
  await finder.button('Sign out').click()
  await page.getByText('Not signed in.').waitFor()
  await finder.waitUntilUsable()
  assert.equal(new URL(page.url()).origin, singlePage.url)
  await finder.button('Sign in').click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  assert.equal(new URL(page.url()).origin, server.authUrl)
})

test('a logout without an ID token asks first, and then ends the session', async () => {
  const leaver = await makeMember(server, library.workspace, 'asked@example.org')
  await finder.signIn(leaver)
  await page.goto(`${server.authUrl}/logout`)
  await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
  await finder.button('Sign out').click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await finder.open()
  await page.evaluate(() => sessionStorage.clear())
  await finder.open()
  await finder.button('Sign in').click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('a removed member is rejected on the very next query', async () => {
  const brief = await makeMember(server, library.workspace, 'brief@example.org')
  await finder.signIn(brief)
  await finder.search('golden')
  await page.getByRole('status').filter({ hasText: '25 results' }).waitFor()
  await server.call('removeMember', { params: { workspace: library.workspace, email: brief.email } })
  await finder.search('golden')
  await page.getByRole('status').filter({ hasText: '403' }).waitFor()
})

test('a server application with a secret signs in, queries and signs out, and the browser gets no token', async () => {
  const grace = await makeMember(server, library.workspace, 'portal@example.org')
  const received: string[] = []
  context.on('response', response => received.push(response.url(), ...Object.values(response.headers())))
  await page.goto(`${portal.url}/sign-in`)
  await finder.signInAs(grace)
  await page.getByRole('heading', { name: 'Allow Portal to access your account?' }).waitFor()
  await finder.button('Allow').click()
  await page.getByText('Signed in as portal@example.org.').waitFor()
  await page.goto(`${portal.url}/count`)
  await page.getByText('{"total":200}').waitFor()
  assert.ok(!received.some(text => /eyJ[\w-]+\.eyJ/.test(text)), 'no token went through the browser')

  await page.goto(`${portal.url}/sign-out`)
  await page.getByText('Not signed in.').waitFor()
  await page.goto(`${portal.url}/sign-in`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('a server application learns which permissions the person denied', async () => {
  await page.goto(`${portal.url}/sign-in`)
  await finder.button('Cancel').click()
  await page.getByText('access_denied').waitFor()
  assert.equal(new URL(page.url()).origin, portal.url)
})

test('a command-line tool signs its user in through a loopback address on any free port', async () => {
  const { clientId } = await register(server, 'Terminal', 'native', 'http://127.0.0.1/callback')
  const grace = await makeMember(server, library.workspace, 'terminal@example.org')
  for (const visit of ['first', 'second']) {
    const tool = await startExample(server, 'native/sign-in.ts', { CLIENT_ID: clientId })
    const [address = ''] = /http\S+/.exec(await tool.line(/^Open/)) ?? []
    await page.goto(address)
    if (visit === 'first') {
      await finder.signInAs(grace)
      await finder.button('Allow').click()
    }
    await page.getByText('You can close this page').waitFor()
    assert.equal(new URL(page.url()).hostname, '127.0.0.1')
    await tool.line(/^Signed in as terminal@example\.org\.$/)
    await tool.line(/^\{"total":200\}$/)
    await tool.stop()
  }
})
