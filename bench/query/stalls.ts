/**
 * The longest step of the server's main thread while somebody sends expensive requests to one workspace: large documents about an API, large
 * replies, hostile workspace files, documents and lists of tools, weak passwords. Steps count processor time, and of several runs the best
 * one, because other processes of the machine swell both. The slowest query of another workspace meanwhile is a figure too. The input of each
 * run differs, so that no cache answers and no write repeats one before.
 */
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Figure, makeFigure } from '#bench/figure'
import { fetchToken, startServerProcess } from '#tests/support/started-server'

export interface Stall {
  attack: string
  /** Status of the reply to the attack. */
  statuses: string
  /** Duration of the slowest query meanwhile, in the best run. */
  worstQueryMs: number
  /** Processor time of the longest step of the main thread, in the best run. */
  longestStepMs: number
}

interface SendOptions {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

const agent = new Agent({ keepAlive: true, maxSockets: 100 })
const queries = new Agent({ keepAlive: true })

/** Reads the whole reply, and keeps its first 64 KiB. */
const send = (url: string, { method = 'GET', headers = {}, body }: SendOptions = {}, connections = agent) =>
  new Promise<{ status: number; cookies: string[]; text: string }>((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: connections }, reply => {
      let text = ''
      reply.on('data', (chunk: Buffer) => {
        if (text.length < 65_536) text += chunk
      })
      reply.on('error', reject)
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, cookies: reply.headers['set-cookie'] ?? [], text }),
      )
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })

const times = <T>(count: number, write: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => write(index))

/** `run` is the number of the run, here and below: 0, 1, 2. */
const apis = (endpoints: number, run: number) => `
workspace: attacker
collections: { docs: { fields: { text: { type: text } } } }
apis: { main: { access: public, endpoints: { ${times(endpoints, index => `e${run}x${index}: { kind: match, collection: docs }`).join(', ')} } } }
`
/** Each run sends the file with another comment at its start. */
const files: Record<string, string> = {
  'a file nested 1,000,000 deep': `workspace: attacker\nx: ${'['.repeat(1_000_000)}`,
  'a file with 400,000 keys': `workspace: attacker\nx: {${'a,'.repeat(400_000)}}`,
  'a file with 40,000 collections': `workspace: attacker\ncollections:\n${times(40_000, index => `  c${index}: {}`).join('\n')}`,
  'a file with 30,000 members': `workspace: attacker\nmembers:\n${times(30_000, index => `  m${index}@example.org: [api]`).join('\n')}`,
  'a file with 10,000 members': `workspace: attacker\nmembers:\n${times(10_000, index => `  m${index}@example.org: [api]`).join('\n')}`,
  'a file with 150,000 groups of synonyms': `workspace: attacker\ncollections: { docs: { synonyms: [${'[a,b],'.repeat(150_000)}] } }`,
  'a file with 14 APIs of 1,000 endpoints': `workspace: attacker\ncollections: { docs: { fields: { text: { type: text } } } }\napis:\n${times(14, api => `  a${api}: { endpoints: { ${times(1000, index => `e${index}: { kind: match, collection: docs }`).join(', ')} } }`).join('\n')}`,
}

const columns = (count: number, run: number) =>
  times(count, index => `c${index.toString(36)}${run === 0 ? '' : `x${run}`}`).join()
const fields = (count: number, run: number) =>
  Object.fromEntries(times(count, index => [`c${index.toString(36)}`, run]))
const ndjson = (document: object) => `${JSON.stringify(document)}\n`

/** Documents at the limits of docs/limits.md, and far beyond them. */
const imports: [name: string, type: string, makeBody: (run: number) => string | Buffer][] = [
  [
    'a CSV file of 10,000 columns',
    'text/csv',
    run => `id,${columns(9_999, 0)}\n1${`,${run}`.repeat(9_999)}\n`,
  ],
  [
    'a CSV file of 150,000 columns',
    'text/csv',
    run => `id,${columns(150_000, 0)}\n1${`,${run}`.repeat(150_000)}\n`,
  ],
  ['a document of 10,000 fields', 'application/x-ndjson', run => ndjson({ id: 1, ...fields(10_000, run) })],
  ['a document of 50,000 fields', 'application/x-ndjson', run => ndjson({ id: 1, ...fields(50_000, run) })],
  [
    'a document of 300,000 lists',
    'application/x-ndjson',
    run => `{"id":1,"b":${run},"a":[${times(300_000, () => '[]')}]}\n`,
  ],
  [
    '20 documents of 5,000 fields each',
    'application/x-ndjson',
    run => times(20, id => ndjson({ id, ...fields(5_000, run) })).join(''),
  ],
  [
    'a line of 300 MB in gzip',
    'application/x-ndjson',
    run =>
      gzipSync(Buffer.concat([Buffer.from(`{"id":1,"b":${run},"a":"`), Buffer.alloc(300_000_000, 'x')]), {
        level: 1,
      }),
  ],
]

