/** `--workers`: several threads answer queries over one engine. The system spreads connections over them, so each request gets its ownRows. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Usage, UsageSummary } from '@querent/contract/manage'
import { waitUntil } from '#server/test-wait'
import { books, type Library, makeLibrary } from '#tests/support/library'
import { findErrorLines, type ServerProcess, startServerProcess } from '#tests/support/started-server'

const workers = 3
const requestsPerMinute = 150
/** The limit of a thread for one workspace; the system may give one thread all connections. */
const imports = 8
/** With as many connections, each thread gets some. */
const connections = 40

let server: ServerProcess
let library: Library
let metricsUrl: string
before(async () => {
  const flags = ['--workers', String(workers), '--metrics-port', '0']
  server = await startServerProcess([...flags, '--rate-limit', String(requestsPerMinute)])
  const ready = server
    .log()
    .split('\n')
    .find(line => line.includes('"metricsUrl"'))
  metricsUrl = JSON.parse(ready ?? '{}').metricsUrl
  library = await makeLibrary(server)
})
after(() => server?.stop())

interface Reply {
  status: number
  body: string
}

/** Sends a request on a connection of its ownRows. */
const send = (
  path: string,
  { token, method = 'GET', body }: { token?: string; method?: string; body?: string },
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/x-ndjson' }),
    }
    const outgoing = request(`${server.baseUrl}${path}`, { method, agent: false, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

const sendMany = (count: number, path: string, token?: string): Promise<Reply[]> =>
  Promise.all(Array.from({ length: count }, () => send(path, token === undefined ? {} : { token })))

const countByStatus = (replies: readonly Reply[]): Record<string, number> =>
  Object.fromEntries(
    [...Map.groupBy(replies, ({ status }) => status)].map(([status, list]) => [status, list.length]),
  )

const makeToken = async (name: string, roles: readonly string[]) => {
  const flags = roles.flatMap(role => ['--role', role])
  const account = await server.run(['s2s', 'create', 'library', name, ...flags])
  // The contract's reply to `s2s create`.
  const { clientId, clientSecret } = account as { clientId: string; clientSecret: string }
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    audience: server.baseUrl,
  })
  const reply = await fetch(`${server.authUrl}/oauth/token`, { method: 'POST', body })
  // RFC 6749, section 5.1.
  return { clientId, token: ((await reply.json()) as { access_token: string }).access_token }
}

const managementToken = async (): Promise<string> => {
  // Written by `querent serve`.
  const operator = JSON.parse(await readFile(join(server.data, 'operator.json'), 'utf8')) as Record<
    'clientId' | 'clientSecret',
    string
  >
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: operator.clientId,
    client_secret: operator.clientSecret,
    audience: `${server.authUrl}/manage/`,
  })
  const reply = await fetch(`${server.authUrl}/oauth/token`, { method: 'POST', body })
  // RFC 6749, section 5.1.
  return ((await reply.json()) as { access_token: string }).access_token
}

const count = '/4/library/api/library/e/all/count'

