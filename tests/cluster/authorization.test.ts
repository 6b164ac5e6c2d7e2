/** Several authorization servers that share one PostgreSQL give the same answers. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { managementApi } from '@querent/client/manage'
import { decodeProtectedHeader } from 'jose'
import pg from 'pg'
import { patienceMs } from '#server/test-wait'
import { runQuerent } from '#tests/support/command-line'
import { createDpopKey, fetchBoundToken } from '#tests/support/dpop'
import { books, type Library, makeLibrary } from '#tests/support/library'
import { type Node, type Nodes, startNodes } from '#tests/support/nodes'
import { makeMember, openPerson, type Person, registerApplication } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { fetchToken } from '#tests/support/started-server'

/** About a second on an idle machine. Nothing but the change feed makes it happen within this time. */
const soon = { timeout: patienceMs }
const redirectUri = 'http://127.0.0.1:9/callback'

let nodes: Nodes
let one: Node
let otherNode: Node
let library: Library
let reader: Person
let clientId: string
let database: pg.Client
before(async () => {
  nodes = await startNodes({ nodes: [{}, {}], engine: 'opensearch' })
  const [first, second] = nodes.nodes
  assert.ok(first && second)
  one = first
  otherNode = second
  library = await makeLibrary(nodes)
  reader = await makeMember(nodes, 'library', 'reader@example.org')
  clientId = (await registerApplication(nodes, 'library', 'browser', redirectUri)).clientId
  database = new pg.Client({ connectionString: nodes.storage })
  await database.connect()
})
after(async () => {
  await database?.end()
  await nodes?.stop()
})

/** The reply of a node, or of the balancer, to a form. */
const post = async (origin: string | undefined, path: string, form: Record<string, string>) => {
  const reply = await fetch(`${origin}${path}`, { method: 'POST', body: new URLSearchParams(form) })
  const text = await reply.text()
  // Replies of RFC 6749, section 5; that of a revocation is empty.
  return { status: reply.status, json: (text === '' ? {} : JSON.parse(text)) as Record<string, string> }
}
const endpointsAt = (node: Node) => ({ authUrl: node.authUrl ?? '', baseUrl: nodes.baseUrl })
const query = async (node: Node, token: string | undefined): Promise<number> => {
  const reply = await fetch(`${node.queryUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await reply.arrayBuffer()
  return reply.status
}

/** Gets a code through the balancer, which sends each request to another node than the one before. `pages` collects the headings. */
const signIn = async ({
  person = reader,
  scope = 'openid offline_access',
  pages = [],
}: {
  person?: Person | undefined
  scope?: string
  pages?: string[]
} = {}) => {
  const verifier = randomBytes(32).toString('base64url')
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    resource: nodes.baseUrl,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const answer = await person.completeFlow(`${nodes.authUrl}/authorize?${parameters}`, pages)
  const code = answer.searchParams.get('code')
  assert.ok(code, answer.href)
  return {
    grant_type: 'authorization_code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code,
    code_verifier: verifier,
  }
}
const refresh = (node: Node, token: string | undefined) =>
  post(node.authUrl, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: token ?? '',
  })

/** Asserts that both nodes reject the token. */
const waitUntilRefused = async (t: TestContext, token: string | undefined) => {
  for (const node of [one, otherNode])
    await t.waitFor(async () => assert.equal(await query(node, token), 401), soon)
}
/** The management API of one node, with the given token. */
const managementAt = (node: Node, token: string) =>
  managementApi({ authUrl: node.authUrl ?? '', token: async () => token })
/** A browser with an open page. `send` submits its form to a node and returns the reply. */
const openForm = async (url: string) => {
  const page = await fetch(url)
  const cookie = page.headers.getSetCookie().map(header => header.split(';', 1)[0])
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/.exec(await page.text()) ?? []
  return {
    send: (node: Node, fields: Record<string, string>) =>
      fetch(`${node.authUrl}${new URL(url).pathname}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: cookie.join('; ') },
        body: new URLSearchParams({ form_token, ...fields }),
      }),
  }
}

