import type { TestedFile } from '@querent/client/relevance/plan-tests'
import { useEffect, useRef, useState } from 'react'
import { storeLastResult } from './last-result.ts'
import { type Comparand, keepLatestRun, type RelevanceRun, readLatestRun } from './test-run.ts'

interface TestRunState {
  /** The latest run of this visit. */
  run: RelevanceRun | undefined
  /** Undefined while no tests run. */
  progress: { done: number; total: number } | undefined
  error: unknown
  start: (config: string | undefined, comparand: Comparand | undefined) => Promise<void>
  cancel: () => void
  /** Compares the latest run with an earlier result. */
  compareWith: (compared: RelevanceRun['compared']) => void
}

/** Runs the tests of a file. Leaving the page cancels the run. */
export const useTestRun = (file: TestedFile): TestRunState => {
  const { workspace } = file
  const [run, setRun] = useState(readLatestRun(workspace))
  const [progress, setProgress] = useState<TestRunState['progress']>()
  const [error, setError] = useState<unknown>()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])
  const finish = (finished: RelevanceRun) => {
    keepLatestRun(workspace, finished)
    setRun(finished)
  }
  return {
    run,
    progress,
    error,
    async start(config, comparand) {
      controller.current = new AbortController()
      const { signal } = controller.current
      setError(undefined)
      setProgress({ done: 0, total: 0 })
      try {
        const { runRelevanceTests } = await import('./run-relevance-tests.ts')
        const finished = await runRelevanceTests({
          file,
          config,
          comparand,
          signal,
          onProgress: next => !signal.aborted && setProgress(next),
        })
        finish(finished)
        storeLastResult(workspace, finished)
      } catch (fault) {
        if (!signal.aborted) setError(fault)
      } finally {
        setProgress(undefined)
      }
    },
    cancel: () => controller.current?.abort(),
    compareWith: compared => run && finish({ ...run, compared }),
  }
}
