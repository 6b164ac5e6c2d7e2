/**
 * The list of 200,000 documents, as the console's page of documents reads it: 20 a page, on the embedded engine and on OpenSearch in turns,
 * one request after another with a token.
 */
import { catalog, corpus } from '#bench/engine/corpus'
import { type Figure, makeFigure } from '#bench/figure'
import { loadCore, pinningNote, serverCore } from '#bench/http/pinned'
import { makeAccount, makeDataFolder, querent, type Served, serve } from '#bench/http/querent'
import type { Say } from '#bench/http/rounds'
import { startOpenSearch } from '#bench/peers/opensearch'
import { importDocuments } from './catalog-documents.ts'

const documentCount = 200_000
const pageSize = 20
const repetitions = 20
/** The JVM compiles OpenSearch while it runs. */
const warmUps = 20
const exports = 3
const tokenMs = 5 * 60_000
/** From issue 18. */
const pageMsMax = 50
const cores = [serverCore, loadCore]
const { workspace } = catalog

interface List {
  engine: string
  fill(): Promise<void>
  /** Fetches the list with these options. Throws for error replies. */
  fetchList(options: ListOptions): Promise<Response>
}

export const documentListFigures = async (say: Say): Promise<Figure[]> => {
  if (pinningNote !== undefined) say(pinningNote)
  await using openSearch = await startOpenSearch(cores)
  await using embedded = await openList('embedded')
  await using clustered = await openList('OpenSearch', ['--engine', openSearch.url, '--engine-replicas', '0'])
  const lists = [embedded, clustered]
  for (const list of lists) {
    say(`${documentCount} documents are imported, ${list.engine}`)
    await list.fill()
  }
  const figures: Figure[] = []
  for (const [name, findOptions] of Object.entries(pages)) {
    const measured: { engine: string; options: ListOptions; list: List; ms: number[] }[] = []
    for (const list of lists)
      measured.push({ engine: list.engine, options: await findOptions(list), list, ms: [] })
    for (let round = -warmUps; round < repetitions; round++)
      for (const { list, options, ms } of measured) {
        const startMs = performance.now()
        await (await list.fetchList(options)).json()
        if (round >= 0) ms.push(performance.now() - startMs)
      }
    for (const { engine, ms } of measured) {
      const details = { unit: 'ms', better: 'lower', goal: pageMsMax } as const
      figures.push(makeFigure(ms, { name: `${name}, ${engine}`, ...details }))
      say(`${name}, ${engine}: ${figures.at(-1)?.value.toFixed(1)} ms`)
    }
  }
  for (const list of lists) {
    const seconds: number[] = []
    for (let round = 0; round < exports; round++) seconds.push(await exportAll(list))
    figures.push(
      makeFigure(seconds, { name: `all documents as NDJSON, ${list.engine}`, unit: 's', better: 'lower' }),
    )
    say(`all documents, ${list.engine}: ${figures.at(-1)?.value.toFixed(1)} s`)
  }
  return figures
}

/** Starts a server on a new data folder. */
const openList = async (engine: string, flags: string[] = []): Promise<List & AsyncDisposable> => {
  const { data, remove } = await makeDataFolder()
  const served = await serve(data, { flags, cores })
  const operatorToken = createTokenSource(data)
  return {
    engine,
    async fill() {
      await querent(['apply', '-', '--data', data], JSON.stringify(catalog))
      const importer = await makeAccount(data, workspace, ['data-provider'])
      await importDocuments(served, importer, await corpus(), documentCount)
    },
    fetchList: async options => fetchList(served, await operatorToken(), options),
    async [Symbol.asyncDispose]() {
      await served.stop()
      await remove()
    },
  }
}

/** Renews the operator's token in time: System-to-System accounts may not read lists. */
const createTokenSource = (data: string): (() => Promise<string>) => {
  let token = ''
  let renewAtMs = 0
  return async () => {
    if (performance.now() < renewAtMs) return token
    // The value that `querent token --json` prints.
    const { accessToken } = (await querent(['token', '--data', data])) as { accessToken: string }
    token = accessToken
    renewAtMs = performance.now() + tokenMs
    return token
  }
}

const fetchList = async ({ baseUrl }: Served, token: string, options: ListOptions): Promise<Response> => {
  const query = new URLSearchParams(options)
  const reply = await fetch(`${baseUrl}/4/${workspace}/collections/products/documents?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  if (!reply.ok) throw new Error(`the list was answered with ${reply.status}: ${await reply.text()}`)
  return reply
}

type ListOptions = Record<string, string>

/** Follows the pages of a list from the first one. Returns the options of the page at this depth, or of the last page. */
const findPage = async (list: List, options: ListOptions, depth = Number.POSITIVE_INFINITY) => {
  // The largest pages reach the end in the fewest requests.
  const count = '1000'
  let position: ListOptions = {}
  for (let documents = 0; documents < depth; documents += Number(count)) {
    const reply = await list.fetchList({ ...options, ...position, count })
    // The contract's reply to a list.
    const { next } = (await reply.json()) as { next: string | null }
    if (next === null) break
    position = { after: next }
  }
  return { ...options, ...position, count: String(pageSize) }
}

/** Ids are in the order of their characters. */
const sortedIds = Array.from({ length: documentCount }, (_, index) => String(index)).toSorted()
const pageAfter = (index: number): ListOptions => ({
  after: `https://bench.example/${sortedIds[index]}`,
  count: String(pageSize),
})
const firstPage = (options: ListOptions = {}): ListOptions => ({ ...options, count: String(pageSize) })

/** The options of each measured page. Cursors are signed, so each server needs its own. */
const pages: Record<string, (list: List) => ListOptions | Promise<ListOptions>> = {
  'the first page': () => firstPage(),
  'a page in the middle': () => pageAfter(documentCount / 2),
  'the last page': () => pageAfter(documentCount - pageSize - 1),
  'search of one word, the first page': () => firstPage({ search: 'water' }),
  'search of one word, the last page': list => findPage(list, { search: 'water' }),
  'search of two words': () => firstPage({ search: 'water animal' }),
  'a filter that 160,000 documents meet, the first page': () => firstPage({ sold: 'false' }),
  'the same, the page after 100,000 documents': list => findPage(list, { sold: 'false' }, 100_000),
  'the same, the last page': list => findPage(list, { sold: 'false' }),
  'a filter by a rare value': () => firstPage({ place: 'place 1000' }),
  'search and filter': () => firstPage({ search: 'water', sold: 'true' }),
  'the most frequent of 2,000 values': () => ({ values: 'maker', count: '1' }),
  'the most frequent of 50,000 values': () => ({ values: 'place', count: '1' }),
}

/** Returns the seconds from the request to the last document. */
const exportAll = async (list: List): Promise<number> => {
  const startMs = performance.now()
  const reply = await list.fetchList({ format: 'ndjson' })
  let lines = 0
  for await (const chunk of reply.body ?? []) for (const byte of chunk) if (byte === 0x0a) lines++
  if (lines !== documentCount) throw new Error(`the export has ${lines} documents`)
  return (performance.now() - startMs) / 1_000
}
