/** What the console's page weighs, what it allows, and that it is used without a mouse. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from './chromium.ts'
import { adminEmail, signIn, visitConsole } from './console-visit.ts'
import { makeLibrary } from './library.ts'
import { type StartedServer, startServer } from './started-server.ts'

let server: StartedServer
let browser: Browser
before(async () => {
  server = await startServer()
  await makeLibrary(server)
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

test('the first page loads less than 200 KB of compressed JavaScript', async t => {
  const { page, end } = await visitConsole(browser, server)
  // Back from the login, the browser takes them from its cache: the larger size is the one that was sent.
  const sizes = new Map<string, Promise<number>[]>()
  page.on('requestfinished', request => {
    const path = new URL(request.url()).pathname
    const size = request.sizes().then(({ responseBodySize }) => responseBodySize)
    if (path.endsWith('.js')) sizes.set(path, [...(sizes.get(path) ?? []), size])
  })
  await page.goto(`${server.authUrl}/console/`)
  await signIn(page, adminEmail)
  const largest = await Promise.all(
    [...sizes.values()].map(async each => Math.max(...(await Promise.all(each)))),
  )
  const sent = largest.reduce((sum, bytes) => sum + bytes, 0)
  t.diagnostic(`${sent} bytes in ${sizes.size} files`)
  assert.ok(sent > 50_000 && sent < 200_000, `${sent} bytes`)
  await end()
})

test('the policy allows no inline script, and style by a nonce that is new each time', async () => {
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

test('by keyboard alone: the skip link, the navigation, a dialogue that gives the focus back', async () => {
  const { page, open, end } = await visitConsole(browser, server)
  await page.goto(`${server.authUrl}/console/`)
  await signIn(page, adminEmail)
  await open('/w/library/settings/team-members')
  const focused = () =>
    page.evaluate<string>(
      "document.activeElement.id || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent",
    )
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Skip to the content')
  assert.ok(await page.getByText('Skip to the content').isVisible())
  await page.keyboard.press('Enter')
  assert.equal(await focused(), 'content')
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Invite')
  const outline = "getComputedStyle(document.activeElement).outlineStyle + ''"
  assert.equal(await page.evaluate(outline), 'solid', 'the focus is seen')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('E-mail').waitFor()
  await page.keyboard.type('x')
  await page.keyboard.press('Escape')
  // A moment after the dialogue is gone.
  await page.waitForFunction("document.activeElement.textContent === 'Invite'")
  await end()
})
