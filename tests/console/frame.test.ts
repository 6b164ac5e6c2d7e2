/** The frame around every page: first paint, navigation, account menu, lost connections, unknown addresses. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { visitSignedIn, waitForFocus } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

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

const background = 'getComputedStyle(document.body).backgroundColor'
/** The ground of light pages, in index.html and ui/style.css. */
const light = 'rgb(246, 247, 249)'

test('the frame shows before scripts and style sheets arrive, in the chosen theme', async () => {
  const { page, context, end } = await visitSignedIn(browser, server, '/w/library')
  const slow = await context.newPage()
  // They never arrive.
  await slow.route(/\/assets\/initial-.*\.(js|css)$/, () => {})
  await slow.emulateMedia({ colorScheme: 'light' })
  await slow.goto(`${server.authUrl}/console/w/library`, { waitUntil: 'commit' })
  await slow.locator('#first-frame header').getByText('Querent').waitFor()
  assert.equal(await slow.evaluate(background), light)
  await page.getByRole('button', { name: /^Account, / }).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  await page.keyboard.press('Escape')
  await slow.goto(`${server.authUrl}/console/w/library`, { waitUntil: 'commit' })
  await slow.locator('html[data-mantine-color-scheme=dark] #first-frame header').waitFor()
  assert.notEqual(await slow.evaluate(background), light)
  await slow.close()
  await end()
})

test('what is typed before the command palette is loaded is not lost', async () => {
  const { page, end } = await visitSignedIn(browser, server, '/w/library')
  const dialog = page.getByRole('dialog', { name: 'Go to a page, or do something' })
  let release = () => {}
  const isHeld = new Promise<void>(resolve => {
    release = resolve
  })
  await page.route('**/command-palette-*.js', async route => {
    await isHeld
    await route.continue()
  })
  await page.getByRole('link', { name: 'Overview' }).focus()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('aud')
  assert.equal(await dialog.count(), 0)
  release()
  const field = dialog.getByRole('combobox')
  await waitForFocus(field)
  await page.keyboard.type('it')
  assert.equal(await field.inputValue(), 'audit')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await waitForFocus(page.getByRole('link', { name: 'Overview' }))
  // The next time it is there at once, and takes Enter too.
  await page.keyboard.press('Control+k')
  await page.keyboard.type('audit')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
  await waitForFocus(page.getByRole('main'))
  await dialog.waitFor({ state: 'detached' })
  assert.equal(await page.locator('.palette-early').count(), 0)
  await end()
})

test('the command palette goes to pages and starts actions, by keyboard alone', async () => {
  const { page, end } = await visitSignedIn(browser, server, '/w/library')
  const field = page.getByRole('combobox', { name: 'Go to a page, or do something' })
  const choose = async (key: string, text: string, option: string) => {
    await page.keyboard.press(key)
    await field.waitFor()
    await field.pressSequentially(text)
    await page.getByRole('option', { name: option, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await field.waitFor({ state: 'detached' })
  }
  await choose('Control+k', 'aud', 'Audit log')
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
  await page.keyboard.press('/')
  await field.pressSequentially('tutorial')
  await page.getByRole('option', { name: 'Tutorial Docs' }).waitFor()
  await page.keyboard.press('Escape')
  await field.waitFor({ state: 'detached' })
  await choose('/', 'invite', 'Invite people')
  await page.getByRole('dialog').getByLabel('E-mail').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await choose('/', 'books', 'books')
  await page.getByRole('heading', { level: 1, name: 'Books' }).waitFor()
  await choose('/', 'try lib', 'Try Library')
  await page.getByRole('heading', { level: 1, name: 'Library' }).waitFor()
  await choose('/', 'library curation', 'Library: Curation')
  await page.getByRole('tab', { name: 'Curation', selected: true }).waitFor()
  await choose('/', 'books fields', 'books: Fields')
  await page.getByRole('tab', { name: 'Fields', selected: true }).waitFor()
  await choose('/', 'server mail', 'Mail')
  await page.getByRole('heading', { level: 1, name: 'Mail' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Books' }).waitFor()
  // A slash in a field is a character.
  await page.getByRole('link', { name: 'Team Members' }).click()
  await page.getByRole('searchbox', { name: 'Search' }).press('/')
  assert.equal(await page.getByRole('searchbox', { name: 'Search' }).inputValue(), '/')
  await page.keyboard.press('Control+k')
  await field.fill('nothing has this name')
  // Only the search of an API offers it.
  await page.getByRole('option', { name: 'Search for “nothing has this name” in Library' }).waitFor()
  await page.getByText('1 result', { exact: true }).waitFor()
  await field.fill('')
  const first = await field.getAttribute('aria-activedescendant')
  await page.keyboard.press('ArrowDown')
  assert.notEqual(await field.getAttribute('aria-activedescendant'), first)
  await inspectViews(page, 'command-palette', undefined)
  await end()
})

test('each page links to its documentation, which the server serves under a strict policy', async () => {
  const { page, context, end } = await visitSignedIn(browser, server, '/w/library/settings/audit-log')
  const docsPage = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Docs' }).click()
  const docs = await docsPage
  await docs.getByRole('heading', { level: 2, name: /^Audit log/ }).waitFor()
  assert.match(docs.url(), /\/console\/docs\/people\.html#audit-log$/)
  await inspectViews(docs, 'docs', undefined)
  await docs.setViewportSize({ width: 320, height: 640 })
  assert.equal(await docs.evaluate<number>('document.documentElement.scrollWidth'), 320)
  const reply = await fetch(docs.url())
  assert.match(
    reply.headers.get('content-security-policy') ?? '',
    /^default-src 'none'; script-src 'self'; style-src 'self';/,
  )
  await docs.close()
  await end()
})

test('an offline page says so, keeps what it shows, and continues when the connection is back', async () => {
  const { page, context } = await visitSignedIn(browser, server, '/w/library')
  await page.getByRole('heading', { level: 1, name: 'The library' }).waitFor()
  await context.setOffline(true)
  await page.getByRole('status').getByText("You're offline").waitFor()
  await page.getByRole('heading', { level: 1, name: 'The library' }).waitFor()
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByRole('alert').getByText("You're offline").waitFor()
  await context.setOffline(false)
  await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
  await page.getByText("You're offline").waitFor({ state: 'detached' })
  // The failed requests are those of the test.
  await context.close()
})
