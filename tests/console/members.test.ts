/** Settings > Team Members in real Chromium: people, their roles and row filters, System-to-System accounts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openOwnChromium } from '#tests/support/chromium'
import { visitSignedIn, waitForCount, waitForFocus } from '#tests/support/console-visit'
import { type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let _library: Library
let browser: Browser
before(async () => {
  server = await startServer()
  _library = await makeLibrary(server)
  browser = await openOwnChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const visitAsAdministrator = (path: string) => visitSignedIn(browser, server, path)
const members = '/w/library/settings/team-members'

test('Esc, a click outside and a double click never close a dialog that shows something once', async () => {
  const { page, expectRefused, end } = await visitAsAdministrator(members)
  await page.getByRole('button', { name: 'Create System-to-System account' }).click()
  const dialog = page.getByRole('dialog')
  const make = dialog.getByRole('button', { name: 'Create', exact: true })
  const clickOutside = () => page.mouse.click(5, 400)
  await dialog.getByLabel('Name').fill('Careful')
  await clickOutside()
  await expectRefused([400], async () => {
    await dialog.getByLabel('Allowed IP addresses').fill('here')
    await make.click()
    await dialog.getByText('Correct the marked fields').waitFor()
  })
  await dialog.getByLabel('Allowed IP addresses').fill('')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/system-to-system', async route => {
    if (route.request().method() === 'POST') await released
    await route.continue()
  })
  const createRequest = page.waitForRequest(request => request.method() === 'POST')
  await make.dblclick()
  await createRequest
  await page.keyboard.press('Escape')
  await clickOutside()
  assert.ok(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled())
  release()
  await dialog.getByText('Copy the Client Secret now').waitFor()
  await waitForFocus(page.getByRole('button', { name: 'Copy Client ID' }))
  await page.keyboard.press('Escape')
  await clickOutside()
  assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0)
  await dialog.getByRole('button', { name: "I've saved it" }).dispatchEvent('click', { detail: 2 })
  assert.match((await dialog.locator('pre').first().textContent()) ?? '', /client_secret=qrs_/)
  await dialog.getByRole('button', { name: "I've saved it" }).click()
  await dialog.waitFor({ state: 'detached' })
  await waitForCount(page.getByRole('link', { name: 'Careful' }), 1)
  await end()
})
