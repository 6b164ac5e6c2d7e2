/** Size, content security policy and keyboard access of the console. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { consolePages } from '#tests/support/console-pages'
import { type Visit, visitSignedIn, waitForFocus } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
/** Client ID and secret of a System-to-System account. */
let clientId: string
let signedIn: Visit
before(async () => {
  server = await startServer()
  clientId = (await makeLibrary(server)).clientId
  browser = await openChromium()
  signedIn = await visitSignedIn(browser, server, '/you')
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

/** Each page leaves some room below the 200,000 bytes of the issue. */
const bytesMax = 197_000

for (const [name, { path, usable }] of Object.entries(consolePages))
  test(`${name} is usable after less than 197 KB of compressed JavaScript`, async t => {
    // A new tab signs in by the session of the first one. A reply from the cache of the browser has the headers of the first one too.
    const page = await signedIn.context.newPage()
    const sizes = new Map<string, number>()
    page.on('response', reply => sizes.set(reply.url(), Number(reply.headers()['content-length'])))
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.querySelector(${JSON.stringify(usable)})) return
      performance.mark('usable')
      observer.disconnect()
    }).observe(document, { childList: true, subtree: true })`)
    await page.goto(`${server.authUrl}/console${path.replace('{clientId}', clientId)}`)
    await page.locator(usable).first().waitFor({ state: 'attached' })
    const urls = await page.evaluate<string[]>(`performance.getEntriesByType('resource')
      .filter(({ name, startTime }) =>
        name.endsWith('.js') && startTime <= performance.getEntriesByName('usable')[0].startTime)
      .map(({ name }) => name)`)
    const bytes = urls.reduce((sum, url) => sum + (sizes.get(url) ?? Number.NaN), 0)
    t.diagnostic(`${name}: ${bytes} bytes in ${urls.length} files`)
    assert.ok(bytes > 50_000 && bytes < bytesMax, `${bytes} bytes`)
    await page.close()
  })

test('a page that is requested by another name of this machine is opened at the address of the server', async () => {
  const { port } = new URL(server.authUrl)
  const reply = await fetch(`http://localhost:${port}/console/w/shop?tab=1`, { redirect: 'manual' })
  assert.deepEqual(
    [reply.status, reply.headers.get('location')],
    [302, `${server.authUrl}/console/w/shop?tab=1`],
  )
})

test('the policy allows no inline script, and style only with a nonce that is new for each reply', async () => {
  const policies = await Promise.all(
    [1, 2].map(async () =>
      (await fetch(`${server.authUrl}/console/you`)).headers.get('content-security-policy'),
    ),
  )
  assert.notEqual(policies[0], policies[1])
  for (const policy of policies) {
    assert.match(policy ?? '', /default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[^']+';/)
    assert.match(policy ?? '', /frame-ancestors 'none'/)
    assert.doesNotMatch(policy ?? '', /unsafe/)
  }
})

test('keyboard users have a skip link and the navigation, and get the focus back after a dialog', async () => {
  const { page, open, end } = await visitSignedIn(browser, server, '/')
  await open('/w/library/settings/team-members')
  const focused = () =>
    page.evaluate<string>(
      "document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent",
    )
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Skip to content')
  assert.ok(await page.getByText('Skip to content').isVisible())
  await page.keyboard.press('Enter')
  assert.equal(await focused(), 'content')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Docs')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Invite')
  const outline = "getComputedStyle(document.activeElement).outlineStyle + ''"
  assert.equal(await page.evaluate(outline), 'solid', 'the focus is seen')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('E-mail').waitFor()
  await page.keyboard.type('x')
  await page.keyboard.press('Escape')
  // Nothing that was typed is lost by mistake.
  await waitForFocus(page.getByRole('button', { name: 'Stay' }))
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  // The focus returns shortly after the dialog closes.
  await waitForFocus(page.getByRole('button', { name: 'Invite' }))
  await end()
})

test('the menu of workspaces loads when it opens, also by keyboard', async () => {
  const { page, end } = await visitSignedIn(browser, server, '/w/library')
  await page.getByRole('button', { name: 'The library' }).press('Enter')
  await page.getByRole('menuitem', { name: 'The library' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'The library' }).click()
  await page.getByRole('menuitem', { name: 'All workspaces' }).click()
  await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor()
  await end()
})
