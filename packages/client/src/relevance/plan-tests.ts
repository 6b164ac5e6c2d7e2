/** Turns the relevance tests of a workspace file into the queries that they need. */
import { documentIds } from '@querent/contract/document-id'
import type { ApiDescription } from '@querent/contract/query'
import {
  type ExpectTest,
  isLeakTest,
  type JudgmentsTest,
  type RelevanceTest,
  readMetric,
  type WorkspaceTest,
} from '@querent/contract/relevance-tests'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { groupJudgments, type Judgment } from './judgments.ts'
import { type Grades, measureRanking } from './measures.ts'

/** The parts of a workspace file that tests need. */
export type TestedFile = Pick<WorkspaceFile, 'workspace' | 'collections' | 'apis' | 'tests'>

export interface TestIdentity {
  /** The same in every run: `library search: car, within 3`. */
  name: string
  api: string
  endpoint: string
  /** The configuration that the test names. */
  config: string | undefined
  metric: string
  atLeast: number
  /** File of judgments. */
  judgments: string | undefined
  /** Collection of the documents that the test expects. */
  collection: string
}

/** A query of a test: what it sends, and how its results count. */
export interface PlannedQuery {
  query: string
  /** Results to ask for. */
  count: number
  /** Expected documents, the best first: as the file writes them, and their URIs. */
  expected: readonly { id: string; uri: string; grade?: number }[]
  /** Returns the value of a ranking of URIs, 0 to 1. */
  measure: (ranked: readonly string[]) => number
}

export interface PlannedTest {
  identity: TestIdentity
  /** Parameter of the endpoint that takes the text. */
  parameter: string
  queries: PlannedQuery[]
  /** Shortens the URI of a document. */
  toId: (uri: string) => string
}

/** A test that cannot be run, and why. */
export interface BrokenTest extends TestIdentity {
  error: Error
}

export const isBroken = (test: object): test is BrokenTest => 'error' in test

export interface PlanSources {
  /** Describes an API: `queryApi(…).about()`. */
  describeApi: (api: string) => Promise<Pick<ApiDescription, 'endpoints'>>
  /** Returns the judgments of a file. */
  readJudgments: (path: string) => readonly Judgment[] | Promise<readonly Judgment[]>
}

const withinDefault = 10

/** Returns the relevance tests of a file. The server runs its leak tests. */
export const listRelevanceTests = ({ tests = [] }: Pick<TestedFile, 'tests'>): RelevanceTest[] =>
  tests.filter((test: WorkspaceTest): test is RelevanceTest => !isLeakTest(test))

/** Plans each relevance test of the file. A rejected promise of `sources` makes the tests that need it broken; the others still run. */
export const planTests = (file: TestedFile, sources: PlanSources): Promise<(PlannedTest | BrokenTest)[]> => {
  const descriptions = new Map<string, ReturnType<PlanSources['describeApi']>>()
  const describeApi = (api: string) => {
    const description = descriptions.get(api) ?? sources.describeApi(api)
    descriptions.set(api, description)
    return description
  }
  return Promise.all(
    listRelevanceTests(file).map(async test => {
      const identity = identifyTest(file, test)
      try {
        const parameter = findTextParameter(await describeApi(identity.api), identity)
        const { collection } = identity
        const { toUri, toId } = documentIds(file.workspace, collection, file.collections?.[collection] ?? {})
        const queries =
          'judgments' in test
            ? planJudgments(test, groupJudgments(await sources.readJudgments(test.judgments), toUri), toId)
            : planExpectation(test, toUri)
        return { identity, parameter, queries, toId }
      } catch (error) {
        return { ...identity, error: error instanceof Error ? error : new Error(String(error)) }
      }
    }),
  )
}

/** Says what a test is about, without a server. */
export const identifyTest = (file: TestedFile, test: RelevanceTest): TestIdentity => {
  const { endpoint, config } = test
  const api = test.api ?? findApi(file, endpoint)
  const withinCount = 'expect' in test ? (test.within ?? withinDefault) : undefined
  const subject =
    'judgments' in test ? `${test.judgments}, ${test.metric}` : `${test.query}, within ${withinCount}`
  return {
    name: `${api} ${endpoint}: ${subject}${config === undefined ? '' : `, in ${config}`}`,
    api,
    endpoint,
    config,
    metric: 'judgments' in test ? test.metric : `recall@${withinCount}`,
    atLeast: 'judgments' in test ? test.atLeast : 1,
    judgments: 'judgments' in test ? test.judgments : undefined,
    collection: findCollection(file, api, endpoint),
  }
}

/** The reader of the file has checked that there is one. */
const findApi = ({ apis = {} }: TestedFile, endpoint: string): string =>
  Object.keys(apis).find(name => Object.hasOwn(apis[name]?.endpoints ?? {}, endpoint)) ?? ''

/** Returns the name of the endpoint's first text parameter. Throws an Error if the server has none. */
export const findTextParameter = (
  { endpoints }: Pick<ApiDescription, 'endpoints'>,
  { api, endpoint }: Pick<TestIdentity, 'api' | 'endpoint'>,
): string => {
  const parameters = endpoints.find(({ name }) => name === endpoint)?.parameters ?? []
  const parameter = parameters.find(({ type }) => type === 'string')
  if (!parameter)
    throw new Error(`the server has no endpoint ${endpoint} with a text in ${api}: apply the file first`)
  return parameter.name
}

/** Returns the collection of the endpoint, or else the first that the API names. */
const findCollection = (
  { collections = {}, apis = {} }: TestedFile,
  api: string,
  endpoint: string,
): string => {
  const endpoints = apis[api]?.endpoints ?? {}
  const namedCollections = [endpoints[endpoint], ...Object.values(endpoints)].flatMap(definition =>
    definition && 'collection' in definition ? (definition.collection ?? []) : [],
  )
  return [...namedCollections, ...Object.keys(collections)][0] ?? ''
}

const planExpectation = (
  { query, expect, within = withinDefault }: ExpectTest,
  toUri: (id: string) => string | undefined,
): PlannedQuery[] => {
  const expected = expect.map(id => ({ id, uri: toUri(id) ?? id }))
  const measure = (ranked: readonly string[]) => {
    const rankedUris = new Set(ranked)
    return expected.filter(({ uri }) => rankedUris.has(uri)).length / expected.length
  }
  return [{ query, count: within, expected, measure }]
}

const planJudgments = (
  { metric }: JudgmentsTest,
  gradesByQuery: ReadonlyMap<string, Grades>,
  toId: (uri: string) => string,
): PlannedQuery[] => {
  const { measure, count } = readMetric(metric)
  return [...gradesByQuery].map(([query, grades]) => ({
    query,
    count,
    expected: [...grades]
      .filter(([, grade]) => grade > 0)
      .toSorted(([, one], [, next]) => next - one)
      .map(([uri, grade]) => ({ id: toId(uri), uri, grade })),
    measure: ranked => measureRanking(measure, ranked, grades, count),
  }))
}
