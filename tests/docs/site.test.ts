/** The documentation site as the server serves it: complete, without broken links, usable under the server's Content-Security-Policy. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { operations } from '@querent/contract/manage'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { type Visit, visitConsole } from '#tests/support/console-visit'
import { inspectViews } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'
import { writeReference } from '#tools/docs/reference'

const root = join(import.meta.dirname, '..', '..')
const site = join(root, 'packages', 'console', 'dist', 'docs')
const base = '/console/docs/'
const pages = globSync('**/*.html', { cwd: site }).filter(path => path !== '404.html')
const readPage = (path: string) => readFileSync(join(site, path), 'utf8')

let server: StartedServer
let browser: Browser
let visit: Visit
before(async () => {
  server = await startServer()
  browser = await openChromium()
  visit = await visitConsole(browser, server)
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const anchors = (path: string) =>
  new Set(Array.from(readPage(path).matchAll(/ id="([^"]+)"/g), ([, id]) => id))

test('each link of the site leads to a page and a heading that exist', () => {
  const anchorsByPage = new Map(pages.map(path => [path, anchors(path)]))
  const broken = pages.flatMap(path =>
    Array.from(readPage(path).matchAll(/ (?:href|src)="([^"]+)"/g), ([, link = '']) => link)
      .filter(link => !/^[a-z][a-z0-9+.-]*:/i.test(link))
      .filter(link => {
        const { pathname, hash } = new URL(link.replaceAll('&amp;', '&'), `http://site${base}${path}`)
        // The way back to the console.
        if (pathname === '/console/') return false
        if (!pathname.startsWith(base)) return true
        const file = pathname.slice(base.length) || 'index.html'
        if (hash === '') return !existsSync(join(site, file))
        return !anchorsByPage.get(file)?.has(decodeURIComponent(hash.slice(1)))
      })
      .map(link => `${path}: ${link}`),
  )
  assert.deepEqual(broken, [])
  assert.ok(pages.length > 20)
})

test('the menu and llms.txt list every page once', () => {
  const listed = Array.from(
    readFileSync(join(site, 'llms.txt'), 'utf8').matchAll(/^- \[.*?\]\(\/console\/docs\/(.*?)\.md\)/gm),
    ([, page]) => `${page}.html`,
  )
  assert.deepEqual(listed.toSorted(), pages.toSorted())
  const menu = /<aside class="VPSidebar"[\s\S]*?<\/aside>/.exec(readPage('index.html'))?.[0] ?? assert.fail()
  const links = Array.from(
    menu.matchAll(/href="\/console\/docs\/([^"]*)"/g),
    ([, link]) => link || 'index.html',
  )
  assert.deepEqual(links.toSorted(), pages.toSorted())
})

test('the reference is that of the code; if not, build the site again', async () => {
  const pages = Object.entries(await writeReference())
  assert.ok(pages.length > 4)
  for (const [path, text] of pages) assert.equal(readPage(path), text, path)
  const commands = readPage('reference/commands.md')
  assert.match(commands, /^## querent members invite$/m)
  const api = readPage('reference/management-api.md')
  for (const { id } of Object.values(operations)) assert.ok(api.includes(`\n### ${id}\n`), id)
})

test('the Markdown of a page, llms-full.txt and the sections are there for programs', async () => {
  const get = async (path: string) => (await fetch(`${server.authUrl}${base}${path}`)).text()
  assert.equal(await get('query.md'), readFileSync(join(root, 'docs', 'query.md'), 'utf8'))
  assert.match(await get('llms-full.txt'), /^# Query$/m)
  const sections = (await get('sections.ndjson'))
    .trim()
    .split('\n')
    // The test checks their form.
    .map(line => JSON.parse(line) as { id: string; address: string })
  assert.ok(sections.length > 200)
  assert.equal(new Set(sections.map(({ id }) => id)).size, sections.length)
  for (const { address } of sections) {
    const [file = '', anchor = ''] = address.slice(base.length).split('#')
    assert.ok(anchors(file).has(anchor), address)
  }
})

test('axe finds nothing on a page, and nothing overflows it', async () => {
  await visit.open('/docs/query.html')
  await inspectViews(visit.page, 'docs', undefined)
})

test('readers search the site, follow a result, and switch to dark colors', async () => {
  const { page, open } = visit
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
  await open('/docs/')
  await page.getByRole('button', { name: 'Search' }).first().click()
  const text = page.getByRole('combobox')
  const results = page.getByRole('option')
  // Letter by letter, with a typo: the server's own search finds it.
  await text.pressSequentially('add synonims')
  await results.first().filter({ hasText: 'Describe your search › Synonyms' }).waitFor()
  await inspectViews(page, 'docs search', undefined)
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.emulateMedia({ colorScheme: 'light' })
  await text.fill('rotate signing keys')
  await results.first().filter({ hasText: 'Signing keys' }).waitFor()
  await results.first().click()
  await page
    .getByRole('heading', { name: /signing keys/i })
    .first()
    .waitFor()
  await page.getByRole('switch').first().click()
  await page.locator('html.dark').waitFor()
})

test('pages show the addresses of the server in place of their names, also after a link', async () => {
  const { page, open } = visit
  await open('/docs/your-account.html')
  const code = page.locator('.vp-doc code')
  await code.getByText(`${server.authUrl}/factors`).first().waitFor()
  await page.locator('.VPSidebar').getByRole('link', { name: 'Query', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Query' }).waitFor()
  await page.getByText(`${server.baseUrl}/4/{workspace}/api/{api}/e/`).first().waitFor()
  assert.equal(await page.locator('.vp-doc').getByText('{base_url}').count(), 0)
})

test('commands set the addresses of the server, the start page links the generated pages, and each page leads to the console', async () => {
  const { page, open } = visit
  await open('/docs/get-a-token.html')
  await page.getByText(`AUTH_URL=${server.authUrl}`).waitFor()
  await page.getByText(`BASE_URL=${server.baseUrl}`).waitFor()
  const consoleLink = page.getByRole('link', { name: 'Open console' })
  assert.equal(await consoleLink.getAttribute('href'), '/console/')
  const start = readPage('index.html')
  for (const name of ['commands', 'settings', 'workspace-file', 'management-api'])
    assert.match(start, new RegExp(`<strong><a href="[^"]*reference/${name}(?:\\.html)?"`))
})

test('no page violated the policy or wrote an error to the browser console', () => visit.end())

test('the documentation shows every picture, and each link has its picture', () => {
  const docs = join(root, 'docs')
  for (const [folder, page] of [
    ['console', 'console.md'],
    ['pages', 'images/pages/README.md'],
    ['demo', 'images/demo/README.md'],
  ] as const) {
    const linked = readFileSync(join(docs, page), 'utf8').matchAll(/\((?:\.|images\/\w+)\/([\w-]+\.png)\)/g)
    const pictures = readdirSync(join(docs, 'images', folder)).filter(name => name.endsWith('.png'))
    assert.deepEqual(
      [...new Set(Array.from(linked, ([, name]) => name))].toSorted(),
      pictures.toSorted(),
      page,
    )
  }
})
