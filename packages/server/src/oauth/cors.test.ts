import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { addSecret, removeClient, updateClient } from '#storage/clients'
import { startTestServer } from './test-server.ts'

const server = await startTestServer()
after(() => server.close())
const { baseUrl } = server
const page = 'https://app.example'
const application = await server.newApplication({
  redirectUris: [`${page}/callback`, 'com.example.app:/callback'],
  origins: ['http://localhost:5173'],
})

const preflight = (path: string, origin: string, asked = 'authorization,x-sdk-telemetry') =>
  server.raw(
    `OPTIONS ${path} HTTP/1.1\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: ${asked}`,
  )
const allowed = (reply: { headers: ReadonlyMap<string, string> }) =>
  reply.headers.get('access-control-allow-origin')

test('preflight allows the headers asked for, from registered origins', async () => {
  for (const path of ['/oauth/token', '/oauth/revoke', '/userinfo'])
    for (const origin of [page, 'http://localhost:5173']) {
      const reply = await preflight(path, origin)
      assert.equal(reply.status, 204)
      assert.equal(allowed(reply), origin)
      assert.equal(reply.headers.get('access-control-allow-headers'), 'authorization,x-sdk-telemetry')
      assert.match(reply.headers.get('access-control-allow-methods') ?? '', /POST/)
      assert.match(reply.headers.get('vary') ?? '', /Origin/)
      assert.equal(reply.headers.get('access-control-max-age'), '3600')
    }
})

test('other origins are allowed nothing', async () => {
  for (const path of ['/oauth/token', '/oauth/revoke', '/userinfo', '/authorize', '/oauth/introspect'])
    for (const origin of ['https://evil.example', 'null', `${page}.evil.example`, 'http://app.example']) {
      const reply = await preflight(path, origin)
      assert.equal(allowed(reply), undefined, `${path} from ${origin}`)
      assert.equal(reply.headers.get('access-control-allow-headers'), undefined)
    }
  const reply = await server.form(
    '/oauth/token',
    'grant_type=client_credentials',
    'Origin: https://evil.example',
  )
  assert.equal(allowed(reply), undefined)
})

test('no CORS at /authorize, also from a registered origin', async () => {
  assert.equal(allowed(await preflight('/authorize', page)), undefined)
  assert.equal(allowed(await server.raw(`GET /authorize HTTP/1.1\r\nOrigin: ${page}`)), undefined)
})

test('errors can be read by the page that caused them', async () => {
  const reply = await server.form(
    '/oauth/token',
    `grant_type=client_credentials&client_id=nobody`,
    `Origin: ${page}`,
  )
  assert.equal(reply.status, 401)
  assert.equal(allowed(reply), page)
  const wrongType = await server.raw(
    `POST /oauth/token HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\nOrigin: ${page}`,
    '{}',
  )
  assert.equal(wrongType.status, 400)
  assert.equal(allowed(wrongType), page)
  const wrongMethod = await server.raw(`GET /oauth/token HTTP/1.1\r\nOrigin: ${page}`)
  assert.equal(allowed(wrongMethod), page)
})

test("an application answers pages of its own origins only, not those of another application's", async () => {
  const otherId = await server.newApplication({ type: 'server', origins: ['https://other.example'] })
  const { secret } = await server.storage.write(writer => addSecret(writer, otherId, null))
  const body = `token=x&client_id=${otherId}&client_secret=${secret}`
  assert.equal(allowed(await server.form('/oauth/revoke', body, `Origin: ${page}`)), undefined)
  assert.equal(
    allowed(await server.form('/oauth/revoke', body, 'Origin: https://other.example')),
    'https://other.example',
  )
})

test('metadata and keys are open to all', async () => {
  for (const path of [
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/jwks.json',
  ]) {
    const reply = await server.raw(`GET ${path} HTTP/1.1\r\nOrigin: https://anyone.example`)
    assert.equal(reply.status, 200)
    assert.equal(allowed(reply), '*')
    const preflightReply = await preflight(path, 'https://anyone.example')
    assert.equal(allowed(preflightReply), '*')
    assert.equal(preflightReply.headers.get('access-control-max-age'), '3600')
  }
})

test('an origin is allowed exactly as long as it is registered', async () => {
  const origin = 'https://new.example'
  assert.equal(allowed(await preflight('/oauth/token', origin)), undefined)
  const id = await server.newApplication({ origins: [origin] })
  assert.equal(allowed(await preflight('/oauth/token', origin)), origin)
  await server.storage.write(writer => updateClient(writer, id, { disabled: true }))
  assert.equal(allowed(await preflight('/oauth/token', origin)), undefined)
  await server.storage.write(writer => updateClient(writer, id, { disabled: false }))
  assert.equal(allowed(await preflight('/oauth/token', origin)), origin)
  const sharing = await server.newApplication({ origins: [origin] })
  await server.storage.write(writer => removeClient(writer, id))
  assert.equal(allowed(await preflight('/oauth/token', origin)), origin, 'another application has it')
  await server.storage.write(writer => removeClient(writer, sharing))
  assert.equal(allowed(await preflight('/oauth/token', origin)), undefined)
  assert.equal(allowed(await preflight('/oauth/token', page)), page)
  assert.ok(application && baseUrl)
})
