/**
 * The longest step of the server's main thread while somebody sends expensive requests to one workspace: large documents about an API, large
 * replies, hostile workspace files, documents and lists of tools, weak passwords. Steps count processor time, and of several runs the best
 * one, because other processes of the machine swell both. The slowest query of another workspace meanwhile is a figure too. The input of each
 * run differs, so that no cache answers and no write repeats one before.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Figure, makeFigure } from '#bench/figure'
import { openPerson } from '#tests/support/person'
import { fetchToken } from '#tests/support/started-server'
import { openStallMeter, type Stall, type StallMeter, send } from './stall-meter.ts'

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

/** A year, repeated: each is another one, and all are as easy to guess. */
const makeWeakPassword = (index: number): string =>
  String(1900 + (index % 120)).repeat(14 + Math.floor(index / 120))

/** `say` reports the current measurement. */
export const measureStalls = async (say: (text: string) => void): Promise<Stall[]> => {
  const meter = await openStallMeter(say)
  try {
    await meter.measure(
      'none',
      () => new Promise(resolve => setTimeout(() => resolve([]), 3000)),
      () => {},
    )
    await attackWithApis(meter)
    const tokens = await fetchTokens(meter)
    await attackWithTools(meter)
    await attackWithImports(meter, tokens)
    await attackWithReplies(meter, tokens)
    await attackWithSamples(meter, tokens)
    await attackWithFiles(meter, tokens)
    await attackWithPasswords(meter)
    await guessPasswords(meter)
    return meter.stalls
  } finally {
    await meter.close()
  }
}

const applyFile = ({ server }: StallMeter, input: string) => server.run(['apply', '-'], { input })

const attackWithApis = async (meter: StallMeter): Promise<void> => {
  const largest = await applyFile(meter, apis(14_000, 0)).then(
    () => 14_000,
    () => 1000,
  )
  const prepare = (run: number) => applyFile(meter, apis(largest, run))
  const get = async () => (await send(`${meter.server.baseUrl}/4/attacker/api/main/openapi.json`)).status
  await meter.measure(`openapi.json of ${largest} endpoints, once`, async () => [await get()], prepare)
  await meter.measure(
    `openapi.json of ${largest} endpoints, 8 at once`,
    () => Promise.all(times(8, get)),
    prepare,
  )
}

interface Tokens {
  management: string
  documents: string
}

const fetchTokens = async ({ server }: StallMeter): Promise<Tokens> => {
  // The server writes this file for commands on this machine.
  const client = JSON.parse(await readFile(join(server.data, 'operator.json'), 'utf8')) as {
    clientId: string
    clientSecret: string
  }
  const manage = { authUrl: server.authUrl, baseUrl: `${server.authUrl}/manage` }
  return { management: await fetchToken(manage, client), documents: await fetchToken(server, client) }
}

const attackWithTools = (meter: StallMeter): Promise<void> => {
  const listTools = async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    const url = `${meter.server.baseUrl}/4/attacker/api/main/mcp`
    return (await send(url, { method: 'POST', headers, body })).status
  }
  return meter.measure(
    'tools/list of 500 facets and 499 others, 25 at once',
    () => Promise.all(times(25, listTools)),
    run => applyFile(meter, facets(run)),
  )
}

const attackWithImports = async (meter: StallMeter, { documents }: Tokens): Promise<void> => {
  const url = `${meter.server.baseUrl}/4/attacker/collections/docs/documents`
  for (const [name, type, makeBody] of imports) {
    const sendBody = async (_: number, body: string | Buffer) => {
      const headers = {
        authorization: `Bearer ${documents}`,
        'content-type': type,
        ...(typeof body === 'string' ? {} : { 'content-encoding': 'gzip' }),
      }
      return [(await send(url, { method: 'POST', headers, body })).status]
    }
    await meter.measure(name, sendBody, makeBody)
  }
}

