/** The device code grant (RFC 8628), on each database; on PostgreSQL the device talks to another node than the person. */
import assert from 'node:assert/strict'
import { after, describe, type TestContext, test } from 'node:test'
import { decodeJwt } from 'jose'
import { readFormToken, startPages } from '#oauth/interactions/test-pages'
import { withoutOurScripts } from '#oauth/pages/test-scripts'
import { openTestApplication } from '#oauth/test-application'
import { openTestNode } from '#oauth/test-node'
import { startTestServer } from '#oauth/test-server'
import { type Browser, type Landing, openBrowser } from '#oauth/test-sign-in'
import { removeMember } from '#storage/members'
import { freshDatabase } from '#storage/test-postgres'
import { patienceMs } from '#test-wait'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'
/** Tests move the clock, which must not look like a broken change feed. */
const dayMs = 24 * 60 * 60 * 1000

const readXsrf = ({ text }: { text: string }): string => /name="xsrf" value="([^"]*)"/.exec(text)?.[1] ?? ''
const moveClock = (t: TestContext, seconds: number) =>
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + seconds * 1000 })

/** To the page that names the application. */
const enterCode = async (browser: Browser, userCode: string) => {
  const page = await browser.go('/activate')
  return browser.post('/activate', { xsrf: readXsrf(page), user_code: userCode })
}
/** Signs in and consents where asked. */
const connect = async (browser: Browser, userCode: string, personId: string) => {
  const confirmPage = await enterCode(browser, userCode)
  const code = { xsrf: readXsrf(confirmPage), user_code: userCode, confirm: 'yes' }
  let landed: Landing & { url: URL } = await browser.post('/activate', code)
  for (let pages = 0; pages < 5 && landed.url.pathname.startsWith('/interaction/'); pages++) {
    const { prompt }: { prompt: string } = JSON.parse(landed.text)
    if (prompt === 'member') return landed
    const answer = prompt === 'login' ? `login?account=${personId}` : 'consent'
    landed = await browser.post(`${landed.url.pathname}/${answer}`)
  }
  return landed
}

