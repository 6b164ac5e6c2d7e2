/** A node that is cut off from PostgreSQL serves cached data for a bounded time, then replies with 503, and recovers by itself. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeLibrary } from '#tests/support/library'
import { type Node, type Nodes, startNodes } from '#tests/support/nodes'
import { fetchToken } from '#tests/support/started-server'
import { startTcpProxy, type TcpProxy } from '#tests/support/tcp-proxy'

const staleSeconds = 5
/** Timeout of one reply, also if connections hang. */
const replyMsMax = 20_000

let nodes: Nodes
let proxy: TcpProxy
let query: Node
/** Flags of a node that is cut off too, and set to keep serving. */
let serving: Node
let authorization: Node
let library: { clientId: string; clientSecret: string; token: string }
before(async () => {
  nodes = await startNodes({
    nodes: [{ only: 'authorization' }],
    engine: 'opensearch',
    flags: ['--stale-seconds', String(staleSeconds)],
  })
  const { hostname, port } = new URL(nodes.storage)
  proxy = await startTcpProxy({ host: hostname, port: Number(port) })
  const storage = proxy.rewriteUrl(nodes.storage)
  query = await nodes.add({ only: 'query', storage })
  serving = await nodes.add({ only: 'query', storage, flags: ['--when-cut-off', 'serve'] })
  library = await makeLibrary(nodes)
  authorization = await nodes.add({ only: 'authorization', storage })
  // Requests reach it only at its own address.
  nodes.authBalancer.targets.pop()
})
after(async () => {
  proxy?.pass()
  await nodes?.stop()
  await proxy?.[Symbol.asyncDispose]()
})

const fetchReply = async (url: string, init: RequestInit = {}) => {
  const sentAt = performance.now()
  const reply = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(replyMsMax) })
  const body = await reply.text()
  if (reply.status === 503) assert.ok(Number(reply.headers.get('retry-after')) >= 1, body)
  return { status: reply.status, body, sentAt }
}
const count = (token: string, node = query) =>
  fetchReply(`${node.queryUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${token}` },
  })

/** Resolves when both nodes are connected to PostgreSQL again. */
const waitUntilHealthy = async () => {
  for (const url of [
    `${query.queryUrl}/readyz`,
    `${serving.queryUrl}/readyz`,
    `${authorization.authUrl}/readyz`,
  ])
    while ((await fetchReply(url)).status !== 200);
}

const ways = {
  'reset, and refused from then on': () => proxy.refuse(),
  'hanging, without a word': () => proxy.hang(),
}

for (const [way, cut] of Object.entries(ways))
  describe(`its connections are ${way}`, () => {
    test('a query node serves cached data for --stale-seconds, rejects members removed earlier, then replies with 503, and recovers', async () => {
      const management = await nodes.management()
      await waitUntilHealthy()
      const params = { workspace: 'library' }
      const { clientId, clientSecret = '' } = await management.call('createSystemToSystem', {
        params,
        input: { name: way, roles: ['api'] },
      })
      const removed = await fetchToken(nodes, { clientId, clientSecret })
      const { token } = library
      for (const accessToken of [token, removed]) assert.equal((await count(accessToken)).status, 200)

      cut()
      const cutAt = performance.now()
      assert.equal((await count(token)).status, 200, 'what it knows')
      await management.call('removeSystemToSystem', { params: { ...params, clientId } })
      for (const accessToken of [token, removed])
        for (let status = 200; status !== 503; ) {
          const reply = await count(accessToken)
          status = reply.status
          assert.ok(status === 200 || status === 503, reply.body)
          if (status === 200) assert.ok(reply.sentAt - cutAt < staleSeconds * 1000, 'a yes that is too old')
        }
      assert.match((await count(token)).body, /"code":"unavailable"/)

      proxy.pass()
      while ((await count(token)).status !== 200);
      assert.equal((await count(removed)).status, 401)
    })

    test('a node that cannot look anything up is not ready while it serves cached data, unless --when-cut-off is serve', async () => {
      await waitUntilHealthy()
      const isReady = async (node: Node) => {
        const { status, body } = await fetchReply(`${node.queryUrl}/readyz`)
        assert.ok(status === 200 || body.includes('"code":"unavailable"'), body)
        return status === 200
      }
      for (const node of [query, serving]) assert.equal((await count(library.token, node)).status, 200)
      cut()
      const cutAt = performance.now()
      while (await isReady(query));
      const isServing = await isReady(serving)
      // A machine that was suspended in the meantime proves nothing.
      if (performance.now() - cutAt < staleSeconds * 1000) {
        assert.ok(isServing)
        assert.equal((await count(library.token)).status, 200)
      }
      while (await isReady(serving));
      proxy.pass()
      await waitUntilHealthy()
    })

    test('an authorization node replies with 503 to token requests and on its pages, and recovers', async () => {
      const form = new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: library.clientId,
        client_secret: library.clientSecret,
        audience: nodes.baseUrl,
      })
      const token = () => fetchReply(`${authorization.authUrl}/oauth/token`, { method: 'POST', body: form })
      const page = () =>
        fetchReply(
          `${authorization.authUrl}/authorize?client_id=console&response_type=code&redirect_uri=${encodeURIComponent(`${nodes.authUrl}/console/callback`)}&code_challenge=${'a'.repeat(43)}&code_challenge_method=S256`,
          { headers: { accept: 'text/html' } },
        )
      await waitUntilHealthy()
      assert.equal((await token()).status, 200)
      assert.equal((await page()).status, 303)
      cut()
      for (let status = 200; status !== 503; ) {
        const reply = await token()
        status = reply.status
        assert.ok(status === 200 || status === 503, `${status} ${reply.body}`)
      }
      const { status, body } = await page()
      assert.equal(status, 503, body)
      assert.match(body, /<h1>/)
      proxy.pass()
      while ((await token()).status !== 200);
      while ((await page()).status !== 303);
    })

    test('a node that starts while PostgreSQL is away exits with one line that says why', async () => {
      cut()
      const result = await nodes.attemptStart({ only: 'query', storage: proxy.rewriteUrl(nodes.storage) })
      proxy.pass()
      assert.equal(result.code, 1)
      assert.match(
        result.stderr,
        /^querent: the storage cannot be reached \([^\n]+\): check --storage[^\n]+\n$/,
      )
    })
  })