/** The definition of an API with 500 facets and 499 other endpoints. */
const facets = (run: number) => `
workspace: attacker
collections: { docs: { fields: { text: { type: text }, section: { type: keyword } } } }
apis:
  main:
    access: public
    endpoints:
${times(500, index => `      f${index}: { kind: facet, field: section, title: "${run}${'x'.repeat(94)}" }`).join('\n')}
${times(499, index => `      e${index}: { kind: match, collection: docs }`).join('\n')}
`

/** Formats and requests of the largest pages. */
const pages = [
  ...['json', 'csv', 'xlsx', 'xml', 'rdf'].map(format => `results?count=1000&format=${format}`),
  'results?count=1000&attributes=c1',
  'resultpage?count=1000',
]

/** Runs of each attack. */
const runs = 3

/** A year, repeated: each is another one, and all are as easy to guess. */
const makeWeakPassword = (index: number): string =>
  String(1900 + (index % 120)).repeat(14 + Math.floor(index / 120))

const meterPath = join(tmpdir(), `querent-steps-${process.pid}.sock`)

/** Longest step since the call before, in milliseconds. */
const readLongestStep = () =>
  new Promise<number>((resolve, reject) => {
    let text = ''
    connect(meterPath)
      .on('data', chunk => {
        text += chunk
      })
      .on('end', () => resolve(Number(text)))
      .on('error', reject)
  })