test('a sign-in and the requests after it work while each request goes to another node', async t => {
  const { status, json } = await post(nodes.authUrl, '/oauth/token', await signIn())
  assert.equal(status, 200, JSON.stringify(json))
  for (const node of [one, otherNode]) assert.equal(await query(node, json.access_token), 200)
  const firstRefresh = await refresh(one, json.refresh_token)
  const secondRefresh = await refresh(otherNode, firstRefresh.json.refresh_token)
  assert.deepEqual([firstRefresh.status, secondRefresh.status], [200, 200])
  // A thief has a token that was replaced and whose successor was used (RFC 9700, section 4.14).
  assert.equal((await refresh(one, json.refresh_token)).json.error, 'invalid_grant')
  assert.equal((await refresh(otherNode, secondRefresh.json.refresh_token)).json.error, 'invalid_grant')
  await waitUntilRefused(t, secondRefresh.json.access_token)
})

test('if two nodes get the same code at the same time, at most one issues tokens, and those end', async t => {
  for (let round = 0; round < 5; round++) {
    const form = await signIn()
    const replies = await Promise.all([one, otherNode].map(node => post(node.authUrl, '/oauth/token', form)))
    const granted = replies.filter(({ status }) => status === 200)
    assert.ok(granted.length <= 1)
    for (const { json } of granted) {
      assert.equal((await refresh(one, json.refresh_token)).status, 400)
      await waitUntilRefused(t, json.access_token)
    }
  }
})

test('if two nodes get the same refresh token at the same time, both replies are valid', async () => {
  const { json } = await post(one.authUrl, '/oauth/token', await signIn())
  const tabs = await Promise.all([one, otherNode].map(node => refresh(node, json.refresh_token)))
  assert.deepEqual(
    tabs.map(({ status }) => status),
    [200, 200],
  )
  for (const tab of tabs) assert.equal((await refresh(otherNode, tab.json.refresh_token)).status, 200)
})

test('a logout signs the person out at every node, and both nodes reject the tokens of the session', async t => {
  const person = openPerson(nodes, reader.email, reader.password)
  const { json } = await post(one.authUrl, '/oauth/token', await signIn({ person, scope: 'openid' }))
  for (const node of [one, otherNode]) assert.equal(await query(node, json.access_token), 200)
  const application = new URL(redirectUri).origin
  const logoutParameters = { id_token_hint: json.id_token ?? '', post_logout_redirect_uri: application }
  const landed = await person.completeFlow(`${nodes.authUrl}/logout?${new URLSearchParams(logoutParameters)}`)
  assert.equal(landed.origin, application)
  await waitUntilRefused(t, json.access_token)
  const pages: string[] = []
  await signIn({ person, pages })
  assert.deepEqual(pages, ['Sign in'])
})

test('both nodes list a session, and ending it at one node ends it at both, without ending another session', async t => {
  const [laptop, phone] = [1, 2].map(() => openPerson(nodes, reader.email, reader.password))
  const token = await consoleToken(nodes, laptop ?? assert.fail())
  const sessions = async (node: Node) => (await managementAt(node, token).call('listMySessions', {})).items
  const idsBefore = (await sessions(one)).map(({ id }) => id)
  const { json } = await post(
    otherNode.authUrl,
    '/oauth/token',
    await signIn({ person: phone, scope: 'openid' }),
  )
  const sessionsAfter = await sessions(one)
  assert.deepEqual(await sessions(otherNode), sessionsAfter)
  const [added, ...moreSessions] = sessionsAfter.filter(({ id }) => !idsBefore.includes(id))
  assert.ok(added && moreSessions.length === 0)
  assert.deepEqual(
    added.applications.map(application => application.clientId),
    [clientId],
  )
  await managementAt(one, token).call('endMySession', { params: { sessionId: added.id } })
  assert.deepEqual((await sessions(otherNode)).map(({ id }) => id).toSorted(), idsBefore.toSorted())
  await waitUntilRefused(t, json.access_token)
  const pages = { laptop: [] as string[], phone: [] as string[] }
  await signIn({ person: laptop, pages: pages.laptop })
  await signIn({ person: phone, pages: pages.phone })
  assert.deepEqual(pages, { laptop: [], phone: ['Sign in'] })
})

