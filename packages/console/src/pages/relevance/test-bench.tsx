import { Stack } from '@mantine/core'
import { identifyTest, listRelevanceTests } from '@querent/client/relevance/plan-tests'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { lazy, Suspense, useState } from 'react'
import { ErrorNote } from '#ui/error-note.tsx'
import { RunControls } from './run-controls.tsx'
import { createRows } from './test-run.ts'
import { TestTable } from './test-table.tsx'
import { useTestRun } from './use-test-run.ts'

const FailedQueries = lazy(async () => ({ default: (await import('./failed-queries.tsx')).FailedQueries }))
const JudgmentsFiles = lazy(async () => ({ default: (await import('./judgments-files.tsx')).JudgmentsFiles }))
const RunSummary = lazy(async () => ({ default: (await import('./run-summary.tsx')).RunSummary }))

/** The tests of a file: what to run, progress, and results. */
export const TestBench = ({ file }: { file: WorkspaceFile }) => {
  const testRun = useTestRun(file)
  const [, setJudgmentsVersion] = useState(0)
  const tests = listRelevanceTests(file).map(test => identifyTest(file, test))
  const rows = createRows(tests, testRun.run)
  return (
    <Stack gap="lg">
      <RunControls
        // A new configuration is chosen at once.
        key={Object.keys(file.configurations ?? {}).join(' ')}
        file={file}
        testRun={testRun}
      />
      {tests.some(({ judgments }) => judgments !== undefined) && (
        <Suspense>
          <JudgmentsFiles
            workspace={file.workspace}
            tests={tests}
            onChange={() => setJudgmentsVersion(version => version + 1)}
          />
        </Suspense>
      )}
      {testRun.error !== undefined && <ErrorNote error={testRun.error} />}
      <Suspense>
        {testRun.run && <RunSummary workspace={file.workspace} run={testRun.run} rows={rows} />}
      </Suspense>
      <TestTable file={file} rows={rows} run={testRun.run} />
      <Suspense>
        {testRun.run && <FailedQueries workspace={file.workspace} rows={rows} run={testRun.run} />}
      </Suspense>
    </Stack>
  )
}