for (const database of ['SQLite', 'PostgreSQL'])
  describe(database, async () => {
    const connection = database === 'SQLite' ? undefined : await freshDatabase()
    const server = await startTestServer({ staleMs: dayMs, ...(connection !== undefined && { connection }) })
    after(() => server.close())
    const node = connection === undefined ? undefined : await openTestNode(server, connection)
    after(() => node?.close())
    const device = node ?? server
    const { authUrl, baseUrl, storage, workspace } = server
    const person = await server.newPerson()
    const native = { type: 'native' as const, redirectUris: ['http://127.0.0.1/callback'] }
    const application = await openTestApplication(server, native)

    const start = async (parameters: Record<string, string> = {}) => {
      const body = new URLSearchParams({ client_id: application.id, audience: baseUrl, ...parameters })
      const reply = await device.form('/oauth/device/code', body.toString())
      const { device_code, user_code } = reply.json
      return { ...reply, deviceCode: String(device_code), userCode: String(user_code) }
    }
    const poll = (deviceCode: string, { change = {}, at = device } = {}) => {
      const body = { grant_type: deviceGrant, client_id: application.id, device_code: deviceCode, ...change }
      return at.form('/oauth/token', new URLSearchParams(body).toString())
    }

    test('a device gets a code to show, and tokens once a person has connected it', async t => {
      const started = await start({ scope: 'openid email offline_access' })
      assert.equal(started.status, 200, started.text)
      assert.equal(started.headers.get('cache-control'), 'no-store')
      const { verification_uri, verification_uri_complete, expires_in, interval } = started.json
      assert.match(started.userCode, /^[B-Z]{4}-[B-Z]{4}$/)
      assert.equal(verification_uri, `${authUrl}/activate`)
      assert.equal(verification_uri_complete, `${authUrl}/activate?user_code=${started.userCode}`)
      assert.deepEqual([expires_in, interval], [600, 5])
      const pending = await poll(started.deviceCode)
      assert.deepEqual([pending.status, pending.json.error], [400, 'authorization_pending'])
      const landed = await connect(openBrowser(authUrl), started.userCode, person.id)
      assert.equal(landed.status, 200)
      assert.match(landed.text, /Your device is connected/)
      const { status, json, text } = await poll(started.deviceCode)
      assert.equal(status, 200, text)
      const claims = decodeJwt(String(json.access_token))
      assert.deepEqual(
        [claims.aud, claims.sub, json.scope],
        [[baseUrl, `${authUrl}/userinfo`], person.id, 'openid email offline_access'],
      )
      assert.ok(json.id_token)
      assert.equal(await server.query(String(json.access_token)), 200)
      assert.equal((await application.refresh(json.refresh_token)).status, 200)
      // Using the code again is theft, and ends what it gave.
      assert.equal((await poll(started.deviceCode)).json.error, 'invalid_grant')
      await t.waitFor(async () => assert.equal(await server.query(String(json.access_token)), 401), {
        timeout: patienceMs,
      })
    })

    test('at most one of many requests with one device code gets tokens', async () => {
      const { deviceCode, userCode } = await start()
      await connect(openBrowser(authUrl), userCode, person.id)
      const replies = await Promise.all(Array.from({ length: 6 }, () => poll(deviceCode)))
      assert.ok(replies.filter(({ status }) => status === 200).length <= 1)
      for (const { status, text } of replies) assert.ok([200, 400].includes(status), text)
    })

    test('the code is accepted in lower case and without its hyphen', async () => {
      const { deviceCode, userCode } = await start()
      const typed = userCode.toLowerCase().replace('-', '')
      const confirmPage = await enterCode(openBrowser(authUrl), typed)
      assert.match(confirmPage.text, new RegExp(userCode))
      await connect(openBrowser(authUrl), typed, person.id)
      assert.equal((await poll(deviceCode)).status, 200)
    })

    test('each node answers slow_down to a device that polls too often', async t => {
      const { deviceCode } = await start()
      const ask = async (at = device) => (await poll(deviceCode, { at })).json.error
      assert.equal(await ask(), 'authorization_pending')
      assert.equal(await ask(server), 'slow_down')
      moveClock(t, 5)
      assert.equal(await ask(), 'slow_down', 'the interval has grown')
      t.mock.timers.reset()
      moveClock(t, 5 + 15)
      assert.equal(await ask(), 'authorization_pending')
    })

    test('a code that nobody confirmed in time is expired, for the device and for the person', async t => {
      const { deviceCode, userCode } = await start()
      moveClock(t, 601)
      const late = await poll(deviceCode, { at: server })
      assert.deepEqual([late.status, late.json.error], [400, 'expired_token'])
      const page = await enterCode(openBrowser(authUrl), userCode)
      assert.equal(page.status, 422)
      assert.match(page.text, /This code has expired/)
    })

    test('a person who refuses ends it, and the code cannot be confirmed afterwards', async () => {
      const { deviceCode, userCode } = await start()
      const browser = openBrowser(authUrl)
      const confirmPage = await enterCode(browser, userCode)
      const refusal = { xsrf: readXsrf(confirmPage), user_code: userCode, abort: 'yes' }
      assert.match((await browser.post('/activate', refusal)).text, /The device was not connected/)
      const secondPage = await enterCode(openBrowser(authUrl), userCode)
      assert.match(secondPage.text, /used already/)
      const { status, json } = await poll(deviceCode)
      assert.deepEqual([status, json.error], [400, 'access_denied'])
    })

    test('a person who is not a member sees the reason, and the device gets no token', async () => {
      const { deviceCode, userCode } = await start()
      const stranger = await server.newPerson([])
      const browser = openBrowser(authUrl)
      const landed = await connect(browser, userCode, stranger.id)
      assert.equal(JSON.parse(landed.text).prompt, 'member')
      assert.equal((await poll(deviceCode)).json.error, 'authorization_pending')
      await browser.post(`${landed.url.pathname}/abort`)
      assert.equal((await poll(deviceCode)).json.error, 'access_denied')
    })

    test('a member removed after confirming gets no tokens', async () => {
      const { deviceCode, userCode } = await start()
      const leaver = await server.newPerson()
      await connect(openBrowser(authUrl), userCode, leaver.id)
      await storage.write(writer => removeMember(writer, workspace.id, leaver.id))
      assert.equal((await poll(deviceCode, { at: server })).json.error, 'invalid_grant')
    })

    test('a code is bound to its client, and only native applications get one', async () => {
      const { deviceCode, userCode } = await start()
      const otherApplication = await openTestApplication(server, native)
      await connect(openBrowser(authUrl), userCode, person.id)
      const stolen = await poll(deviceCode, { change: { client_id: otherApplication.id } })
      assert.equal(stolen.json.error, 'invalid_grant')
      assert.equal((await poll(deviceCode)).status, 200)
      const page = await openTestApplication(server)
      const pageReply = await start({ client_id: page.id })
      assert.deepEqual([pageReply.status, pageReply.json.error], [400, 'unauthorized_client'])
    })

    test('an unknown client and a System-to-System account get no code', async () => {
      const unknown = await start({ client_id: 'n'.repeat(22) })
      assert.deepEqual([unknown.status, unknown.json.error], [401, 'invalid_client'])
      const account = await server.newAccount()
      const wrong = await start({ client_id: account.id, client_secret: 'wrong' })
      assert.deepEqual([wrong.status, wrong.json], [401, unknown.json])
      const machine = await start({ client_id: account.id, client_secret: account.secret })
      assert.deepEqual([machine.status, machine.json.error], [400, 'unauthorized_client'])
    })

    test('audience and resource are checked when the device starts', async () => {
      for (const [parameters, error] of [
        [{ audience: 'https://evil.example/' }, 'invalid_target'],
        [{ resource: `${baseUrl}/4/another-workspace` }, 'invalid_target'],
        [{ nonce: 'x'.repeat(2049) }, 'invalid_request'],
      ] as const) {
        const reply = await start(parameters)
        assert.deepEqual([reply.status, reply.json.error], [400, error], reply.text)
      }
      const resource = `${baseUrl}/4/${workspace.slug}/api/main`
      const { deviceCode, userCode } = await start({ resource })
      await connect(openBrowser(authUrl), userCode, person.id)
      assert.deepEqual(decodeJwt(String((await poll(deviceCode)).json.access_token)).aud, [
        resource,
        `${authUrl}/userinfo`,
      ])
    })

    test('a form without the secret of its page confirms nothing', async () => {
      const { deviceCode, userCode } = await start()
      const victim = openBrowser(authUrl)
      await enterCode(victim, userCode)
      for (const xsrf of ['', 'x'.repeat(48)]) {
        const landed = await victim.post('/activate', { xsrf, user_code: userCode, confirm: 'yes' })
        assert.match(landed.text, /This form cannot be accepted/)
      }
      const withoutSession = await openBrowser(authUrl).post('/activate', {
        user_code: userCode,
        confirm: 'yes',
      })
      assert.match(withoutSession.text, /This form cannot be accepted/)
      assert.equal((await poll(deviceCode)).json.error, 'authorization_pending')
    })
  })

