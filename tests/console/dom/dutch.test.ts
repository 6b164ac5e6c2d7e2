/** Every page of the console in Dutch, in the fake DOM, with the development build of React, whose warnings are failures. */
import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { after, before, test } from 'node:test'
import { nl, nlFaults } from '#console/i18n/nl'
import { window } from '#console/test-dom'
import { inspectContrast, inspectNarrowest } from '#tests/support/console-dom/inspect'
import type { Page } from '#tests/support/console-dom/page'
import { type Visit, visitSignedIn, waitUntilSettled } from '#tests/support/console-dom/visit'
import { consolePages } from '#tests/support/console-pages'
import { adminEmail } from '#tests/support/console-visit'
import { books, makeLibrary, workspaceFile } from '#tests/support/library'
import { registerApplication } from '#tests/support/person'
import { type StartedServer, startServer } from '#tests/support/started-server'

// Pages load React later.
process.env.NODE_ENV = 'development'

let server: StartedServer
let clientId: string
let visit: Visit | undefined
before(async () => {
  server = await startServer()
  ;({ clientId } = await makeLibrary(server))
  await registerApplication(server, 'library', 'browser', 'https://app.example.org/callback')
  await server.call('inviteMember', {
    params: { workspace: 'library' },
    input: { email: 'grace@example.org', roles: ['user'] },
  })
})
after(() => server?.stop())

/** Loads a page of the console in a language. The first one signs in. */
const openIn = async (language: 'en' | 'nl', path: string): Promise<Page> => {
  visit ??= await visitSignedIn(server, '/')
  window.localStorage.setItem('querent-language', language)
  await visit.open(path)
  return visit.page
}

const skipped = 'script, style, code, pre, svg, textarea, .cm-editor, [lang]:not(html)'
const spokenAttributes = [
  'aria-label',
  'aria-roledescription',
  'aria-description',
  'placeholder',
  'title',
  'alt',
]
/** Texts that are read or spoken, except code, and sentences of the server, which are marked as English. */
const readTexts = (): string[] => {
  const { document, Node } = window
  const elements = [document.body, ...document.body.querySelectorAll('*')].filter(it => !it.closest(skipped))
  const texts = elements.flatMap(element => [
    ...spokenAttributes.map(name => element.getAttribute(name) ?? ''),
    ...[...element.childNodes].filter(it => it.nodeType === Node.TEXT_NODE).map(it => it.textContent ?? ''),
  ])
  return [document.title, ...new Set(texts.map(text => text.trim()))]
}

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
  test(`${name}: every text is Dutch, contrast is high enough, and 320 px need no horizontal scrolling`, async () => {
    const readTextsIn = async (language: 'en' | 'nl') => {
      const page = await openIn(language, path.replace('{clientId}', clientId))
      await page.locator(usable).first().waitFor({ state: 'attached' })
      await waitUntilSettled(page)
      return { page, texts: readTexts() }
    }
    const englishTexts = new Set((await readTextsIn('en')).texts)
    const { page, texts } = await readTextsIn('nl')
    const keyIds = await readKeyIds()
    const untranslated = texts.filter(
      text =>
        englishTexts.has(text) &&
        !text
          .split(/ · |: /)
          .every(part => isSameInDutch(part) || isData(part) || keyIds.some(id => id.startsWith(part))),
    )
    assert.deepEqual(untranslated, [])
    await inspectContrast(page, `${name} in Dutch`)
    await inspectNarrowest(page, `${name} in Dutch`)
  })

/** The fixed words of a fault's text, in order. */
const faultPattern = (code: string): RegExp => {
  const words = (nlFaults.requirements[code] ?? nlFaults.faults[code] ?? '').split(placeholder)
  return new RegExp(words.map(part => part.replaceAll(/[^\p{L} ]/gu, '.')).join('.*'), 'u')
}

