/** Every page of the console in real Chromium, for an administrator. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { patienceMs } from '#server/test-wait'
import { openChromium } from '#tests/support/chromium'
import { consolePages } from '#tests/support/console-pages'
import { adminEmail, signIn, type Visit, visitConsole, waitUntilSettled } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { inspectEveryView } from '#tests/support/pages-inspect'
import { registerApplication } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
let visit: Visit
let clientId: string
before(async () => {
  server = await startServer()
  ;({ clientId } = await makeLibrary(server))
  await registerApplication(server, 'library', 'browser', 'https://app.example.org/callback')
  await server
    .call('updateSystemToSystem', { params: { workspace: 'library', clientId }, input: { disabled: true } })
    .catch(() => {})
  await server.run(['members', 'invite', 'library', 'grace@example.org', '--role', 'user'])
  browser = await openChromium()
  visit = await visitConsole(browser, server)
  await visit.page.goto(`${server.authUrl}/console/`)
  await signIn(visit.page, adminEmail)
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

/** Pictures that docs/console.md shows next to the views of the journeys. */
const pictured = [
  'overview',
  'try-it',
  'collection',
  'team-members',
  'applications',
  'general',
  'security',
  'audit-log',
  'you',
]

for (const [name, { path, title }] of Object.entries(consolePages))
  test(`${name}: axe finds nothing at 360 and 1280 px, light and dark, and nothing overflows the page`, async t => {
    await visit.open(path.replace('{clientId}', clientId))
    await visit.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await waitUntilSettled(visit.page)
    // It comes after the heading.
    const isTitled = async () => assert.equal(await visit.page.title(), `${title} · Querent`)
    await t.waitFor(isTitled, { timeout: patienceMs })
    await inspectEveryView(visit.page, name, pictured.includes(name) ? 'console' : undefined)
  })

test('these tests visit every page of the navigation', async () => {
  const listed = Object.values(consolePages).map(({ path }) => `/console${path}`)
  for (const path of ['/w/library', '/server']) {
    await visit.open(path)
    const links = await visit.page.evaluate<string[]>(
      "[...document.querySelectorAll('nav a')].map(link => link.getAttribute('href'))",
    )
    const missing = links.filter(link => link.startsWith('/console/') && !listed.includes(link))
    assert.deepEqual(missing, [], 'add them to tests/support/console-pages.ts')
    assert.ok(links.length > 5, path)
  }
})

test('axe finds nothing in the menu of workspaces', async () => {
  const { page, open } = visit
  await open('/w/library')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'The library' }).click()
  await page.getByRole('menuitem', { name: 'All workspaces' }).waitFor()
  await inspectEveryView(page, 'workspace-menu', undefined)
  await page.keyboard.press('Escape')
})

test('no page wrote an error to the browser console', () => visit.end())
