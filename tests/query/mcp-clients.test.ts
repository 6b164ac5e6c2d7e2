/** Agents as people use them: sign-in of a person by the official client, the official Python client, and the command line of the Inspector. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import {
  Client,
  type OAuthClientInformation,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { openTestDocuments } from '#server/http/test-documents'
import { books, type Library, makeLibrary } from '#tests/support/library'
import { makeMember, type Person, registerApplication } from '#tests/support/person'
import { runPython } from '#tests/support/python'
import { consoleToken } from '#tests/support/query-sign-in'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

const redirectUri = 'http://127.0.0.1:33418/callback'
let documents: Awaited<ReturnType<typeof openTestDocuments>>
let folder: string
let server: ServerProcess
let library: Library
let person: Person
let url: URL

before(async () => {
  documents = await openTestDocuments()
  folder = await mkdtemp(join(tmpdir(), 'querent-mcp-'))
  const authority = join(folder, 'ca.pem')
  await writeFile(authority, documents.ca)
  process.env.NODE_EXTRA_CA_CERTS = authority
  server = await startServerProcess(['--internal-hosts', `localhost:${documents.port}`])
  library = await makeLibrary(server)
  url = new URL(`${server.baseUrl}/4/library/api/library/mcp`)
  person = await makeMember(server, 'library', 'grace@example.org')
  const administrator = await makeMember(server, 'library', 'ada2@example.org', 'administrator')
  const reply = await fetch(`${server.authUrl}/manage/v1/workspaces/library/settings`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${await consoleToken(server, administrator)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ allowMetadataClients: true }),
  })
  assert.equal(reply.status, 200)
})
after(async () => {
  delete process.env.NODE_EXTRA_CA_CERTS
  await server?.stop()
  await documents?.close()
  await rm(folder, { recursive: true })
})

/** An agent's memory of a sign-in. */
const openSignIn = (client: { metadataUrl?: string; information?: OAuthClientInformation }) => {
  const memory: { tokens?: OAuthTokens; verifier?: string; address?: URL } = {}
  const provider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    clientMetadata: { redirect_uris: [redirectUri], client_name: 'Agent' },
    ...(client.metadataUrl !== undefined && { clientMetadataUrl: client.metadataUrl }),
    clientInformation: () => client.information,
    saveClientInformation: information => {
      client.information = information
    },
    tokens: () => memory.tokens,
    saveTokens: tokens => {
      memory.tokens = tokens
    },
    redirectToAuthorization: address => {
      memory.address = address
    },
    saveCodeVerifier: verifier => {
      memory.verifier = verifier
    },
    codeVerifier: () => memory.verifier ?? '',
  }
  return { provider, memory }
}

const agents = {
  'an agent with a Client ID Metadata Document': async () => ({
    metadataUrl: documents.publish('/agent.json', { redirect_uris: [redirectUri] }),
  }),
  'a registered agent': async () => {
    const { clientId } = await registerApplication(server, 'library', 'native', redirectUri)
    return { information: { client_id: clientId } }
  },
}

for (const [name, makeClient] of Object.entries(agents))
  test(`${name} finds the authorization server, signs a person in and searches`, async () => {
    const { provider, memory } = openSignIn(await makeClient())
    const first = new StreamableHTTPClientTransport(url, { authProvider: provider })
    await assert.rejects(new Client({ name: 'agent', version: '1' }).connect(first), UnauthorizedError)
    assert.equal(memory.address?.searchParams.get('resource'), url.href)
    assert.equal(memory.address?.searchParams.get('code_challenge_method'), 'S256')
    const landed = await person.completeFlow(memory.address ?? '')
    await first.finishAuth(landed.searchParams)

    const client = new Client({ name: 'agent', version: '1' })
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider: provider }))
    const { structuredContent } = await client.callTool({ name: 'all', arguments: {} })
    assert.equal((structuredContent as unknown as { total: number }).total, books.length)
    await client.close()
  })

test('the official Python client lists and calls tools, and reads resources', async () => {
  const reply = (await runPython('mcp-client.py', [url.href, library.token], '')) as {
    tools: string[]
    total: number
    text: string
    resources: string[]
  }
  assert.ok(reply.tools.includes('search'))
  assert.ok(reply.total > 0)
  assert.match(reply.text, /silent/)
  assert.equal(reply.resources.length, 2)
})

test('the Inspector lists and calls tools from the command line', async () => {
  const prepare = join(import.meta.dirname, '..', 'support', 'prepare-inspector.sh')
  const inspector = execFileSync(prepare, { encoding: 'utf8' }).trim()
  const inspect = async (...flags: string[]): Promise<unknown> => {
    const header = `Authorization: Bearer ${library.token}`
    const args = ['--cli', url.href, '--transport', 'http', '--header', header, ...flags]
    const { stdout } = await promisify(execFile)(process.execPath, [inspector, ...args])
    return JSON.parse(stdout)
  }
  const { tools } = (await inspect('--method', 'tools/list')) as { tools: { name: string }[] }
  assert.ok(tools.some(tool => tool.name === 'search'))
  const { structuredContent } = (await inspect(
    ...['--method', 'tools/call', '--tool-name', 'search', '--tool-arg', 'query=silent'],
  )) as { structuredContent: { total: number } }
  assert.ok(structuredContent.total > 0)
})
