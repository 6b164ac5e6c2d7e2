/** The examples of docs/libraries.md in Python. They need `venv`. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type LibrarySite, openLibrarySite, runExample, writeExample } from '#tests/support/library-examples'
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
})