/** `say` reports the current measurement. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const measureStalls = async (say: (text: string) => void): Promise<Stall[]> => {
  process.env.QUERENT_STEP_METER = meterPath
  process.env.NODE_OPTIONS = `--import ${new URL('step-meter.ts', import.meta.url).href}`
  const server = await startServerProcess(['--rate-limit', 'off'])
  delete process.env.NODE_OPTIONS
  try {
    await server.run(['apply', '-'], {
      input:
        'workspace: victim\ncollections: { docs: { fields: { text: { type: text } } } }\napis: { main: { access: public, endpoints: { all: { kind: all, collection: docs } } } }\n',
    })
    await server.run(['import', 'victim', 'docs', '-'], { input: '{"id":"1","text":"a"}\n' })
    const query = `${server.baseUrl}/4/victim/api/main/e/all/results`

    /** `prepare` makes what a run attacks, or its input, and is not measured. */
    const during = async <Input>(
      attack: string,
      attackOnce: (run: number, input: Input) => Promise<number[]>,
      prepare: (run: number) => Input | Promise<Input>,
    ): Promise<Stall> => {
      const stalls: Stall[] = []
      for (let run = 0; run < runs; run++) {
        const input = await prepare(run)
        stalls.push(await measure(attack, () => attackOnce(run, input)))
      }
      const best: Stall = {
        attack,
        statuses: [...new Set(stalls.map(({ statuses }) => statuses))].join('; '),
        worstQueryMs: Math.min(...stalls.map(({ worstQueryMs }) => worstQueryMs)),
        longestStepMs: Math.min(...stalls.map(({ longestStepMs }) => longestStepMs)),
      }
      say(
        `${attack}: longest step ${Math.round(best.longestStepMs)} ms, slowest query ${Math.round(best.worstQueryMs)} ms, ${best.statuses}`,
      )
      return best
    }
    const measure = async (attack: string, attackOnce: () => Promise<number[]>): Promise<Stall> => {
      await readLongestStep()
      let isOver = false
      const running = attackOnce().finally(() => {
        isOver = true
      })
      let worstQueryMs = 0
      while (!isOver) {
        const startedMs = performance.now()
        await send(query, {}, queries)
        worstQueryMs = Math.max(worstQueryMs, performance.now() - startedMs)
      }
      const statuses = Map.groupBy(await running, status => status)
      return {
        attack,
        statuses: [...statuses].map(([status, { length }]) => `${length} × ${status}`).join(', '),
        worstQueryMs,
        longestStepMs: await readLongestStep(),
      }
    }

    // Modules that the server loads at the first request do not count.
    for (let index = 0; index < 2000; index++) await send(query, {}, queries)
    const prepareNothing = () => undefined
    const stalls = [
      await during('none', () => new Promise(resolve => setTimeout(() => resolve([]), 3000)), prepareNothing),
    ]

    const applyFile = (input: string) => server.run(['apply', '-'], { input })
    const largest = await applyFile(apis(14_000, 0)).then(
      () => 14_000,
      () => 1000,
    )
    const applyApis = (run: number) => applyFile(apis(largest, run))
    const document = `${server.baseUrl}/4/attacker/api/main/openapi.json`
    const get = async (headers = {}) => (await send(document, { headers })).status
    stalls.push(
      await during(`openapi.json of ${largest} endpoints, once`, async () => [await get()], applyApis),
      await during(
        `openapi.json of ${largest} endpoints, 8 at once`,
        () => Promise.all(times(8, () => get())),
        applyApis,
      ),
    )

    // The server writes this file for commands on this machine.
    const client = JSON.parse(await readFile(join(server.data, 'operator.json'), 'utf8')) as {
      clientId: string
      clientSecret: string
    }
    const token = await fetchToken({ authUrl: server.authUrl, baseUrl: `${server.authUrl}/manage` }, client)
    const apply = async (source: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ source, dryRun: true })
      return (await send(`${server.authUrl}/manage/v1/apply`, { method: 'POST', headers, body })).status
    }
    const listTools = async () => {
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
      return (await send(`${server.baseUrl}/4/attacker/api/main/mcp`, { method: 'POST', headers, body }))
        .status
    }
    stalls.push(
      await during(
        'tools/list of 500 facets and 499 others, 25 at once',
        () => Promise.all(times(25, listTools)),
        run => applyFile(facets(run)),
      ),
    )
    const documentsToken = await fetchToken(server, client)
    for (const [name, type, makeBody] of imports) {
      const url = `${server.baseUrl}/4/attacker/collections/docs/documents`
      const sendBody = async (_: number, body: string | Buffer) => {
        const headers = {
          authorization: `Bearer ${documentsToken}`,
          'content-type': type,
          ...(typeof body === 'string' ? {} : { 'content-encoding': 'gzip' }),
        }
        return [(await send(url, { method: 'POST', headers, body })).status]
      }
      stalls.push(await during(name, sendBody, makeBody))
    }
    await applyFile(
      'workspace: attacker\ncollections: { wide: { fields: { text: { type: text } } } }\napis: { wide: { access: public, endpoints: { all: { kind: all, collection: wide } } } }\n',
    )
    const importWide = (run: number) =>
      server.run(['import', 'attacker', 'wide', '-'], {
        input: times(1000, id => ndjson({ id, ...fields(990, run) })).join(''),
      })
    for (const page of pages)
      stalls.push(
        await during(
          `1,000 documents of 990 fields: ${page}`,
          async () => [(await send(`${server.baseUrl}/4/attacker/api/wide/e/all/${page}`)).status],
          importWide,
        ),
      )
    const list = `${server.baseUrl}/4/attacker/collections/wide/documents`
    for (const options of ['count=1000', 'format=ndjson'])
      stalls.push(
        await during(
          `the list of these documents with ${options}`,
          async () => [
            (await send(`${list}?${options}`, { headers: { authorization: `Bearer ${documentsToken}` } }))
              .status,
          ],
          importWide,
        ),
      )
    const propose = async (text: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const body = JSON.stringify({ name: 'sample', format: 'csv', isCut: false, text })
      const url = `${server.authUrl}/manage/v1/workspaces/attacker/proposals`
      return (await send(url, { method: 'POST', headers, body })).status
    }
    for (const count of [10_000, 60_000])
      stalls.push(
        await during(
          `a sample of ${count} columns`,
          async (_, text: string) => [await propose(text)],
          run => `${columns(count, run)}\n1${`,${run}`.repeat(count - 1)}\n`,
        ),
      )
    await apply('workspace: attacker')
    for (const [name, source] of Object.entries(files))
      stalls.push(
        await during(
          name,
          async (_, file: string) => [await apply(file)],
          run => `# ${run}\n${source}`,
        ),
      )

    // The JSON reply of `querent users reset`.
    const { url } = (await server.run(['users', 'reset', 'ada@example.org'])) as { url: string }
    const page = await send(url)
    const formToken = /name="form_token" value="([^"]*)"/.exec(page.text)?.[1] ?? ''
    const cookie = page.cookies.map(header => header.split(';')[0]).join('; ')
    const choose = async (password: string) => {
      const headers = {
        cookie,
        origin: server.authUrl,
        'content-type': 'application/x-www-form-urlencoded',
      }
      const body = new URLSearchParams({ form_token: formToken, action: 'save', password }).toString()
      return (await send(url, { method: 'POST', headers, body })).status
    }
    await choose('19741974'.repeat(8))
    const countPerRun = 60
    stalls.push(
      await during(
        `${countPerRun} weak passwords at once`,
        (_, passwords: readonly string[]) => Promise.all(passwords.map(choose)),
        run => times(countPerRun, index => makeWeakPassword(run * countPerRun + index)),
      ),
    )
    return stalls
  } finally {
    agent.destroy()
    queries.destroy()
    await server.stop()
  }
}

const goalMs = 50

/** The longest step of the main thread, and the slowest query of another workspace, during each attack. */
export const stallFigures = async (say: (text: string) => void): Promise<Figure[]> =>
  (await measureStalls(say)).flatMap(({ attack, longestStepMs, worstQueryMs }) => [
    makeFigure([longestStepMs], {
      name: `longest step of the main thread during: ${attack}`,
      unit: 'ms',
      better: 'lower',
      goal: goalMs,
    }),
    // The time of the machine's other processes is in it, so it has no goal.
    makeFigure([worstQueryMs], {
      name: `slowest query of another workspace during: ${attack}`,
      unit: 'ms',
      better: 'lower',
    }),
  ])
