/** Metrics for Prometheus: up-to-date values, on a separate port, under labels that clients cannot choose. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Library, makeLibrary } from '#tests/support/library'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let library: Library
let metricsUrl: string

before(async () => {
  server = await startServerProcess(['--metrics-port', '0'])
  library = await makeLibrary(server)
  await (await library.get('library/e/all/count')).arrayBuffer()
  const ready = server
    .log()
    .split('\n')
    .find(line => line.includes('"ready"'))
  metricsUrl = JSON.parse(ready ?? '{}').metricsUrl
})
after(() => server.stop())

/** Values by the whole name with labels, as in the text. */
const read = async (): Promise<Map<string, number>> => {
  const reply = await fetch(metricsUrl)
  assert.equal(reply.status, 200)
  assert.match(reply.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  const values = new Map<string, number>()
  const types = new Map<string, string>()
  for (const line of (await reply.text()).split('\n').filter(text => text !== '')) {
    const [, keyword, name = '', type = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (keyword === 'TYPE') types.set(name, type)
    if (keyword) continue
    const [, series = '', metric = '', value] =
      /^(([a-z_0-9]+)(?:\{[^{}]*\})?) ([-+.\w]+)$/.exec(line) ?? assert.fail(`not a sample: ${line}`)
    assert.ok(
      types.has(metric) || types.has(metric.replace(/_(bucket|sum|count)$/, '')),
      `${metric} has a type`,
    )
    assert.ok(!values.has(series), `${series} stands once`)
    values.set(series, Number(value))
  }
  for (const [name, type] of types)
    if (name.endsWith('_total')) assert.equal(type, 'counter', `${name}: gauges have no suffix _total`)
  return values
}
/** Returns how much each value rose during `work`. */
const measureIncrease = async (work: () => Promise<unknown>): Promise<(series: string) => number> => {
  const earlierValues = await read()
  await work()
  const laterValues = await read()
  return series => (laterValues.get(series) ?? 0) - (earlierValues.get(series) ?? 0)
}
const drain = async (reply: Response): Promise<number> => {
  await reply.arrayBuffer()
  return reply.status
}

test('a query is counted by route and status, and each of its steps has a duration', async () => {
  const rose = await measureIncrease(async () => {
    for (const word of ['river', 'garden', 'castle'])
      assert.equal(await drain(await library.get(`library/e/search/p/query/${word}/results`)), 200)
    assert.equal(await drain(await library.get('library/e/none/count')), 400)
  })
  const ofQueries = 'service="query",method="GET",route="/queries"'
  assert.equal(rose(`querent_http_requests_total{${ofQueries},status="200"}`), 3)
  assert.equal(rose(`querent_http_requests_total{${ofQueries},status="400"}`), 1)
  assert.equal(rose(`querent_http_request_duration_seconds_count{${ofQueries}}`), 4)
  assert.equal(rose(`querent_http_request_duration_seconds_bucket{${ofQueries},le="+Inf"}`), 4)
  assert.ok(rose(`querent_http_request_duration_seconds_sum{${ofQueries}}`) > 0)
  for (const [step, times] of Object.entries({ authorize: 4, compile: 3, engine: 3, serialize: 4 }))
    assert.equal(rose(`querent_query_step_duration_seconds_count{step="${step}"}`), times, step)
  assert.equal(rose('querent_searches_total{outcome="ok"}'), 3)
  assert.equal(rose('querent_plans_kept'), 3)
  assert.equal(rose('querent_token_cache_lookups_total{result="miss"}'), 0)
  assert.ok(rose('querent_token_cache_lookups_total{result="hit"}') >= 4)
})

test("a cached token counts once per request, also if the client's cached reply is out of date", async () => {
  const ask = async (tag?: string) => {
    const reply = await library.get(
      'library/e/search/p/query/harbour/results',
      tag === undefined ? {} : { headers: { 'if-none-match': tag } },
    )
    await reply.arrayBuffer()
    return { status: reply.status, tag: reply.headers.get('etag') ?? assert.fail() }
  }
  const { tag } = await ask()
  const hits = 'querent_token_cache_lookups_total{result="hit"}'
  const countHits = async (status: number) => {
    const increase = await measureIncrease(async () => assert.equal((await ask(tag)).status, status))
    return increase(hits)
  }
  assert.equal(await countHits(304), 1)
  await server.run(['import', 'library', 'books', '-'], { input: '{"id":"h1","title":"another harbour"}' })
  assert.equal(await countHits(200), 1)
})

test('a request that the client abandons before the reply counts as 499', {
  timeout: 30_000,
}, async () => {
  const series =
    'querent_http_requests_total{service="authorization",method="POST",route="/oauth/token",status="499"}'
  assert.equal((await read()).get(series), undefined)
  const { host, hostname, port } = new URL(server.authUrl)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const form = 'content-type: application/x-www-form-urlencoded\r\ncontent-length: 100'
  socket.write(`POST /oauth/token HTTP/1.1\r\nhost: ${host}\r\n${form}\r\n\r\ngrant_type`, () =>
    socket.destroy(),
  )
  while ((await read()).get(series) !== 1);
})

test('buckets are cumulative, and the last one contains all', async () => {
  const values = [...(await read())].filter(([series]) => series.includes('_bucket{step="engine"'))
  const counts = values.map(([, value]) => value)
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
  )
  assert.equal(counts.at(-1), (await read()).get('querent_query_step_duration_seconds_count{step="engine"}'))
})

test('tokens are counted by grant, and rejections by their error or failed check', async () => {
  const rose = await measureIncrease(async () => {
    await fetchToken(server, library)
    await assert.rejects(fetchToken(server, { ...library, clientSecret: 'wrong' }))
    for (const authorization of ['', 'Bearer none', `Bearer ${library.token}`])
      await drain(
        await fetch(`${server.baseUrl}/4/other/api/library/e/all/count`, { headers: { authorization } }),
      )
  })
  assert.equal(rose('querent_tokens_issued_total{grant="client_credentials"}'), 1)
  assert.equal(rose('querent_token_refusals_total{error="invalid_client"}'), 1)
  assert.equal(rose('querent_access_refusals_total{check="token"}'), 2)
  assert.equal(
    rose('querent_access_refusals_total{check="client-workspace"}') +
      rose('querent_access_refusals_total{check="membership"}'),
    1,
  )
})

test('imports are counted by document', async () => {
  const rose = await measureIncrease(() =>
    server.run(['import', 'library', 'books', '-'], {
      input: '{"id":"m1","title":"one"}\n{"id":"m2","title":"two"}',
    }),
  )
  assert.equal(rose('querent_import_documents_total'), 2)
  assert.equal((await read()).get('querent_imports_running'), 0)
})

test('metrics describe the process, its event loop, its version and its readiness', async () => {
  const values = await read()
  assert.equal(values.get('querent_ready'), 1)
  assert.ok((values.get('querent_change_feed_age_seconds') ?? 99) < 30)
  for (const name of [
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'process_cpu_seconds_total',
  ])
    assert.ok(values.has(name), name)
  assert.ok([...values.keys()].some(series => series.startsWith('querent_build_info{version="')))
})

test('no request can create new series or put text into labels', async () => {
  const word = 'unutterable'
  const ask = async (word: string) => {
    for (const url of [
      `${server.baseUrl}/${word}`,
      `${server.baseUrl}/4/${word}/api/${word}/e/${word}/count`,
      `${server.baseUrl}/4/${word}/collections/${word}/documents/${word}`,
      `${server.authUrl}/${word}`,
      `${server.authUrl}/oauth/${word}`,
      `${server.authUrl}/interaction/${word}`,
      `${server.authUrl}/console/${word}`,
      `${server.authUrl}/manage/v1/workspaces/${word}/members`,
    ])
      for (const method of ['GET', 'PROPFIND']) await drain(await fetch(url, { method }))
    await drain(
      await fetch(`${server.authUrl}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ grant_type: word }),
      }),
    )
  }
  const findOwnSeries = (values: Map<string, number>) =>
    [...values.keys()].filter(series => series.startsWith('querent_'))
  await ask(word)
  const seriesBefore = findOwnSeries(await read())
  for (let index = 0; index < 10; index++) await ask(`${word}${index}`)
  assert.deepEqual(findOwnSeries(await read()), seriesBefore)
  for (const secret of [word, library.clientId, 'library', 'ada@example.org'])
    assert.ok(!seriesBefore.some(series => series.includes(secret)), secret)
})

test('the public ports have no metrics, and the metrics port has only metrics and health', async () => {
  for (const url of [server.baseUrl, server.authUrl])
    assert.equal(await drain(await fetch(`${url}/metrics`)), 404, url)
  for (const [path, status] of [
    ['/healthz', 200],
    ['/readyz', 200],
    ['/', 404],
    ['/4/library/api/open/e/all/count', 404],
  ] as const)
    assert.equal(await drain(await fetch(new URL(path, metricsUrl))), status, path)
  assert.equal(await drain(await fetch(metricsUrl, { method: 'POST' })), 404)
})

test('the alerts and the dashboard in deploy/monitoring use metrics that exist', async () => {
  const text = await (await fetch(metricsUrl)).text()
  const served = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name))
  for (const file of ['alerts.yaml', 'grafana-dashboard.json']) {
    const path = join(import.meta.dirname, '..', '..', 'deploy', 'monitoring', file)
    const names = (await readFile(path, 'utf8')).match(/\b(querent|process|nodejs)_[a-z0-9_]+/g) ?? []
    assert.ok(names.length > 5, file)
    for (const name of names)
      assert.ok(served.has(name) || served.has(name.replace(/_bucket$/, '')), `${file}: ${name}`)
  }
})
