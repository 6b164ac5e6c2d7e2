/** Traces as a collector receives them: OTLP over HTTP, in JSON. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { type Library, makeLibrary } from '#tests/support/library'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

/** The parts of the OTLP schema that the tests read (https://opentelemetry.io/docs/specs/otlp/). */
interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: { key: string; value: Record<string, unknown> }[]
}
interface Export {
  resourceSpans: { resource: Pick<Span, 'attributes'>; scopeSpans: { spans: Span[] }[] }[]
}

const spans: Span[] = []
const resources = new Set<string>()
let received = ''
const collector = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  received += text
  assert.equal(request.url, '/v1/traces')
  const { resourceSpans } = JSON.parse(text) as Export
  for (const { resource, scopeSpans } of resourceSpans) {
    resources.add(String(readAttributes(resource)['service.name']))
    for (const scope of scopeSpans) spans.push(...scope.spans)
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
})

const readAttributes = ({ attributes }: Pick<Span, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
const readStart = (span: Span): bigint => BigInt(span.startTimeUnixNano)

const word = 'unutterable'
const traceId = '0af7651916cd43dd8448eb211c80319c'
const parent = 'b7ad6b7169203331'
let server: ServerProcess
let library: Library
let requestId: string | null
let log: string

before(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const address = collector.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  server = await startServerProcess([
    '--log-level',
    'debug',
    '--otlp-endpoint',
    `http://127.0.0.1:${address.port}`,
  ])
  library = await makeLibrary(server)
  const { baseUrl } = server
  const traced = { traceparent: `00-${traceId}-${parent}-01` }
  // The directory has no entry for it, so it has to ask the storage.
  const token = await fetchToken(server, library)
  const resultsReply = await fetch(
    `${baseUrl}/4/library/api/library/e/search/p/query/${word}/results?attributes=${word}`,
    {
      headers: { ...traced, authorization: `Bearer ${token}` },
    },
  )
  assert.equal(resultsReply.status, 200)
  await resultsReply.arrayBuffer()
  requestId = resultsReply.headers.get('x-request-id')
  const untraced = { traceparent: `00-${'1'.repeat(32)}-${parent}-00` }
  assert.equal((await library.get('library/e/all/count', { headers: untraced })).status, 200)
  // The server sends pending spans before it stops.
  await server.shutDown()
  log = server.log()
})
after(async () => {
  collector.closeAllConnections()
  collector.close()
  await server.stop()
})

test('a query continues the trace of its traceparent, and its span has route, status and request id', () => {
  const [span, ...otherSpans] = spans.filter(({ parentSpanId }) => parentSpanId === parent)
  assert.ok(span && otherSpans.length === 0)
  assert.equal(span.traceId, traceId)
  assert.equal(span.name, 'GET /queries')
  assert.deepEqual(readAttributes(span), {
    'http.request.method': 'GET',
    'http.route': '/queries',
    'http.response.status_code': 200,
    'querent.service': 'query',
    'querent.request_id': requestId,
    'querent.workspace': 'library',
    'querent.api': 'library',
    'querent.endpoint': 'search',
  })
  assert.deepEqual([...resources], ['querent'])
})

test('the query span contains the spans of its steps and the search, in their order', () => {
  const span = spans.find(({ parentSpanId }) => parentSpanId === parent) ?? assert.fail()
  const childSpans = spans
    .filter(({ parentSpanId }) => parentSpanId === span.spanId)
    .toSorted((a, b) => Number(readStart(a) - readStart(b)))
  const names = childSpans.map(({ name }) => name).filter(name => !name.startsWith('storage '))
  assert.deepEqual(names, ['authorize', 'compile', 'engine search', 'serialize'])
  for (const childSpan of childSpans) {
    assert.equal(childSpan.traceId, traceId)
    assert.ok(
      readStart(childSpan) >= readStart(span) &&
        BigInt(childSpan.endTimeUnixNano) <= BigInt(span.endTimeUnixNano),
    )
  }
})

test('the span of a storage statement has its kind, and the request as its parent', () => {
  const ids = new Set(spans.filter(({ name }) => name === 'POST /manage/v1/apply').map(span => span.spanId))
  const ofApply = spans.find(
    ({ name, parentSpanId = '' }) => name === 'storage insert' && ids.has(parentSpanId),
  )
  assert.ok(ofApply)
  assert.deepEqual(readAttributes(ofApply), { 'db.system.name': 'sqlite', 'db.operation.name': 'insert' })
})

test('a request that opts out of tracing is not traced', () => {
  assert.ok(spans.every(span => span.traceId !== '1'.repeat(32)))
})

test('log lines contain the trace id', () => {
  const line = log
    .split('\n')
    .find(text => text.includes(`"requestId":"${requestId}"`) && text.includes('"request"'))
  assert.equal(JSON.parse(line ?? assert.fail('no line')).traceId, traceId)
})

test('traces contain no user input and no secrets', () => {
  assert.ok(received.length > 10_000)
  for (const secret of [
    word,
    library.token,
    library.clientSecret,
    library.clientId,
    'ada@example.org',
    'select ',
  ])
    assert.ok(!received.includes(secret), secret)
})
