/** An AI agent that nobody registered, with a Client ID Metadata Document: `openid-client` as the agent, a real server with its settings. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import * as client from 'openid-client'
import { openTestDocuments } from '#server/http/test-documents'
import { makeLibrary } from '#tests/support/library'
import { makeMember, type Person } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { findErrorLines, type ServerProcess, startServerProcess } from '#tests/support/started-server'

const redirectUri = 'http://127.0.0.1:33418/callback'
let documents: Awaited<ReturnType<typeof openTestDocuments>>
let folder: string
let server: ServerProcess
let person: Person
let setAllowed: (allowMetadataClients: boolean) => Promise<number>

before(async () => {
  documents = await openTestDocuments()
  folder = await mkdtemp(join(tmpdir(), 'querent-agent-'))
  const authority = join(folder, 'ca.pem')
  await writeFile(authority, documents.ca)
  process.env.NODE_EXTRA_CA_CERTS = authority
  server = await startServerProcess(['--internal-hosts', `localhost:${documents.port}`])
  await makeLibrary(server)
  person = await makeMember(server, 'library', 'grace@example.org')
  const token = await consoleToken(
    server,
    await makeMember(server, 'library', 'ada2@example.org', 'administrator'),
  )
  setAllowed = async allowMetadataClients => {
    const reply = await fetch(`${server.authUrl}/manage/v1/workspaces/library/settings`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ allowMetadataClients }),
    })
    return reply.status
  }
})
after(async () => {
  delete process.env.NODE_EXTRA_CA_CERTS
  await server?.stop()
  await documents?.close()
  await rm(folder, { recursive: true })
})

const query = async (token: string) => {
  const reply = await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return reply.status
}

test('an agent signs a person in, searches and refreshes, until the workspace no longer allows it', async () => {
  const id = documents.publish('/agent.json', { redirect_uris: ['http://127.0.0.1/callback'] })
  const config = await client.discovery(new URL(server.authUrl), id, undefined, client.None(), {
    // The server of this test has no certificate.
    execute: [client.allowInsecureRequests],
  })
  assert.equal(config.serverMetadata().client_id_metadata_document_supported, true)
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    resource: `${server.baseUrl}/4/library`,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  })
  await assert.rejects(person.completeFlow(address), /invalid_target/, 'the default is false')
  assert.deepEqual(documents.requests, [])
  assert.equal(await setAllowed(true), 200)

  const headings: string[] = []
  const answer = await person.completeFlow(address, headings)
  assert.deepEqual(headings, ['Sign in', `Allow Agent (localhost:${documents.port}) to access your account?`])
  const tokens = await client.authorizationCodeGrant(config, answer, {
    pkceCodeVerifier,
    idTokenExpected: true,
  })
  assert.equal(await query(tokens.access_token), 200)
  const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '')
  assert.equal(await query(refreshed.access_token), 200)
  assert.deepEqual(documents.requests, ['/agent.json'], 'the server keeps the document for a while')

  assert.equal(await setAllowed(false), 200)
  assert.equal(await query(refreshed.access_token), 403)
  await assert.rejects(client.refreshTokenGrant(config, refreshed.refresh_token ?? ''), {
    error: 'invalid_grant',
  })
  assert.equal(findErrorLines(server.log()), '')
})
