/** The authorization server on several nodes that share one PostgreSQL: whichever node is asked, the answer is the same. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { decodeProtectedHeader } from 'jose'
import pg from 'pg'
import { type OpenSearch, startOpenSearch } from '#bench/peers/opensearch'
import { type Library, makeLibrary } from './library.ts'
import { type Node, type Nodes, startNodes } from './nodes.ts'
import { makeMember, type Person, registerApplication } from './person.ts'
import { fetchToken, querent } from './started-server.ts'

/** A second or so, on a machine that has nothing else to do. */
const soon = { timeout: 20_000 }
const redirectUri = 'http://127.0.0.1:9/callback'

let openSearch: OpenSearch
let nodes: Nodes
let one: Node
let other: Node
let library: Library
let reader: Person
let clientId: string
let database: pg.Client
before(async () => {
  openSearch = await startOpenSearch([0, 1])
  nodes = await startNodes({ nodes: [{}, {}], engine: openSearch.url })
  const [first, second] = nodes.nodes
  assert.ok(first && second)
  one = first
  other = second
  library = await makeLibrary(nodes)
  reader = await makeMember(nodes, 'library', 'reader@example.org')
  clientId = (await registerApplication(nodes, 'library', 'browser', redirectUri)).clientId
  database = new pg.Client({ connectionString: nodes.storage })
  await database.connect()
})
after(async () => {
  await database?.end()
  await nodes?.stop()
  await openSearch?.[Symbol.asyncDispose]()
})

/** What a node, or the balancer, says to a form. */
const post = async (origin: string | undefined, path: string, form: Record<string, string>) => {
  const reply = await fetch(`${origin}${path}`, { method: 'POST', body: new URLSearchParams(form) })
  const text = await reply.text()
  // Replies of RFC 6749, section 5; that of a revocation is empty.
  return { status: reply.status, json: (text === '' ? {} : JSON.parse(text)) as Record<string, string> }
}
const at = (node: Node) => ({ authUrl: node.authUrl ?? '', baseUrl: nodes.baseUrl })
const query = async (node: Node, token: string | undefined): Promise<number> => {
  const reply = await fetch(`${node.queryUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await reply.arrayBuffer()
  return reply.status
}

/** Goes for a code through the balancer, where each request comes to another node than the one before. */
const signIn = async () => {
  const verifier = randomBytes(32).toString('base64url')
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid offline_access',
    resource: nodes.baseUrl,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const answer = await reader.goThrough(`${nodes.authUrl}/authorize?${asked}`)
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

test('a person signs in, and goes on, while each request comes to another node', async t => {
  const { status, json } = await post(nodes.authUrl, '/oauth/token', await signIn())
  assert.equal(status, 200, JSON.stringify(json))
  for (const node of [one, other]) assert.equal(await query(node, json.access_token), 200)
  const again = await refresh(one, json.refresh_token)
  const more = await refresh(other, again.json.refresh_token)
  assert.deepEqual([again.status, more.status], [200, 200])
  // Replaced, and its successor was used: a thief has it (RFC 9700, section 4.14).
  assert.equal((await refresh(one, json.refresh_token)).json.error, 'invalid_grant')
  assert.equal((await refresh(other, more.json.refresh_token)).json.error, 'invalid_grant')
  for (const node of [one, other])
    await t.waitFor(async () => assert.equal(await query(node, more.json.access_token), 401), soon)
})

test('of two nodes that are given one code at the same time at most one gives tokens, and those end', async t => {
  for (let round = 0; round < 5; round++) {
    const form = await signIn()
    const replies = await Promise.all([one, other].map(node => post(node.authUrl, '/oauth/token', form)))
    const given = replies.filter(({ status }) => status === 200)
    assert.ok(given.length <= 1)
    for (const { json } of given) {
      assert.equal((await refresh(one, json.refresh_token)).status, 400)
      for (const node of [one, other])
        await t.waitFor(async () => assert.equal(await query(node, json.access_token), 401), soon)
    }
  }
})

test('two nodes that are given one refresh token at the same time give siblings, and both go on', async () => {
  const { json } = await post(one.authUrl, '/oauth/token', await signIn())
  const tabs = await Promise.all([one, other].map(node => refresh(node, json.refresh_token)))
  assert.deepEqual(
    tabs.map(({ status }) => status),
    [200, 200],
  )
  for (const tab of tabs) assert.equal((await refresh(other, tab.json.refresh_token)).status, 200)
})

test('a secret, its removal and a revoked token are known to the other node', async t => {
  const token = await fetchToken(at(one), library)
  assert.equal(await query(other, token), 200, 'at once')
  const added = (await nodes.run(['s2s', 'secret', 'add', 'library', library.clientId])) as {
    clientId: string
    clientSecret: string
  }
  await t.waitFor(() => fetchToken(at(other), added), soon)
  const { clientId: client_id, clientSecret: client_secret } = library
  await post(one.authUrl, '/oauth/revoke', { token, client_id, client_secret })
  await t.waitFor(async () => assert.equal(await query(other, token), 401), soon)
  const [account] = (await nodes.run(['s2s', 'list', 'library'])) as { secrets: { id: string }[] }[]
  const newest = account?.secrets.at(-1)?.id ?? ''
  await nodes.run(['s2s', 'secret', 'remove', 'library', library.clientId, newest])
  await t.waitFor(() => assert.rejects(fetchToken(at(other), added), /401/), soon)
  assert.ok(await fetchToken(at(other), library))
})

test('a link that is used at two nodes at the same time works once', async () => {
  const { url } = (await nodes.run(['users', 'reset', reader.email])) as { url: string }
  const page = await fetch(url)
  const cookie = page.headers.getSetCookie().map(each => each.split(';', 1)[0])
  const [, token = ''] = /name="form_token" value="([^"]+)"/.exec(await page.text()) ?? []
  const passwords = ['the first of two long phrases', 'the second of two long phrases']
  await Promise.all(
    [one, other].map((node, number) =>
      fetch(`${node.authUrl}${new URL(url).pathname}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: cookie.join('; ') },
        body: new URLSearchParams({ form_token: token, password: passwords[number] ?? '', action: 'save' }),
      }),
    ),
  )
  const { rows } = await database.query("select seq from audit where action = 'passwordReset'")
  assert.equal(rows.length, 1)
})

