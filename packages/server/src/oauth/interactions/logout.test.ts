/** Logout with the pages that people see; where it may lead has tests of its own (oauth/sessions/logout.test.ts). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Pages, startPages } from './test-pages.ts'

let pages: Pages
before(async () => {
  pages = await startPages()
})
after(() => pages.close())

const signedIn = async () => {
  const reader = pages.openReader()
  const { email } = await pages.newPerson()
  await reader.signIn(await reader.authorize(), email)
  return reader
}
/** Sends the form of the page that asks, as a browser does, with these fields of the header. */
const confirm = (
  reader: Awaited<ReturnType<typeof signedIn>>,
  { text }: { text: string },
  headers: Record<string, string> = {},
) =>
  reader.go(/action="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? '', {
    method: 'POST',
    headers: { origin: pages.authUrl, 'sec-fetch-site': 'same-origin', ...headers },
    body: new URLSearchParams({ xsrf: /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? '', logout: 'yes' }),
  })

test('CSRF: the form of logout refuses a foreign Origin, though its token is right', async () => {
  const reader = await signedIn()
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const forgedReply = await confirm(reader, await reader.go('/logout'), headers)
    assert.equal(forgedReply.status, 403, JSON.stringify(headers))
    assert.match((await reader.go('/logout')).text, /name="xsrf"/, 'still signed in')
  }
  const page = await reader.go('/logout')
  assert.equal((await confirm(reader, page)).url.pathname, '/logout/success')
  assert.equal((await reader.go('/logout')).url.pathname, '/logout/success', 'nobody is signed in')
})

test('the address of that form takes POST alone', async () => {
  for (const method of ['GET', 'PUT']) {
    const reply = await pages.raw(`${method} /logout/confirm HTTP/1.1`)
    assert.equal(reply.status, 405)
    assert.equal(reply.headers.get('allow'), 'POST, OPTIONS')
  }
  assert.equal((await pages.raw('OPTIONS /logout/confirm HTTP/1.1')).status, 204)
})

test('the language of the question is that of the page where it ends, also where nothing was asked', async () => {
  const reader = await signedIn()
  const question = await reader.go('/logout?ui_locales=nl')
  assert.match(question.text, /<html lang="nl">/)
  const loggedOut = await confirm(reader, question)
  assert.equal(loggedOut.url.pathname, '/logout/success')
  assert.match(loggedOut.text, /<html lang="nl">/)
  const atOnce = await pages.openReader().go('/logout?ui_locales=nl')
  assert.equal(atOnce.url.pathname, '/logout/success')
  assert.match(atOnce.text, /<html lang="nl">/)
  assert.match((await pages.openReader().go('/logout')).text, /<html lang="en">/)
  const otherReader = await signedIn()
  assert.match((await confirm(otherReader, await otherReader.go('/logout'))).text, /<html lang="en">/)
})

test('the logout page names the access that continues: the one that the person allowed while away', async () => {
  const reader = await signedIn()
  assert.match((await reader.go('/logout')).text, /except those allowed to keep access while you are away/)
  const ofOne = await reader.go(`/logout?client_id=${pages.clientId}&ui_locales=nl`)
  assert.match(ofOne.text, /behalve in die welke toegang mogen houden terwijl u weg bent/)
})
