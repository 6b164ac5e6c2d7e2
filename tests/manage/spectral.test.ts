/** Spectral finds nothing in the OpenAPI documents of the management API, the query service and an API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeLibrary } from '#tests/support/library'
import { lintOpenApi } from '#tests/support/spectral'
import { startServer } from '#tests/support/started-server'

test('Spectral finds nothing in the API reference, and a missing description in a copy of it', async t => {
  const server = await startServer()
  t.after(() => server.stop())
  const { token } = await makeLibrary(server)
  const headers = { authorization: `Bearer ${token}` }
  const addresses = [
    `${server.authUrl}/manage/v1/openapi.json`,
    `${server.baseUrl}/4/openapi.json`,
    `${server.baseUrl}/4/library/api/library/openapi.json`,
  ]
  for (const address of addresses) {
    const reply = await fetch(address, { headers })
    assert.equal(reply.status, 200, address)
    // An OpenAPI document has `info` (OpenAPI 3.1, section 4.8.1).
    const document = (await reply.json()) as { info: { description?: string } }
    assert.deepEqual(await lintOpenApi(document), [], address)
    delete document.info.description
    const [finding, ...others] = await lintOpenApi(document)
    assert.match(finding ?? '', /^info-description at info/)
    assert.deepEqual(others, [])
  }
})
