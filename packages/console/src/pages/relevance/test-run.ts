/** The latest run of the relevance tests of a workspace, and its comparison. */
import { type BrokenTest, isBroken } from '@querent/client/relevance/plan-tests'
import { type Baseline, type Comparison, compareValues } from '@querent/client/relevance/report'
import type { TestOutcome } from '@querent/client/relevance/run-tests'

export type Outcome = TestOutcome | BrokenTest

/** The other side of a comparison: another configuration, or the values of an earlier result. */
export type Comparand =
  | { kind: 'config'; config: string }
  | { kind: 'result'; label: string; values: Baseline }

/** The tests in one configuration. */
export interface ColumnRun {
  /** Undefined: each test used its own. */
  config: string | undefined
  /** In the order of the tests. */
  outcomes: Outcome[]
}

export interface RelevanceRun {
  /** ISO 8601. */
  finishedAt: string
  tested: ColumnRun
  compared: ColumnRun | { label: string; values: Baseline } | undefined
}

/** One test of the file, with its latest outcome. */
export interface TestRow {
  name: string
  metric: string
  atLeast: number
  /** Undefined comparedValue the first run. */
  outcome: Outcome | undefined
  /** In the configuration that it is compared with. */
  comparedOutcome: Outcome | undefined
  /** Value that it is compared with. */
  comparedValue: number | undefined
  change: Comparison | undefined
}

/** Joins the tests of the file with a run, by their names. */
export const createRows = (
  tests: readonly Pick<TestRow, 'name' | 'metric' | 'atLeast'>[],
  run: RelevanceRun | undefined,
): TestRow[] => {
  const byName = (outcomes: readonly Outcome[] = []) =>
    new Map(outcomes.map(outcome => [outcome.name, outcome]))
  const tested = byName(run?.tested.outcomes)
  const compared = run?.compared && 'outcomes' in run.compared ? byName(run.compared.outcomes) : undefined
  const baseline = run?.compared && 'values' in run.compared ? run.compared.values : undefined
  return tests.map(({ name, metric, atLeast }) => {
    const outcome = tested.get(name)
    const comparedOutcome = compared?.get(name)
    const value = readValue(outcome)
    const comparedValue = readValue(comparedOutcome) ?? baseline?.get(name)
    const change =
      comparedValue === undefined || value === undefined ? undefined : compareValues(comparedValue, value)
    return { name, metric, atLeast, outcome, comparedOutcome, comparedValue, change }
  })
}

export const readValue = (outcome: Outcome | undefined): number | undefined =>
  outcome && !isBroken(outcome) ? outcome.value : undefined

/** Runs of this visit by workspace: a person who returns from Try it finds the results. */
const latestRuns = new Map<string, RelevanceRun>()

export const readLatestRun = (workspace: string): RelevanceRun | undefined => latestRuns.get(workspace)

export const keepLatestRun = (workspace: string, run: RelevanceRun): void => {
  latestRuns.set(workspace, run)
}
