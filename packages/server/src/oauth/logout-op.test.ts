/**
 * OpenID Connect RP-Initiated Logout OP: the modules of the OpenID Foundation's `oidcc-rp-initiated-logout-certification-test-plan`, under their
 * names. More about sign-out is in sessions/logout.test.ts. The Back-Channel Logout OP plan is in backchannel-logout.test.ts.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { type Browser, openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const person = await server.newPerson()
const application = await openTestApplication(server)
/** The application of the test server has its origin as logout address. */
const home = 'https://app.example'

const signIn = async () => {
  const browser = openBrowser(server.authUrl)
  const { id_token } = await application.signIn(person.id, { scope: 'openid' }, { browser })
  return { browser, hint: String(id_token) }
}
const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await application.authorize(person.id, { prompt: 'none' }, { browser })).parameters.error !==
  'login_required'

const logOut = (browser: Browser, parameters: Record<string, string>) =>
  browser.go(`/logout?${new URLSearchParams(parameters)}`)

test('oidcc-rp-initiated-logout: ends the session, and returns with the state', async () => {
  const { browser, hint } = await signIn()
  const landed = await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: home, state: 's1' })
  assert.deepEqual([landed.applicationUrl?.origin, landed.parameters.state], [home, 's1'])
  assert.equal(await isSignedIn(browser), false)
})

test('-no-state: returns without one', async () => {
  const { browser, hint } = await signIn()
  const landed = await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: home })
  assert.deepEqual([landed.applicationUrl?.origin, landed.applicationUrl?.search], [home, ''])
  assert.equal(await isSignedIn(browser), false)
})

test('-no-post-logout-redirect-uri: ends the session on a page of the server', async () => {
  const { browser, hint } = await signIn()
  const landed = await logOut(browser, { id_token_hint: hint })
  assert.deepEqual([landed.status, landed.applicationUrl], [200, undefined])
  assert.equal(await isSignedIn(browser), false)
})

for (const [name, parameters] of [
  ['-no-params', {}],
  ['-only-state', { state: 's1' }],
  ['-no-id-token-hint', { post_logout_redirect_uri: home, state: 's1' }],
] as const)
  test(`${name}: asks first, and goes nowhere`, async () => {
    const { browser } = await signIn()
    const page = await logOut(browser, parameters)
    assert.deepEqual([page.status, page.applicationUrl], [200, undefined])
    assert.match(page.text, /name="xsrf"/)
    assert.equal(await isSignedIn(browser), true)
  })

for (const [name, changeHint] of [
  ['-bad-id-token-hint', () => 'not an ID token'],
  [
    '-modified-id-token-hint',
    (hint: string) => {
      const [header, , signature] = hint.split('.')
      const payload = Buffer.from(JSON.stringify({ sub: person.id })).toString('base64url')
      return `${header}.${payload}.${signature}`
    },
  ],
] as const)
  test(`${name}: ends nothing, and goes nowhere`, async () => {
    const { browser, hint } = await signIn()
    const page = await logOut(browser, {
      id_token_hint: changeHint(hint),
      post_logout_redirect_uri: home,
      state: 's1',
    })
    assert.equal(page.applicationUrl, undefined)
    assert.equal(await isSignedIn(browser), true)
  })

for (const [name, address] of [
  ['-bad-post-logout-redirect-uri', 'https://app.example/elsewhere'],
  ['-query-added-to-post-logout-redirect-uri', `${home}/?added=1`],
] as const)
  test(`${name}: is an error on a page of the server`, async () => {
    const { browser, hint } = await signIn()
    const page = await logOut(browser, {
      id_token_hint: hint,
      post_logout_redirect_uri: address,
      state: 's1',
    })
    assert.deepEqual([page.status, page.applicationUrl], [400, undefined])
    assert.equal(await isSignedIn(browser), true)
  })
