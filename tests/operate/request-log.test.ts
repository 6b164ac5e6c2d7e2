/** The request log: at debug, one line per request with the route and no user input; at info, none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patienceMs } from '#server/test-wait'
import { runQuerent } from '#tests/support/command-line'
import { makeLibrary } from '#tests/support/library'
import { startServerProcess } from '#tests/support/started-server'

interface Line {
  time: number
  level: number
  pid: number
  hostname: string
  msg: string
  requestId?: string
  method?: string
  route?: string
  workspace?: string
  api?: string
  endpoint?: string
  status?: number
  code?: string
  ms?: number
  kid?: string
  published?: string[]
}
/** Returns a token of the first operator of a started server. */
const password = 'correct horse battery staple'
const email = 'grace@example.org'

const readLines = (log: string): Line[] =>
  log
    .split('\n')
    .filter(line => line.startsWith('{') && line.includes('"level":'))
    .map(line => JSON.parse(line) as Line)

/** Requests of every kind, each with a word that must not appear in the log. */
const ask = async (
  server: Awaited<ReturnType<typeof startServerProcess>>,
  library: Awaited<ReturnType<typeof makeLibrary>>,
) => {
  const word = 'unutterable'
  const query = await library.get(`library/e/search/p/query/${word}/count?${word}=1`)
  const unknown = await library.get(`library/e/${word}/count`)
  const refusedReply = await fetch(`${server.baseUrl}/4/${word}/api/${word}/e/all/count`, {
    headers: { authorization: `Bearer ${word}` },
  })
  const token = await fetch(`${server.authUrl}/oauth/token?${word}=1`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: word, client_secret: word }),
  })
  const link = await fetch(`${server.authUrl}/interaction/${word}`)
  const management = await fetch(`${server.authUrl}/manage/v1/workspaces/${word}/members?after=${word}`)
  const invited = await server.run(['members', 'invite', 'library', email, '--role', 'user'])
  const nowhere = await fetch(`${server.authUrl}/${word}?${word}`)
  const replies = { query, unknown, refused: refusedReply, token, link, management, nowhere }
  for (const reply of Object.values(replies)) await reply.arrayBuffer()
  return { word, replies, link: JSON.stringify(invited).match(/https?:[^"]+/)?.[0] ?? assert.fail('no link') }
}

test('at trace, each request has a line with its id, route, status and duration, without user input', async () => {
  const server = await startServerProcess(['--log-level', 'trace'])
  try {
    const library = await makeLibrary(server)
    const { word, replies, link } = await ask(server, library)
    // When the server has stopped, the lines of all answered requests are written.
    await server.shutDown()
    const log = server.log()
    assert.ok(!log.includes(word))
    for (const secret of [library.token, library.clientSecret, link, email, 'ada@example.org', password])
      assert.ok(!log.includes(secret), secret)
    for (const line of readLines(log))
      assert.ok(line.time && line.level && line.pid && line.hostname, JSON.stringify(line))
    const lines = new Map(readLines(log).map(line => [line.msg === 'request' ? line.requestId : '', line]))
    const summary = Object.entries(replies).map(([name, reply]) => {
      const line =
        lines.get(reply.headers.get('x-request-id') ?? 'none') ?? assert.fail(`no line for ${name}`)
      assert.equal(line.status, reply.status, name)
      assert.ok(typeof line.ms === 'number' && line.ms > 0)
      const { method, route, workspace, api, endpoint } = line
      return [name, method, route, workspace, api, endpoint]
    })
    assert.deepEqual(summary, [
      ['query', 'GET', '/queries', 'library', 'library', 'search'],
      ['unknown', 'GET', '/queries', 'library', 'library', ''],
      ['refused', 'GET', '/queries', undefined, undefined, undefined],
      ['token', 'POST', '/oauth/token', undefined, undefined, undefined],
      ['link', 'GET', '/interaction/…', undefined, undefined, undefined],
      ['management', 'GET', '/manage/v1/workspaces/:workspace/members', undefined, undefined, undefined],
      ['nowhere', 'GET', 'none', undefined, undefined, undefined],
    ])
  } finally {
    await server.stop()
  }
})

test("at debug, the line of a token request has the token's id, and that of a rejection its code", async t => {
  const server = await startServerProcess(['--log-level', 'debug'])
  try {
    const { clientId, clientSecret } = await makeLibrary(server)
    const token = (extraFields: Record<string, string>) =>
      fetch(`${server.authUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: clientId,
          audience: `${server.baseUrl}/`,
          ...extraFields,
        }),
      })
    const replies = [
      await token({ client_secret: clientSecret }),
      await token({ client_secret: 'wrong' }),
      await fetch(`${server.authUrl}/authorize?client_id=nobody`),
    ]
    for (const reply of replies) await reply.arrayBuffer()
    // The line of a request follows its reply.
    const readSummary = () => {
      const lines = readLines(server.log()).filter(({ msg }) => msg === 'request')
      return replies.map(({ headers }) => {
        const requestLine = lines.find(({ requestId }) => requestId === headers.get('x-request-id'))
        return [requestLine?.route, requestLine?.status, requestLine?.code]
      })
    }
    const areThere = () =>
      assert.deepEqual(readSummary(), [
        ['/oauth/token', 200, undefined],
        ['/oauth/token', 401, 'invalid_client'],
        ['/authorize', 400, 'invalid_client'],
      ])
    await t.waitFor(areThere, { timeout: patienceMs })
  } finally {
    await server.stop()
  }
})

test('at info, successful requests have no lines, and the start, the stop and changes of keys have one each', async t => {
  const server = await startServerProcess()
  try {
    await ask(server, await makeLibrary(server))
    await server.run(['keys', 'rotate'])
    const { stdout } = await runQuerent(['keys', 'rotate', '--data', server.data])
    assert.match(stdout, /^Already published, but not signing yet: /)
    const [key] = (await server.run(['keys', 'list'])) as { kid: string }[]
    await server.run(['keys', 'withdraw', key?.kid ?? ''])
    await server.shutDown()
    // Its last output may arrive after its end.
    await t.waitFor(
      () =>
        assert.deepEqual(
          readLines(server.log()).map(({ msg }) => msg),
          ['ready', 'keys rotated', 'key withdrawn', 'stopping', 'stopped'],
        ),
      { timeout: patienceMs },
    )
    const withdrawalLine = readLines(server.log()).find(({ msg }) => msg === 'key withdrawn')
    assert.deepEqual([withdrawalLine?.kid, withdrawalLine?.published?.length], [key?.kid, 1])
  } finally {
    await server.stop()
  }
})
