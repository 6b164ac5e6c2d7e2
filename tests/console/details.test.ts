/**
 * Details of the console's pages in real Chromium: secrets that stay until they are saved, ids, titles, states, and text that is not cut
 * off.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { openOwnChromium } from '#tests/support/chromium'
import { bookShop, bookShopBooks } from '#tests/support/console-examples'
import { adminEmail, visitSignedIn, waitUntilSettled } from '#tests/support/console-visit'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
before(async () => {
  server = await startServer()
  await server.applyWorkspace(bookShop)
  await server.importDocuments('shop', 'books', bookShopBooks.map(book => JSON.stringify(book)).join('\n'))
  browser = await openOwnChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

/** Labels of buttons whose text overflows its box and is cut off. */
const cutLabels = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('.mantine-Button-label')]
    .filter(label => {
      const box = label.getBoundingClientRect()
      const texts = document.createTreeWalker(label, NodeFilter.SHOW_TEXT)
      while (texts.nextNode()) {
        // Text for screen readers only is not visible.
        if (getComputedStyle(texts.currentNode.parentElement).position === 'absolute') continue
        const text = document.createRange()
        text.selectNodeContents(texts.currentNode)
        const letters = text.getBoundingClientRect()
        if (letters.top < box.top - 0.5 || letters.bottom > box.bottom + 0.5) return true
      }
      return false
    })
    .map(label => label.textContent)`)

test('an account that is created from the Overview shows its Client Secret until the person confirms that it is saved', async () => {
  const { page, end } = await visitSignedIn(browser, server, '/w/shop')
  assert.deepEqual(await cutLabels(page), [])
  await page.setViewportSize({ width: 360, height: 640 })
  assert.deepEqual(await cutLabels(page), [], 'on a phone')
  await page.setViewportSize({ width: 1280, height: 800 })
  const opens = page.getByRole('button', { name: 'Create System-to-System account' })
  await opens.click()
  await page.getByLabel('Name').fill('Website')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'System-to-System account Website' })
  await dialog.getByText('Copy the Client Secret now').waitFor()
  await waitUntilSettled(page)
  assert.deepEqual(await cutLabels(page), [])
  const secret = await dialog.locator('code').filter({ hasText: /^qrs_/ }).textContent()
  await dialog.getByRole('button', { name: 'Copy Client Secret' }).click()
  await dialog.getByRole('button', { name: 'Client Secret copied' }).waitFor()
  assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), secret)
  await page.keyboard.press('Escape')
  await dialog.waitFor()
  await inspectViews(page, 'overview-secret', undefined)
  await dialog.getByRole('button', { name: "I've saved it" }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'System-to-System accounts' }).waitFor()
  await opens.waitFor()
  await end()
})

test('on a phone, the audit log shows its details in one column', async () => {
  await server.call('createApplication', {
    params: { workspace: 'shop' },
    input: { name: 'Finder', redirectUris: ['http://localhost:5173/callback'] },
  })
  const { page, end } = await visitSignedIn(browser, server, '/w/shop/settings/audit-log')
  await page.setViewportSize({ width: 360, height: 640 })
  await page.getByText('Redirect URIs: http://localhost:5173/callback').waitFor()
  const lines = await page.evaluate<{ lines: number; overlapping: string[] }>(`(() => {
    const cell = [...document.querySelectorAll('td[data-heading=Details]')].find(it => it.textContent.includes('Redirect URIs'))
    const all = [...cell.querySelectorAll('p')]
    const boxes = all.map(line => line.getBoundingClientRect())
    const isBelow = (box, index) => index === 0 || (box.top >= boxes[index - 1].bottom - 1 && box.left === boxes[0].left)
    return { lines: all.length, overlapping: all.filter((_, index) => !isBelow(boxes[index], index)).map(it => it.textContent) }
  })()`)
  assert.ok(lines.lines > 1, 'an entry with several lines')
  assert.deepEqual(lines.overlapping, [])
  await inspectViews(page, 'audit-log-details', undefined)
  await end()
})

test('the errors of the workspace file disappear when the text is corrected', async () => {
  const { page, expectRefused, end } = await visitSignedIn(browser, server, '/w/shop/settings/workspace-file')
  const text = page.getByRole('textbox', { name: 'Workspace file' })
  const write = async (source: string) => {
    await text.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(source)
  }
  await text.getByText('Book shop').waitFor()
  const wrong = page.getByRole('alert').getByText('nothing was changed')
  await expectRefused([400], async () => {
    await write(bookShop.replace('kind: all', 'kind: every'))
    await page.getByRole('button', { name: 'Apply' }).click()
    await wrong.waitFor()
  })
  await write(bookShop)
  await wrong.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Preview changes' }).click()
  const planned = page.getByRole('status')
  await planned.getByText('No changes').first().waitFor()
  await write(bookShop.replace('Book shop', 'Our book shop'))
  await planned.getByText('No changes').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('status').getByText('Applied').waitFor()
  await end()
})

test('the workspace file keeps its comments and merges changes made elsewhere', async () => {
  const { page, open, end } = await visitSignedIn(browser, server, '/w/shop/settings/workspace-file')
  const text = page.getByRole('textbox', { name: 'Workspace file' })
  await text.getByText('book shop').waitFor()
  await text.click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(`# Written by hand\n${bookShop}# The end\n`)
  await page.getByRole('button', { name: 'Apply' }).click()
  await page.getByRole('status').getByText('Applied').waitFor()
  // Members that the file does not name are added to its text.
  await text.getByText(adminEmail).waitFor()
  await open('/w/shop/settings/security')
  await page.getByLabel('Access token lifetime (minutes)').fill('30')
  await page.getByRole('form', { name: 'Access tokens' }).getByRole('button', { name: 'Save' }).click()
  const saved = page.getByRole('status').getByText('Saved.')
  await saved.waitFor()
  await page.getByLabel('Access token lifetime (minutes)').fill('31')
  await saved.waitFor({ state: 'detached' })
  await open('/w/shop/settings/workspace-file')
  for (const part of ['# Written by hand', '# The end', 'accessTokenLifetime', 'title: { type: text }'])
    await text.getByText(part).first().waitFor()
  await inspectViews(page, 'workspace-file-comments', undefined)
  await end()
})
