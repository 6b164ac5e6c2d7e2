/**
 * OpenID Connect Back-Channel Logout 1.0: applications with a real HTTP server learn when a session ends, on each database; on PostgreSQL the
 * session ends at another node.
 */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, describe, test } from 'node:test'
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import { openTestApplication, type TestApplication } from '#oauth/test-application'
import { openTestNode } from '#oauth/test-node'
import { startTestServer } from '#oauth/test-server'
import { openBrowser } from '#oauth/test-sign-in'
import { endSession, endUserSessions } from '#storage/sessions'
import { freshDatabase } from '#storage/test-postgres'

/** An application's server. Emits `token` with each logout token that it received. */
const openReceiver = async (answer: RequestListener = (_, response) => response.writeHead(204).end()) => {
  const received = new EventEmitter<{ token: [string] }>()
  const http = createServer(async (request, response) => {
    const form = new URLSearchParams(await text(request))
    answer(request, response)
    received.emit('token', form.get('logout_token') ?? '')
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/logout`,
    next: async (): Promise<string> => (await once(received, 'token'))[0],
    close: () => {
      http.close()
      http.closeAllConnections()
    },
  }
}
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

for (const database of ['SQLite', 'PostgreSQL'])
  describe(database, async () => {
    const connection = database === 'SQLite' ? undefined : await freshDatabase()
    const server = await startTestServer(connection === undefined ? {} : { connection })
    after(() => server.close())
    const node = connection === undefined ? undefined : await openTestNode(server, connection)
    after(() => node?.close())
    const { authUrl, baseUrl } = server
    const storage = node?.storage ?? server.storage
    const person = await server.newPerson()
    const jwks = createRemoteJWKSet(new URL(`${authUrl}/.well-known/jwks.json`))

    const openApplication = async (answer?: RequestListener) => {
      const receiver = await openReceiver(answer)
      after(receiver.close)
      const application = await openTestApplication(server, { backchannelLogoutUri: receiver.url })
      return { receiver, application }
    }
    const signIn = async (...applications: TestApplication[]) => {
      const browser = openBrowser(authUrl)
      const idTokens: string[] = []
      for (const application of applications) {
        const parameters = { scope: 'openid', audience: baseUrl }
        idTokens.push(String((await application.signIn(person.id, parameters, { browser })).id_token))
      }
      return { browser, idTokens }
    }
    /** Checks a logout token as section 2.6 requires. */
    const verify = async (token: string, application: TestApplication, idToken: string) => {
      const { payload, protectedHeader } = await jwtVerify(token, jwks, {
        issuer: `${authUrl}/`,
        audience: application.id,
        typ: 'logout+jwt',
        maxTokenAge: '2m',
        requiredClaims: ['jti', 'iat', 'exp', 'sid', 'events'],
      })
      assert.equal(protectedHeader.alg, decodeProtectedHeader(idToken).alg)
      assert.deepEqual(payload.events, { [logoutEvent]: {} })
      assert.equal(payload.nonce, undefined)
      assert.equal(payload.sub, person.id)
      assert.equal(payload.sid, decodeJwt(idToken).sid)
    }
    const countNotices = async () =>
      (await server.storage.db.selectFrom('logout_notices').select('attempts').execute()).length
    const waitUntil = async (condition: () => Promise<boolean>) => {
      while (!(await condition())) await new Promise(resolve => setImmediate(resolve))
    }

    test('a logout tells each application of the session, with its own sid', async () => {
      const first = await openApplication()
      const second = await openApplication()
      const silent = await openTestApplication(server)
      const { browser, idTokens } = await signIn(first.application, second.application, silent)
      const [idToken = '', secondIdToken = ''] = idTokens
      const sids = idTokens.map(token => decodeJwt(token).sid)
      assert.equal(new Set(sids).size, 3, 'each application has its own name for the session')
      const received = Promise.all([first.receiver.next(), second.receiver.next()])
      assert.match((await browser.go(`/logout?id_token_hint=${idToken}`)).url.pathname, /success$/)
      const [firstToken, secondToken] = await received
      await verify(firstToken, first.application, idToken)
      await verify(secondToken, second.application, secondIdToken)
      await waitUntil(async () => (await countNotices()) === 0)
    })

    test('a logout that a person confirms tells the application', async () => {
      const { application, receiver } = await openApplication()
      const { browser, idTokens } = await signIn(application)
      const page = await browser.go('/logout')
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
      const received = receiver.next()
      await browser.post('/logout/confirm', { xsrf, logout: 'yes' })
      await verify(await received, application, idTokens[0] ?? '')
    })

    test('a session that the person or an administrator ends tells the application', async () => {
      const { application, receiver } = await openApplication()
      for (const end of [
        async (sessionId: string) =>
          storage.write(async writer => void (await endSession(writer, person.id, sessionId))),
        () => storage.write(async writer => void (await endUserSessions(writer, person.id))),
      ]) {
        const { idTokens } = await signIn(application)
        const row = await server.storage.db
          .selectFrom('oidc_records')
          .select(['uid', 'payload_json'])
          .where('model', '=', 'Session')
          .where('account_id', '=', person.id)
          .execute()
        const sid = String(decodeJwt(idTokens[0] ?? '').sid)
        const uid = row.find(({ payload_json }) => payload_json.includes(sid))?.uid ?? ''
        const received = receiver.next()
        await end(uid)
        await verify(await received, application, idTokens[0] ?? '')
      }
    })

    test('a slow application delays no logout, and a failing one gets the token again', async () => {
      let replies = 0
      const releases: (() => void)[] = []
      const slow = await openApplication((_, response) => {
        releases.push(() => response.writeHead(200).end())
      })
      const failing = await openApplication((_, response) => {
        response.writeHead(++replies === 1 ? 500 : 200).end()
      })
      const { browser, idTokens } = await signIn(slow.application, failing.application)
      const received = Promise.all([slow.receiver.next(), failing.receiver.next()])
      assert.match((await browser.go(`/logout?id_token_hint=${idTokens[0]}`)).url.pathname, /success$/)
      const [, firstToken] = await received
      for (const release of releases) release()
      await waitUntil(async () => (await countNotices()) === 1)
      const secondReceived = failing.receiver.next()
      await server.storage.db.updateTable('logout_notices').set({ due_at: Date.now() }).execute()
      const secondToken = await secondReceived
      await verify(secondToken, failing.application, idTokens[1] ?? '')
      assert.notEqual(decodeJwt(secondToken).jti, decodeJwt(firstToken).jti)
      await waitUntil(async () => (await countNotices()) === 0)
    })

    test('redirects are not followed, private networks are not entered, and no token is logged', async () => {
      const target = await openReceiver()
      after(target.close)
      let visits = 0
      const redirecting = await openApplication((_, response) => {
        response.writeHead(307, { location: target.url }).end()
      })
      void target.next().then(() => visits++)
      const inside = await openTestApplication(server, { backchannelLogoutUri: 'https://10.0.0.1/logout' })
      const metadata = await openTestApplication(server, {
        backchannelLogoutUri: 'http://169.254.169.254/latest',
      })
      const { browser, idTokens } = await signIn(redirecting.application, inside, metadata)
      const received = redirecting.receiver.next()
      await browser.go(`/logout?id_token_hint=${idTokens[0]}`)
      const token = await received
      await waitUntil(async () => {
        const rows = await server.storage.db
          .selectFrom('logout_notices')
          .select(['attempts', 'due_at'])
          .execute()
        // Delayed, but no longer claimed.
        return rows.every(({ attempts, due_at }) => attempts === 1 && due_at < Date.now() + 10_000)
      })
      assert.equal(visits, 0)
      const warnings = JSON.stringify(server.logged)
      assert.match(warnings, /answered 307/)
      assert.match(warnings, /10\.0\.0\.1.*not public/)
      assert.match(warnings, /169\.254\.169\.254/)
      assert.ok(!warnings.includes(token))
      await server.storage.db.deleteFrom('logout_notices').execute()
    })

    test('an application that was removed, or wants no more notices, gets none', async () => {
      const { application } = await openApplication()
      const { browser, idTokens } = await signIn(application)
      await server.storage.write(async ({ db, announce }) => {
        await db.deleteFrom('clients').where('id', '=', application.id).execute()
        announce('client', application.id)
      })
      await browser.go(`/logout?id_token_hint=${idTokens[0]}`)
      assert.equal(await countNotices(), 0)
    })
  })
