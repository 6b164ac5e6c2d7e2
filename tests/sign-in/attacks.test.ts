/** Attacks on people who sign in, over HTTP and with a real browser. Each test names its rule (docs/security.md lists them all). */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { decodeJwt } from 'jose'
import { stepMsMax } from '#tests/support/chromium'
import { runQuerent } from '#tests/support/command-line'
import { driveFinder, register } from '#tests/support/examples'
import { makeMember } from '#tests/support/person'
import { openProfile, openSignInSite, type Profile, type SignInSite } from '#tests/support/sign-in-site'
import { fetchToken } from '#tests/support/started-server'

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

const manage = async (path: string, init: RequestInit = {}) => {
  const tokenReply = await server.run(['token', '--audience', `${server.authUrl}/manage/`])
  // The JSON reply of `querent token`.
  const { accessToken } = tokenReply as { accessToken: string }
  return fetch(`${server.authUrl}/manage/v1/workspaces/library${path}`, {
    ...init,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
  })
}

/** Returns the reply to an authorization request that needs no person. */
const authorize = async (parameters: Record<string, string>) => {
  const query = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  })
  return fetch(`${server.authUrl}/authorize?${query}`, { redirect: 'manual' })
}

test('RFC 9700 4.2: no Referer carries the request, the code or a link to another site', async () => {
  await finder.signIn(ada)
  await finder.search('golden')
  await page.getByRole('status').filter({ hasText: '25 results' }).waitFor()
  let crossings = 0
  for (const request of requests) {
    const { referer } = await request.allHeaders()
    if (!referer || new URL(referer).origin === new URL(request.url()).origin) continue
    crossings += 1
    assert.equal(referer, `${new URL(referer).origin}/`, request.url())
  }
  assert.ok(requests.length > 8, `${crossings} of ${requests.length} named where they came from`)
})

test('RFC 9700 4.3: no URL contains a token, and the code does not stay in the URL', async () => {
  await finder.signIn(await makeMember(server, library.workspace, 'history@example.org'))
  for (const request of requests)
    assert.doesNotMatch(request.url(), /eyJ[\w-]+\.eyJ|access_token|refresh_token/)
  assert.equal(page.url(), `${singlePage.url}/`)
  const back = requests.filter(
    request => request.url().includes('code=') && !request.url().includes('challenge'),
  )
  assert.equal(back.length, 1)
})

test('RFC 9700 4.3: a cross-site POST to /authorize and /logout puts nothing into a URL, and keeps the session', async () => {
  // A person who has not consented yet.
  await finder.signIn(await makeMember(server, library.workspace, 'poster@example.org'))
  const authorizeRequest = requests.find(one => one.url().startsWith(`${server.authUrl}/authorize?`))
  assert.ok(authorizeRequest)
  const request = Object.fromEntries(new URL(authorizeRequest.url()).searchParams)
  const post = async (path: string, form: Record<string, string>, ends: (url: URL) => boolean) => {
    // At localhost, which is another site than the server's 127.0.0.1.
    await page.goto(singlePage.url)
    requests.length = 0
    const landed = page.waitForRequest(one => ends(new URL(one.url())))
    const field = ([name, value]: [string, string]) =>
      `<input name="${name}" value="${value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}">`
    await page.setContent(
      `<form method="post" action="${server.authUrl}${path}">${Object.entries(form).map(field).join('')}<button>Go</button></form>`,
    )
    await page.getByRole('button', { name: 'Go' }).click()
    await landed
    const postRequest = requests.find(one => one.method() === 'POST')
    assert.ok(postRequest)
    assert.equal((await postRequest.allHeaders()).cookie, undefined, 'a cross-site POST brings no Lax cookie')
    return requests.map(one => one.url())
  }

  const hint = 'login-hint-of-the-form'
  const parameters = { ...request, prompt: 'none', state: 'posted', login_hint: hint }
  const isBack = (url: URL) => url.searchParams.get('state') === 'posted'
  const addresses = await post('/authorize', parameters, isBack)
  assert.match(addresses.find(url => isBack(new URL(url))) ?? '', /[?&]code=/, 'signed in already')
  for (const url of addresses) assert.ok(!url.includes(hint), url)

  const idToken = 'eyJhbGciOiJSUzI1NiJ9.posted.to-logout'
  const atLogout = await post(
    '/v2/logout',
    { client_id: String(request.client_id), id_token_hint: idToken },
    url => url.pathname === '/logout',
  )
  for (const url of atLogout) assert.ok(!url.includes(idToken), url)
  await page.getByRole('button').first().waitFor()
})