test('keys that one node was told to rotate are published by both, and what either signs is good at the other', async t => {
  const kids = async (node: Node): Promise<string[]> => {
    const { keys } = (await (await fetch(`${node.authUrl}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string }[]
    }
    return keys.map(({ kid }) => kid)
  }
  const before = await kids(one)
  await nodes.run(['keys', 'rotate', '--signs-in', '5s'])
  await t.waitFor(async () => {
    const [now, there] = [await kids(one), await kids(other)]
    assert.deepEqual(now, there)
    assert.equal(now.length, 2 * before.length)
  }, soon)
  const signs = { one: new Set<string | undefined>(), other: new Set<string | undefined>() }
  const isNew = (kid: string | undefined) => kid !== undefined && !before.includes(kid)
  while (![...signs.one].some(isNew) || ![...signs.other].some(isNew))
    for (const [from, to, seen] of [
      [one, other, signs.one],
      [other, one, signs.other],
    ] as const) {
      const token = await fetchToken(at(from), library)
      seen.add(decodeProtectedHeader(token).kid)
      assert.equal(await query(to, token), 200)
    }
})

test('each node has an operator credential of its own; one that only answers queries says where there is one', async () => {
  const list = (node: Node) => querent(['users', 'list', '--data', node.data, '--json'])
  const secrets = async () =>
    (await database.query("select expires_at from client_secrets where client_id = 'querent-local'")).rows
  assert.deepEqual([(await list(one)).code, (await list(other)).code, (await secrets()).length], [0, 0, 2])
  await other.kill()
  await other.start()
  assert.deepEqual([(await list(one)).code, (await list(other)).code, (await secrets()).length], [0, 0, 2])
  await other.shutDown()
  assert.equal((await secrets()).length, 1)
  for (const { expires_at } of await secrets()) assert.ok(Number(expires_at) < Date.now() + 3 * 3600 * 1000)
  const answering = await nodes.add({ only: 'query' })
  const { code, stderr } = await list(answering)
  assert.equal(code, 1)
  assert.match(
    stderr,
    /only answers queries: run this on a machine of the authorization server http.*, with --data/,
  )
})
