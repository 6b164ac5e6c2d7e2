/** Runs the relevance tests of a workspace file. */
import { dirname, join } from 'node:path'
import type { queryApi } from '@querent/client'
import { documentIds } from '@querent/contract/document-id'
import {
  type ExpectTest,
  type JudgmentsTest,
  type RelevanceTest,
  readMetric,
} from '@querent/contract/relevance-tests'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { CommandError } from '#command-line/failure'
import { readJudgments } from './judgments.ts'
import { measureRanking } from './measures.ts'

/** A query that lowers the result of its test. */
export interface FailedQuery {
  query: string
  /** Its measure, or the share of expected documents that was found. */
  value: number
  /** Expected documents that are missing; undefined with judgments. */
  missing?: string[]
}

export interface TestOutcome {
  /** The same in every run: `library search: car, within 3`. */
  name: string
  api: string
  endpoint: string
  metric: string
  /** 0 to 1. */
  value: number
  atLeast: number
  passed: boolean
  failedQueries: FailedQuery[]
}

interface Dependencies {
  /** Path of the workspace file; those of judgments are relative to it. */
  path: string
  file: WorkspaceFile
  queriesOf: (api: string) => Pick<ReturnType<typeof queryApi>, 'about' | 'results'>
}

const withinDefault = 10
const failedQueriesMax = 10

/** Runs the tests one after another. Throws {@link CommandError} if one cannot be run. */
export const runRelevanceTests = async (dependencies: Dependencies): Promise<TestOutcome[]> => {
  const outcomes: TestOutcome[] = []
  for (const test of dependencies.file.tests ?? []) outcomes.push(await runTest(dependencies, test))
  return outcomes
}

const runTest = async (dependencies: Dependencies, test: RelevanceTest): Promise<TestOutcome> => {
  const { file, queriesOf } = dependencies
  const api = test.api ?? findApi(file, test.endpoint)
  const queries = queriesOf(api)
  const { endpoints } = await queries.about()
  const parameters = endpoints.find(({ name }) => name === test.endpoint)?.parameters ?? []
  const parameter = parameters.find(({ type }) => type === 'string')
  if (!parameter)
    throw new CommandError(
      `the server has no endpoint ${test.endpoint} with a text in ${api}: apply the file first`,
    )
  const search = async (text: string, count: number): Promise<string[]> => {
    const stack = [{ endpoint: test.endpoint, parameters: [{ name: parameter.name, value: text }] }]
    const { items } = await queries.results(stack, { count, config: test.config })
    return items.flatMap(({ tuple }) => tuple.map(({ id }) => id))
  }
  const toUri = makeToUri(file, api, test.endpoint)
  const place = { api, endpoint: test.endpoint }
  return 'judgments' in test
    ? runJudgments(test, place, join(dirname(dependencies.path), test.judgments), { search, toUri })
    : runExpectation(test, place, { search, toUri })
}

interface Judge {
  search: (text: string, count: number) => Promise<string[]>
  toUri: (id: string) => string | undefined
}

const runExpectation = async (
  { query, expect, within = withinDefault }: ExpectTest,
  place: { api: string; endpoint: string },
  { search, toUri }: Judge,
): Promise<TestOutcome> => {
  const foundIds = new Set(await search(query, within))
  const missing = expect.filter(id => !foundIds.has(toUri(id) ?? id))
  const value = 1 - missing.length / expect.length
  return {
    name: `${place.api} ${place.endpoint}: ${query}, within ${within}`,
    ...place,
    metric: `recall@${within}`,
    value,
    atLeast: 1,
    passed: missing.length === 0,
    failedQueries: missing.length === 0 ? [] : [{ query, value, missing }],
  }
}

const runJudgments = async (
  { judgments, metric, atLeast }: JudgmentsTest,
  place: { api: string; endpoint: string },
  path: string,
  { search, toUri }: Judge,
): Promise<TestOutcome> => {
  const { measure, count } = readMetric(metric)
  const gradesByQuery = await readJudgments(path, toUri)
  const measured: FailedQuery[] = []
  for (const [query, grades] of gradesByQuery)
    measured.push({ query, value: measureRanking(measure, await search(query, count), grades, count) })
  const value = measured.reduce((sum, entry) => sum + entry.value, 0) / measured.length
  return {
    name: `${place.api} ${place.endpoint}: ${judgments}, ${metric}`,
    ...place,
    metric,
    value,
    atLeast,
    passed: value >= atLeast,
    failedQueries: measured
      .filter(entry => entry.value < atLeast)
      .toSorted((one, next) => one.value - next.value)
      .slice(0, failedQueriesMax),
  }
}

/** The reader of the file has checked that there is one. */
const findApi = ({ apis = {} }: WorkspaceFile, endpoint: string): string =>
  Object.keys(apis).find(name => Object.hasOwn(apis[name]?.endpoints ?? {}, endpoint)) ?? ''

/** Ids of the endpoint's collection, or of the only one, become URIs by its template. */
const makeToUri = (
  { workspace, collections = {}, apis = {} }: WorkspaceFile,
  api: string,
  endpoint: string,
): Judge['toUri'] => {
  const definition = apis[api]?.endpoints?.[endpoint]
  const ownCollection = definition && 'collection' in definition ? definition.collection : undefined
  const [only] = Object.keys(collections)
  const name = ownCollection ?? only ?? ''
  return documentIds(workspace, name, collections[name] ?? {}).toUri
}
