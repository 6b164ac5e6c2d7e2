/** Anybody may begin a sign-in: what that leaves behind is bounded. */
import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { after, test } from 'node:test'
import { openTestApplication } from '#oauth/test-application'
import { startTestServer } from '#oauth/test-server'
import { newPkce, openBrowser } from '#oauth/test-sign-in'
import { findRecord, saveRecord } from '#storage/oidc-records'
import { openStartedSignIns } from './started-sign-ins.ts'

const server = await startTestServer({ signInThrottle: 1 })
after(() => server.close())
const person = await server.newPerson()
const application = await openTestApplication(server)
const begin = () => {
  const { challenge } = newPkce()
  return application.query({ code_challenge: challenge, code_challenge_method: 'S256' })
}
const records = async () => {
  const rows = await server.storage.db
    .selectFrom('oidc_records')
    .select('expires_at')
    .where('model', 'in', ['Interaction', 'Form'])
    .execute()
  return rows.map(({ expires_at }) => Number(expires_at))
}

test('a browser keeps the cookies of a few sign-ins, and the newest of them go on', async () => {
  const browser = openBrowser(server.authUrl)
  const pages: string[] = []
  for (let tabs = 0; tabs < 36; tabs++) pages.push((await browser.go(`/authorize?${begin()}`)).url.pathname)
  // Each has two, and a signature with each.
  assert.ok(browser.jar.size <= 16 * 4 + 2, [...browser.jar.keys()].join(', '))
  assert.equal((await browser.go(pages.at(0) ?? '')).status, 400)
  for (const page of pages.slice(-4)) {
    const landed = await browser.post(`${page}/login?account=${person.id}`)
    assert.match(landed.text + landed.applicationUrl, /consent|code=/)
  }
})

test('a page that nobody sends is forgotten after half an hour', async () => {
  const [expiresAt = 0] = (await records()).toSorted((a, b) => b - a)
  assert.ok(expiresAt <= Date.now() + 30 * 60 * 1000)
})

test('an address may start a limited number of sign-ins per minute, but people who are signed in continue without a page', async () => {
  const browser = openBrowser(server.authUrl)
  assert.equal(
    (await application.authorize(person.id, {}, { browser })).applicationUrl?.origin,
    'https://app.example',
  )
  let last = await openBrowser(server.authUrl).go(`/authorize?${begin()}`)
  for (let tries = 0; tries < 61 && last.status !== 429; tries++)
    last = await openBrowser(server.authUrl).go(`/authorize?${begin()}`)
  assert.equal(last.status, 429)
  assert.match(last.text, /<h1>Too many sign-ins from here<\/h1>/)
  assert.doesNotMatch(last.text, /impossible|makers|make the application/)
  assert.equal(last.headers.get('retry-after'), '60')
  const dutch = await server.raw(
    `GET /authorize?${begin()} HTTP/1.1\r\nAccept: text/html\r\nAccept-Language: nl`,
  )
  assert.match(dutch.text, /Te veel aanmeldingen vanaf hier/)
  const program = await server.raw(`GET /authorize?${begin()} HTTP/1.1\r\nAccept: application/json`)
  assert.deepEqual(
    [program.status, program.headers.get('retry-after'), program.json.error],
    [429, '60', 'temporarily_unavailable'],
  )
  assert.match(String(program.json.error_description), /wait 60 seconds/)
  const countBefore = (await records()).length
  const form = await server.form('/authorize', begin())
  assert.deepEqual([form.status, form.headers.get('retry-after')], [429, '60'], 'as a form too')
  assert.equal((await records()).length, countBefore)
  const landed = await application.authorize(person.id, { prompt: 'none' }, { browser })
  assert.ok(landed.parameters.code)
})

test('a stored parameter is at most 2 KiB long, state 4 KiB, all together 8 KiB, in the query and in a form', async () => {
  const otherServer = await startTestServer()
  after(() => otherServer.close())
  const app = await openTestApplication(otherServer)
  const stored = async () => {
    const rows = await otherServer.storage.db.selectFrom('oidc_records').select('payload_json').execute()
    return rows.map(({ payload_json }) => payload_json.length)
  }
  const challenge = { code_challenge: newPkce().challenge, code_challenge_method: 'S256' }
  const long = 'x'.repeat(14_500)
  const names = ['state', 'nonce', 'login_hint', 'ui_locales', 'claims_locales']
  const longQuery = app.query({
    ...challenge,
    ...Object.fromEntries(names.map(name => [name, 'x'.repeat(2000)])),
  })
  const tooLong = [
    ...['state', 'nonce', 'login_hint', 'ui_locales', 'claims'].map(name =>
      app.query({ ...challenge, [name]: long }),
    ),
    app.query({ ...challenge, nonce: 'é'.repeat(1025) }),
    app.query({ ...challenge, state: 'é'.repeat(2049) }),
    longQuery,
  ]
  for (const query of tooLong) {
    const landed = await openBrowser(otherServer.authUrl).go(`/authorize?${query}`)
    assert.equal(landed.parameters.error, 'invalid_request', query.slice(0, 100))
    assert.equal((await otherServer.form('/authorize', query)).status, 400)
  }
  assert.deepEqual(await stored(), [], 'nothing was stored')
  const longest = {
    ...challenge,
    state: 'x'.repeat(4096),
    nonce: 'y'.repeat(2048),
    login_hint: 'z'.repeat(1024),
  }
  const page = await openBrowser(otherServer.authUrl).go(`/authorize?${app.query(longest)}`)
  assert.match(page.url.pathname, /^\/interaction\//)
  assert.ok((await stored()).every(length => length < 12_000))
})

test('a caller with too many open sign-ins loses their own oldest ones, and nobody else theirs', async () => {
  const { db } = server.storage
  const addresses = new WeakMap<IncomingMessage, string>()
  const started = openStartedSignIns(db, 'off', request => addresses.get(request) ?? '', {
    max: 100,
    groupMax: 50,
  })
  const start = async (address: string, id: string) => {
    const request = new IncomingMessage(new Socket())
    addresses.set(request, address)
    await started.record(request, 'Interaction', id)
    await saveRecord(db, { model: 'Interaction', id, payload: {}, expiresAt: Date.now() + 60_000 })
  }
  const isThere = async (id: string) => (await findRecord(db, 'Interaction', { id })) !== undefined
  const countBefore = (await records()).length
  await start('192.0.2.1', 'quiet')
  for (let number = 0; number < 200; number++) {
    await start('198.51.100.1', `one-${number}`)
    if (number < 30) await start(`2001:db8:0:${number.toString(16)}::1`, `many-${number}`)
    await start(`2001:db8:1:1::${number.toString(16)}`, `same-${number}`)
    assert.ok((await records()).length <= countBefore + 100)
  }
  assert.ok((await isThere('quiet')) && (await isThere('many-0')))
  assert.ok(await isThere('one-199'))
  assert.ok(!(await isThere('one-0')) && !(await isThere('same-0')))
  started.forget('Interaction', 'quiet')
})
