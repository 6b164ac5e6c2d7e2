/** Anybody may begin a sign-in: what that leaves behind is bounded. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { newPkce, openBrowser } from './test-sign-in.ts'

const server = await startTestServer({ signInThrottle: 1 })
after(() => server.close())
const person = await server.newPerson()
const application = await openTestApplication(server)
const begin = () => {
  const { challenge } = newPkce()
  return application.query({ code_challenge: challenge, code_challenge_method: 'S256' })
}
const records = async () => {
  const found = await server.storage.db
    .selectFrom('oidc_records')
    .select('expires_at')
    .where('model', 'in', ['Interaction', 'Form'])
    .execute()
  return found.map(({ expires_at }) => Number(expires_at))
}

test('a browser keeps the cookies of a few sign-ins, and the newest of them go on', async () => {
  const browser = openBrowser(server.authUrl)
  const pages: string[] = []
  for (let tabs = 0; tabs < 12; tabs++) pages.push((await browser.go(`/authorize?${begin()}`)).url.pathname)
  // Each has two, and a signature with each.
  assert.ok(browser.jar.size <= 5 * 4 + 2, [...browser.jar.keys()].join(', '))
  assert.equal((await browser.go(pages.at(0) ?? '')).status, 400)
  for (const page of pages.slice(-4)) {
    const landed = await browser.post(`${page}/login?account=${person.id}`)
    assert.match(landed.text + landed.at, /consent|code=/)
  }
})

test('a page that nobody sends is forgotten after half an hour', async () => {
  const [expiresAt = 0] = (await records()).toSorted((a, b) => b - a)
  assert.ok(expiresAt <= Date.now() + 30 * 60 * 1000)
})

test('an address begins so many a minute; who is signed in goes on without a page all the same', async () => {
  const browser = openBrowser(server.authUrl)
  assert.equal((await application.authorize(person.id, {}, { browser })).at?.origin, 'https://app.example')
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
  const before = (await records()).length
  const form = await server.form('/authorize', begin())
  assert.deepEqual([form.status, form.headers.get('retry-after')], [429, '60'], 'as a form too')
  assert.equal((await records()).length, before)
  const landed = await application.authorize(person.id, { prompt: 'none' }, { browser })
  assert.ok(landed.parameters.code)
})
