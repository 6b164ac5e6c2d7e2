/** A burst of one account is served, and other accounts are served meanwhile (docs/query.md). */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeDocuments, setUpWorkspace } from '#tests/support/query-things'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const burstQueries = 600

let server: StartedServer
let burstToken: string
let otherToken: string
before(async () => {
  // A slow machine may need longer for 600 queries than a query may take by default.
  server = await startServer(['--query-timeout-ms', '60000'])
  await setUpWorkspace(server, 'visitors', { things: makeDocuments(200, 4) }, {})
  const makeToken = async (name: string) =>
    fetchToken(server, await server.createAccount('visitors', name, 'api'))
  burstToken = await makeToken('web server')
  otherToken = await makeToken('another')
})
after(() => server.stop())

const query = async (token: string): Promise<Response> => {
  const reply = await fetch(`${server.baseUrl}/4/visitors/api/things/e/all/results`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await reply.arrayBuffer()
  return reply
}

test('600 concurrent queries of one account all get a reply, and so do those of another account meanwhile', async () => {
  const burst = Promise.all(Array.from({ length: burstQueries }, () => query(burstToken)))
  let isOver = false
  void burst.then(() => {
    isOver = true
  })
  do assert.equal((await query(otherToken)).status, 200)
  while (!isOver)
  const replies = await burst
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]))
  for (const { headers } of replies) assert.ok(Number(headers.get('ratelimit-remaining')) > 0)
})
