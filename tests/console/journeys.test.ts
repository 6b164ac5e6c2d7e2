/**
 * The main task of each page of the console in real Chromium, with the built console. Their details are in tests/console/dom/. Pages with a
 * file of their own in this folder are not here.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { password, readDownload, type Visit, visitSignedIn } from '#tests/support/console-visit'
import { type Library, makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
let browser: Browser
let visit: Visit
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  browser = await openChromium()
  visit = await visitSignedIn(browser, server, '/w/library')
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

test('General: a title is saved, and the navigation shows it', async () => {
  const { page, open } = visit
  await open('/w/library/settings/general')
  await page.getByLabel('Title').fill('The city library')
  await page.getByRole('button', { name: 'Save' }).first().click()
  await page.getByRole('status').getByText('Saved.').waitFor()
  await page.getByRole('button', { name: 'The city library' }).waitFor()
})

test('Team Members: a person is invited with a row filter, and the link is shown', async () => {
  const { page, open } = visit
  await open('/w/library/settings/team-members')
  await page.getByRole('button', { name: 'Invite' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail addresses').fill('grace@example.org')
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await page.locator('input').and(page.getByLabel('Values')).fill('drama')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await dialog.getByText('Copy the link now').waitFor()
  await dialog.getByRole('button', { name: "I've saved it" }).click()
  const invited = page.getByRole('region', { name: 'Invitations' }).getByRole('row')
  await invited.filter({ hasText: 'grace@example.org' }).getByText('Kind of book is drama').waitFor()
})

test('System-to-System account: a second secret is added and shown once', async () => {
  const { page, open } = visit
  await open(`/w/library/settings/team-members/system-to-system/${library.clientId}`)
  await page.getByRole('button', { name: 'Add secret' }).click()
  await page.getByRole('combobox', { name: 'Expires' }).click()
  await page.getByRole('option', { name: 'In 90 days' }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.locator('pre').getByText(/qrs_/).waitFor()
  await page.getByRole('button', { name: "I've saved it" }).click()
})

test('Audit log: an action is chosen, and the address has it', async () => {
  const { page, open } = visit
  await open('/w/library/settings/audit-log')
  await page.getByRole('combobox', { name: 'Action' }).click()
  await page.getByRole('option', { name: 'System-to-System account created' }).click()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.waitForURL('**action=createSystemToSystem')
  await page.getByRole('cell').getByText(library.clientId).first().waitFor()
})

test('Why was I refused?: a request id is explained', async () => {
  const reply = await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${library.token.slice(0, -4)}AAAA` },
  })
  const { page, open } = visit
  await open('/w/library/refused')
  await page.getByLabel('Request ID or access token').fill(reply.headers.get('x-request-id') ?? '')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await page.getByRole('heading', { name: 'The signature of the token is not valid.' }).waitFor()
})

test('Documents: one is found and read, and the focus returns', async () => {
  const { page, open } = visit
  await open('/w/library/data/books')
  await page.getByRole('searchbox', { name: 'Search documents' }).fill('b001')
  await page.getByText('1–1 of 1').waitFor()
  await page.getByRole('button', { name: 'b001', exact: true }).press('Enter')
  await page.getByRole('dialog').getByText('"title": "The golden mirror"').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'b001', exact: true }).and(page.locator(':focus')).waitFor()
})

test('Try it: a search is narrowed by a facet, and the browser goes back', async () => {
  const { page, open } = visit
  await open('/w/library/apis/library')
  await page.getByLabel('Search for').fill('silent river')
  await page.getByText('40 results').waitFor()
  await page.locator('main mark').first().waitFor()
  await page.getByText('comedy (13)').click()
  await page.getByText('13 results').waitFor()
  await page.goBack()
  await page.getByText('40 results').waitFor()
})

test('Account: the session of this browser is listed with its device', async () => {
  const { page, open } = visit
  await open('/you')
  const device = page.getByRole('row').filter({ hasText: 'this device' }).locator('[data-heading="Device"]')
  assert.match((await device.textContent()) ?? '', /^Chrom(e|ium) \d+ on Linux/)
})

test('Status: the checks of the server run', async () => {
  const { page, open } = visit
  await open('/server')
  const checks = page.getByRole('list', { name: 'Checks of the server' })
  await checks.getByText(`this browser reaches the query service at ${server.baseUrl}`).waitFor()
})

test('People: an account is created and found', async () => {
  const { page, open } = visit
  await open('/server/people')
  await page.getByRole('button', { name: 'Create account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('E-mail').fill('alan@example.org')
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  await dialog.getByText('Copy the link now').waitFor()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('searchbox', { name: 'Search' }).fill('alan')
  await page.waitForURL('**/people?search=alan')
  await page.getByRole('link', { name: 'alan@example.org' }).waitFor()
})

test('Workspaces: one is created', async () => {
  const { page, open } = visit
  await open('/server/workspaces')
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.getByLabel('Title').fill('Short-lived')
  await page.getByRole('dialog').getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL('**/w/short-lived')
})

test('Signing keys: they are rotated', async () => {
  const { page, open } = visit
  await open('/server/keys')
  await page.getByRole('button', { name: 'Rotate the signing keys' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
  await page.getByText('The new keys are published.').waitFor()
})

test('Backup: the browser saves it', async () => {
  const { page, open } = visit
  await open('/server/backup')
  await page.getByLabel('Your password').fill(password)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download backup' }).click()
  assert.ok((await readDownload(await saved)).length > 1000)
  await page.getByText('The backup is complete').waitFor()
})

test('no page wrote an error to the browser console', () => visit.end())
