/** A validator and schemathesis check the OpenAPI document of the management API against the server (PyPI; prepare-python.sh). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations } from '@querent/contract/manage'
import { chooseRuns } from '#server/test-runs'
import { makeLibrary } from '#tests/support/library'
import { runPython } from '#tests/support/python'
import { schemathesis } from '#tests/support/schemathesis'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
before(async () => {
  server = await startServer()
  await makeLibrary(server)
})
after(() => server?.stop())

const isLonger = chooseRuns(false, true)
const path = '/manage/v1/openapi.json'

test('the document is valid OpenAPI 3.1, readable by everyone, and has every operation', async () => {
  const reply = await fetch(`${server.authUrl}${path}`)
  assert.equal(reply.status, 200)
  // The validator checks its form.
  const document = (await reply.json()) as {
    openapi: string
    paths: Record<string, Record<string, { operationId: string }>>
  }
  assert.match(document.openapi, /^3\.1\./)
  const count = Object.keys(operations).length
  assert.ok(Number(await runPython('validate-openapi.py', [], JSON.stringify(document))) > 10)
  const ids = Object.values(document.paths).flatMap(methods =>
    Object.values(methods).map(({ operationId }) => operationId),
  )
  assert.deepEqual([ids.toSorted(), new Set(ids).size], [Object.keys(operations).toSorted(), count])
})

/** Takes half a minute of processor time. In the ordinary set tests/security/fuzz.test.ts sends malformed requests. */
if (isLonger)
  test('schemathesis finds nothing in the management API', async () => {
    const { accessToken } = (await server.run(['token', '--audience', `${server.authUrl}/manage/`])) as {
      accessToken: string
    }
    await server.applyWorkspace('workspace: passing')
    // Rules that no schema can express, such as a weak password or a bad redirect URI, get 400.
    const settings = `
[checks]
positive_data_acceptance.enabled = false

[parameters]
"path.workspace" = "library"
"path.collection" = "books"

[[operations]]
include-operation-id = "removeWorkspace"
parameters = { "path.workspace" = "passing" }

# If it means to send a bad workspace, the one above replaces it, and all other values are valid.
[[operations]]
include-operation-id = "setMember"
checks.negative_data_rejection.enabled = false
`
    const findings = await schemathesis(`${server.authUrl}${path}`, accessToken, settings)
    assert.equal(findings, '')
  })