test('every connection gets the same answers, and the metrics of all threads are added up', async () => {
  const readTotal = async () => {
    const text = await (await fetch(metricsUrl)).text()
    const lines = text
      .split('\n')
      .filter(line => line.startsWith('querent_http_requests_total{') && line.includes('service="query"'))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  const { token } = await makeToken('same answers', ['api'])
  const totalBefore = await readTotal()
  const replies = await sendMany(
    connections,
    '/4/library/api/library/e/search/p/query/silent%20river/results',
    token,
  )
  assert.deepEqual(countByStatus(replies), { 200: connections })
  assert.equal(new Set(replies.map(({ body }) => body)).size, 1)
  await waitUntil(async () => (await readTotal()) >= totalBefore + connections)
  assert.equal(await readTotal(), totalBefore + connections)
})

test('the usage of all threads adds up exactly, also after they have stopped', async () => {
  const { clientId, token } = await makeToken('usage', ['api'])
  const management = await managementToken()
  const read = async <T>(path: string): Promise<T> => {
    const reply = await fetch(`${server.authUrl}/manage/v1/workspaces/library/${path}`, {
      headers: { authorization: `Bearer ${management}` },
    })
    // The contract's reply.
    return (await reply.json()) as T
  }
  const readFigures = async () => {
    const { items } = await read<{ items: Usage[] }>('usage')
    const ownRows = items.filter(({ account }) => account === clientId)
    const { total } = await read<UsageSummary>('usage/summary?api=library')
    return { queries: ownRows.reduce((sum, { queries }) => sum + queries, 0), refusals: total.refusals }
  }
  await sendMany(connections, count, token)
  await sendMany(connections, count)
  await waitUntil(async () => {
    const { queries, refusals } = await readFigures()
    return queries >= connections && refusals >= connections
  })
  await sendMany(connections, count, token)
  // Each thread writes what it has when it stops.
  await server.shutDown()
  await server.restart()
  assert.deepEqual(await readFigures(), { queries: 2 * connections, refusals: connections })
})

test('the limit of requests per minute is that of all threads together', async () => {
  const { token } = await makeToken('limited', ['api'])
  const replies = await sendMany(requestsPerMinute + 20, count, token)
  assert.deepEqual(countByStatus(replies), { 200: requestsPerMinute, 429: 20 })
})

test('all threads see documents that one of them has written, and a replaced collection', async () => {
  const { token } = await makeToken('importer', ['data-provider'])
  const reader = await makeToken('reader', ['api'])
  const documents = '/4/library/collections/books/documents'
  const added = JSON.stringify({ ...books[0], id: 'added' })
  assert.equal((await send(documents, { token, method: 'POST', body: added })).status, 200)
  const totals = (replies: readonly Reply[]) => [
    ...new Set(replies.map(({ body }) => JSON.parse(body).total)),
  ]
  assert.deepEqual(totals(await sendMany(connections, count, reader.token)), [books.length + 1])

  const lines = books.map(book => JSON.stringify(book)).join('\n')
  assert.equal((await send(`${documents}?replace=true`, { token, method: 'POST', body: lines })).status, 200)
  // Other threads hear of it through the change feed, as other nodes do.
  await waitUntil(async () => {
    const totalsNow = totals(await sendMany(connections / 4, count, reader.token))
    return totalsNow.length === 1 && totalsNow[0] === books.length
  })
})

test('a removed account is soon refused by all threads', async () => {
  const { clientId, token } = await makeToken('removed', ['api'])
  assert.deepEqual(countByStatus(await sendMany(connections, count, token)), { 200: connections })
  await server.run(['s2s', 'remove', 'library', clientId])
  await waitUntil(async () => !countByStatus(await sendMany(connections / 4, count, token))[200])
  assert.equal(countByStatus(await sendMany(connections, count, token))[200], undefined)
})

test('threads import into one collection at the same time without losing documents', async () => {
  const { token } = await makeToken('importers', ['data-provider', 'api'])
  const documents = '/4/library/collections/books/documents'
  const makeLines = (part: number) =>
    Array.from({ length: 20 }, (_, index) =>
      JSON.stringify({ ...books[0], id: `part-${part}-${index}` }),
    ).join('\n')
  const replies = await Promise.all(
    Array.from({ length: imports }, (_, part) =>
      send(documents, { token, method: 'POST', body: makeLines(part) }),
    ),
  )
  assert.deepEqual(countByStatus(replies), { 200: imports })
  assert.equal(JSON.parse((await send(count, { token })).body).total, books.length + imports * 20)
})

test('the server stops and starts again with all its threads', async () => {
  await server.shutDown()
  assert.equal(findErrorLines(server.log()), '')
  await server.restart()
  const replies = await sendMany(connections, '/4/library/api/open/e/all/count')
  assert.deepEqual(countByStatus(replies), { 200: connections })
  await library.get('open/e/all/count')
})
