/** The examples of docs/libraries.md in Python. They need `venv`. */
import assert from 'node:assert/strict'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { freePort } from '#bench/peers/start'
import {
  type LibrarySite,
  openLibrarySite,
  runExample,
  withExampleServer,
  writeExample,
} from '#tests/support/library-examples'
import { python } from '#tests/support/python'

describe('the examples of docs/libraries.md', { concurrency: true }, () => {
  let site: LibrarySite
  before(async () => {
    site = await openLibrarySite()
  })
  after(() => site?.close())
  const env = { OAUTHLIB_INSECURE_TRANSPORT: '1', PYTHONWARNINGS: 'ignore' }

  for (const library of ['Authlib', 'requests-oauthlib'])
    test(library, async () => {
      const { folder, account: client } = site
      const file = await writeExample(folder, `${library}.py`, site.readExample(library, 'python'))
      assert.equal(await runExample(python(), { args: [file], folder, client, env }), "{'total': 0}\n")
    })

  test('httpx-oauth', async () => {
    const { folder, server } = site
    const person = site.openPerson()
    const redirectUri = 'http://localhost:3000/callback'
    const client = await site.register(
      ...(['server', redirectUri, '--default-audience', server.baseUrl, '--without-pkce'] as const),
    )
    const file = await writeExample(folder, 'httpx-oauth.py', site.readExample('httpx-oauth', 'python'))
    const answer = (output: string) =>
      output.includes('\n')
        ? person.completeFlow(output.trim()).then(url => url.searchParams.get('code') ?? '')
        : undefined
    const output = await runExample(python(), { args: [file], folder, client, env, answer })
    assert.match(output, /reader@example\.org \{'total': 0\}\n$/)
  })

  test('FastAPI-Users signs people in with the nonce of the subclass, and searches with their token', async () => {
    const { folder, server } = site
    const port = await freePort()
    const address = `http://localhost:${port}`
    const redirectUri = `${address}/auth/querent/callback`
    const client = await site.register(
      ...(['server', redirectUri, '--default-audience', server.baseUrl, '--without-pkce'] as const),
    )
    await writeExample(folder, 'querent_client.py', site.readExample('FastAPI-Users', 'python'))
    await copyFile(join(import.meta.dirname, '../support/fastapi-users-app.py'), join(folder, 'app.py'))
    const api = `${server.baseUrl}/4/dictionary/api/dictionary`
    const program = { args: ['app.py'], folder, client, env: { ...env, PORT: String(port), API: api } }
    await withExampleServer(python(), program, `${address}/openapi.json`, async () => {
      const started = await fetch(`${address}/auth/querent/authorize`)
      const cookie = started.headers
        .getSetCookie()
        .map(line => line.split(';', 1)[0])
        .join('; ')
      // The replies of FastAPI-Users.
      const { authorization_url } = (await started.json()) as { authorization_url: string }
      const callback = await site.openPerson().completeFlow(authorization_url)
      const signedIn = await fetch(callback, { headers: { cookie } })
      assert.equal(signedIn.status, 200, await signedIn.clone().text())
      const { access_token } = (await signedIn.json()) as { access_token: string }
      const headers = { authorization: `Bearer ${access_token}` }
      const count = await (await fetch(`${address}/count`, { headers })).json()
      assert.deepEqual(count, { email: 'reader@example.org', status: 200, total: 0 })
    })
  })
})
