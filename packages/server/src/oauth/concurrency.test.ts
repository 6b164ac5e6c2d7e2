/** Guarantees for requests that arrive at the same time, on each database. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { freshDatabase } from '#storage/test-postgres'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { openBrowser } from './test-sign-in.ts'

for (const database of ['SQLite', 'PostgreSQL'])
  describe(database, async () => {
    const server = await startTestServer(database === 'SQLite' ? {} : { connection: await freshDatabase() })
    after(() => server.close())
    const { authUrl, baseUrl } = server
    const offline = { scope: 'openid offline_access', audience: baseUrl }
    const person = await server.newPerson()
    const application = await openTestApplication(server)
    const runConcurrently = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, work))

    test('at most one of many requests with one code gets tokens, and replays revoke them', async () => {
      const { parameters, verifier } = await application.authorize(person.id, offline)
      const replies = await runConcurrently(() => application.exchange(parameters.code, verifier))
      const successes = replies.filter(({ status }) => status === 200)
      assert.ok(successes.length <= 1)
      for (const reply of replies) assert.ok([200, 400].includes(reply.status), reply.text)
      for (const { json } of successes) {
        assert.equal(await server.query(String(json.access_token)), 401)
        assert.equal((await application.refresh(json.refresh_token)).status, 400)
      }
    })

    test('each of many tabs with one refresh token gets tokens that work', async () => {
      const { refresh_token } = await application.signIn(person.id, offline)
      const tabs = await runConcurrently(() => application.refresh(refresh_token))
      for (const tab of tabs) assert.equal(tab.status, 200, tab.text)
      for (const { json } of tabs) assert.equal((await application.refresh(json.refresh_token)).status, 200)
      const late = await runConcurrently(() => application.refresh(refresh_token))
      for (const { json } of late) assert.equal(json.error, 'invalid_grant')
      for (const { json } of tabs) assert.equal(await server.query(String(json.access_token)), 401)
    })

    test('many tabs of one browser ask for codes without a page, and each gets one that is good', async () => {
      const browser = openBrowser(authUrl)
      await application.signIn(person.id, offline, { browser })
      const tabs = await runConcurrently(() =>
        application.authorize(person.id, { ...offline, prompt: 'none' }, { browser }),
      )
      for (const { parameters, verifier } of tabs)
        assert.equal((await application.exchange(parameters.code, verifier)).status, 200)
    })
  })

test('behind a proxy on https every cookie is Secure, and bound to the host by its name', async () => {
  const server = await startTestServer({ publicUrl: 'https://auth.example' })
  try {
    const application = await openTestApplication(server)
    const { challenge } = { challenge: 'c'.repeat(43) }
    const query = application.query({ code_challenge: challenge, code_challenge_method: 'S256' })
    const start = await fetch(`http://127.0.0.1:${server.port}/authorize?${query}`, { redirect: 'manual' })
    assert.match(start.headers.get('location') ?? '', /^\/interaction\//)
    const cookies = start.headers.getSetCookie()
    assert.ok(cookies.length >= 2)
    for (const cookie of cookies) assert.match(cookie, /^__Secure-querent_.*; secure; httponly$/i)
    const logoutReply = await fetch(`http://127.0.0.1:${server.port}/logout`, { redirect: 'manual' })
    for (const cookie of logoutReply.headers.getSetCookie())
      assert.match(cookie, /^__Host-querent_(session(\.sig)?|form)=.*; secure/i)
  } finally {
    await server.close()
  }
})