test('RFC 9700 4.12: the reply to the password is 303, so no redirect forwards it', async () => {
  const fresh = await makeMember(server, library.workspace, 'redirect@example.org')
  await finder.signIn(fresh)
  const forms = requests.filter(
    request => request.method() === 'POST' && request.url().startsWith(`${server.authUrl}/interaction/`),
  )
  assert.equal(forms.length, 2, 'sign-in and consent')
  for (const form of forms) assert.equal((await form.response())?.status(), 303)
  const carriers = requests.filter(request => {
    const body = new URLSearchParams(request.postData() ?? '')
    return [...body.values()].includes(fresh.password)
  })
  assert.deepEqual(carriers, [forms[0]])
})

test('RFC 9700 4.7: the applications reject a code that another browser received', async () => {
  const mallory = await makeMember(server, library.workspace, 'mallory@example.org')
  const callback = `${singlePage.url}/callback`
  // Mallory stops at the redirect and sends the victim there.
  await page.route(`${callback}?*`, route => route.abort())
  await finder.open()
  await finder.button('Sign in').click()
  await finder.signInAs(mallory)
  const [planted] = await Promise.all([
    page.waitForRequest(request => request.url().startsWith(`${callback}?code=`)),
    finder.button('Allow').click(),
  ])
  for (const [url, place] of [
    [planted.url(), '#outcome'],
    [planted.url().replace(singlePage.url, portal.url), 'body'],
  ] as const) {
    const victim = await browser.newContext()
    victim.setDefaultTimeout(stepMsMax)
    const victimPage = await victim.newPage()
    await victimPage.goto(url)
    await victimPage.locator(place, { hasText: /state|began no sign-in/ }).waitFor()
    await victimPage.goto(new URL(url).origin)
    await victimPage.getByText('Not signed in.').waitFor()
    await victim.close()
  }
})

test('RFC 9700 4.4 and 2.1: the applications reject a reply with another issuer', async () => {
  await page.route(`${singlePage.url}/callback?*`, route => route.abort())
  await page.goto(`${portal.url}/sign-in`)
  const authorizeUrl = new URL(requests.find(request => request.url().includes('/authorize?'))?.url() ?? '')
  const state = authorizeUrl.searchParams.get('state')
  await page.goto(`${portal.url}/callback?code=stolen&state=${state}&iss=https://evil.example/`)
  await page.getByText('That failed.').waitFor()
  await page.goto(portal.url)
  await page.getByText('Not signed in.').waitFor()
})

test('RFC 9700 4.5: the ID token contains the nonce of its own request, and names its application', async () => {
  const grace = await makeMember(server, library.workspace, 'nonce@example.org')
  const { clientId } = await register(server, 'Nonce', 'browser', 'https://nonce.example/')
  for (const nonce of ['first', 'second']) {
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: 'https://nonce.example/',
      response_type: 'code',
      scope: 'openid',
      nonce,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const answer = await grace.completeFlow(`${server.authUrl}/authorize?${query}`)
    const reply = await fetch(`${server.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: 'https://nonce.example/',
        code: answer.searchParams.get('code') ?? '',
        code_verifier: verifier,
      }),
    })
    // The reply of OpenID Connect Core, section 3.1.3.3.
    const { id_token } = (await reply.json()) as { id_token: string }
    const claims = decodeJwt(id_token)
    assert.deepEqual([claims.nonce, claims.aud], [nonce, clientId])
  }
})

test('RFC 9700 4.8: a verifier without a challenge, and a challenge without a verifier, are rejected', async () => {
  const redirectUri = 'https://intranet.example/'
  const grace = await makeMember(server, library.workspace, 'downgrade@example.org')
  const registration = [
    'apps',
    'create',
    'library',
    'Intranet',
    '--redirect-uri',
    redirectUri,
    '--without-pkce',
  ]
  await assert.rejects(server.run(registration), /pkce.*type server/)
  // The JSON reply of `querent apps create`.
  const { clientId, clientSecret } = (await server.run([...registration, '--type', 'server'])) as {
    clientId: string
    clientSecret: string
  }
  const verifier = randomBytes(32).toString('base64url')
  const pkce = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }
  const exchange = async (
    authorizeParameters: Record<string, string>,
    tokenParameters: Record<string, string>,
  ) => {
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid',
      ...authorizeParameters,
    })
    const answer = await grace.completeFlow(`${server.authUrl}/authorize?${query}`)
    const reply = await fetch(`${server.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uri: redirectUri,
        code: answer.searchParams.get('code') ?? '',
        ...tokenParameters,
      }),
    })
    // RFC 6749, sections 5.1 and 5.2.
    const { error } = (await reply.json()) as { error?: string }
    return [reply.status, error]
  }
  const invalidGrant = [400, 'invalid_grant']
  assert.deepEqual(await exchange({ nonce: 'n' }, { code_verifier: verifier }), invalidGrant)
  assert.deepEqual(await exchange({ nonce: 'n', ...pkce }, {}), invalidGrant)
  assert.deepEqual(await exchange({ nonce: 'n' }, {}), [200, undefined])
  const missingBoth = await authorize({
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: '',
    code_challenge_method: '',
  })
  assert.match(missingBoth.headers.get('location') ?? '', /error=invalid_request/)
})

