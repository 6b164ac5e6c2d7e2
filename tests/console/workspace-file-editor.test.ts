/** The editor of the workspace file in real Chromium: completion, explanations, checks while typing, search and folding, by keyboard. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { visitSignedIn } from '#tests/support/console-visit'
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

const openEditor = async (path = '/w/library/settings/workspace-file') => {
  const visit = await visitSignedIn(browser, server, path)
  const field = visit.page.getByRole('textbox', { name: 'Workspace file' })
  await visit.page.locator('.cm-content').waitFor()
  return { ...visit, field }
}
const write = async (page: Page, text: string) => {
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}

test('keys, values and names are completed by keyboard, and a snippet is filled in with Tab', async () => {
  const { page, field, end } = await openEditor()
  await write(page, 'workspace: library\ncollections:\n  books:\n    fields:\n      name: { type: te')
  const list = page.getByRole('listbox')
  await page.keyboard.press('ControlOrMeta+Space')
  await list.getByRole('option', { name: 'text' }).waitFor()
  await inspectViews(page, 'workspace-file-completion', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.keyboard.press('Enter')
  await field.getByText('name: { type: text').waitFor()
  await page.keyboard.insertText(' }\napis:\n  site:\n    endpoints:\n      ')
  await page.keyboard.press('ControlOrMeta+Space')
  const snippet = list.getByRole('option', { name: 'search endpoint' })
  await snippet.click()
  await page.keyboard.insertText('find')
  await page.keyboard.press('Tab')
  await page.keyboard.insertText('books')
  await field.getByText('find: { kind: match, collection: books, prefix: true, typos: true }').waitFor()
  await page.keyboard.press('ControlOrMeta+s')
  await page.getByText('Applying makes these changes').waitFor()
  // Half-typed text is checked too.
  await end([400])
})

test('the measures of a relevance test are completed', async () => {
  const { page, end } = await openEditor()
  await write(page, 'workspace: library\ntests:\n  - { judgments: judgments.tsv, metric: nd')
  await page.keyboard.press('ControlOrMeta+Space')
  await page.getByRole('listbox').getByRole('option', { name: 'ndcg@10' }).waitFor()
  await end([400])
})

test('Ctrl-S at the end of a long file shows its result', async () => {
  const { page, end } = await openEditor()
  const comments = Array.from({ length: 200 }, (_, index) => `# line ${index}\n`).join('')
  await write(page, `workspace: library\ntitle: Renamed\n${comments}`)
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.press('ControlOrMeta+s')
  const result = page.getByText('Applying makes these changes')
  await result.waitFor()
  assert.ok(await result.evaluate(element => element.getBoundingClientRect().top > 0))
  await end([400])
})

test('a key explains itself below the pointer, and with F1 at the cursor', async () => {
  const { page, end } = await openEditor()
  await write(page, 'settings: { queryLog: { parameters: full } }')
  const explanation = page.locator('.cm-explanation')
  await page.locator('.cm-line').getByText('parameters').hover()
  await explanation.getByText('settings.queryLog.parameters').waitFor()
  await explanation.getByText('Allowed: off, hashed, full').waitFor()
  await page.mouse.move(0, 0)
  await explanation.waitFor({ state: 'detached' })
  await page.keyboard.press('Home')
  await page.keyboard.press('F1')
  await explanation.getByText('Settings of the workspace').waitFor()
  await inspectViews(page, 'workspace-file-explanation', undefined)
  await page.keyboard.press('Escape')
  await explanation.waitFor({ state: 'detached' })
  await end([400])
})

test('the text is checked while it is typed: all errors at once, each marked at its value', async () => {
  const { page, expectRefused, end } = await openEditor()
  await expectRefused([400], async () => {
    await write(
      page,
      'workspace: library\ncollections:\n  books:\n    langauge: english\napis:\n  site:\n    endpoints:\n      all: { kind: all, collection: boks, title: All }',
    )
    await page.getByRole('button', { name: '2 errors' }).waitFor()
  })
  await page.getByRole('listitem').filter({ hasText: 'unknown key "langauge"' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'did you mean "books"' }).waitFor()
  assert.deepEqual(await page.locator('.cm-lintRange-error').allTextContents(), ['langauge', 'boks'])
  await inspectViews(page, 'workspace-file-typed-errors', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'line 4, column 5' }).click()
  await page.locator('.cm-focused').waitFor()
  await write(page, 'workspace: library\ntitle: Renamed\n')
  await page
    .getByRole('status')
    .getByText(/^No errors, \d+ changes?$/)
    .waitFor()
  assert.equal(await page.locator('.cm-lintRange-error').count(), 0)
  await end()
})

test('Ctrl-F searches, Ctrl-Shift-[ folds, and Tab leaves the editor', async () => {
  const { page, field, end } = await openEditor()
  await write(page, 'workspace: library\ncollections:\n  books:\n    language: english\n')
  await page.keyboard.press('ControlOrMeta+f')
  const search = page.getByRole('textbox', { name: 'Find', exact: true })
  await search.fill('language')
  await search.press('Enter')
  assert.equal(await page.locator('.cm-searchMatch').count(), 1)
  await inspectViews(page, 'workspace-file-search', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await search.press('Escape')
  await search.waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+Home')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Control+Shift+BracketLeft')
  await page.locator('.cm-foldPlaceholder').waitFor()
  assert.equal((await field.textContent())?.includes('english'), false)
  await page.keyboard.press('Tab')
  await page.locator('.cm-focused').waitFor({ state: 'detached' })
  await end()
})

test('an empty workspace offers templates, and each can be applied', async () => {
  await server.applyWorkspace('workspace: fresh\ntitle: Fresh\n')
  const { page, field, end } = await openEditor('/w/fresh/settings/workspace-file')
  await page.getByRole('button', { name: 'Catalog' }).click()
  await field.getByText('sku').waitFor()
  await page.getByRole('button', { name: 'Starter' }).click()
  await field.getByText('sku').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Catalog' }).click()
  await field.getByText('sku').waitFor()
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await page.getByRole('status').getByText('Applied').waitFor()
  await end()
})
