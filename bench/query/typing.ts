/**
 * The queries of a search box with 200,000 documents, over HTTP with a token, one at a time: half-typed words, typos, both. Beside them
 * OpenSearch with `index_prefixes` and `fuzziness`, and MiniSearch behind node:http.
 */
import { createWriteStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, corpus } from '#bench/engine/corpus'
import { makeQueries, type QueryKind, type Stack } from '#bench/engine/queries'
import { type Figure, makeFigure } from '#bench/figure'
import { type LoadRequest, type LoadResult, startLoad } from '#bench/http/load'
import { pinningNote, serverCore, startPinned } from '#bench/http/pinned'
import { fetchToken, makeAccount, makeDataFolder, querent, serve } from '#bench/http/querent'
import { makeRateFigure, rounds, type Say } from '#bench/http/rounds'
import { type OpenSearch, startOpenSearch } from '#bench/peers/opensearch'
import { type DocumentAt, importDocuments } from './catalog-documents.ts'

const documentCount = 200_000
const documentsABulk = 5_000
const queryCount = 400
const seed = 7
const seconds = 2
const connections = 32
/** The JVM compiles OpenSearch while it runs. */
const warmUpSeconds = 15
const { workspace } = catalog

const kinds = [
  'one letter of a word',
  'two letters of a word',
  'three letters of a word',
  'two words, the last one half typed',
  'a word with a typo',
  'two words with typos',
  'three letters of a word, with typos',
  'two words, the last one half typed, with typos',
  'two words',
] as const satisfies QueryKind[]
const busiest = 'three letters of a word'

interface Contender {
  name: string
  pid: number
  url: string
  makeRequest(stack: Stack): LoadRequest
}

export const typingFigures = async (say: Say): Promise<Figure[]> => {
  if (pinningNote !== undefined) say(pinningNote)
  const { data, remove } = await makeDataFolder()
  try {
    const documentAt = await corpus()
    await using load = startLoad()
    await using served = await serve(data)
    await querent(['apply', '-', '--data', data], JSON.stringify(catalog))
    say(`${documentCount} documents are imported`)
    await importDocuments(
      served,
      await makeAccount(data, workspace, ['data-provider'], 'importing'),
      documentAt,
      documentCount,
    )
    await untilMerged(data)
    const token = await fetchToken(served, await makeAccount(data, workspace, ['api'], 'searching'))
    say('OpenSearch and MiniSearch read the documents')
    await using openSearch = await startOpenSearch()
    await fillOpenSearch(openSearch, documentAt)
    const documents = join(data, '..', 'documents.ndjson')
    await pipeline(Readable.from(makeDocumentLines(documentAt)), createWriteStream(documents))
    await using miniSearch = startPinned(serverCore, process.execPath, [
      '--max-old-space-size=8192',
      join(import.meta.dirname, '..', 'peers', 'minisearch-process.ts'),
      documents,
      'title=2,text=1',
    ])
    const { url: miniUrl } = await miniSearch.message<{ url: string }>()
    const contenders: Contender[] = [
      {
        name: '',
        pid: served.pid,
        url: served.baseUrl,
        makeRequest: stack => ({
          path: `/4/${workspace}/api/shop${stack.map(queryPath).join('')}/results`,
          headers: { authorization: `Bearer ${token}` },
        }),
      },
      { name: ' at OpenSearch 3.8', pid: openSearch.pid, url: openSearch.url, makeRequest: askOpenSearch },
      { name: ' at MiniSearch 7.2', pid: miniSearch.pid, url: miniUrl, makeRequest: askMiniSearch },
    ]
    await load.run({
      url: openSearch.url,
      requests: makeQueries(busiest, queryCount, seed, documentAt).map(askOpenSearch),
      atOnce: connections,
      seconds: warmUpSeconds,
    })
    const figures: Figure[] = []
    for (const kind of kinds) {
      const stacks = makeQueries(kind, queryCount, seed, documentAt)
      for (const contender of contenders) {
        const requests = stacks.map(contender.makeRequest)
        const measure = (atOnce: number) =>
          alone(contender, contenders, () => load.run({ url: contender.url, requests, atOnce, seconds }))
        const results = await repeat(() => measure(1))
        const isOurs = contender.name === ''
        for (const [part, goal] of [
          ['p50', 1.5],
          ['p99', 5],
        ] as const) {
          const details = { name: `${kind}${contender.name} ${part}`, unit: 'ms', better: 'lower' } as const
          figures.push(
            makeFigure(
              results.map(result => result[part]),
              { ...details, ...(isOurs && { goal }) },
            ),
          )
          say(`${details.name}: ${figures.at(-1)?.value.toFixed(2)} ms`)
        }
        if (kind !== busiest) continue
        const rates = (await repeat(() => measure(connections))).map(result => result.perSecond)
        const name = `${kind}${contender.name}, ${connections} at once`
        figures.push({ ...makeRateFigure(name, rates), ...(isOurs && { goal: 1_500 }) })
        say(`${name}: ${Math.round(figures.at(-1)?.value ?? Number.NaN)} a second`)
      }
    }
    return figures
  } finally {
    await remove()
  }
}

