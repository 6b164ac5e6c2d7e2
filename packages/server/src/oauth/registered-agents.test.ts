/** Editors and agents register with the requests that their published sources send, and sign a person in. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { decodeJwt } from 'jose'
import { openAuthorizationServer } from './provider/provider.ts'
import { openTestClient } from './test-application.ts'
import { startTestServer } from './test-server.ts'
import { newPkce, openBrowser } from './test-sign-in.ts'

const server = await startTestServer()
after(() => server.close())
// Open to everybody, as agents need it; on the same storage and address.
const open = await openAuthorizationServer({
  ...server.dependencies,
  openRegistration: server.workspace.slug,
})
server.http.removeAllListeners('request')
server.http.on('request', (request, response) => open.handle(request, response))
after(() => open.close())
const person = await server.newPerson()
const resource = `${server.baseUrl}/4/${server.workspace.slug}/api/main/mcp`

const grants = ['authorization_code', 'refresh_token']
const device = 'urn:ietf:params:oauth:grant-type:device_code'
const agents = {
  Cursor: {
    client_name: 'Cursor',
    redirect_uris: [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'https://www.cursor.com/agents/mcp/oauth/callback',
      'http://localhost:8787/callback',
    ],
    grant_types: grants,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  'an older Cursor': {
    client_name: 'Cursor',
    redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
    grant_types: grants,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    application_type: 'web',
  },
  'Visual Studio Code': {
    client_name: 'Visual Studio Code',
    client_uri: 'https://code.visualstudio.com',
    grant_types: [...grants, device],
    response_types: ['code'],
    redirect_uris: [
      'https://insiders.vscode.dev/redirect',
      'https://vscode.dev/redirect',
      'http://127.0.0.1/',
      'http://127.0.0.1:33418/',
    ],
    scope: 'openid offline_access',
    token_endpoint_auth_method: 'none',
    application_type: 'native',
  },
  'MCP Inspector': {
    redirect_uris: ['http://localhost:6274/oauth/callback', 'http://localhost:6274/oauth/callback/debug'],
    token_endpoint_auth_method: 'none',
    grant_types: grants,
    response_types: ['code'],
    client_name: 'MCP Inspector',
    client_uri: 'https://github.com/modelcontextprotocol/inspector',
    scope: '',
  },
  Claude: {
    client_name: 'Claude',
    grant_types: grants,
    response_types: ['code'],
    token_endpoint_auth_method: 'client_secret_post',
    scope: 'claudeai',
    redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
  },
  'Claude Code': {
    client_name: 'Claude Code (library)',
    redirect_uris: ['http://localhost:54212/callback'],
    grant_types: grants,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  },
  Zed: {
    client_name: 'Zed',
    redirect_uris: ['http://127.0.0.1:51234/callback'],
    grant_types: grants,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    scope: 'openid offline_access',
  },
  Windsurf: {
    client_name: 'Windsurf',
    redirect_uris: ['windsurf://codeium.windsurf/oauth/callback'],
    grant_types: grants,
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    logo_uri: null,
  },
}

const register = (metadata: object, headers: Record<string, string> = {}) =>
  fetch(`${server.authUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(metadata),
  })

describe('an agent registers without a token, signs a person in without a scope, and renews', () => {
  for (const [name, metadata] of Object.entries(agents))
    test(name, async () => {
      const reply = await register(metadata)
      // The JSON of RFC 7591, section 3.2.1.
      const registered = (await reply.json()) as {
        client_id: string
        client_secret?: string
        redirect_uris: string[]
        scope: string
      }
      assert.equal(reply.status, 201, JSON.stringify(registered))
      assert.deepEqual(registered.redirect_uris, metadata.redirect_uris)
      assert.ok(registered.scope.includes('offline_access'))
      for (const redirectUri of metadata.redirect_uris) {
        const { client_id: id, client_secret: secret } = registered
        const client = openTestClient(server, { id, secret, redirectUri })
        const browser = openBrowser(server.authUrl)
        const { verifier, challenge } = newPkce()
        const query = client.query({ code_challenge: challenge, code_challenge_method: 'S256', resource })
        const landed = await browser.authorize(query, person.id)
        assert.ok(landed.applicationUrl?.href.startsWith(redirectUri), landed.text)
        const tokens = await client.exchange(landed.parameters.code, verifier, { resource })
        assert.equal(tokens.json.scope, 'openid offline_access', tokens.text)
        const renewed = await client.refresh(tokens.json.refresh_token, { resource })
        assert.equal(renewed.status, 200, renewed.text)
        const accessToken = String(renewed.json.access_token)
        assert.deepEqual([decodeJwt(accessToken).aud].flat()[0], resource)
        assert.equal((await server.identify(accessToken, resource)).subject, person.id)
      }
    })
})

test('an application on a loopback address may use another port than it registered, if it is native', async () => {
  const { client_id: id } = (await (await register(agents['Visual Studio Code'])).json()) as {
    client_id: string
  }
  const client = openTestClient(server, { id, redirectUri: 'http://127.0.0.1:45454/' })
  assert.ok((await client.signIn(person.id, { resource })).refresh_token)
})

test('the page of the Inspector may register, and call the token endpoint from then on', async () => {
  const origin = 'http://localhost:6274'
  for (const path of ['/oauth/register', '/.well-known/oauth-authorization-server']) {
    const reply = await fetch(`${server.authUrl}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,mcp-protocol-version',
      },
    })
    assert.equal(reply.headers.get('access-control-allow-origin'), '*', path)
    assert.match(reply.headers.get('access-control-allow-headers') ?? '', /mcp-protocol-version/)
  }
  const reply = await register(agents['MCP Inspector'], { origin })
  assert.deepEqual([reply.status, reply.headers.get('access-control-allow-origin')], [201, '*'])
  const { client_id: id } = (await reply.json()) as { client_id: string }
  const refusal = await fetch(`${server.authUrl}/oauth/token`, {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams({ client_id: id, grant_type: 'refresh_token', refresh_token: 'none' }),
  })
  assert.deepEqual([refusal.status, refusal.headers.get('access-control-allow-origin')], [400, origin])
})
