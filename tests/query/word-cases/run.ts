/** Runs word cases against a server. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type StartedServer, startServer } from '#tests/support/started-server'
import type { WordCases } from './case.ts'

const workspace = 'word-cases'
const api = (index: number): string => `cases-${index}`

/** A collection and an API for each table of cases. */
const wordCasesWorkspace = (cases: readonly WordCases[]) => ({
  workspace,
  collections: Object.fromEntries(
    cases.map(({ language, synonyms, stopWords }, index) => [
      api(index),
      {
        language,
        fields: { title: { type: 'text', suggest: true } },
        ...(synonyms && { synonyms }),
        ...(stopWords && { stopWords }),
      },
    ]),
  ),
  apis: Object.fromEntries(
    cases.map((_, index) => [
      api(index),
      {
        access: 'public',
        endpoints: {
          strict: { kind: 'match', collection: api(index), prefix: true, matching: 'all' },
          box: { kind: 'match', collection: api(index), prefix: true, typos: true, matching: 'relaxed' },
        },
      },
    ]),
  ),
})

interface Item {
  tuple: [{ id: string; attributes: { title: string } }]
  highlights?: { title?: string[] }
}
interface BatchReply {
  responses: { status: number; body: { items: Item[] } }[]
}

const batchMax = 20
const pageMax = 40

/** Asks the endpoint each of the texts. */
const ask = async (
  server: StartedServer,
  index: number,
  endpoint: string,
  texts: readonly string[],
  highlight = true,
): Promise<Item[][]> => {
  const replies: Item[][] = []
  for (let start = 0; start < texts.length; start += batchMax) {
    const requests = texts
      .slice(start, start + batchMax)
      .map(
        text =>
          `e/${endpoint}/p/query/${encodeURIComponent(text)}/results?highlight=${highlight}&count=${pageMax}`,
      )
    const response = await fetch(`${server.baseUrl}/4/${workspace}/api/${api(index)}/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ requests }),
    })
    const { responses } = (await response.json()) as BatchReply
    for (const { status, body } of responses) {
      assert.equal(status, 200, JSON.stringify(body))
      replies.push(body.items)
    }
  }
  return replies
}

const readId = ({ tuple: [{ id }] }: Item): string => id.slice(id.lastIndexOf(':') + 1)
const readMarks = (item: Item | undefined): string =>
  (item?.highlights?.title ?? [])
    .flatMap(snippet => [...snippet.matchAll(/<mark>(.*?)<\/mark>/g)].map(match => match[1]))
    .join('|')
    .replaceAll('&amp;', '&')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')

const endpoints = ['strict', 'box']
/** At which endpoints the titles of a table are typed: at one of them in turn, or at all. */
export type TypedAt = 'one' | 'all'

/** Checks one table of cases, and types each title letter by letter: once it is found, it stays. */
const describeWordCases = async (
  server: StartedServer,
  index: number,
  cases: WordCases,
  typedAt: TypedAt,
): Promise<void> => {
  const { titles, find, typos = {}, all = {}, first = {}, marks = {}, untyped = [] } = cases
  await server.importDocuments(
    workspace,
    api(index),
    Object.entries(titles).map(([id, title]) => ({ id, title })),
  )
  const faults: string[] = []
  for (const endpoint of endpoints) {
    const queries = { ...find, ...(endpoint === 'box' && typos) }
    const pages = await ask(server, index, endpoint, Object.keys(queries))
    for (const [position, [query, expected]] of Object.entries(queries).entries()) {
      const ids = (pages[position] ?? []).map(readId)
      const expectedIds = expected.split(' ').filter(Boolean).sort()
      const compared = (endpoint === 'strict' ? ids : ids.slice(0, expectedIds.length)).toSorted()
      if (compared.join(' ') !== expectedIds.join(' '))
        faults.push(`${endpoint} ${query}: ${ids.join(' ')} instead of ${expectedIds.join(' ')}`)
    }
    const complete = endpoint === 'box' ? Object.entries(all) : []
    const completePages = await ask(
      server,
      index,
      endpoint,
      complete.map(([query]) => query),
    )
    for (const [position, [query, expected]] of complete.entries()) {
      const ids = (completePages[position] ?? []).map(readId).toSorted().join(' ')
      if (ids !== expected) faults.push(`${endpoint} ${query}: ${ids} instead of ${expected}`)
    }
    const firsts = await ask(server, index, endpoint, Object.keys(first))
    for (const [position, [query, wanted]] of Object.entries(first).entries()) {
      const ids = (firsts[position] ?? []).map(readId)
      if (ids[0] !== wanted) faults.push(`${endpoint} ${query}: ${ids.join(' ')}, first ${wanted}`)
    }
    const marked = await ask(server, index, endpoint, Object.keys(marks))
    for (const [position, [query, wanted]] of Object.entries(marks).entries()) {
      const text = readMarks(marked[position]?.[0])
      if (text !== wanted) faults.push(`${endpoint} ${query}: marks ${text} instead of ${wanted}`)
    }
    if (typedAt === 'one' && endpoints[index % endpoints.length] !== endpoint) continue
    for (const [id, title] of Object.entries(titles).filter(([id]) => !untyped.includes(id))) {
      const keys = [...title]
        .map((_, end) => [...title].slice(0, end + 1).join(''))
        .filter(typed => typed.trim() !== '')
      const pages = await ask(server, index, endpoint, keys, false)
      let wasFound = false
      for (const [position, page] of pages.entries()) {
        const isFound = page.some(item => readId(item) === id)
        if (wasFound && !isFound) faults.push(`${endpoint} ${keys[position]}: loses ${id}`)
        wasFound ||= isFound
      }
      if (!wasFound) faults.push(`${endpoint} ${title}: is never found`)
    }
  }
  assert.deepEqual(faults, [])
}

/** Adds a test for each table of cases. Its server starts before the first one. */
export const testWordCases = (cases: readonly WordCases[], typedAt: TypedAt): void => {
  let server: StartedServer
  before(async () => {
    server = await startServer()
    await server.applyWorkspace(JSON.stringify(wordCasesWorkspace(cases)))
  })
  after(() => server.stop())
  for (const [index, one] of cases.entries())
    test(`${index} ${one.language}: ${Object.keys(one.titles)[0]}`, () =>
      describeWordCases(server, index, one, typedAt))
}
