/** No page is the end of the road: what is shown after a fault, after the end of a sign-in, and to whoever is signed in as another. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createInvitation } from '#storage/invitations'
import { createOneTimeLink } from '#storage/one-time-links'
import { goodPassword, type Pages, startPages } from './test-pages.ts'

let pages: Pages
before(async () => {
  pages = await startPages()
})
after(() => pages.close())

const newPassword = 'seven purple walruses hum'
const linksIn = ({ text }: { text: string }) =>
  [...text.matchAll(/<a class="button" href="([^"]*)">([^<]*)</g)].map(([, href, words]) => [
    href?.replaceAll('&#61;', '='),
    words,
  ])
const asMachine = async (path: string) => {
  const reply = await pages.raw(`GET ${path} HTTP/1.1\r\nAccept: application/json`)
  return [reply.status, reply.json.code]
}

test('the page after a rejected form shows the fault once, keeps the input, and can be reloaded', async () => {
  const reader = pages.openReader()
  const login = await reader.authorize()
  const wrong = await reader.signIn(login, 'ada@example.org', 'a wrong password')
  assert.equal(wrong.status, 422)
  assert.equal(wrong.url.pathname, login.url.pathname)
  assert.match(wrong.text, /value="ada@example.org"/)
  assert.doesNotMatch(JSON.stringify([...reader.jar]), /a wrong password/)
  for (const { value } of reader.jar.values())
    assert.doesNotMatch(Buffer.from(value, 'base64url').toString(), /a wrong password/)
  const reloaded = await reader.go(login.url.pathname)
  assert.equal(reloaded.status, 200)
  assert.doesNotMatch(reloaded.text, /role="alert"/)
})

test('a note that is not ours, or for another page, changes nothing', async () => {
  const reader = pages.openReader()
  const login = await reader.authorize()
  const { pathname } = login.url
  for (const note of [
    'x',
    Buffer.from('null').toString('base64url'),
    Buffer.from(JSON.stringify([pathname, null])).toString('base64url'),
    Buffer.from(JSON.stringify([pathname, { fault: 'toString', email: 3 }])).toString('base64url'),
    Buffer.from(JSON.stringify(['/other', { fault: 'refused' }])).toString('base64url'),
  ]) {
    reader.jar.set('querent_note /', { value: note, path: '/' })
    const page = await reader.go(pathname)
    assert.equal(page.status, 200, note)
    assert.doesNotMatch(page.text, /role="alert"/)
  }
})

test('a person who returns to the pages of a finished sign-in gets a link to the application', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const login = await reader.authorize()
  const consent = await reader.signIn(login, person.email)
  await reader.send(consent, { action: 'allow' })
  for (const page of [login, consent]) {
    const back = await reader.go(page.url.pathname)
    assert.equal(back.status, 400)
    assert.match(back.text, /<h1>This sign-in has ended</)
    assert.deepEqual(linksIn(back), [['https://app.example/', 'Go to Reader']])
    assert.deepEqual(linksIn(await reader.send(page, { action: 'cancel' })), linksIn(back))
  }
})

test('a person who returns to a finished sign-in of an application on their device is sent back to it', async () => {
  const person = await pages.newPerson()
  for (const redirectUri of ['http://127.0.0.1/callback', 'com.example.app:/callback']) {
    const clientId = await pages.application('Pocket Reader', { type: 'native', redirectUris: [redirectUri] })
    const reader = pages.openReader()
    const login = await reader.authorize({ client_id: clientId, redirect_uri: redirectUri })
    await reader.send(await reader.signIn(login, person.email), { action: 'cancel' })
    const back = await reader.go(login.url.pathname)
    assert.equal(back.status, 400)
    assert.match(back.text, /Go back to Pocket Reader/)
    assert.deepEqual(linksIn(back), [], 'the console is none of their business')
  }
})

test('a person who signed in elsewhere in this browser continues without a page, unless the application asks for more', async () => {
  const [person, other] = [await pages.newPerson(), await pages.newPerson()]
  const claims = JSON.stringify({ id_token: { sub: { value: other.id } } })
  const askAgain = async (parameters: Record<string, string>) => {
    const reader = pages.openReader()
    const waiting = await reader.authorize(parameters)
    await reader.signIn(await reader.authorize(), person.email)
    return (await reader.go(waiting.url.pathname)).text
  }
  assert.match(await askAgain({}), /Allow Reader/)
  for (const parameters of [{ prompt: 'login' }, { max_age: '600' }, { claims }])
    assert.match(await askAgain(parameters), /<h1>Sign in<\/h1>/, JSON.stringify(parameters))
})

test('a stale tab is not the application’s fault', async () => {
  const reader = pages.openReader()
  const login = await reader.authorize()
  const resumed = await reader.go(login.url.pathname.replace('/interaction/', '/authorize/'))
  const expiredPage = await pages
    .openReader()
    .go(resumed.url.pathname.replace('/interaction/', '/authorize/'))
  assert.equal(expiredPage.status, 400)
  assert.match(expiredPage.text, /This page has expired/)
  assert.doesNotMatch(expiredPage.text, /request is not valid/)
  assert.deepEqual(linksIn(expiredPage), [['/console/', 'Open the console']])
})

test('a browser with many restored tabs continues in the last 16, and names the person in older ones', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const tabs: string[] = []
  for (let count = 0; count < 18; count++) tabs.push((await reader.authorize()).url.pathname)
  const [oldest = '', , third = ''] = tabs
  const login = await reader.go(third)
  assert.match(login.text, /<h1>Sign in<\/h1>/)
  const expired = await reader.go(oldest)
  assert.match(expired.text, /This page has expired/)
  await reader.send(await reader.signIn(login, person.email), { action: 'allow' })
  for (const [tab, link] of [
    [oldest, ['/console/', 'Open the console']],
    [third, ['https://app.example/', 'Go to Reader']],
  ] as const) {
    const page = await reader.go(tab)
    assert.equal(page.status, 400)
    assert.match(page.text, /<h1>This sign-in has ended</)
    assert.doesNotMatch(page.text, /cookies/)
    assert.deepEqual(linksIn(page), [link])
  }
  // The addresses of the library and of a provider's reply answer in the same way.
  const resumed = await reader.go(oldest.replace('/interaction/', '/authorize/'))
  assert.match(resumed.text, /<h1>This sign-in has ended</)
  const provider = await reader.go('/provider/none/callback?state=used')
  assert.match(provider.text, /<h1>This sign-in has ended</)
  const inDutch = await reader.go(oldest, { headers: { 'accept-language': 'nl' } })
  assert.match(inDutch.text, /<h1>Deze aanmelding is voorbij</)
})

test('open redirect: a planted cookie leads to no other site', async () => {
  const reader = pages.openReader()
  const entry = (origin: string) => `gone~${pages.clientId}~${Buffer.from(origin).toString('base64url')}`
  for (const origin of [
    'https://evil.example',
    'https://app.example.evil.example',
    'javascript:alert(1)//',
  ]) {
    reader.jar.set('querent_came_from /', { value: entry(origin), path: '/' })
    const page = await reader.go('/interaction/gone')
    assert.deepEqual(linksIn(page), [['/console/', 'Open the console']], origin)
  }
})

test('a saved password leads to the sign-in that waits, else to the console', async () => {
  const person = await pages.newPerson()
  const save = async (reader: ReturnType<Pages['openReader']>) => {
    const { token } = await pages.storage.write(writer =>
      createOneTimeLink(writer, { purpose: 'password', userId: person.id, ttlMs: 60_000 }),
    )
    return reader.send(await reader.go(`/password/reset/${token}`), { action: 'save', password: newPassword })
  }
  assert.deepEqual(linksIn(await save(pages.openReader())), [['/console/', 'Open the console']])
  const reader = pages.openReader()
  const login = await reader.authorize()
  const done = await save(reader)
  assert.equal(done.url.pathname, login.url.pathname)
  assert.deepEqual(linksIn(await reader.go('/password/changed')), [[login.url.pathname, 'Continue']])
  const consent = await reader.signIn(await reader.go(login.url.pathname), person.email, newPassword)
  await reader.send(consent, { action: 'allow' })
  // The sign-in is over.
  assert.deepEqual(linksIn(await reader.go('/password/changed')), [['/console/', 'Open the console']])
})

test('a password saved in the browser of somebody else does not continue their sign-in', async () => {
  const [owner, other] = [await pages.newPerson(), await pages.newPerson()]
  const reader = pages.openReader()
  await reader.signIn(await reader.authorize(), other.email)
  const { token } = await pages.storage.write(writer =>
    createOneTimeLink(writer, { purpose: 'password', userId: owner.id, ttlMs: 60_000 }),
  )
  const page = await reader.go(`/password/reset/${token}`)
  const done = await reader.send(page, { action: 'save', password: newPassword })
  assert.equal(done.url.pathname, '/password/changed')
  assert.match(done.text, /Your password is saved/)
})

test('a person who joins by an invitation continues where the sign-in was refused', async () => {
  const person = await pages.newPerson({ isMember: false })
  const reader = pages.openReader()
  const stopped = await reader.signIn(await reader.authorize(), person.email)
  assert.match(stopped.text, /You are not a member/)
  assert.deepEqual(linksIn(stopped), [['?account=other', 'Sign out and use another account']])
  const inviter = await pages.newInviter()
  const { token } = await pages.storage.write(writer =>
    createInvitation(writer, {
      workspaceId: pages.workspace.id,
      email: person.email,
      roles: ['api'],
      invitedBy: inviter.id,
    }),
  )
  const joined = await reader.send(await reader.go(`/invitation/${token}`), { action: 'join' })
  assert.deepEqual(linksIn(joined), [[stopped.url.pathname, 'Continue']])
  assert.deepEqual(linksIn(await pages.openReader().go(`/invitation/${token}`)), [
    ['/console/', 'Open the console'],
  ])
})

test('a person who signs in as somebody else than the application asks for is named, may switch, or returns with login_required', async () => {
  const [meant, other] = [await pages.newPerson(), await pages.newPerson()]
  const claims = JSON.stringify({ id_token: { sub: { value: meant.id } } })
  const reader = pages.openReader()
  const wrong = await reader.signIn(await reader.authorize({ claims }), other.email)
  assert.equal(wrong.status, 403)
  assert.match(wrong.text, /Another account is required/)
  assert.match(wrong.text, new RegExp(`Signed in as ${other.email}`))
  assert.doesNotMatch(wrong.text, new RegExp(meant.email), 'whom it asks for is nobody’s business')
  const [[href = ''] = []] = linksIn(wrong)
  const login = await reader.go(wrong.url.pathname + href)
  assert.match(login.text, /<h1>Sign in<\/h1>/)
  const mistyped = await reader.signIn(login, meant.email, 'wrong')
  assert.equal(mistyped.status, 422)
  const consent = await reader.signIn(mistyped, meant.email)
  assert.match(consent.text, /Allow Reader/)
  assert.match(consent.text, new RegExp(`Signed in as ${meant.email}`))

  const hesitant = pages.openReader()
  const stopped = await hesitant.signIn(await hesitant.authorize({ claims }), other.email)
  const back = await hesitant.send(stopped, { action: 'cancel' })
  assert.equal(back.parameters.error, 'login_required')
  assert.equal((await hesitant.authorize({ claims, prompt: 'none' })).parameters.error, 'login_required')
})

test('a form that was not sent from our page leads to the page itself', async () => {
  const reader = pages.openReader()
  const page = await reader.go('/password/forgot')
  const forgedPage = await reader.send(page, { form_token: '' })
  assert.deepEqual(linksIn(forgedPage), [['/password/forgot', 'Reload the page']])
})

test('addresses without a page show people where to go, and give programs the errors of the contract', async () => {
  const reader = pages.openReader()
  const start = await reader.go('/')
  assert.equal(start.status, 200)
  assert.match(start.text, /href="\/console\/"/)
  assert.match(start.text, /href="\/\.well-known\/openid-configuration"/)
  assert.match(start.headers.get('vary') ?? '', /Accept/)
  const missing = await reader.go('/nothing/here')
  assert.equal(missing.status, 404)
  assert.deepEqual(linksIn(missing), [['/', 'Go to the start page']])
  const dutch = await reader.go('/', { headers: { 'accept-language': 'nl' } })
  assert.match(dutch.text, /<html lang="nl">/)
  for (const path of ['/', '/console/', '/nothing/here'])
    assert.deepEqual(await asMachine(path), [404, 'no-such-path'])

  const confirm = await reader.go('/logout/confirm')
  assert.equal(confirm.status, 405)
  assert.equal(confirm.headers.get('allow'), 'POST, OPTIONS')
  assert.deepEqual(linksIn(confirm), [['/logout', 'Sign out']])
  assert.equal((await pages.raw('GET /logout/confirm HTTP/1.1')).json.error, 'invalid_request')
})

test('a question of logout that is answered twice leads to logout', async () => {
  const reader = pages.openReader()
  const { email } = await pages.newPerson()
  await reader.signIn(await reader.authorize(), email)
  const body = new URLSearchParams({ xsrf: 'of another question', logout: 'yes' })
  const headers = { origin: pages.authUrl, 'sec-fetch-site': 'same-origin' }
  const stale = await reader.go('/logout/confirm', { method: 'POST', headers, body })
  assert.match(stale.text, /This page has expired/)
  assert.deepEqual(linksIn(stale), [['/logout', 'Sign out']])
})

test('errors that cannot go back to the application are in Dutch for who reads Dutch', async () => {
  const reader = pages.openReader()
  const inDutch = (address: string) => reader.go(address, { headers: { 'accept-language': 'nl' } })
  const knownParameters = `client_id=${pages.clientId}&response_type=code`
  for (const [query, code, words] of [
    ['client_id=none&response_type=code', 'invalid_client', /Er is geen toepassing met deze client_id/],
    [`${knownParameters}&redirect_uri=https://evil.example`, 'invalid_redirect_uri', /niet geregistreerd/],
    ['response_type=code', 'invalid_request', /In het verzoek ontbreekt &#39;client_id&#39;/],
    [`${knownParameters}&client_id=x`, 'invalid_request', /staat &#39;client_id&#39; meer dan één keer/],
  ] as const) {
    const { status, text } = await inDutch(`/authorize?${query}`)
    assert.equal(status, 400, query)
    assert.match(text, new RegExp(`<dt><code>${code}</code></dt>`))
    assert.match(text, words)
    assert.doesNotMatch(text, /<dd lang="en">/)
  }
  const logout = `/logout?client_id=${pages.clientId}&post_logout_redirect_uri=https://evil.example`
  assert.match((await inDutch(logout)).text, /post_logout_redirect_uri is voor deze toepassing niet/)
})

test('response_mode=form_post: a page in the reader’s language that needs no script', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const parameters = { response_mode: 'form_post', nonce: 'n', ui_locales: 'nl', state: '"><script>' }
  const consent = await reader.signIn(await reader.authorize(parameters), person.email, goodPassword)
  const { text, headers } = await reader.send(consent, { action: 'allow' })
  assert.match(text, /<html lang="nl">/)
  assert.match(text, /<h1>Terug naar Reader<\/h1>/)
  assert.match(text, new RegExp(`<form method="post" action="${pages.redirectUri}">`))
  assert.match(text, /name="code" value="[\w-]+"/)
  assert.match(text, /name="state" value="&#34;&#62;&#60;script&#62;"/)
  assert.match(text, /<button>Doorgaan<\/button>/)
  assert.equal(text.match(/<script/g)?.length, 1)
  assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe/)
  assert.equal(headers.get('cache-control'), 'no-store')
})
