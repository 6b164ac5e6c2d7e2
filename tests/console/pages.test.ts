/** Every page of the console in real Chromium, for an administrator. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { openChromium } from '#tests/support/chromium'
import { adminEmail, signIn, type Visit, visitConsole, waitUntilSettled } from '#tests/support/console-visit'
import { makeLibrary } from '#tests/support/library'
import { inspectViews } from '#tests/support/pages-inspect'
import { registerApplication } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
let visit: Visit
before(async () => {
  server = await startServer()
  const { clientId } = await makeLibrary(server)
  await registerApplication(server, 'library', 'browser', 'https://app.example.org/callback')
  await server.run(['s2s', 'disable', 'library', clientId]).catch(() => {})
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

const results = '/w/library/apis/library?stack=e%2Fsearch%2Fp%2Fquery%2Fsilent%2520river'
const pages: Record<string, { path: string; title: string }> = {
  workspaces: { path: '/workspaces', title: 'Workspaces' },
  overview: { path: '/w/library', title: 'The library' },
  apis: { path: '/w/library/apis', title: 'APIs' },
  'try-it-empty': { path: '/w/library/apis/library', title: 'Library' },
  'try-it': { path: results, title: 'Library' },
  data: { path: '/w/library/data', title: 'Data' },
  collection: { path: '/w/library/data/books', title: 'books' },
  fields: { path: '/w/library/data/books/fields', title: 'books' },
  synonyms: { path: '/w/library/data/books/synonyms', title: 'books' },
  endpoints: { path: '/w/library/apis/library/endpoints', title: 'Library' },
  curation: { path: '/w/library/apis/library/curation', title: 'Library' },
  import: { path: '/w/library/data/books/import', title: 'books' },
  generations: { path: '/w/library/data/books/generations', title: 'books' },
  relevance: { path: '/w/library/relevance', title: 'Relevance tests' },
  refused: { path: '/w/library/refused', title: 'Why was I refused?' },
  'team-members': { path: '/w/library/settings/team-members', title: 'Team Members' },
  applications: { path: '/w/library/settings/applications', title: 'Applications' },
  'workspace-file': { path: '/w/library/settings/workspace-file', title: 'Workspace file' },
  general: { path: '/w/library/settings/general', title: 'General' },
  security: { path: '/w/library/settings/security', title: 'Security' },
  'audit-log': { path: '/w/library/settings/audit-log', title: 'Audit log' },
  you: { path: '/you', title: 'Account' },
}

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

for (const [name, { path, title }] of Object.entries(pages))
  test(`${name}: axe finds nothing at 360 and 1280 px, light and dark, and nothing overflows the page`, async t => {
    await visit.open(path)
    await visit.page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    await waitUntilSettled(visit.page)
    // It comes after the heading.
    const isTitled = async () => assert.equal(await visit.page.title(), `${title} · Querent`)
    await t.waitFor(isTitled, { timeout: 20_000 })
    await inspectViews(visit.page, name, pictured.includes(name) ? 'console' : undefined)
  })

test('axe finds nothing in the menu of workspaces', async () => {
  const { page, open } = visit
  await open('/w/library')
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('button', { name: 'The library' }).click()
  await page.getByRole('menuitem', { name: 'All workspaces' }).waitFor()
  await inspectViews(page, 'workspace-menu', undefined)
  await page.keyboard.press('Escape')
})

test('docs/console.md links every picture of the console, and each link has its picture', () => {
  const docs = join(import.meta.dirname, '..', '..', 'docs')
  const linked = readFileSync(join(docs, 'console.md'), 'utf8').matchAll(/images\/console\/([\w-]+\.png)/g)
  assert.deepEqual(
    [...new Set(Array.from(linked, ([, name]) => name))].toSorted(),
    readdirSync(join(docs, 'images', 'console')).toSorted(),
  )
})

test('no page wrote an error to the browser console', () => visit.end())
