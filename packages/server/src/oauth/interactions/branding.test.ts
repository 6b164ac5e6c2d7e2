import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { colord, extend } from 'colord'
import a11y from 'colord/plugins/a11y'
import { saveDefinition } from '#storage/workspaces'
import { type Pages, startPages } from './test-pages.ts'

extend([a11y])

/** Numeric character references, which the pages use. */
const decode = (text: string): string =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))

let pages: Pages
before(async () => {
  pages = await startPages()
  const { storage, workspace } = pages
  const branding = {
    name: 'Reading "room" <b>',
    logo: 'https://cdn.example/logo.svg?size=2',
    color: '#ffee00',
    termsUrl: 'https://example.org/terms',
  }
  await storage.write(writer => saveDefinition(writer, workspace.id, { ...workspace.definition, branding }))
})
after(() => pages.close())

test('pages of a workspace show its name, logo and links, and load nothing else', async () => {
  const { text, headers } = await pages.openReader().authorize()
  assert.match(
    text,
    /<img src="https:\/\/cdn\.example\/logo\.svg\?size&#61;2" alt="Reading &#34;room&#34; &#60;b&#62;">/,
  )
  assert.match(text, /<title>Sign in · Reading &#34;room&#34;/)
  assert.match(text, /<a href="https:\/\/example\.org\/terms">Terms<\/a>/)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /img-src data: https:\/\/cdn\.example\/logo\.svg;/)
  assert.match(policy, /default-src 'none'/)
})

test('a color that could not be read is corrected, for both color schemes', async () => {
  const { text } = await pages.openReader().authorize()
  const accents = [
    ...text.matchAll(
      /:root \{ --accent: (#[0-9a-f]{6}); --accent-strong: #[0-9a-f]{6}; --on-accent: (#[0-9a-f]{6})/g,
    ),
  ]
  assert.equal(accents.length, 2)
  for (const [, accent = '', onAccent = ''] of accents) assert.ok(colord(accent).contrast(onAccent) >= 4.5)
})

test('the language switch of a page holds for all later pages, whatever the browser and the application prefer', async () => {
  const reader = pages.openReader()
  const login = await reader.authorize({ ui_locales: 'en' })
  const address = decode(/<a href="([^"]+)" lang="nl"/.exec(login.text)?.[1] ?? '')
  const dutch = await reader.browser.go(address)
  assert.match(dutch.text, /<html lang="nl">/)
  assert.match(dutch.text, /<h1>Aanmelden<\/h1>/)
  assert.doesNotMatch(dutch.url.search, /page_language/)
  assert.match((await reader.browser.go('/password/forgot?ui_locales=en')).text, /<html lang="nl">/)
  assert.match(
    (await reader.browser.go('/nowhere', { headers: { accept: 'text/html' } })).text,
    /<html lang="nl">/,
  )
})

test('the page that answers a form has the switch too, which leads to the page with the form', async () => {
  const { authUrl } = pages
  const send = async (referer: string) => {
    const reply = await fetch(`${authUrl}/password/forgot`, {
      method: 'POST',
      headers: { accept: 'text/html', origin: authUrl, referer },
      body: new URLSearchParams({ email: '' }),
    })
    return decode(await reply.text())
  }
  const page = await send(`${authUrl}/password/forgot?ui_locales=en`)
  assert.match(page, /<a href="\/password\/forgot\?ui_locales=en&page_language=nl" lang="nl"/)
  for (const referer of ['https://evil.example/password/forgot', `${authUrl}//evil.example/`, 'nowhere', ''])
    assert.doesNotMatch(await send(referer), /page_language/, referer)
})

test('the language switch redirects to this server only', async () => {
  const { authUrl } = pages
  for (const path of ['//evil.example/?page_language=nl', '/\\evil.example/?page_language=nl']) {
    const reply = await fetch(`${authUrl}${path}`, { redirect: 'manual' })
    assert.doesNotMatch(reply.headers.get('location') ?? '', /evil/, path)
  }
  const unknown = await fetch(`${authUrl}/password/forgot?page_language=xx`, { redirect: 'manual' })
  assert.equal(unknown.status, 200)
  const chosen = await fetch(`${authUrl}/password/forgot?a=1&page_language=nl&b=2`, { redirect: 'manual' })
  assert.equal(chosen.status, 303)
  assert.equal(chosen.headers.get('location'), '/password/forgot?a=1&b=2')
})
