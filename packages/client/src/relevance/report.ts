/** The report of relevance tests, and the comparison with an earlier one: the output of `querent judge --json`. */
import type { LeakTestOutcome } from '@querent/contract/relevance-tests'
import type { QueryOutcome, TestOutcome } from './run-tests.ts'

/** A query that lowers the value of its test. */
export interface FailedQuery {
  query: string
  value: number
  /** Expected documents that are not among the results that count, the best first, at most 10. */
  missing: string[]
  /** The first documents found, at most 10. */
  found: string[]
}

export interface ReportedTest {
  name: string
  api: string
  endpoint: string
  metric: string
  /** 0 to 1. */
  value: number
  atLeast: number
  passed: boolean
  /** The worst first, at most 10. */
  failedQueries: FailedQuery[]
  /** Value of the earlier run, and the difference. Absent if it had no test of this name. */
  before?: number
  change?: number
}

export interface Report {
  workspace: string
  /** Configuration that all tests used, instead of their own. */
  config?: string
  passed: number
  failed: number
  tests: ReportedTest[]
  /** Absent if the file has no leak tests. */
  leakTests?: LeakTestOutcome[]
}

/** Values of an earlier run by the names of its tests. */
export type Baseline = ReadonlyMap<string, number>

const failedQueriesMax = 10
const missingMax = 10

interface ReportOptions {
  workspace: string
  config?: string | undefined
  baseline?: Baseline | undefined
  leakTests?: LeakTestOutcome[]
}

export const createReport = (
  outcomes: readonly TestOutcome[],
  { workspace, config, baseline, leakTests = [] }: ReportOptions,
): Report => {
  const tests = outcomes.map(outcome => reportTest(outcome, baseline?.get(outcome.name)))
  const allOutcomes = [...tests, ...leakTests]
  const failed = allOutcomes.filter(({ passed }) => !passed).length
  return {
    workspace,
    ...(config === undefined ? {} : { config }),
    passed: allOutcomes.length - failed,
    failed,
    tests,
    ...(leakTests.length > 0 && { leakTests }),
  }
}

const reportTest = (outcome: TestOutcome, before: number | undefined): ReportedTest => {
  const { name, api, endpoint, metric, value, atLeast, passed } = outcome
  return {
    name,
    api,
    endpoint,
    metric,
    value,
    atLeast,
    passed,
    failedQueries: findFailedQueries(outcome).slice(0, failedQueriesMax).map(reportQuery),
    ...(before === undefined ? {} : { before, change: value - before }),
  }
}

const reportQuery = ({ query, value, expected, found }: QueryOutcome): FailedQuery => ({
  query,
  value,
  missing: expected.flatMap(({ id, rank }) => (rank === undefined ? [id] : [])).slice(0, missingMax),
  found,
})

/** Returns the queries below the value that their test expects, the worst first. */
export const findFailedQueries = ({ queries, atLeast }: TestOutcome): QueryOutcome[] =>
  queries.filter(({ value }) => value < atLeast).toSorted((one, next) => one.value - next.value)

/** Reads the values of an earlier report. Throws an Error that says what is wrong. */
export const readBaseline = (text: string): Baseline => {
  // Each test is checked below.
  const { tests } = (JSON.parse(text) ?? {}) as { tests?: unknown }
  if (!Array.isArray(tests)) throw new Error('it has no tests')
  return new Map(tests.map(readBaselineTest))
}

const readBaselineTest = (test: unknown): [name: string, value: number] => {
  if (typeof test === 'object' && test !== null && 'name' in test && 'value' in test) {
    const { name, value } = test
    if (typeof name === 'string' && typeof value === 'number') return [name, value]
  }
  throw new Error('one of its tests has no name or no value')
}

export type Comparison = 'better' | 'worse' | 'same'

/** Differences below this come from rounding. */
const smallestChange = 1e-9

export const compareValues = (before: number, after: number): Comparison => {
  if (Math.abs(after - before) < smallestChange) return 'same'
  return after > before ? 'better' : 'worse'
}

/** Says what a failed leak test found, in one line. */
export const describeLeak = ({ error, sees, finds, documents, suggests }: LeakTestOutcome): string => {
  if (error !== undefined) return `not run: ${error}`
  return [
    ...(sees > 0 ? [`${sees} documents are visible`] : []),
    ...(finds > 0 ? [`the query finds ${finds}`] : []),
    ...(suggests === null ? [] : [`the query suggests "${suggests}"`]),
    ...(documents.length > 0 ? [documents.join(', ')] : []),
  ].join('; ')
}
