/** Every page of the console in Dutch, in real Chromium. */
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { nl, nlFaults } from '#console/i18n/nl'
import { openChromium } from '#tests/support/chromium'
import { consolePages } from '#tests/support/console-pages'
import {
  adminEmail,
  type Visit,
  visitSignedIn,
  waitForCount,
  waitUntilSettled,
} from '#tests/support/console-visit'
import { books, makeLibrary, workspaceFile } from '#tests/support/library'
import { inspectNarrowest, inspectViews } from '#tests/support/pages-inspect'
import { registerApplication } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let browser: Browser
let clientId: string
let english: Visit
let dutch: Visit
before(async () => {
  server = await startServer()
  ;({ clientId } = await makeLibrary(server))
  await registerApplication(server, 'library', 'browser', 'https://app.example.org/callback')
  await server.run(['members', 'invite', 'library', 'grace@example.org', '--role', 'user'])
  browser = await openChromium()
  english = await visitSignedIn(browser, server, '/w/library')
  dutch = await visitSignedIn(browser, server, '/w/library')
  await dutch.page.getByRole('button', { name: /^Account, / }).press('Enter')
  await dutch.page.getByRole('menuitemradio', { name: 'Nederlands' }).click()
  await dutch.page.locator('html[lang=nl]').waitFor()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

/**
 * Texts that are read or spoken, except code, and sentences of the server, which are marked as English. Text, because it runs in the page.
 */
const readTexts = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const skipped = 'script, style, code, pre, svg, textarea, .cm-editor, [lang]:not(html)'
    const attributes = ['aria-label', 'aria-roledescription', 'aria-description', 'placeholder', 'title', 'alt']
    const texts = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode
      const element = node instanceof Text ? node.parentElement : node
      if (element.closest(skipped)) continue
      if (node instanceof Text) texts.push(node.data)
      else texts.push(...attributes.map(name => node.getAttribute(name) ?? ''))
    }
    return [document.title, ...new Set(texts.map(text => text.trim()))]
  })()`)

const placeholder = /\{\w+\}/
/** Texts that are the same in both languages, cut at their placeholders. */
const sameTexts = Object.entries(nl)
  .filter(([text, translation]) => text === translation && /\p{L}/u.test(text.replaceAll(/\{\w+\}/g, '')))
  .map(([text]) => text.split(placeholder))
const isSameInDutch = (text: string): boolean =>
  sameTexts.some(([start = '', ...rest]) =>
    rest.length === 0 ? text === start : text.startsWith(start) && text.endsWith(rest.at(-1) ?? ''),
  )

/** Names and values that people have chosen, and words that no language translates. */
const data = [
  workspaceFile('library'),
  JSON.stringify(books),
  `${adminEmail} grace@example.org Application browser tests app.example.org/callback ${hostname()}`,
  // Values of the API and of roles, next to their names.
  'administrator user api data-provider default true false query Querent Console SQLite JSON Ctrl',
].join('\n')
/** Ids, addresses and figures have digits, slashes or underscores. */
const isData = (text: string): boolean =>
  text.split(/[^\p{L}\p{N}./:@_-]+/u).every(word => data.includes(word) || /[\d/_]/.test(word))
/** Ids of signing keys, which are shown in part, may have no digit. */
const readKeyIds = async (): Promise<string[]> => {
  const reply = await fetch(`${server.authUrl}/.well-known/jwks.json`)
  const { keys } = (await reply.json()) as { keys: { kid: string }[] }
  return keys.map(({ kid }) => kid)
}

for (const [name, { path, usable }] of Object.entries(consolePages))
  test(`${name}: every text is Dutch, axe finds nothing, and 320 px need no horizontal scrolling`, async () => {
    const open = async (visit: Visit) => {
      await visit.page.setViewportSize({ width: 1280, height: 800 })
      await visit.open(path.replace('{clientId}', clientId))
      await visit.page.locator(usable).first().waitFor({ state: 'attached' })
      await waitUntilSettled(visit.page)
    }
    await open(english)
    const englishTexts = new Set(await readTexts(english.page))
    await open(dutch)
    const keyIds = await readKeyIds()
    const untranslated = (await readTexts(dutch.page)).filter(
      text =>
        englishTexts.has(text) &&
        !text
          .split(/ · |: /)
          .every(part => isSameInDutch(part) || isData(part) || keyIds.some(id => id.startsWith(part))),
    )
    assert.deepEqual(untranslated, [])
    await inspectViews(dutch.page, `${name} in Dutch`, undefined)
    await inspectNarrowest(dutch.page, `${name} in Dutch`)
  })

/** The fixed words of a fault's text, in order. */
const faultPattern = (code: string): RegExp => {
  const words = (nlFaults.requirements[code] ?? nlFaults.faults[code] ?? '').split(placeholder)
  return new RegExp(words.map(part => part.replaceAll(/[^\p{L} ]/gu, '.')).join('.*'), 'u')
}

test('fields of forms show their faults in Dutch: those of the page, of the server and of the workspace file', async () => {
  const { page, open } = dutch
  await page.setViewportSize({ width: 1280, height: 800 })
  await open('/w/library/settings/applications')
  await page
    .getByRole('button', { name: nl['Register application'] as string })
    .first()
    .click()
  await page.getByLabel(nl['Redirect URIs'] as string).fill('http://app.example.org/callback')
  await page.getByText(faultPattern('loopback-http')).waitFor()
  await open('/w/library/settings/security')
  await page.getByLabel(nl['Additional allowed origins (CORS)'] as string).fill('https://*.example.org')
  await page
    .getByRole('button', { name: nl.Save as string, exact: true })
    .first()
    .click()
  await page.getByText(faultPattern('origin-without-wildcard')).waitFor()
  await open('/w/library/data/books/fields')
  const documents = nl['Documents of this collection'] as string
  await page.getByRole('button', { name: (nl['Edit {name}'] as string).replace('{name}', documents) }).click()
  await page.getByLabel(nl['URI of a document'] as string).fill('books')
  await page.getByRole('button', { name: nl.Save as string, exact: true }).click()
  await page.getByText(faultPattern('id-template')).waitFor()
})

test('the editor of the workspace file shows errors, advice and changes in Dutch', async () => {
  const { page, open } = dutch
  await open('/w/library/settings/workspace-file')
  const write = async (text: string) => {
    await page.locator('.cm-content').click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText(text)
  }
  const list = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^regel / }) })
  const messages = async (text: string, count: number) => {
    await write(text)
    await waitForCount(list, count)
    return (await list.allTextContents()).map(item => item.replace(/^regel .*?: /, ''))
  }
  assert.deepEqual(
    await messages(
      'workspace: library\ntitel: A\ncollections:\n  books:\n    class: x\n    fields: { title: { type: txt } }\n    id:\n',
      4,
    ),
    [
      'onbekende sleutel "titel"; toegestaan: workspace, title, description, collections, configurations, apis, members, applications, systemToSystem, identityProvider, branding, settings, tests; bedoelt u "title"?',
      '"x" kan niet. Toegestaan: een lijst van 0 tot 100 regels of een mapping met field',
      '"txt" kan niet. Toegestaan: text, keyword, number, date, boolean, geo, object, vector; bedoelt u "text"?',
      'niets kan niet. Toegestaan: een mapping met field, uri',
    ],
  )
  assert.deepEqual(await messages('workspace: library\ntitle: A: b', 1), [
    `${nlFaults.faults['yaml-key']}${nlFaults.hints['quote-text']}`,
  ])
  await write(workspaceFile('library').replace('The library', 'The city library'))
  await page.getByText('Geen fouten, ').waitFor()
  await page.getByRole('button', { name: nl['Preview changes'] as string }).click()
  await page.getByText(nl['Applying makes these changes'] as string).waitFor()
})

test('an error of the server has a Dutch title, and the sentence of the server is marked as English', async () => {
  const { page, open } = dutch
  await page.setViewportSize({ width: 1280, height: 800 })
  await open('/w/library/apis/library?stack=e%2Flong%2Fp%2Fpages%2Fmany')
  const note = page.getByRole('alert')
  await note.getByText('De zoekvraag is ongeldig').waitFor()
  await note.locator('[lang=en]').getByText('many').waitFor()
  await dutch.end([400])
})