/** The first round is a warm-up. */
const repeat = async (measure: () => Promise<LoadResult>): Promise<LoadResult[]> => {
  const results: LoadResult[] = []
  for (let round = 0; round <= rounds; round++) results.push(await measure())
  return results.slice(1)
}

/** Pauses the other servers meanwhile, because their background work would take time from the measured one. */
const alone = async <Result>(
  { pid }: Contender,
  contenders: readonly Contender[],
  measure: () => Promise<Result>,
): Promise<Result> => {
  const paused = contenders.filter(contender => contender.pid !== pid)
  for (const contender of paused) process.kill(contender.pid, 'SIGSTOP')
  try {
    return await measure()
  } finally {
    for (const contender of paused) process.kill(contender.pid, 'SIGCONT')
  }
}

/** The engine merges the segments of an index when nobody has written for a while. */
const untilMerged = async (data: string): Promise<void> => {
  for (;;) {
    const files = await readdir(join(data, 'engine'), { recursive: true })
    if (files.filter(file => file.endsWith('.idx')).length <= 1) return
    await wait(1_000)
  }
}

const queryPath = ({ endpoint, parameters }: Stack[number]): string =>
  `/e/${endpoint}${parameters.map(({ name, value }) => `/p/${name}/${encodeURIComponent(value)}`).join('')}`

function* makeDocumentLines(documentAt: DocumentAt): Generator<string> {
  for (let start = 0; start < documentCount; start += documentsABulk) {
    let text = ''
    for (let index = start; index < start + documentsABulk; index++)
      text += `${JSON.stringify({ ...documentAt(index), id: String(index) })}\n`
    yield text
  }
}

const texts = { title: 2, text: 1 }

const fillOpenSearch = async (openSearch: OpenSearch, documentAt: DocumentAt): Promise<void> => {
  const text = { type: 'text', analyzer: 'english', index_prefixes: { min_chars: 1, max_chars: 5 } }
  const mappings = { dynamic: false, properties: { title: text, text } }
  const settings = { number_of_shards: 1, number_of_replicas: 0, refresh_interval: -1 }
  await openSearch.call('PUT', '/catalog', JSON.stringify({ mappings, settings }))
  for (const lines of makeDocumentLines(documentAt)) {
    const body = lines.replaceAll(/^(?=.)/gm, '{"index":{"_index":"catalog"}}\n')
    await openSearch.call('POST', '/_bulk', body)
  }
  await openSearch.call('POST', '/catalog/_forcemerge?max_num_segments=1')
  await openSearch.call('POST', '/catalog/_refresh')
}

/** Reads a query and the options of its endpoint: `typing` and `box` complete the last word, `forgiving` and `box` correct words. */
const readStack = ([step]: Stack) => ({
  query: step?.parameters[0]?.value ?? '',
  prefix: step?.endpoint === 'typing' || step?.endpoint === 'box',
  typos: step?.endpoint === 'forgiving' || step?.endpoint === 'box',
})

const askOpenSearch = (stack: Stack): LoadRequest => {
  const { query, prefix, typos } = readStack(stack)
  const match = {
    query,
    type: prefix ? 'bool_prefix' : 'most_fields',
    fields: Object.entries(texts).map(([field, weight]) => `${field}^${weight}`),
    ...(typos && { fuzziness: 'AUTO' }),
  }
  return {
    method: 'POST',
    path: '/catalog/_search',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: { multi_match: match }, track_total_hits: false, size: 10 }),
  }
}

const askMiniSearch = (stack: Stack): LoadRequest => {
  const { query, prefix, typos } = readStack(stack)
  return {
    path: `/?${new URLSearchParams({ query, ...(prefix && { prefix: '' }), ...(typos && { typos: '' }) })}`,
  }
}
