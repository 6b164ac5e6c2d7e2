/**
 * `@auth0/auth0-spa-js` with its default settings in Chromium: sign-in by redirect and by popup, silent renewal in a frame
 * (`response_mode=web_message`), and logout at `/v2/logout`.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import type { Auth0Client } from '@auth0/auth0-spa-js'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { makeLibrary } from '#tests/support/library'
import { makeMember, type Person, registerApplication } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

const library = join(
  import.meta.dirname,
  '../../node_modules/@auth0/auth0-spa-js/dist/auth0-spa-js.production.js',
)

let server: StartedServer
let person: Person
let site: Server
let siteUrl: string
let browser: Browser
let settings: object
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  person = await makeMember(server, 'library', 'reader@example.org')
  site = await startSite()
  // The same site as the server, so that the browser sends the session's cookie in a frame.
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  const { clientId } = await registerApplication(server, 'library', 'browser', siteUrl)
  settings = {
    domain: server.authUrl,
    clientId,
    authorizationParams: { redirect_uri: siteUrl, audience: server.baseUrl },
  }
  browser = await openChromium()
})
after(async () => {
  await browser.close()
  site.close()
  await server.stop()
})

/** Serves an empty page with the library. */
const startSite = async (): Promise<Server> => {
  const script = await readFile(library)
  const started = createServer((request, response) => {
    if (request.url === '/auth0.js') response.setHeader('content-type', 'text/javascript').end(script)
    else if (request.url === '/favicon.ico') response.writeHead(404).end()
    else
      response
        .setHeader('content-type', 'text/html')
        .end('<!doctype html><title>Reader</title><script src="/auth0.js"></script>')
  })
  started.listen(0, '127.0.0.1')
  await once(started, 'listening')
  return started
}

let context: BrowserContext
let page: Page
beforeEach(async () => {
  context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  page = await context.newPage()
  await openApplication()
})
afterEach(() => context.close())

/** The script of the library defines `auth0`; the test adds `client`. */
interface Window {
  auth0: { createAuth0Client(settings: object): Promise<Auth0Client> }
  client: Auth0Client
}
const openApplication = async (path = '/') => {
  await page.goto(`${siteUrl}${path}`)
  await createClient()
}
const createClient = () =>
  page.evaluate(async given => {
    const window = globalThis as unknown as Window
    window.client = await window.auth0.createAuth0Client(given)
  }, settings)

const signInAt = async (target: Page) => {
  await target.getByLabel('E-mail address').fill(person.email)
  await target.getByLabel('Password').fill(person.password)
  await target.getByRole('button', { name: 'Sign in', exact: true }).click()
}
const allowAt = (target: Page) => target.getByRole('button', { name: 'Allow', exact: true }).click()

const signIn = async () => {
  await page.evaluate(() => (globalThis as unknown as Window).client.loginWithRedirect())
  await signInAt(page)
  const allow = page.getByRole('button', { name: 'Allow', exact: true })
  await Promise.race([page.waitForURL(`${siteUrl}/**`), allow.waitFor()])
  if (await allow.isVisible()) await allow.click()
  await page.waitForURL(`${siteUrl}/?code=**`)
  await createClient()
  await page.evaluate(() => (globalThis as unknown as Window).client.handleRedirectCallback())
}
const readUser = () => page.evaluate(() => (globalThis as unknown as Window).client.getUser())
/** The access token, or the code of the error. */
const getToken = (): Promise<{ token?: string | undefined; error?: string }> =>
  page.evaluate(() =>
    (globalThis as unknown as Window).client.getTokenSilently().then(
      token => ({ token }),
      error => ({ error: error.error as string }),
    ),
  )
/** Queries from the page, which has another origin than the query service. */
const query = (token: string) =>
  page.evaluate(
    async ([url, given]) => (await fetch(url, { headers: { authorization: `Bearer ${given}` } })).status,
    [`${server.baseUrl}/4/library/api/library/e/all/count`, token] as const,
  )

test('signs in, and renews silently in a frame after a reload', async () => {
  await signIn()
  assert.equal((await readUser())?.email, person.email)
  // A reload loses the tokens, which are in memory only.
  await openApplication()
  const renewed = await getToken()
  assert.ok(renewed.token !== undefined, JSON.stringify(renewed))
  assert.equal(await query(renewed.token), 200)
  assert.equal((await readUser())?.email, person.email)
})

test('without a session the frame answers login_required', async () => {
  assert.deepEqual(await getToken(), { error: 'login_required' })
})

test('signs in by a popup', async () => {
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    page.evaluate(() => {
      const window = globalThis as unknown as Window & { signedIn: Promise<void> }
      window.signedIn = window.client.loginWithPopup()
    }),
  ])
  const closed = popup.waitForEvent('close')
  // Without the page for consent, the popup closes at once, which may end a step early.
  await signInAt(popup).catch(() => closed)
  await Promise.race([closed, allowAt(popup).catch(() => closed)])
  await page.evaluate(() => (globalThis as unknown as { signedIn: Promise<void> }).signedIn)
  assert.equal((await readUser())?.email, person.email)
})

test('logs out at /v2/logout without an extra page', async () => {
  await signIn()
  await page.evaluate(
    (returnTo: string) => (globalThis as unknown as Window).client.logout({ logoutParams: { returnTo } }),
    siteUrl,
  )
  await page.waitForURL(`${siteUrl}/`)
  await openApplication()
  assert.deepEqual(await getToken(), { error: 'login_required' })
})