test('if a consent is withdrawn at one node, the person is asked again, and both nodes reject its tokens', async t => {
  const { json } = await post(otherNode.authUrl, '/oauth/token', await signIn())
  const token = await consoleToken(nodes, reader)
  await managementAt(one, token).call('withdrawMyConsent', { params: { clientId } })
  assert.equal((await refresh(otherNode, json.refresh_token)).json.error, 'invalid_grant')
  await waitUntilRefused(t, json.access_token)
  const pages: string[] = []
  await signIn({ pages })
  assert.match(pages.join(), /^Allow [^,]+$/)
})

test('an invitation that is accepted at two nodes at the same time is accepted once', async () => {
  const management = await nodes.management()
  for (let round = 0; round < 3; round++) {
    const email = `invited${round}@example.org`
    const { url } = await management.call('inviteMember', {
      params: { workspace: 'library' },
      input: { email, roles: ['api'] },
    })
    const form = await openForm(url)
    const names = ['Grace', 'Mallory']
    const registrations = await Promise.all(
      [one, otherNode].map(async (node, index) => {
        const name = names[index] ?? ''
        const reply = await form.send(node, {
          action: 'register',
          name,
          password: `a long phrase of ${name}`,
        })
        return reply.headers.get('location')?.endsWith('/joined')
      }),
    )
    const { rows } = await database.query(
      "select name from users join audit on target = email and action = 'acceptInvitation' where email = $1",
      [email],
    )
    assert.deepEqual(
      rows.map(({ name }) => name),
      names.filter((_, index) => registrations[index]),
    )
    assert.equal(rows.length, 1)
    assert.equal((await fetch(url)).status, 410)
  }
})

test('all nodes count wrong passwords together', async () => {
  const { email, password } = await makeMember(nodes, 'library', 'guessed@example.org')
  const signInPage = `${nodes.authUrl}/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: 'console',
    redirect_uri: `${nodes.authUrl}/console/callback`,
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  })}`
  /** Returns the status of the last page. */
  const guess = async (node: Node, phrase: string): Promise<number> => {
    const fetchFromNode: typeof fetch = (url, init) =>
      fetch(String(url).replace(nodes.authUrl, node.authUrl ?? ''), init)
    const signInAttempt = openPerson(nodes, email, phrase, fetchFromNode).completeFlow(signInPage)
    const stopped = await signInAttempt.then(String, ({ message }: Error) => message)
    return Number(/: (422|429) /.exec(stopped)?.[1] ?? assert.fail(stopped))
  }
  const atOnce = Array.from({ length: 14 }, (_, index) =>
    guess(index % 2 === 0 ? one : otherNode, `wrong ${index}`),
  )
  let wrongGuesses = (await Promise.all(atOnce)).filter(status => status === 422).length
  while ((await guess(wrongGuesses % 2 === 0 ? one : otherNode, 'wrong')) === 422) wrongGuesses += 1
  assert.equal(wrongGuesses, 10)
  for (const node of [one, otherNode]) assert.equal(await guess(node, password), 429)
})

