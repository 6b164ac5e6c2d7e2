/** Version numbers that existing clients write in paths (query-service.md, Paths; the setting `QUERENT_PATH_VERSIONS`). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDpopKey, fetchBoundToken } from '#tests/support/dpop'
import { type Library, makeLibrary } from '#tests/support/library'
import { readCredential } from '#tests/support/operator'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let library: Library
before(async () => {
  server = await startServer(['--path-versions', '1,12'])
  library = await makeLibrary(server)
})
after(() => server.stop())

/** Sends a GET with the token of the library. */
const get = (path: string, token = library.token) =>
  fetch(`${server.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })

test('a path with a version of the setting means the path with 4', async () => {
  for (const rest of [
    'library/api/library/e/search/p/query/golden/results,count',
    'library/api/library/options/genre',
    'library/api/library/openapi.json',
    'library/api/library',
    'openapi.json',
  ]) {
    const expected = await (await get(`/4/${rest}`)).json()
    for (const version of ['1', '12']) {
      const reply = await get(`/${version}/${rest}`)
      assert.equal(reply.status, 200, rest)
      assert.deepEqual(await reply.json(), expected, rest)
    }
  }
  const operatorToken = await fetchToken(server, await readCredential(server.data))
  const documents = await get('/1/library/collections/books/documents?count=1', operatorToken)
  assert.equal(documents.status, 200)
})

test('other versions are unknown', async () => {
  for (const version of ['2', '01', '121']) {
    const reply = await get(`/${version}/library/api/library/e/all/count`)
    assert.equal(reply.status, 404, version)
  }
})

test('a refusal and the metadata name the path with 4', async () => {
  const refusal = await fetch(`${server.baseUrl}/1/library/api/library/e/all/count`)
  assert.equal(refusal.status, 401)
  assert.match(
    refusal.headers.get('www-authenticate') ?? '',
    /resource_metadata="[^"]*\/oauth-protected-resource\/4\/library\/api\/library/,
  )
  const metadata = await fetch(`${server.baseUrl}/.well-known/oauth-protected-resource/1/library/api/library`)
  // The metadata of RFC 9728.
  const { resource } = (await metadata.json()) as { resource: string }
  assert.equal(resource, `${server.baseUrl}/4/library/api/library`)
})

test('a token for a resource with such a version opens both paths', async () => {
  const { clientId, clientSecret } = library
  const reply = await fetch(`${server.authUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      resource: `${server.baseUrl}/1/library/api/library`,
    }),
  })
  assert.equal(reply.status, 200)
  // The reply of RFC 6749, section 5.1.
  const { access_token } = (await reply.json()) as { access_token: string }
  for (const version of ['1', '4'])
    assert.equal((await get(`/${version}/library/api/library/e/all/count`, access_token)).status, 200)
  assert.equal((await get('/4/library/api/open/e/all/count', access_token)).status, 200, 'it is public')
})

test('a proof for the URL that the client wrote is accepted, and one for another path is not', async () => {
  const key = await createDpopKey()
  const token = await fetchBoundToken(server, library, `${server.baseUrl}/`, key)
  const url = `${server.baseUrl}/1/library/api/library/e/all/count`
  assert.equal((await fetch(url, { headers: await key.headers({ url, token }) })).status, 200)
  const foreign = await key.headers({ url: url.replace('/e/all', '/e/book'), token })
  assert.equal((await fetch(url, { headers: foreign })).status, 401)
})
