import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { openCookies } from '#oauth/library/cookies'
import { withoutOurScripts } from '#oauth/pages/test-scripts'
import { updateClient } from '#storage/clients'
import { saveDefinition } from '#storage/workspaces'
import { makeForms } from './test-forms.ts'
import { goodPassword, type Pages, readFormToken, startPages } from './test-pages.ts'

let pages: Pages
before(async () => {
  pages = await startPages()
})
after(() => pages.close())

const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)>`

for (const [name, open] of Object.entries(makeForms(() => pages))) {
  test(`CSRF (RFC 9700, section 4.7): the form "${name}" is taken from its own page alone`, async () => {
    const { reader, page, fields } = await open()
    const otherBrowser = await open()
    const assertForged = async (sent: Record<string, string>, headers: Record<string, string> = {}) => {
      const { status, text } = await reader.send(page, { ...fields, ...sent }, headers)
      assert.equal(status, 403, JSON.stringify({ sent, headers }))
      assert.match(text, /This form cannot be accepted/)
    }
    await assertForged({}, { origin: 'https://evil.example' })
    await assertForged({}, { origin: 'null' })
    await assertForged({}, { origin: `${pages.authUrl}.evil.example` })
    await assertForged({}, { 'sec-fetch-site': 'cross-site' })
    await assertForged({}, { 'sec-fetch-site': 'same-site' })
    await assertForged({ form_token: '' })
    await assertForged({ form_token: readFormToken(otherBrowser.page) })
    await assertForged({ form_token: `${readFormToken(page).slice(0, -1)}é` })
    const cookies = [...reader.jar]
    for (const [key] of cookies) if (key.startsWith('querent_form ')) reader.jar.delete(key)
    await assertForged({})
    for (const [key, value] of cookies) reader.jar.set(key, value)
    // It was the forgery that was refused.
    assert.notEqual((await reader.send(page, fields)).status, 403)
  })

  test(`clickjacking and caching (RFC 9700, section 4.16): headers of "${name}"`, async () => {
    const { page } = await open()
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /base-uri 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*/)
    // The script that sends a form once, and that of the button that shows a password.
    const scripts = page.text.includes('data-shows=') ? 2 : 1
    // The file with the scripts of passkeys and of buttons that copy.
    const asset = page.text.includes('data-copy=') ? ` ${pages.authUrl}/assets/passkeys-\\w+\\.js` : ''
    assert.match(policy, new RegExp(`; script-src(?: 'sha256-[\\w+/=]+'){${scripts}}${asset};`))
    // Where an application sends people on to is its own affair (docs/security.md, 2.1).
    const leadsToApplication = ['login', 'consent', 'no member', 'second factor', 'required factor'].includes(
      name,
    )
    assert.equal(/form-action 'self';/.test(policy), !leadsToApplication)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff')
    assert.equal(page.headers.get('referrer-policy'), 'same-origin')
    assert.match(page.headers.get('cache-control') ?? '', /no-store/)
    assert.doesNotMatch(withoutOurScripts(page.text), /<script|javascript:/i)
  })
}

test('CSRF: a form works for its own interaction only', async () => {
  const { email } = await pages.newPerson()
  const reader = pages.openReader()
  const first = await reader.authorize()
  const second = await reader.authorize()
  const fields = { action: 'sign-in', email, password: goodPassword, form_token: readFormToken(second) }
  assert.equal((await reader.send(first, fields)).status, 403)
})

test('an interaction of another browser is nobody else’s: its address alone opens nothing', async () => {
  const page = await pages.openReader().authorize()
  const thief = pages.openReader()
  const { status, text } = await thief.go(page.url.pathname)
  assert.equal(status, 400)
  assert.match(text, /This page has expired/)
})

test('cookies are HttpOnly and SameSite=Lax', async () => {
  const response = await fetch(`${pages.authUrl}/password/forgot`)
  const [cookie = ''] = response.headers.getSetCookie()
  assert.match(cookie, /^querent_form=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
})

test('cookies on https are Secure and bound to this host', () => {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  const cookies = openCookies('https://login.example')
  cookies.set(response, 'form', 'x', 60)
  const expectedCookie = '__Host-querent_form=x; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=60'
  assert.equal(response.getHeader('set-cookie'), expectedCookie)
})

test('HTML injection: pages show names, titles, hints and descriptions as text', async () => {
  const clientId = await pages.application(`Reader ${evil}`)
  await pages.storage.write(writer =>
    saveDefinition(writer, pages.workspace.id, { ...pages.workspace.definition, title: `Title ${evil}` }),
  )
  const { email } = await pages.newPerson()
  const stranger = await pages.newPerson({ isMember: false })
  const reader = pages.openReader()
  const login = await reader.authorize({ client_id: clientId, login_hint: evil, ui_locales: evil })
  const wrong = await reader.signIn(login, evil, evil)
  const consent = await reader.signIn(login, email)
  const otherReader = pages.openReader()
  const member = await otherReader.signIn(
    await otherReader.authorize({ client_id: clientId }),
    stranger.email,
  )
  const sentPage = await reader.send(await reader.go('/password/forgot'), {
    action: 'send',
    email: `@${evil}`,
  })
  const error = await reader.go(
    `/authorize?client_id=${encodeURIComponent(evil)}&response_type=${encodeURIComponent(evil)}`,
  )
  for (const [name, page] of Object.entries({ login, wrong, consent, member, sent: sentPage, error })) {
    assert.ok(page.text.includes('<h1>'), name)
    assert.doesNotMatch(
      withoutOurScripts(page.text),
      /<script|<img(?! src="data:image\/svg\+xml,[^"]*" alt="">)/i,
      name,
    )
  }
  for (const page of [login, wrong, consent, member]) assert.match(page.text, /Title &#34;&#62;&#60;script/)
  await pages.storage.write(writer => saveDefinition(writer, pages.workspace.id, pages.workspace.definition))
})

test('open redirect: no parameter leads off this origin', async () => {
  const reader = pages.openReader()
  for (const path of [
    '/password/forgot?interaction=//evil.example',
    '/password/forgot?interaction=https://evil.example',
    '/password/forgot?interaction=../../evil',
  ]) {
    const page = await reader.go(path)
    assert.equal(page.status, 200)
    // The language switch repeats the address of the page, which stays on this origin.
    const addresses = [...page.text.matchAll(/ (?:href|action|src)="([^"]*)"/g)].map(
      ([, address = '']) => address,
    )
    assert.ok(addresses.length > 0)
    for (const address of addresses.filter(candidate => !candidate.startsWith('data:')))
      assert.equal(new URL(address, pages.authUrl).origin, pages.authUrl, address)
  }
  assert.doesNotMatch((await reader.go('/password/changed')).text, /evil|interaction/)
  // Paths that a browser could take for another host.
  for (const path of [
    '//evil.example/interaction/x',
    '/invitation//evil.example',
    '/interaction/%2f%2fevil.example',
  ]) {
    const response = await fetch(pages.authUrl + path, { redirect: 'manual' })
    assert.equal(response.headers.get('location'), null, path)
  }
})

test('a form that is too long, no form, or by another method is refused by a page', async () => {
  const reader = pages.openReader()
  const page = await reader.go('/password/forgot')
  assert.equal((await reader.send(page, { email: 'x'.repeat(20_000) })).status, 413)
  const json = await reader.go('/password/forgot', {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(json.status, 403)
  assert.equal((await reader.go('/password/forgot', { method: 'PUT' })).status, 405)
  // PostgreSQL cannot compare with this character.
  assert.equal((await reader.send(page, { email: 'a\0b@example.org' })).status, 403)
  assert.equal((await reader.go('/password/none')).status, 404)
})

test('an application that was disabled in the meantime gets nobody', async () => {
  const clientId = await pages.application('Gone')
  const { email } = await pages.newPerson()
  const reader = pages.openReader()
  const login = await reader.authorize({ client_id: clientId })
  await pages.storage.write(writer => updateClient(writer, clientId, { disabled: true }))
  const { status, applicationUrl: at } = await reader.signIn(login, email)
  assert.equal(at, undefined)
  assert.ok(status >= 400)
})

test('no log line and no audit entry has a password, a link or a form token in it', async () => {
  const records = JSON.stringify([
    pages.logged,
    await pages.storage.db.selectFrom('audit').selectAll().execute(),
  ])
  assert.doesNotMatch(records, /walruses|battery staple|qrl_|qri_/)
})