test('one node sees a secret, its removal and a revoked token of the other node', async t => {
  const token = await fetchToken(endpointsAt(one), library)
  assert.equal(await query(otherNode, token), 200, 'at once')
  const added = (await nodes.run(['s2s', 'secret', 'add', 'library', library.clientId])) as {
    clientId: string
    clientSecret: string
  }
  await t.waitFor(() => fetchToken(endpointsAt(otherNode), added), soon)
  const { clientId: client_id, clientSecret: client_secret } = library
  await post(one.authUrl, '/oauth/revoke', { token, client_id, client_secret })
  await t.waitFor(async () => assert.equal(await query(otherNode, token), 401), soon)
  const [account] = (await nodes.run(['s2s', 'list', 'library'])) as { secrets: { id: string }[] }[]
  const newest = account?.secrets.at(-1)?.id ?? ''
  await nodes.run(['s2s', 'secret', 'remove', 'library', library.clientId, newest])
  await t.waitFor(() => assert.rejects(fetchToken(endpointsAt(otherNode), added), /401/), soon)
  assert.ok(await fetchToken(endpointsAt(otherNode), library))
})

test('a one-time link that is used at two nodes at the same time works once', async () => {
  const { url } = (await nodes.run(['users', 'reset', reader.email])) as { url: string }
  const form = await openForm(url)
  const passwords = ['the first of two long phrases', 'the second of two long phrases']
  await Promise.all(
    [one, otherNode].map((node, index) =>
      form.send(node, { password: passwords[index] ?? '', action: 'save' }),
    ),
  )
  const { rows } = await database.query("select seq from audit where action = 'passwordReset'")
  assert.equal(rows.length, 1)
})

const kids = async (node: Node): Promise<string[]> => {
  const { keys } = (await (await fetch(`${node.authUrl}/.well-known/jwks.json`)).json()) as {
    keys: { kid: string }[]
  }
  return keys.map(({ kid }) => kid)
}

test('no node publishes a withdrawn signing key, every node rejects its tokens, and new tokens are valid', async t => {
  const token = await fetchToken(endpointsAt(one), library)
  const { kid = '' } = decodeProtectedHeader(token)
  const operator = openPerson(nodes, 'ada@example.org', nodes.password)
  const isActive = async (node: Node) => {
    const { clientId: client_id, clientSecret: client_secret } = library
    return (await post(node.authUrl, '/oauth/introspect', { token, client_id, client_secret })).json.active
  }
  for (const node of [one, otherNode])
    assert.deepEqual([await query(node, token), await isActive(node)], [200, true])
  const management = managementAt(one, await consoleToken(nodes, operator))
  const withdrawn = await management.call('withdrawKey', { params: { kid } })
  assert.deepEqual([await query(one, token), await isActive(one)], [401, false], 'at once where it was done')
  await waitUntilRefused(t, token)
  for (const node of [one, otherNode]) {
    await t.waitFor(async () => assert.equal(await isActive(node), false), soon)
    const nodeKids = await kids(node)
    assert.deepEqual(
      [nodeKids.includes(kid), withdrawn.published.every(publishedKid => nodeKids.includes(publishedKid))],
      [false, true],
    )
  }
  for (const [from, to] of [
    [one, otherNode],
    [otherNode, one],
  ] as const) {
    const fresh = await fetchToken(endpointsAt(from), library)
    assert.deepEqual([decodeProtectedHeader(fresh).kid], withdrawn.published)
    assert.equal(await query(to, fresh), 200)
  }
  await assert.rejects(nodes.run(['keys', 'withdraw', kid]), /no signing key/)
})

test('if keys are rotated at one node, both publish them, and each accepts tokens that the other signs', async t => {
  const kidsBefore = await kids(one)
  await nodes.run(['keys', 'rotate', '--signs-in', '5s'])
  await t.waitFor(async () => {
    const [kidsNow, otherKids] = [await kids(one), await kids(otherNode)]
    assert.deepEqual(kidsNow, otherKids)
    assert.equal(kidsNow.length, 2 * kidsBefore.length)
  }, soon)
  const signs = { one: new Set<string | undefined>(), other: new Set<string | undefined>() }
  const isNew = (kid: string | undefined) => kid !== undefined && !kidsBefore.includes(kid)
  while (![...signs.one].some(isNew) || ![...signs.other].some(isNew))
    for (const [from, to, kids] of [
      [one, otherNode, signs.one],
      [otherNode, one, signs.other],
    ] as const) {
      const token = await fetchToken(endpointsAt(from), library)
      kids.add(decodeProtectedHeader(token).kid)
      assert.equal(await query(to, token), 200)
    }
})

