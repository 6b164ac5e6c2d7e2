/** The console for people who are not administrators, and how they sign in and out. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { password, signOut, visitSignedIn } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
const createUser = (email: string) => server.call('createUser', { input: { email, password } })
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  for (const role of ['api', 'user', 'data-provider'] as const) {
    await createUser(`${role}@example.org`)
    await server.call('setMember', {
      params: { workspace: 'library', email: `${role}@example.org` },
      input: { roles: [role] },
    })
  }
  await createUser('stranger@example.org')
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const visitAs = (email: string, path: string) => visitSignedIn(browser, server, path, email)
test('a deep link leads through the login back to its page, and signing out leads to the login', async () => {
  const path = '/w/library/apis/library?stack=e%2Fsearch%2Fp%2Fquery%2Fsilent%2520river&page=2'
  const { page, context, end } = await visitAs('api@example.org', path)
  assert.equal(page.url(), `${server.authUrl}/console${path}`)
  await page.getByRole('button', { name: 'page 2', exact: true }).waitFor()
  // Another tab of the same person needs no login.
  const otherPage = await context.newPage()
  await otherPage.goto(`${server.authUrl}/console/you`)
  await otherPage.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
  await otherPage.close()
  await signOut(page)
  await page.locator('[name=email]').waitFor()
  await page.goto(`${server.authUrl}/console/you`)
  await page.locator('[name=password]').waitFor()
  await end()
})
