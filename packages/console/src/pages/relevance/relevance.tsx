/** Relevance tests: runs the tests of the workspace file, and shows what a change of search or documents makes better or worse. */
import { Group, Stack, Text } from '@mantine/core'
import { listRelevanceTests } from '@querent/client/relevance/plan-tests'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Loading } from '#ui/loading.tsx'
import { Page } from '#ui/page.tsx'

const TestBench = lazy(async () => ({ default: (await import('./test-bench.tsx')).TestBench }))
const LeakTests = lazy(async () => ({ default: (await import('./leak-tests.tsx')).LeakTests }))
const TestDialog = lazy(async () => ({ default: (await import('./test-dialog.tsx')).TestDialog }))

export const Relevance = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/relevance' })
  const { data, error } = useQuery(readWorkspaceFile(workspace))
  const hasTests = data !== undefined && listRelevanceTests(data.file).length > 0
  return (
    <Page
      title={t('Relevance tests')}
      description={t('Check that people find what they look for, before and after each change.')}
      action={data && hasTests && <AddTestButton file={data.file} variant="default" />}
    >
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && hasTests && (
        <Suspense fallback={<Loading />}>
          <TestBench key={workspace} file={data.file} />
        </Suspense>
      )}
      {data && !hasTests && <NoTests file={data.file} />}
      {data && (
        <Suspense fallback={<Loading />}>
          <LeakTests key={`${workspace} leaks`} file={data.file} />
        </Suspense>
      )}
    </Page>
  )
}

const AddTestButton = ({ file, variant }: { file: WorkspaceFile; variant: 'default' | 'filled' }) => (
  <DialogButton label={t('Add a test')} variant={variant}>
    {dialog => <TestDialog file={file} {...dialog} />}
  </DialogButton>
)

const NoTests = ({ file }: { file: WorkspaceFile }) => (
  <Empty title={t('No tests yet')}>
    <Stack gap="md" align="center">
      <Text c="dimmed">
        {t(
          'A test names a query and the documents that people must find with it. Run all tests after each change of the search, and before you promote new documents.',
        )}
      </Text>
      <Group>
        <AddTestButton file={file} variant="filled" />
      </Group>
      <Text c="dimmed" size="sm">
        {tNodes('Or write them in the {file}; the command {command} runs them too.', {
          file: (
            <TextLink to="/w/$workspace/settings/workspace-file" params={{ workspace: file.workspace }}>
              {t('workspace file')}
            </TextLink>
          ),
          command: <code>querent judge</code>,
        })}
      </Text>
    </Stack>
  </Empty>
)
