/** Sign-in of `@querent/client` in Chromium: two tabs share a sign-in, and one of them at a time renews it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BrowserSignIn, QueryApi } from '@querent/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type BundledPage, serveBundledPage } from '#tests/support/bundled-page'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { register } from '#tests/support/examples'
import { books, makeLibrary } from '#tests/support/library'
import { makeMember, type Person } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

/** The page below gives these to the tests. */
interface PageWindow {
  signIn: BrowserSignIn
  api: QueryApi
  changes: (string | undefined)[]
  location: { origin: string }
  document: { body: { dataset: { ready?: string } } }
  passTime(ms: number): void
  readStored(): Promise<{ refreshToken: string } | undefined>
}
/** The page's own `window`, for functions that run there. */
declare const pageWindow: PageWindow

let server: StartedServer
let site: BundledPage
let browser: Browser
let ada: Person
let context: BrowserContext
let first: Page
let second: Page
let tokenRequests: string[]

before(async () => {
  server = await startServer()
  await makeLibrary(server)
  ada = await makeMember(server, 'library', 'reader@example.org')
  site = await serveBundledPage(async url => {
    const { clientId } = await register(server, 'Two tabs', 'browser', `${url}/callback`)
    return `
import { browserSignIn, queryApi } from '@querent/client'
const settings = { authUrl: '${server.authUrl}/', clientId: '${clientId}', audience: '${server.baseUrl}' }
const signIn = browserSignIn(settings)
const api = queryApi({ baseUrl: '${server.baseUrl}', token: signIn.token }, 'library', 'library')
const changes: (string | undefined)[] = []
signIn.onChange(person => changes.push(person?.email))
let passedMs = 0
const now = Date.now
Date.now = () => now() + passedMs
const passTime = (ms: number) => {
  passedMs += ms
}
const readStored = () => new Promise(resolve => {
  const openRequest = indexedDB.open('querent', 1)
  openRequest.onsuccess = () => {
    const reading = openRequest.result.transaction('sign-ins').objectStore('sign-ins').getAll()
    reading.onsuccess = () => resolve(reading.result[0])
  }
})
Object.assign(window, { signIn, api, changes, passTime, readStored, pageWindow: window })
if (signIn.isCallback()) await signIn.finish()
document.body.dataset.ready = 'true'`
  })
  browser = await openChromium()
  context = await browser.newContext()
  context.setDefaultTimeout(stepMsMax)
  tokenRequests = []
  context.on('request', request => {
    if (request.method() === 'POST' && request.url().endsWith('/oauth/token'))
      tokenRequests.push(request.postData() ?? '')
  })
  ;[first, second] = [await openTab(), await openTab()]
})
after(async () => {
  await browser?.close()
  await site?.close()
  await server?.stop()
})

const openTab = async (): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(`${site.url}/`)
  await page.locator('body[data-ready]').waitFor()
  return page
}