test('titles of endpoints that a proposal made are Dutch, and those of people stay', async () => {
  await server.applyWorkspace(`
workspace: goods
title: Goods
collections:
  goods: { fields: { name: { type: text }, price: { type: number } } }
apis:
  goods:
    endpoints:
      search: { kind: match, collection: goods, title: Search }
      own: { kind: all, collection: goods, title: Our goods }
      price-range: { kind: range, collection: goods, field: price, title: Price between }
      by-price: { kind: sort, collection: goods, field: price, title: "Price, lowest first" }
`)
  const page = await openIn('nl', '/w/goods/apis')
  for (const name of ['Zoeken', 'Our goods', 'Price tussen', 'Price, laagste eerst'])
    await page.getByRole('link', { name, exact: true }).waitFor()
})

test('fields of forms show their faults in Dutch: those of the page, of the server and of the workspace file', async () => {
  const page = await openIn('nl', '/w/library/settings/applications')
  await page
    .getByRole('button', { name: nl['Register application'] as string })
    .first()
    .click()
  await page.getByLabel(nl['Redirect URIs'] as string).fill('http://app.example.org/callback')
  await page.getByText(faultPattern('loopback-http')).waitFor()
  await openIn('nl', '/w/library/settings/security')
  await page.getByLabel(nl['Additional allowed origins (CORS)'] as string).fill('https://*.example.org')
  await page
    .getByRole('form', { name: nl.Applications as string })
    .getByRole('button', { name: nl.Save as string, exact: true })
    .click()
  await page.getByText(faultPattern('origin-without-wildcard')).waitFor()
  await openIn('nl', '/w/library/data/books/fields')
  const documents = nl['Documents of this collection'] as string
  await page.getByRole('button', { name: (nl['Edit {name}'] as string).replace('{name}', documents) }).click()
  await page.getByLabel(nl['URI of a document'] as string).fill('books')
  await page.getByRole('button', { name: nl.Save as string, exact: true }).click()
  await page.getByText(faultPattern('id-template')).waitFor()
})

test('refusals are Dutch, with the sentences of their checks', async () => {
  const address = `${server.baseUrl}/4/library/api/library/e/search/p/query/x/results`
  await fetch(address)
  await fetch(address, { headers: { authorization: 'Bearer abc' } })
  const page = await openIn('nl', '/w/library/refused')
  const sentences = ['no token was sent', 'the token is malformed: it is no JWT'].map(
    sentence => nlFaults.checks[sentence] ?? assert.fail(sentence),
  )
  for (const sentence of sentences) await page.getByText(sentence).first().waitFor()
  await page
    .getByRole('link', { name: /onbekend/ })
    .first()
    .click()
  await page.getByRole('heading', { level: 2 }).first().waitFor()
  await waitUntilSettled(page)
  const { document } = window
  assert.deepEqual(
    [...document.querySelectorAll('main [lang=en]')].map(({ textContent }) => textContent),
    [],
  )
})

test('the console opens in the language that the person chose last on the pages of the sign-in', async () => {
  const page = await openIn('en', '/w/library')
  await page.getByRole('heading', { level: 1, name: 'The library' }).waitFor()
  const { headers } = await fetch(`${server.authUrl}/factors?page_language=nl`, { redirect: 'manual' })
  window.document.cookie = headers.getSetCookie()[0] ?? ''
  await visit?.open('/you')
  await page.getByLabel('Taal', { exact: true }).waitFor()
  window.document.cookie = 'querent_language=; Path=/; Max-Age=0'
})

test('an error of the server has a Dutch title, and the sentence of the server is marked as English', async () => {
  const page = await openIn('nl', '/w/library/apis/library?stack=e%2Flong%2Fp%2Fpages%2Fmany')
  const note = page.getByRole('alert')
  await note.getByText('De zoekvraag is ongeldig').waitFor()
  await note.locator('[lang=en]').getByText('many').waitFor()
  await visit?.end([400])
})
