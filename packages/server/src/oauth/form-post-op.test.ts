/**
 * OpenID Connect Form Post OP: what `oidcc-formpost-basic-certification-test-plan` asks beyond the Basic OP plan (basic-op.test.ts): codes and errors
 * arrive as a form that the browser sends (OAuth 2.0 Form Post Response Mode). Request objects are in requests/request-object.test.ts.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const person = await server.newPerson()
const application = await openTestApplication(server, { type: 'server', pkce: false })

/** The fields of the form, by name. No parameter may be in the URL. */
const readForm = ({ text, applicationUrl }: Awaited<ReturnType<typeof send>>) => {
  assert.equal(applicationUrl, undefined)
  assert.ok(text.includes(`<form method="post" action="${application.redirectUri}"`), text)
  const inputs = text.matchAll(/name="(\w+)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}
const send = (browser: ReturnType<typeof openBrowser>, parameters: Record<string, string | undefined>) =>
  browser.go(
    `/authorize?${application.query({ scope: 'openid', nonce: 'n', response_mode: 'form_post', ...parameters })}`,
  )
const signIn = async () => {
  const browser = openBrowser(server.authUrl)
  await application.signIn(person.id, { scope: 'openid', nonce: 'n' }, { browser })
  return browser
}

test('oidcc-server, oidcc-codereuse: a code with state and issuer, good once', async () => {
  const { code = '', state, iss } = readForm(await send(await signIn(), {}))
  assert.deepEqual([state, iss], ['s', `${server.authUrl}/`])
  const basic = `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}`
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: application.redirectUri,
  })
  const exchange = () => server.form('/oauth/token', form.toString(), `Authorization: ${basic}`)
  const first = await exchange()
  assert.equal(first.status, 200, first.text)
  const second = await exchange()
  assert.deepEqual([second.status, second.json.error], [400, 'invalid_grant'])
})

for (const [name, parameters, error] of [
  ['oidcc-response-type-missing', { response_type: undefined }, 'invalid_request'],
  ['oidcc-request-uri-unsigned', { request_uri: 'https://app.example/r' }, 'request_uri_not_supported'],
  ['an unknown response type', { response_type: 'id_token' }, 'unsupported_response_type'],
] as const)
  test(`${name}: the form has the error and the state`, async () => {
    const fields = readForm(await send(await signIn(), parameters))
    assert.deepEqual([fields.error, fields.state, fields.code], [error, 's', undefined])
  })

test('oidcc-prompt-none-not-logged-in: the form has login_required', async () => {
  const fields = readForm(await send(openBrowser(server.authUrl), { prompt: 'none' }))
  assert.deepEqual([fields.error, fields.state], ['login_required', 's'])
})
