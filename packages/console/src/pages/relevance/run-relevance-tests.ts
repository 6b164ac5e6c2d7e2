/** Runs the tests of a workspace file in one or two configurations. Loaded with the first run. */
import { queryApi } from '@querent/client'
import { isBroken, planTests, type TestedFile } from '@querent/client/relevance/plan-tests'
import { runTests } from '@querent/client/relevance/run-tests'
import { baseUrl } from '#api/addresses.ts'
import { queryToken } from '#api/session.ts'
import { MissingJudgmentsError, readStoredJudgments } from './judgments-store.ts'
import type { ColumnRun, Comparand, RelevanceRun } from './test-run.ts'

interface RunInput {
  file: TestedFile
  /** Configuration; undefined: each test uses its own. */
  config: string | undefined
  comparand: Comparand | undefined
  signal: AbortSignal
  onProgress: (progress: { done: number; total: number }) => void
}

export const runRelevanceTests = async (input: RunInput): Promise<RelevanceRun> => {
  const { file, config, comparand, signal, onProgress } = input
  const queriesFor = (api: string) => queryApi({ baseUrl, token: queryToken, signal }, file.workspace, api)
  const planned = await planTests(file, {
    describeApi: api => queriesFor(api).about(),
    readJudgments: path => readJudgmentsFile(file.workspace, path),
  })
  signal.throwIfAborted()
  const runnable = planned.flatMap(test => (isBroken(test) ? [] : [test]))
  const columns = comparand?.kind === 'config' ? 2 : 1
  const runColumn = async (columnConfig: string | undefined, index: number): Promise<ColumnRun> => {
    const outcomes = await runTests(runnable, {
      batch: (api, requests) => queriesFor(api).batch(requests),
      config: columnConfig,
      signal,
      onProgress: ({ done, total }) => onProgress({ done: done + index * total, total: total * columns }),
    })
    const remaining = outcomes.values()
    return {
      config: columnConfig,
      // There is one outcome for each runnable test.
      outcomes: planned.flatMap(test => (isBroken(test) ? test : (remaining.next().value ?? []))),
    }
  }
  const tested = await runColumn(config, 0)
  const compared = comparand?.kind === 'config' ? await runColumn(comparand.config, 1) : comparand
  return { finishedAt: new Date().toISOString(), tested, compared }
}

const readJudgmentsFile = (workspace: string, path: string) => {
  const stored = readStoredJudgments(workspace, path)
  if (!stored) throw new MissingJudgmentsError(path)
  return stored.judgments
}