const attackWithReplies = async (meter: StallMeter, { documents }: Tokens): Promise<void> => {
  const { server } = meter
  await applyFile(
    meter,
    'workspace: attacker\ncollections: { wide: { fields: { text: { type: text } } } }\napis: { wide: { access: public, endpoints: { all: { kind: all, collection: wide } } } }\n',
  )
  const importWide = (run: number) =>
    server.run(['import', 'attacker', 'wide', '-'], {
      input: times(1000, id => ndjson({ id, ...fields(990, run) })).join(''),
    })
  for (const page of pages)
    await meter.measure(
      `1,000 documents of 990 fields: ${page}`,
      async () => [(await send(`${server.baseUrl}/4/attacker/api/wide/e/all/${page}`)).status],
      importWide,
    )
  const list = `${server.baseUrl}/4/attacker/collections/wide/documents`
  const headers = { authorization: `Bearer ${documents}` }
  for (const options of ['count=1000', 'format=ndjson'])
    await meter.measure(
      `the list of these documents with ${options}`,
      async () => [(await send(`${list}?${options}`, { headers })).status],
      importWide,
    )
}

/** Sends JSON to the management API, and returns the status of the reply. */
const sendManagement = async (
  { server }: StallMeter,
  { management }: Tokens,
  path: string,
  input: object,
): Promise<number> => {
  const headers = { authorization: `Bearer ${management}`, 'content-type': 'application/json' }
  const options = { method: 'POST', headers, body: JSON.stringify(input) }
  return (await send(`${server.authUrl}/manage/v1/${path}`, options)).status
}

const attackWithSamples = async (meter: StallMeter, tokens: Tokens): Promise<void> => {
  const propose = (text: string) =>
    sendManagement(meter, tokens, 'workspaces/attacker/proposals', {
      ...{ name: 'sample', format: 'csv', isCut: false },
      text,
    })
  for (const count of [10_000, 60_000])
    await meter.measure(
      `a sample of ${count} columns`,
      async (_, text: string) => [await propose(text)],
      run => `${columns(count, run)}\n1${`,${run}`.repeat(count - 1)}\n`,
    )
}

const attackWithFiles = async (meter: StallMeter, tokens: Tokens): Promise<void> => {
  const apply = (source: string) => sendManagement(meter, tokens, 'apply', { source, dryRun: true })
  await apply('workspace: attacker')
  for (const [name, source] of Object.entries(files))
    await meter.measure(
      name,
      async (_, file: string) => [await apply(file)],
      run => `# ${run}\n${source}`,
    )
}

const attackWithPasswords = async (meter: StallMeter): Promise<void> => {
  const { server } = meter
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
  await meter.measure(
    `${countPerRun} weak passwords at once`,
    (_, passwords: readonly string[]) => Promise.all(passwords.map(choose)),
    run => times(countPerRun, index => makeWeakPassword(run * countPerRun + index)),
  )
}

/** Opens the sign-in pages before, so that all passwords arrive at once. */
export const guessPasswords = async (meter: StallMeter): Promise<void> => {
  const { server } = meter
  const signInPage = `${server.authUrl}/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: 'console',
    redirect_uri: `${server.authUrl}/console/callback`,
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 'S256',
  })}`
  const count = 100
  const prepare = async () => {
    const submission = Promise.withResolvers<void>()
    const openPage = () => {
      const pageOpening = Promise.withResolvers<void>()
      const outcome = openPerson(server, 'ada@example.org', 'wrong', async (url, init) => {
        if (init?.method === 'POST') {
          pageOpening.resolve()
          await submission.promise
        }
        return fetch(url, init)
      }).completeFlow(signInPage)
      // It stops at the page that says no.
      const status = outcome.then(
        () => 200,
        ({ message }: Error) => Number(/: (\d{3}) /.exec(message)?.[1]),
      )
      return { opening: pageOpening.promise, status }
    }
    const pages = times(count, openPage)
    await Promise.all(pages.map(({ opening }) => opening))
    return { submit: submission.resolve, statuses: pages.map(({ status }) => status) }
  }
  await meter.measure(
    `${count} wrong passwords at once`,
    (_, { submit, statuses }: Awaited<ReturnType<typeof prepare>>) => {
      submit()
      return Promise.all(statuses)
    },
    prepare,
  )
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
