/** Somebody who knows the password, and signed in before its owner added a second factor, must not get the account (docs/your-account.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import { openTestMailServer, type TestMailServer } from '#server/accounts/test-mail'
import { waitUntil } from '#server/test-wait'
import { type Form, openPerson } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { type StartedServer, startServer } from '#tests/support/started-server'

const email = 'u@example.org'
const password = 'the password that leaked'
let server: StartedServer
let mailServer: TestMailServer

before(async () => {
  mailServer = await openTestMailServer()
  process.env.QUERENT_SMTP_URL = mailServer.smtpUrl
  process.env.QUERENT_MAIL_FROM = 'Search <search@example.org>'
  server = await startServer()
})
after(async () => {
  await server.stop()
  await mailServer.close()
})

const call = async (token: string, method: string, path: string, body?: object) => {
  const reply = await fetch(`${server.authUrl}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const replyText = await reply.text()
  const challenge = reply.headers.get('www-authenticate') ?? ''
  return { status: reply.status, code: replyText && JSON.parse(replyText).code, challenge }
}
/** Fills in the page for an authenticator app, and the recovery codes after it. */
const setUpApp = (action: string) => (page: string, form: Form) => {
  const secret = /<code class="secret">([^<]*)/.exec(page)?.[1]?.replaceAll(' ', '')
  if (!secret) return form
  return { ...form, action, code: TOTP.generate({ secret: Secret.fromBase32(secret) }) }
}
const takeOver = (token: string) =>
  Promise.all([
    call(token, 'POST', '/me/email', { email: 'intruder@evil.example', password }),
    call(token, 'POST', '/me/email', { email: 'intruder@evil.example' }),
    call(token, 'POST', '/me/deletion', { password }),
    call(token, 'PUT', '/me/password', { current: password, new: 'a password of the intruder' }),
    call(token, 'GET', '/me/export'),
  ])

for (const keepsSessions of [false, true])
  test(`an intruder with the password and an older session gets nothing, ${keepsSessions ? 'also if it was kept' : 'and is signed out'}`, async () => {
    const address = keepsSessions ? `kept.${email}` : email
    await server.call('createUser', { input: { email: address, password } })
    const intruder = openPerson(server, address, password)
    const stolen = await consoleToken(server, intruder)
    assert.equal(
      (await call(stolen, 'POST', '/me/email', { email: `early-${address}`, password })).status,
      201,
    )
    const findLink = () =>
      mailServer.letters
        .find(({ to }) => to.includes(`early-${address}`))
        ?.content.match(/\/email\/confirm\/\S+/)?.[0]
    const earlyLink = `${server.authUrl}${await waitUntil(findLink)}`

    const owner = openPerson(server, address, password)
    const fill = setUpApp(keepsSessions ? 'keep-sessions' : 'confirm')
    await assert.rejects(
      owner.completeFlow(`${server.authUrl}/factors/app`, [], fill),
      /stopped at \/factors: 200/,
    )

    for (const reply of await takeOver(stolen)) {
      assert.equal(reply.status, 401)
      assert.equal(reply.code, keepsSessions ? 'sign-in-too-old' : 'invalid-token')
      if (keepsSessions) assert.match(reply.challenge, /max_age="300", acr_values="urn:querent:acr:mfa"/)
    }
    await assert.rejects(intruder.completeFlow(earlyLink), /stopped at \/email\/confirm: 410/)
    // A fresh sign-in with the password alone is none.
    await assert.rejects(
      consoleToken(server, openPerson(server, address, password)),
      /Confirm that it is you/,
    )
    const { user } = (await server.run(['users', 'export', address])) as { user: { email: string } }
    assert.equal(user.email, address)
  })
