/** The leak tests of a workspace with their results: which documents leak. */
import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { isLeakTest, type LeakTest, type LeakTestOutcome } from '@querent/contract/relevance-tests'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { useMutation } from '@tanstack/react-query'
import { lazy } from 'react'
import { management } from '#api/manage.ts'
import { useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { FilterInWords } from '#ui/filter-in-words.tsx'
import { testsEdit } from './tests-edit.ts'

const LeakTestDialog = lazy(async () => ({
  default: (await import('./leak-test-dialog.tsx')).LeakTestDialog,
}))

/** Tests of one request. */
const testsAtOnce = 100

const runLeakTests = async (workspace: string, tests: readonly LeakTest[]): Promise<LeakTestOutcome[]> => {
  const outcomes: LeakTestOutcome[] = []
  for (let start = 0; start < tests.length; start += testsAtOnce) {
    const input = { tests: tests.slice(start, start + testsAtOnce) }
    outcomes.push(...(await management.call('runLeakTests', { params: { workspace }, input })).items)
  }
  return outcomes
}

export const LeakTestTable = ({ file }: { file: WorkspaceFile }) => {
  const { workspace } = file
  const tests = (file.tests ?? []).filter(isLeakTest)
  // Otherwise each test would show the result of another one.
  const run = useMutation({
    mutationFn: async () => ({
      tests: JSON.stringify(tests),
      outcomes: await runLeakTests(workspace, tests),
    }),
  })
  const outcomes = run.data?.tests === JSON.stringify(tests) ? run.data.outcomes : []
  return (
    <>
      <Group>
        <Button loading={run.isPending} onClick={() => run.mutate()}>
          {t('Run leak tests')}
        </Button>
      </Group>
      {run.error && <ErrorNote error={run.error} />}
      <DataTable
        caption={t('Leak tests')}
        rows={tests.map((test, index) => ({ test, index, outcome: outcomes[index] }))}
        rowKey={({ index }) => String(index)}
        columns={[
          { heading: t('As'), cell: ({ test }) => describeSubject(test), isWhole: true },
          { heading: t('Endpoint'), cell: ({ test }) => describePlace(test) },
          { heading: t('Query'), cell: ({ test }) => test.query },
          {
            heading: t('Must not see'),
            cell: ({ test }) => <FilterInWords workspace={workspace} filter={test.never} />,
          },
          { heading: t('Result'), cell: ({ outcome }) => <Result outcome={outcome} /> },
          {
            heading: '',
            cell: ({ test }) => <TestButtons file={file} test={test} />,
          },
        ]}
      />
    </>
  )
}

const describeSubject = ({ as }: Pick<LeakTest, 'as'>): string =>
  'group' in as ? t('group {group}', { group: as.group }) : as.member

const describePlace = ({ api, endpoint }: LeakTest): string =>
  api === undefined ? endpoint : `${api} · ${endpoint}`

const TestButtons = ({ file, test }: { file: WorkspaceFile; test: LeakTest }) => {
  const { plan, apply } = useWorkspaceFileEdit(file.workspace)
  const name = `${describeSubject(test)}: ${test.query}`
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <DialogButton
        label={t('Edit')}
        description={t('Edit {name}', { name })}
        size="compact-sm"
        variant="subtle"
      >
        {dialog => <LeakTestDialog file={file} test={test} {...dialog} />}
      </DialogButton>
      <ConfirmButton
        label={t('Delete')}
        description={t('Delete {name}', { name })}
        question={t('Delete this test?')}
        onConfirm={async () =>
          apply(await plan([testsEdit((file.tests ?? []).filter(other => other !== test))]))
        }
      >
        {t('The test {name} is deleted from the workspace file.', { name })}
      </ConfirmButton>
    </Group>
  )
}

const Result = ({ outcome }: { outcome: LeakTestOutcome | undefined }) => {
  if (!outcome)
    return (
      <Text size="sm" c="dimmed">
        {t('Not run yet')}
      </Text>
    )
  const { passed, error, documents, suggests } = outcome
  if (passed)
    return (
      <Badge color="green" variant="light">
        {t('Passed')}
      </Badge>
    )
  return (
    <Stack gap={4} align="flex-start" style={{ overflowWrap: 'anywhere' }}>
      <Badge color="red" variant="light">
        {t('Failed')}
      </Badge>
      {error !== undefined && (
        <Text size="sm" lang="en">
          {error}
        </Text>
      )}
      {error === undefined && <Leak {...outcome} />}
      {documents.length > 0 && <Text size="sm">{t('Documents: {ids}', { ids: documents.join(', ') })}</Text>}
      {suggests !== null && (
        <Text size="sm">{t('The query suggests “{text}” because of them.', { text: suggests })}</Text>
      )}
    </Stack>
  )
}

const Leak = ({ sees, finds }: LeakTestOutcome) => (
  <Text size="sm">
    {t('Documents that they see: {sees}. Documents that the query finds: {finds}.', {
      sees: String(sees),
      finds: String(finds),
    })}
  </Text>
)
