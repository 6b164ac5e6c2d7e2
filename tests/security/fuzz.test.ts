/** Sends thousands of malformed requests: no fault, no hang, no crash, no memory growth. `QUERENT_FUZZ=100000` sets their number. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { chooseRuns } from '#server/test-runs'
import { createRandom, type FuzzRequest, fuzzRequests } from '#tests/support/fuzz-requests'
import { type Answer, openPersistentSocket, sendBytes } from '#tests/support/fuzz-socket'
import { makeDocuments, setUpWorkspace } from '#tests/support/query-things'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

const isWhole = process.env.QUERENT_FUZZ !== undefined
const requestsMax = Number(process.env.QUERENT_FUZZ ?? chooseRuns(5_000, 15_000))
/** In the suite it stops after this time, however many it has sent. */
const sendingMs = isWhole ? Number.POSITIVE_INFINITY : 40_000
const atOnce = 12
/** Growth that caches and the garbage collector may cause after the warm-up. */
const growthMbMax = 150

let server: ServerProcess
let token: string
before(async () => {
  server = await startServerProcess(['--rate-limit', 'off'])
  await setUpWorkspace(server, 'fuzz', { things: makeDocuments(200, 5) })
  // The JSON reply of `querent s2s create`.
  const account = (await server.run([
    ...['s2s', 'create', 'fuzz', 'fuzzer'],
    ...['--role', 'api', '--role', 'data-provider'],
  ])) as { clientId: string; clientSecret: string }
  token = await fetchToken(server, account)
})
after(() => server.stop())

/** Anonymous memory of the process, without mapped files, in MB (proc_pid_status(5): RssAnon). */
const anonymousMb = (): number => {
  const [, kb] = /RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.pid()}/status`, 'utf8')) ?? []
  return Number(kb) / 1024
}

/** The documented replies of a busy server. */
const isBusy = ({ status, head, body }: Answer) =>
  status === 503 && head.includes('retry-after:') && /"code":"(timeout|overloaded)"/.test(body)

const describeRequest = ({ bytes }: FuzzRequest) => JSON.stringify(bytes.toString('latin1', 0, 2000))

test('no malformed request causes a fault, a hang, a crash, or growing memory', async t => {
  const random = createRandom(Number(process.env.QUERENT_FUZZ_SEED ?? 6))
  const next = fuzzRequests(random, { workspace: 'fuzz', token, host: new URL(server.baseUrl).host })
  const port = Number(new URL(server.baseUrl).port)
  const authPort = Number(new URL(server.authUrl).port)
  const statuses = new Map<number, number>()
  const deadline = Date.now() + sendingMs
  let sentCount = 0
  let warmMb: number | undefined

  const check = (request: FuzzRequest, answer: Answer) => {
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    assert.ok(
      (answer.status >= 200 && answer.status < 500) || isBusy(answer),
      `${answer.status} ${answer.body.slice(0, 500)} for ${describeRequest(request)}`,
    )
    if (answer.status >= 400 && request.method !== 'HEAD' && !request.toAuth)
      assert.match(answer.body, /"message":".+"requestId":"/s, describeRequest(request))
  }
  const checkBroken = (request: FuzzRequest, replies: string) => {
    for (const [, status] of replies.matchAll(/^HTTP\/1\.1 (\d{3})/gm)) {
      statuses.set(Number(status), (statuses.get(Number(status)) ?? 0) + 1)
      assert.ok(
        Number(status) < 500 || isBusy({ status: Number(status), head: replies, body: replies }),
        `${replies.slice(0, 500)} for ${describeRequest(request)}`,
      )
    }
  }
  const send = async () => {
    const query = openPersistentSocket(port)
    const authorization = openPersistentSocket(authPort)
    while (sentCount < requestsMax && Date.now() < deadline) {
      sentCount++
      if (warmMb === undefined && sentCount > requestsMax / 3) warmMb = anonymousMb()
      const request = next()
      if (request.isBroken) checkBroken(request, await sendBytes(port, request.bytes))
      else {
        const answer = await (request.toAuth ? authorization : query).ask(request.bytes, request.method)
        assert.ok(answer, `closed without an answer: ${describeRequest(request)}`)
        check(request, answer)
      }
    }
    query.close()
    authorization.close()
  }
  await Promise.all(Array.from({ length: atOnce }, send))

  const endMb = anonymousMb()
  t.diagnostic(
    `${sentCount} requests; anonymous memory ${warmMb?.toFixed(0)} MB, at the end ${endMb.toFixed(0)} MB`,
  )
  t.diagnostic(
    `statuses ${[...statuses]
      .toSorted()
      .map(([status, times]) => `${status}: ${times}`)
      .join(', ')}`,
  )
  assert.ok(endMb - (warmMb ?? endMb) < growthMbMax, `grew from ${warmMb} to ${endMb} MB`)
  assert.ok((statuses.get(200) ?? 0) > sentCount / 20, 'too few requests were good')
  const reply = await fetch(`${server.baseUrl}/4/fuzz/api/open/e/all/count`)
  assert.equal(reply.status, 200)
  assert.doesNotMatch(server.log(), /"level":(50|60)/)
})
