/** The public search page of `examples/`, run from a clean folder. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { startExamplePage } from '#tests/support/examples'
import { inspectNarrowest, inspectViews } from '#tests/support/pages-inspect'
import { startServer } from '#tests/support/started-server'

test('everybody searches, filters with counts, turns pages and gets suggestions', async t => {
  const [server, browser] = await Promise.all([startServer(), openChromium()])
  t.after(() => Promise.all([server.stop(), browser.close()]))
  const url = await startExamplePage(t, server, { name: 'public-search', port: 5175 }, async folder => {
    await server.applyFile(join(folder, 'workspace.yaml'))
    await server.run(['import', 'bookshop', 'books', join(folder, 'books.csv')])
  })
  const page = await browser.newPage()
  page.setDefaultTimeout(stepMsMax)
  const errors: string[] = []
  page.on('console', message => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', error => errors.push(String(error)))
  await page.goto(url)
  const status = page.getByRole('status')
  const waitForStatus = (text: string | RegExp) => status.filter({ hasText: text }).waitFor()
  const box = page.getByRole('searchbox', { name: 'Search books' })
  const option = (name: string) => page.getByRole('checkbox', { name, exact: true })

  await waitForStatus('15 books')
  assert.equal(await page.getByRole('listitem').count(), 5)
  await page.getByRole('button', { name: 'Next' }).click()
  await page.locator('#results[start="6"]').waitFor()
  await page.getByRole('button', { name: 'Previous' }).click()
  await page.locator('#results[start="1"]').waitFor()

  await box.pressSequentially('captain')
  await waitForStatus('2 books')
  assert.ok((await page.locator('mark').allTextContents()).includes('captain'))
  await box.fill('')
  await waitForStatus('15 books')
  await option('Horror (3)').check()
  await waitForStatus('3 books')
  await option('Mystery (1)').check()
  await waitForStatus('4 books')
  await option('19th (3)').check()
  await waitForStatus('3 books')
  await option('Horror (3)').uncheck()
  await waitForStatus('0 books')
  await page.getByRole('checkbox', { name: /^19th/ }).uncheck()
  await waitForStatus('1 book')
  await option('Mystery (1)').uncheck()

  await box.fill('xracula')
  await page.getByRole('button', { name: 'dracula' }).click()
  await page.getByRole('heading', { name: 'Dracula' }).waitFor()
  await inspectViews(page, 'public-search', undefined)
  await inspectNarrowest(page, 'public-search')
  assert.deepEqual(errors, [])
})
