/** The React example of `examples/`, run from a clean folder: two people with different row filters. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { startExamplePage } from '#tests/support/examples'
import { inspectNarrowest, inspectViews } from '#tests/support/pages-inspect'
import { registerApplication } from '#tests/support/person'
import { startServer } from '#tests/support/started-server'

const people = ['lin@example.org', 'grace@example.org'] as const
const passwordFor = (email: string) => `a long phrase for ${email}`

test('each person finds only what their row filter allows, with counts', async t => {
  const [server, browser] = await Promise.all([startServer(), openChromium()])
  t.after(() => Promise.all([server.stop(), browser.close()]))
  const url = await startExamplePage(t, server, { name: 'react-search', port: 5176 }, async (folder, url) => {
    for (const email of people)
      await server.call('createUser', { input: { email, password: `${passwordFor(email)}` } })
    await server.applyFile(join(folder, 'workspace.yaml'))
    await server.run(['import', 'intranet', 'pages', join(folder, 'pages.ndjson')])
    const { clientId } = await registerApplication(server, 'intranet', 'browser', `${url}/callback`)
    const settings = join(folder, 'settings.js')
    await writeFile(settings, (await readFile(settings, 'utf8')).replace('YOUR_CLIENT_ID', clientId))
  })

  const page = await browser.newPage()
  page.setDefaultTimeout(stepMsMax)
  const errors: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => message.type() === 'error' && errors.push(message.text()))
  const batches: string[] = []
  page.on('request', request => {
    if (request.method() === 'POST' && request.url().endsWith('/batch'))
      batches.push(request.postData() ?? '')
  })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  /** Signs in, searches for "plan", and returns titles, counts of the facet, and the last request. */
  const searchAs = async (email: string, hits: number) => {
    await page.goto(url)
    await button('Sign in').click()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(passwordFor(email))
    await button('Sign in').click()
    await button('Allow').click()
    await page.getByText(email).waitFor()
    await page.getByRole('searchbox').fill('plan')
    await page.getByText(`${hits} results`).waitFor()
    const titles = await page.locator('article h2').allTextContents()
    const counts = await page.locator('.ais-RefinementList-label').allTextContents()
    return { titles: titles.toSorted(), counts: counts.toSorted(), request: batches.at(-1) }
  }

  const lin = await searchAs(people[0], 5)
  const shared = ['Plan of the office', 'Plan your holidays']
  const engineering = ['Incident plan', 'Plan for the next release', 'Plan to move the database']
  assert.deepEqual(lin.titles, [...shared, ...engineering].toSorted())
  assert.deepEqual(lin.counts, ['Office1', 'Operations2', 'People1', 'Product1'])
  await inspectViews(page, 'react-search', undefined)
  await inspectNarrowest(page, 'react-search')

  await button('Sign out').click()
  await page.waitForURL(url)
  await button('Sign in').waitFor()
  assert.equal(await page.locator('article').count(), 0)

  const grace = await searchAs(people[1], 4)
  assert.deepEqual(grace.titles, [...shared, 'New prices', 'Sales plan'].toSorted())
  assert.deepEqual(grace.counts, ['Office1', 'People1', 'Product1', 'Targets1'])
  // The same request: the server adds the row filter.
  assert.equal(grace.request, lin.request)
  assert.deepEqual(errors, [])
})