test('a DPoP proof that one node accepted is refused by the other, for queries and tokens', async () => {
  const key = await createDpopKey()
  const url = `${nodes.baseUrl}/4/library/api/library/e/all/count`
  const token = await fetchBoundToken({ authUrl: nodes.authUrl }, library, nodes.baseUrl, key)
  const ask = async (node: Node, headers: Record<string, string>) => {
    const reply = await fetch(`${node.queryUrl}/4/library/api/library/e/all/count`, { headers })
    await reply.arrayBuffer()
    return reply.status
  }
  const headers = await key.headers({ url, token })
  assert.equal(await ask(one, headers), 200)
  assert.equal(await ask(otherNode, headers), 401)
  const raced = await key.headers({ url, token })
  const outcomes = await Promise.all([one, otherNode, one, otherNode].map(node => ask(node, raced)))
  assert.deepEqual(outcomes.toSorted(), [200, 401, 401, 401])
  const dpop = await key.proof({ method: 'POST', url: `${nodes.authUrl}/oauth/token` })
  const requestToken = async (node: Node) => {
    const reply = await fetch(`${node.authUrl}/oauth/token`, {
      method: 'POST',
      headers: { dpop },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: library.clientId,
        client_secret: library.clientSecret,
        audience: nodes.baseUrl,
      }),
    })
    await reply.arrayBuffer()
    return reply.status
  }
  assert.equal(await requestToken(one), 200)
  assert.equal(await requestToken(otherNode), 400)
})

test('an agent whose every message goes to another node lists and calls tools, with both generations of the client', async () => {
  const url = new URL(`${nodes.baseUrl}/4/library/api/library/mcp`)
  const init = { requestInit: { headers: { authorization: `Bearer ${await fetchToken(nodes, library)}` } } }
  const client = new Client({ name: 'tests', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(url, init))
  const earlier = new EarlierClient({ name: 'tests', version: '1' })
  // Its types don't allow for `exactOptionalPropertyTypes`.
  await earlier.connect(new EarlierTransport(url, init) as unknown as Parameters<EarlierClient['connect']>[0])
  for (const agent of [client, earlier as unknown as Client]) {
    assert.ok((await agent.listTools()).tools.length > 0)
    for (let call = 0; call < 4; call++) {
      const { isError, structuredContent } = await agent.callTool({
        name: 'all',
        arguments: { count: 1, facets: ['genre'] },
      })
      assert.equal(isError ?? false, false)
      assert.equal((structuredContent as { total: number }).total, books.length)
    }
    await agent.close()
  }
})

test('each authorization node has its own operator credential, and a query node says where to find one', async () => {
  const list = (node: Node) => runQuerent(['users', 'list', '--data', node.data, '--json'])
  const secrets = async () =>
    (await database.query("select expires_at from client_secrets where client_id = 'querent-local'")).rows
  assert.deepEqual(
    [(await list(one)).code, (await list(otherNode)).code, (await secrets()).length],
    [0, 0, 2],
  )
  await otherNode.kill()
  await otherNode.start()
  assert.deepEqual(
    [(await list(one)).code, (await list(otherNode)).code, (await secrets()).length],
    [0, 0, 2],
  )
  await otherNode.shutDown()
  assert.equal((await secrets()).length, 1)
  for (const { expires_at } of await secrets()) assert.ok(Number(expires_at) < Date.now() + 3 * 3600 * 1000)
  const queryNode = await nodes.add({ only: 'query' })
  const { code, stderr } = await list(queryNode)
  assert.equal(code, 1)
  assert.match(
    stderr,
    /only answers queries: run this on a machine of the authorization server http.*, with --data/,
  )
})