const signIn = async (page: Page): Promise<void> => {
  // The page leaves, so the call never returns.
  await page.evaluate(() => {
    delete pageWindow.document.body.dataset.ready
    void pageWindow.signIn.start({ returnTo: `${pageWindow.location.origin}/shelf?page=2` })
  })
  const [email, ready] = [page.getByLabel('E-mail address'), page.locator('body[data-ready]')]
  await email.or(ready).waitFor()
  // The server remembers the person and the consent the second time.
  if (await email.isVisible()) {
    await email.fill(ada.email)
    await page.getByLabel('Password').fill(ada.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
  }
  await ready.waitFor()
}

const tokenIn = (page: Page): Promise<string> =>
  page.evaluate(() => pageWindow.signIn.token().catch((error: Error) => error.name))
const countIn = (page: Page): Promise<number> =>
  page.evaluate(async () => (await pageWindow.api.query('all').count()).total)
const readStored = (page: Page) => page.evaluate(() => pageWindow.readStored())

/** The clocks of these tabs move on to the time when the access token is to be replaced. */
const expire = async (...pages: Page[]): Promise<void> => {
  for (const page of pages) await page.evaluate(() => pageWindow.passTime(15 * 60 * 1000))
}

test('a sign-in in one tab is one of all tabs, and the code leaves the address', async () => {
  assert.equal(await tokenIn(first), 'SignInRequiredError')
  await signIn(first)
  assert.equal(first.url(), `${site.url}/shelf?page=2`)
  assert.equal(await first.evaluate(() => pageWindow.signIn.person()?.email), ada.email)
  assert.deepEqual([await countIn(first), await countIn(second)], [books.length, books.length])
  await second.waitForFunction(() => pageWindow.changes.length === 1)
  assert.deepEqual(await second.evaluate(() => pageWindow.changes), [ada.email])
  assert.equal(tokenRequests.length, 1)
})

test('tabs that need a token at once send one renewal, and the sign-in lasts through many of them', async () => {
  for (let round = 1; round <= 10; round++) {
    tokenRequests.length = 0
    const previousToken = await tokenIn(first)
    await expire(first, second)
    const requestTwice = (page: Page) => [tokenIn(page), tokenIn(page)]
    const tokens = await Promise.all([...requestTwice(first), ...requestTwice(second)])
    assert.equal(new Set(tokens).size, 1)
    assert.notEqual(tokens[0], previousToken)
    assert.equal(tokenRequests.length, 1)
  }
  assert.deepEqual([await countIn(first), await countIn(second)], [books.length, books.length])
})

test('a tab that closes during a renewal leaves the sign-in to the others', async () => {
  const closing = await openTab()
  await expire(first, second)
  await closing.evaluate(() => pageWindow.passTime(365 * 24 * 60 * 60 * 1000))
  // The request reaches the server, which replaces the refresh token, but its answer reaches nobody.
  await closing.route('**/oauth/token', async route => {
    await route.fetch()
    await closing.close()
  })
  const closed = closing.waitForEvent('close')
  await closing.evaluate(() => {
    void pageWindow.signIn.token()
  })
  await closed
  assert.match(await tokenIn(first), /^ey/)
  assert.equal(await countIn(second), books.length)
})

test('an answer that this tab did not ask for, or of another server, is refused without a token request', async () => {
  tokenRequests.length = 0
  const attempt = (query: string) =>
    second.evaluate(
      address => pageWindow.signIn.finish(address).catch((error: { code: string }) => error.code),
      `${site.url}/callback?${query}`,
    )
  assert.equal(await attempt('code=stolen&state=theirs'), 'state-mismatch')
  const pending = (page: Page) =>
    page.evaluate(() => {
      const [key = ''] = Object.keys(localStorage)
      sessionStorage.setItem(
        key.replace(/person$/, 'pending'),
        JSON.stringify({ state: 's', nonce: 'n', verifier: 'v' }),
      )
    })
  await pending(second)
  assert.equal(await attempt('code=stolen&state=s&iss=https://evil.example'), 'issuer-mismatch')
  await pending(second)
  const denied = `error=access_denied&state=s&iss=${encodeURIComponent(server.authUrl)}`
  assert.equal(await attempt(denied), 'access_denied')
  assert.equal(tokenRequests.length, 0)
})

test('a stolen refresh token that is used later ends the sign-in in all tabs', async () => {
  const stolenToken = (await readStored(first))?.refreshToken ?? ''
  for (let renewals = 0; renewals < 2; renewals++) {
    await expire(first, second)
    await tokenIn(first)
  }
  const [last = ''] = tokenRequests.slice(-1)
  const form = new URLSearchParams(last)
  form.set('refresh_token', stolenToken)
  const reply = await fetch(`${server.authUrl}/oauth/token`, { method: 'POST', body: form })
  assert.equal(reply.status, 400)
  await expire(first, second)
  assert.deepEqual(await Promise.all([tokenIn(first), tokenIn(second)]), [
    'SignInRequiredError',
    'SignInRequiredError',
  ])
  assert.equal(await readStored(second), undefined)
})

test('signing out in one tab signs out the others, and revokes the tokens', async () => {
  await signIn(first)
  const token = await tokenIn(second)
  await second.evaluate(() => {
    pageWindow.changes.length = 0
  })
  await first.evaluate(() => pageWindow.signIn.end())
  await second.waitForFunction(() => pageWindow.changes.length === 1)
  assert.deepEqual(await second.evaluate(() => pageWindow.changes[0] ?? 'nobody'), 'nobody')
  assert.equal(await tokenIn(second), 'SignInRequiredError')
  const reply = await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${token}` },
  })
  assert.equal(reply.status, 401)
})