test('RFC 9700 4.15: no client chooses its Client ID, so none can impersonate a person', async () => {
  for (const [path, body] of [
    ['/applications', { name: 'A', redirectUris: ['https://a.example/'] }],
    ['/system-to-system', { name: 'B', roles: ['api'] }],
  ] as const)
    for (const name of ['clientId', 'client_id', 'id', 'sub']) {
      const reply = await manage(path, {
        method: 'POST',
        body: JSON.stringify({ ...body, [name]: ada.email }),
      })
      assert.equal(reply.status, 400, `${path} ${name}`)
    }
  const claims = decodeJwt(await fetchToken(server, library))
  assert.equal(claims.sub, library.clientId)
  const users = (await server.run(['users', 'list'])) as { id: string }[]
  assert.ok(users.length > 1)
  assert.ok(users.every(({ id }) => id !== claims.sub))
})

test('RFC 9700 4.17: a reply goes only to a window of the registered origin, and to no URL fragment that was not requested', async () => {
  const { clientId } = await register(server, 'Window', 'browser', 'https://window.example/')
  const ask = (response_mode: string, prompt: string) =>
    authorize({ client_id: clientId, redirect_uri: 'https://window.example/', response_mode, prompt })
  for (const response_mode of ['web_message', 'cookie'])
    for (const prompt of ['none', 'login']) {
      const reply = await ask(response_mode, prompt)
      assert.doesNotMatch(
        reply.headers.get('location') ?? '',
        response_mode === 'cookie' ? /interaction|code=/ : /code=/,
      )
      const policy = reply.headers.get('content-security-policy') ?? ''
      const text = await reply.text()
      if (!text.includes('postMessage')) continue
      assert.equal(response_mode, 'web_message')
      assert.match(text, /postMessage\(.*, "https:\/\/window\.example"\)/)
      assert.match(policy, /frame-ancestors https:\/\/window\.example(;|$)/)
    }
})

test('RFC 9700 2.6: a public address without TLS stops the start', async () => {
  for (const [flag, publicUrl] of [
    ['--auth-url', 'http://login.example.org'],
    ['--base-url', 'http://search.example.org'],
  ] as const) {
    const result = await runQuerent(['serve', '--data', `${server.data}-other`, flag, publicUrl])
    assert.notEqual(result.code, 0)
    assert.match(result.stderr, /https/)
  }
})

test('RFC 6749 10.11, 10.13: pages with a password field load nothing from elsewhere and run our own script only', async () => {
  await finder.open()
  await finder.button('Sign in').click()
  await page.getByLabel('Password').waitFor()
  requests.length = 0
  const answer = await page.reload()
  const policy = answer?.headers()['content-security-policy'] ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.equal(await page.locator('script[src], iframe, object, embed').count(), 0)
  // The button that shows a password, and what sends the form once. Any other script would have another hash.
  const scripts = await page.locator('script').allTextContents()
  assert.equal(scripts.length, 2)
  const hashes = scripts.map(script => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
  assert.ok(policy.includes(`; script-src ${hashes.join(' ')};`))
  for (const request of requests) assert.equal(new URL(request.url()).origin, server.authUrl)
})

test('ASVS 7.2.4, 7.4.1: cookies from before sign-in and from before sign-out open nothing', async () => {
  const grace = await makeMember(server, library.workspace, 'cookies@example.org')
  await finder.open()
  await finder.button('Sign in').click()
  await page.getByLabel('Password').waitFor()
  const cookiesBefore = await context.cookies(server.authUrl)
  await finder.signInAs(grace)
  await finder.button('Allow').click()
  await page.getByText('Signed in as cookies@example.org.').waitFor()
  const during = await context.cookies(server.authUrl)
  for (const cookie of during) assert.ok(cookie.httpOnly && cookie.sameSite === 'Lax', cookie.name)
  await finder.button('Sign out').click()
  await page.getByText('Not signed in.').waitFor()
  for (const cookies of [cookiesBefore, during]) {
    const thief = await browser.newContext()
    thief.setDefaultTimeout(stepMsMax)
    await thief.addCookies(cookies)
    const thiefPage = await thief.newPage()
    const stolen = driveFinder(thiefPage, singlePage)
    await stolen.open()
    await stolen.button('Sign in').click()
    await thiefPage.getByRole('heading', { name: 'Sign in' }).waitFor()
    await thiefPage.getByLabel('Password').waitFor()
    await thief.close()
  }
})
