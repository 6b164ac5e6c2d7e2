/** `response_mode=web_message`: responses to the page that opened a frame or popup. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openTestApplication } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
const { authUrl, baseUrl } = server
const person = await server.newPerson()
const origin = 'https://app.example'
const application = await openTestApplication(server)
const webMessage = { response_mode: 'web_message', audience: baseUrl }

/** Runs the script of a page as a browser would; returns its messages with their target origins. */
const runScript = (text: string) => {
  const [, script = ''] = /<script>(.*)<\/script>/s.exec(text) ?? []
  const messages: { data: { type: string; response: Record<string, string> }; target: string }[] = []
  const parent = {
    postMessage: (data: (typeof messages)[number]['data'], target: string) => messages.push({ data, target }),
  }
  // Our own page.
  new Function('window', script)({ parent })
  return messages
}

test('prompt=none without a session answers login_required at once, to the origin of the redirect URI only', async () => {
  const landed = await application.authorize(person.id, { ...webMessage, prompt: 'none' })
  const [message, ...others] = runScript(landed.text)
  assert.deepEqual(others, [])
  assert.equal(message?.target, origin)
  assert.equal(message?.data.type, 'authorization_response')
  const { error, state, iss, error_description } = message?.data.response ?? {}
  assert.deepEqual([error, state, iss], ['login_required', 's', `${authUrl}/`])
  assert.ok(error_description)
})

test('the response of a sign-in gives tokens, and a silent renewal too', async () => {
  const browser = openBrowser(authUrl)
  for (const prompt of [undefined, 'none']) {
    const landed = await application.authorize(person.id, { ...webMessage, prompt }, { browser })
    const [message] = runScript(landed.text)
    assert.equal(message?.target, origin)
    const reply = await application.exchange(message?.data.response.code, landed.verifier)
    assert.equal(reply.status, 200, reply.text)
    assert.equal(await server.query(String(reply.json.access_token)), 200)
  }
})

test('clickjacking: only the origin of the redirect URI may frame the page, and no other page may be framed', async () => {
  const landed = await application.authorize(person.id, { ...webMessage, prompt: 'none' })
  const policy = landed.headers.get('content-security-policy') ?? ''
  assert.match(policy, /frame-ancestors https:\/\/app\.example(?:;|$)/)
  assert.match(policy, /script-src 'sha256-[^']+'(?:;|$)/)
  assert.equal(landed.headers.get('x-frame-options'), null)
  assert.equal(landed.headers.get('cache-control'), 'no-store')
  const unregistered = await application.authorize(person.id, {
    ...webMessage,
    prompt: 'none',
    redirect_uri: 'https://evil.example/callback',
  })
  assert.equal(unregistered.status, 400)
  assert.equal(unregistered.headers.get('x-frame-options'), 'DENY')
  assert.doesNotMatch(unregistered.text, /postMessage/)
})

test('injection: a state cannot end the script', async () => {
  const state = '</script><script>alert(1)</script>\u2028'
  const landed = await application.authorize(person.id, { ...webMessage, prompt: 'none', state })
  assert.equal(landed.text.match(/<script>/g)?.length, 1)
  assert.equal(runScript(landed.text)[0]?.data.response.state, state)
})

test('a redirect URI with a custom scheme has no origin to answer', async () => {
  const native = await openTestApplication(server, {
    type: 'native',
    redirectUris: ['com.example.app:/callback'],
  })
  const landed = await native.authorize(person.id, { ...webMessage, prompt: 'none' })
  assert.equal(landed.status, 400)
  assert.doesNotMatch(landed.text, /postMessage/)
})

test('the metadata lists the mode', async () => {
  const { json } = await server.raw('GET /.well-known/openid-configuration HTTP/1.1')
  assert.ok([json.response_modes_supported].flat().includes('web_message'))
})

test('a request without PKCE names the setting that allows it', async () => {
  const confidential = await openTestApplication(server, { type: 'server' })
  const noPkce = { code_challenge: undefined, code_challenge_method: undefined }
  const withNonce = await confidential.authorize(person.id, { ...noPkce, nonce: 'n' })
  assert.equal(withNonce.parameters.error, 'invalid_request')
  assert.match(withNonce.parameters.error_description ?? '', /"pkce": false .*--without-pkce\)/)
  const registered = await openTestApplication(server, { type: 'server', pkce: false })
  const withoutBoth = await registered.authorize(person.id, noPkce)
  assert.match(withoutBoth.parameters.error_description ?? '', /nonce is missing: .*"pkce": false/)
  assert.ok((await registered.authorize(person.id, { ...noPkce, nonce: 'n' })).parameters.code)
})
