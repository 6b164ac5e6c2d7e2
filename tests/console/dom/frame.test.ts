/** The frame around every page in the fake DOM: navigation, account menu, unknown addresses, times. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadConsole } from '#console/test-bundle'
import { inspectViews } from '#tests/support/console-dom/inspect'
import { visitSignedIn } from '#tests/support/console-dom/visit'
import { consolePages } from '#tests/support/console-pages'
import { makeLibrary } from '#tests/support/library'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
before(async () => {
  server = await startServer()
  await makeLibrary(server)
})
after(async () => {
  await server?.stop()
})

test('tests of all pages visit every address of the console', async () => {
  const visited = Object.values(consolePages).map(({ path }) => path.replace(/\?.*/, ''))
  const { listAddresses } = await loadConsole()
  // The others lead to another page, or are unknown.
  const pages = listAddresses().filter(address => !/^\/(callback)?$|\/\$$/.test(address))
  const missing = pages
    .map(address => address.replace(/\/$/, ''))
    .filter(address => {
      const pattern = new RegExp(`^${address.replaceAll(/\$\w+/g, '[^/]+')}$`)
      return !visited.some(path => pattern.test(path))
    })
  assert.deepEqual(missing, [], 'add them to tests/support/console-pages.ts')
})

test('theme and language stay chosen, and the page says its language', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library')
  const openMenu = () => page.getByRole('button', { name: /^Account, / }).press('Enter')
  await openMenu()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await page.getByRole('menuitemradio', { name: 'Nederlands' }).click()
  await page.locator('html[lang=nl][data-mantine-color-scheme=dark]').waitFor()
  await page.locator('main h1').waitFor()
  await openMenu()
  await page.getByRole('menuitemradio', { name: 'Nederlands', checked: true }).waitFor()
  await page.getByRole('menuitemradio', { name: 'English' }).click()
  await page.locator('html[lang=en]').waitFor()
  await page.locator('main h1').waitFor()
  await end()
})

test('axe finds nothing in the account menu', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library')
  await page.getByRole('button', { name: /^Account, / }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
  await inspectViews(page, 'account-menu', undefined)
  await end()
})

test('a page below another names it, and its entry of the navigation stays marked', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library/data/books')
  const entry = page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Data' })
  assert.equal(await entry.getAttribute('data-active'), 'true')
  const breadcrumb = page.getByRole('navigation', { name: 'Breadcrumb' })
  assert.deepEqual(await breadcrumb.getByRole('listitem').allTextContents(), ['Data', 'Books'])
  await breadcrumb.getByRole('link', { name: 'Data' }).click()
  await page.getByRole('heading', { level: 1, name: 'Data' }).waitFor()
  await breadcrumb.waitFor({ state: 'detached' })
  await end()
})

for (const [address, link, heading] of [
  ['/nowhere/at/all', 'Go to the start page', 'The library'],
  ['/w/library/nowhere/at/all', 'Go to the overview', 'The library'],
  ['/w/library/data/nothing', 'All collections', 'Data'],
  ['/server/people/nobody@example.org', 'All people', 'People'],
] as const)
  test(`the unknown address ${address} is answered in the frame, with a way on`, async () => {
    const { page, end } = await visitSignedIn(server, address)
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await page.getByRole('button', { name: /^Account, / }).waitFor()
    assert.equal(await page.title(), 'Page not found · Querent')
    await inspectViews(page, 'not-found', undefined)
    await page.getByRole('link', { name: link }).click()
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    await end()
  })

test('times are relative, with the exact time and its zone on pointing at them', async () => {
  const { page, end } = await visitSignedIn(server, '/you')
  const time = page.getByRole('table', { name: 'Sessions' }).locator('time').first()
  assert.equal(await time.textContent(), 'just now')
  assert.match((await time.getAttribute('title')) ?? '', /20\d\d.*(UTC|GMT)/)
  assert.match((await time.getAttribute('datetime')) ?? '', /^20\d\d-.*Z$/)
  await end()
})

test('Go to finds fields, settings and documents, and ? lists the keys', async () => {
  const { page, end } = await visitSignedIn(server, '/w/library')
  const field = page.getByRole('combobox', { name: 'Go to a page, or do something' })
  await page.getByRole('button', { name: 'Go to…' }).first().click()
  await field.fill('second fac')
  await page.getByRole('option', { name: 'Require a second factor Setting' }).waitFor()
  await field.fill('inpr')
  await page.getByRole('option', { name: 'inPrint Field of books' }).waitFor()
  await field.fill('golden mirror')
  await page.getByRole('option', { name: 'Search for “golden mirror” in Library API' }).waitFor()
  await page.getByRole('option', { name: 'The golden mirror Document of books' }).first().click()
  await page.getByRole('dialog', { name: 'The golden mirror' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Show these keys').waitFor()
  await inspectViews(page, 'keys', undefined)
  await end()
})