test('guesses of user codes are throttled for their address, and a right code afterwards waits too', async t => {
  const server = await startTestServer({ signInThrottle: 3, staleMs: dayMs })
  try {
    const application = await openTestApplication(server, { type: 'native' })
    const { json } = await server.form('/oauth/device/code', `client_id=${application.id}`)
    const browser = openBrowser(server.authUrl)
    for (let guess = 0; guess < 3; guess++) {
      const page = await enterCode(browser, `BBBB-BBB${'BCD'[guess]}`)
      assert.equal(page.status, 422)
      assert.match(page.text, /No device shows this code/)
    }
    const throttled = await enterCode(browser, String(json.user_code))
    assert.equal(throttled.status, 429)
    assert.ok(throttled.headers.get('retry-after'))
    assert.match(throttled.text, /Too many wrong codes/)
    moveClock(t, 61)
    assert.equal((await enterCode(browser, String(json.user_code))).status, 200)
  } finally {
    await server.close()
  }
})

describe('the pages', async () => {
  const server = await startPages()
  after(() => server.close())
  const { authUrl, baseUrl } = server
  const clientId = await server.application('Terminal', { type: 'native', redirectUris: [] })
  const start = async () => {
    const body = new URLSearchParams({ client_id: clientId, audience: baseUrl, scope: 'openid email' })
    const { json } = await server.form('/oauth/device/code', body.toString())
    return {
      userCode: String(json.user_code),
      deviceCode: String(json.device_code),
      complete: String(json.verification_uri_complete),
    }
  }

  test('a code may be typed on any keyboard: in full-width letters, with other dashes and spaces, or in lower case', async () => {
    const { userCode } = await start()
    const fullWidth = [...userCode]
      .map(letter => (letter === '-' ? '－' : String.fromCharCode(letter.charCodeAt(0) + 0xfee0)))
      .join('')
    const reader = server.openReader()
    for (const typed of [
      fullWidth,
      userCode.toLowerCase(),
      userCode.replace('-', ' \u2013\u00a0'),
      `${userCode}\u00ad`,
    ]) {
      const codePage = await reader.go('/activate')
      const landed = await reader.post('/activate', { xsrf: readXsrf(codePage), user_code: typed })
      assert.match(landed.text, /Connect Terminal to your account\?/, typed)
    }
  })

  test('a person connects a device from the complete address, by forms alone', async () => {
    const person = await server.newPerson()
    const { complete, userCode, deviceCode } = await start()
    const reader = server.openReader()
    const codePage = await reader.go(complete)
    assert.equal(codePage.status, 200)
    assert.doesNotMatch(withoutOurScripts(codePage.text), /<script/)
    assert.match(codePage.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    assert.match(codePage.text, new RegExp(`value="${userCode}"`))
    const confirmPage = await reader.post('/activate', { xsrf: readXsrf(codePage), user_code: userCode })
    assert.match(confirmPage.text, /Connect Terminal to your account\?/)
    assert.match(confirmPage.text, new RegExp(server.workspace.title))
    assert.match(confirmPage.text, /see your e-mail address/)
    assert.match(confirmPage.text, /search on your behalf/)
    const loginPage = await reader.post('/activate', {
      xsrf: readXsrf(confirmPage),
      user_code: userCode,
      confirm: 'yes',
    })
    assert.match(loginPage.text, /type="password"/)
    const consentPage = await reader.signIn(loginPage, person.email)
    assert.match(consentPage.text, /Allow Terminal to access your account\?/)
    assert.ok(readFormToken(consentPage))
    const connected = await reader.send(consentPage, { action: 'allow' })
    assert.match(connected.text, /Go back to Terminal on your device/)
    const form = new URLSearchParams({
      grant_type: deviceGrant,
      client_id: clientId,
      device_code: deviceCode,
    })
    assert.equal((await server.form('/oauth/token', form.toString())).status, 200)
  })

  test('the pages are in Dutch for those who read it, on the way too', async () => {
    const { userCode } = await start()
    const reader = server.openReader()
    const codePage = await reader.go('/activate', { headers: { 'accept-language': 'nl' } })
    assert.match(codePage.text, /<html lang="nl">[\s\S]*Een apparaat verbinden/)
    const confirmPage = await reader.post('/activate?ui_locales=nl', {
      xsrf: readXsrf(codePage),
      user_code: userCode,
    })
    assert.match(confirmPage.text, /Terminal met uw account verbinden/)
  })

  test('a form from another site is refused before the code is looked at', async () => {
    const { userCode } = await start()
    const reader = server.openReader()
    const codePage = await reader.go('/activate')
    const landed = await reader.go('/activate', {
      method: 'POST',
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ xsrf: readXsrf(codePage), user_code: userCode, confirm: 'yes' }),
    })
    assert.match(landed.text, /This form cannot be accepted/)
  })

  test('a code in the address is text, whatever it contains', async () => {
    const landed = await server.openReader().go('/activate?user_code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E')
    assert.doesNotMatch(withoutOurScripts(landed.text), /<script/)
    assert.equal(landed.url.origin, authUrl)
  })

  test('no code, and a page that was open for too long', async () => {
    const reader = server.openReader()
    const codePage = await reader.go('/activate')
    const empty = await reader.post('/activate', { xsrf: readXsrf(codePage), user_code: '' })
    assert.equal(empty.status, 422)
    assert.match(empty.text, /Enter the code/)
    assert.equal((await reader.go('/activate/unknown')).status, 400)
  })
})
