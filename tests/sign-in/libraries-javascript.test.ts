/** The examples of docs/libraries.md for Node, for pages and for the shell. */
import assert from 'node:assert/strict'
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { OidcClient, type OidcClientSettings } from 'oidc-client-ts'
import { freePort } from '#bench/peers/start'
import {
  type LibrarySite,
  openLibrarySite,
  runExample,
  withExampleServer,
  writeExample,
} from '#tests/support/library-examples'
import { npmFolder } from '#tests/support/npm-folder'

const packages = [
  '@auth/core@0.41.3',
  'express@5.3.0',
  'express-openid-connect@3.4.0',
  'oidc-client-ts@3.5.0',
  'openid-client@6.8.9',
]
const noResults = { total: 0 }

describe('the examples of docs/libraries.md', { concurrency: true }, () => {
  let site: LibrarySite
  before(async () => {
    const [npm, opened] = await Promise.all([npmFolder('libraries', packages), openLibrarySite()])
    site = opened
    await symlink(join(npm, 'node_modules'), join(site.folder, 'node_modules'))
  })
  after(() => site?.close())

  test('curl', async () => {
    const { folder, account: client } = site
    const output = await runExample('bash', { args: ['-c', site.readExample('curl', 'sh')], folder, client })
    assert.deepEqual(JSON.parse(output), noResults)
  })

  test('openid-client', async () => {
    const { folder, account: client } = site
    const file = await writeExample(folder, 'program.mjs', site.readExample('openid-client', 'js'))
    assert.deepEqual(JSON.parse(await runExample('node', { args: [file], folder, client })), noResults)
  })

  test('oidc-client-ts', async () => {
    const { clientId } = await site.register('browser', 'http://localhost:3000/callback')
    const code = site.readExample('oidc-client-ts', 'js').replace('YOUR_CLIENT_ID', clientId)
    const { settings }: { settings: OidcClientSettings } = await import(
      await writeExample(site.folder, 'settings.mjs', code)
    )
    const client = new OidcClient(settings)
    const { url } = await client.createSigninRequest({ state: 'x' })
    const person = site.openPerson()
    const { access_token, refresh_token, profile } = await client.processSigninResponse(
      (await person.completeFlow(url)).href,
    )
    assert.equal(profile.email, person.email)
    assert.ok(refresh_token)
    await assertToken(access_token)
  })

  test('Auth.js', async () => {
    const origin = 'http://localhost:3000'
    const client = await site.register('server', `${origin}/api/auth/callback/querent`)
    const port = await freePort()
    // Serves the library's own routes, as its adapters for frameworks do, and shows the token that the callback keeps.
    const host = `
import { createServer } from 'node:http'
import { Auth } from '@auth/core'
import { getToken } from '@auth/core/jwt'
import { callbacks, providers } from './providers.mjs'
const secret = 'a secret of the test'
createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const init = { method: request.method, headers: request.headers }
  if (request.method === 'POST') init.body = Buffer.concat(chunks)
  const visit = new Request('${origin}' + request.url, init)
  if (request.url === '/') {
    const token = await getToken({ req: visit, secret, secureCookie: false })
    return response.end(JSON.stringify(token))
  }
  const reply = await Auth(visit, { basePath: '/api/auth', trustHost: true, secret, providers, callbacks })
  response.writeHead(reply.status, [...reply.headers].flat())
  response.end(await reply.text())
}).listen(${port})
`
    await writeExample(site.folder, 'providers.mjs', site.readExample('Auth.js', 'js'))
    const file = await writeExample(site.folder, 'auth-host.mjs', host)
    const address = `http://localhost:${port}`
    await withExampleServer(
      'node',
      { args: [file], folder: site.folder, client },
      `${address}/`,
      async () => {
        const cookies = new Map<string, string>()
        const send = async (path: string, form?: Record<string, string>) => {
          const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
          const reply = await fetch(`${address}${path}`, {
            redirect: 'manual',
            headers: { cookie, ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}) },
            ...(form ? { method: 'POST', body: new URLSearchParams(form).toString() } : {}),
          })
          for (const line of reply.headers.getSetCookie()) {
            const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
            cookies.set(name, value)
          }
          return reply
        }
        const { csrfToken } = (await (await send('/api/auth/csrf')).json()) as { csrfToken: string }
        const started = await send('/api/auth/signin/querent', { csrfToken })
        const person = site.openPerson()
        const callback = await person.completeFlow(started.headers.get('location') ?? '')
        await send(callback.pathname + callback.search)
        const token = (await (await send('/')).json()) as { email: string; accessToken: string }
        assert.equal(token.email, person.email)
        await assertToken(token.accessToken)
      },
    )
  })

  test('express-openid-connect', async () => {
    const port = await freePort()
    const address = `http://localhost:${port}`
    const client = await site.register('server', `${address}/callback`)
    const code = site.readExample('express-openid-connect', 'js', port)
    const args = [await writeExample(site.folder, 'app.mjs', code)]
    const env = { COOKIE_SECRET: 'a long secret of the test, for the cookie' }
    const program = { args, folder: site.folder, client, env }
    await withExampleServer('node', program, address, async () => {
      const { text } = await site.signInAt(`${address}/`)
      assert.deepEqual(JSON.parse(text), noResults)
    })
  })

  const assertToken = async (token: string) => {
    const address = `${site.server.baseUrl}/4/dictionary/api/dictionary/e/search/p/query/tiger/count`
    const reply = await fetch(address, { headers: { authorization: `Bearer ${token}` } })
    assert.deepEqual([reply.status, await reply.json()], [200, noResults])
  }
})
