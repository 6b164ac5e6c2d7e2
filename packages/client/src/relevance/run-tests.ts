/** Runs planned relevance tests. */
import { type StackedEndpoint, writeStack } from '@querent/contract/paths'
import { ApiError } from '#errors'
import type { BatchOutcome } from '#query'
import type { Results } from '#replies'
import type { BrokenTest, PlannedQuery, PlannedTest, TestIdentity } from './plan-tests.ts'

export interface QueryOutcome {
  query: string
  /** Its measure, or the share of expected documents that was found; 0 to 1. */
  value: number
  /** Results that counted. */
  count: number
  /** Expected documents, the best first, with their ranks; undefined if not among the results that counted. */
  expected: { id: string; grade?: number; rank: number | undefined }[]
  /** Ids of the first documents found. */
  found: string[]
}

export interface TestOutcome extends TestIdentity {
  /** Mean over its queries, 0 to 1. */
  value: number
  passed: boolean
  /** Parameter of the endpoint that took the texts. */
  parameter: string
  queries: QueryOutcome[]
}

/** Runs up to 20 queries of an API: `queryApi(…).batch`. */
export type BatchCall = (api: string, requests: readonly string[]) => Promise<BatchOutcome<unknown>[]>

export interface TestRun {
  batch: BatchCall
  /** Replaces the configurations that the tests name. */
  config?: string | undefined
  /** Receives the number of queries that are done. */
  onProgress?: ((progress: { done: number; total: number }) => void) | undefined
  signal?: AbortSignal | undefined
}

const batchMax = 20
/** Batches in flight. More would only wait in the server's queue for the account. */
const concurrentMax = 2
/** Ids of documents to keep for each query. */
const foundMax = 10
/** A refusal by the limits ends within a minute. */
const retryMs = 5000
const attemptsMax = 15

/**
 * Runs the tests and returns their outcomes in order. Identical queries are sent once. Tests with a rejected query become broken. Throws
 * `ApiError` or `UnreachableError` if a whole batch is rejected, and the reason of `signal` when it is aborted.
 */
export const runTests = async (
  tests: readonly PlannedTest[],
  { batch, config, onProgress, signal }: TestRun,
): Promise<(TestOutcome | BrokenTest)[]> => {
  const requestFor = (test: PlannedTest, query: PlannedQuery) => ({
    api: test.identity.api,
    path: writeRequest(test, query, config ?? test.identity.config),
  })
  const requests = uniqueRequests(tests.flatMap(test => test.queries.map(query => requestFor(test, query))))
  const total = [...requests.values()].reduce((sum, paths) => sum + paths.length, 0)
  const replies = new Map<string, string[] | ApiError>()
  const chunks = [...requests].flatMap(([api, paths]) =>
    splitInto(batchMax, paths).map(part => ({ api, part })),
  )
  onProgress?.({ done: 0, total })
  await forEachConcurrently(concurrentMax, chunks, async ({ api, part }) => {
    const answers = await sendPatiently(part, paths => batch(api, paths), signal)
    for (const [path, answer] of answers) replies.set(replyKey(api, path), answer)
    onProgress?.({ done: replies.size, total })
  })
  return tests.map(test => {
    const ranked: [PlannedQuery, string[]][] = []
    for (const query of test.queries) {
      const { api, path } = requestFor(test, query)
      const answer = replies.get(replyKey(api, path))
      if (answer instanceof ApiError) return { ...test.identity, error: answer }
      ranked.push([query, answer ?? []])
    }
    return measureTest(test, ranked)
  })
}

/** Asks for ids only, because attributes may be long. */
const writeRequest = (
  { identity: { endpoint }, parameter }: PlannedTest,
  { query, count }: PlannedQuery,
  config: string | undefined,
): string => {
  const stack: StackedEndpoint[] = [{ endpoint, parameters: [{ name: parameter, value: query }] }]
  const options = new URLSearchParams({
    count: String(count),
    attributes: '',
    ...(config === undefined ? {} : { config }),
  })
  return `${writeStack(stack)}/results?${options}`
}

const uniqueRequests = (requests: readonly { api: string; path: string }[]): Map<string, string[]> => {
  const pathsByApi = new Map<string, Set<string>>()
  for (const { api, path } of requests) pathsByApi.set(api, (pathsByApi.get(api) ?? new Set()).add(path))
  return new Map([...pathsByApi].map(([api, paths]) => [api, [...paths]]))
}

const replyKey = (api: string, path: string): string => `${api} ${path}`

const splitInto = <Item>(size: number, items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )

/** Runs `work` for each item, for at most `count` at once. Starts no other after the first error. */
const forEachConcurrently = async <Item>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const queue = [...items]
  const runNext = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      await work(item).catch(error => {
        queue.length = 0
        throw error
      })
  }
  await Promise.all(Array.from({ length: count }, runNext))
}

/** Sends queries that the limits reject again, until the next minute has begun. */
const sendPatiently = async (
  paths: readonly string[],
  send: (paths: readonly string[]) => Promise<BatchOutcome<unknown>[]>,
  signal: AbortSignal | undefined,
): Promise<Map<string, string[] | ApiError>> => {
  const answers = new Map<string, string[] | ApiError>()
  let waiting = paths
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    const outcomes = await send(waiting)
    // Each path asks for results.
    for (const [index, outcome] of outcomes.entries())
      answers.set(waiting[index] ?? '', outcome.ok ? readRanking(outcome.body as Results) : outcome.error)
    waiting = waiting.filter(path => isRefusedByLimits(answers.get(path)))
    if (waiting.length === 0 || attempt === attemptsMax) return answers
    await pause(retryMs, signal)
  }
}

const isRefusedByLimits = (answer: string[] | ApiError | undefined): boolean =>
  answer instanceof ApiError && answer.code === 'too-many-requests'

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        reject(signal.reason)
      },
      { once: true },
    )
  })

const readRanking = ({ items }: Results): string[] => items.flatMap(({ tuple }) => tuple.map(({ id }) => id))

const measureTest = (
  { identity, parameter, toId }: PlannedTest,
  ranked: readonly [PlannedQuery, string[]][],
): TestOutcome => {
  const queries = ranked.map(([{ query, count, expected, measure }, uris]) => ({
    query,
    value: measure(uris),
    count,
    expected: expected.map(({ id, uri, grade }) => ({
      id,
      ...(grade === undefined ? {} : { grade }),
      rank: uris.includes(uri) ? uris.indexOf(uri) + 1 : undefined,
    })),
    found: uris.slice(0, foundMax).map(toId),
  }))
  const value = queries.reduce((sum, query) => sum + query.value, 0) / queries.length
  return { ...identity, value, passed: value >= identity.atLeast, parameter, queries }
}
