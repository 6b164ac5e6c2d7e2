/** Server > Workspaces: all of them, with their sizes. */
import { Button, Group, Stack, Text } from '@mantine/core'
import type { WorkspaceSize } from '@querent/contract/manage'
import { useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { management, useOperation } from '#api/manage.ts'
import { language, t } from '#i18n/translate.ts'
import { CreateWorkspace } from '#pages/workspaces/create-workspace.tsx'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DeletedContents } from '#ui/deleted-workspace.tsx'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'

export const ServerWorkspaces = () => {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery({
    queryKey: ['listWorkspaceSizes'],
    queryFn: ({ pageParam }) =>
      management.call('listWorkspaceSizes', {
        query: { count: 50, ...(pageParam === '' ? {} : { after: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: last => last.next ?? undefined,
  })
  const workspaces = data.pages.flatMap(page => page.items)
  return (
    <Page
      title={t('Workspaces')}
      description={t(
        'All workspaces of this server. You can manage each of them; to query one, become a member.',
      )}
      action={workspaces.length > 0 && <CreateWorkspace />}
    >
      {workspaces.length === 0 ? (
        <Empty title={t('No workspaces yet')}>
          <Stack align="center">
            {t('Create the first workspace to get started.')}
            <CreateWorkspace />
          </Stack>
        </Empty>
      ) : (
        <WorkspaceTable workspaces={workspaces} />
      )}
      {error && <ErrorNote error={error} />}
      {hasNextPage && (
        <Group>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {t('Show more')}
          </Button>
        </Group>
      )}
    </Page>
  )
}

const formatNumber = (count: number): string => count.toLocaleString(language)

const WorkspaceTable = ({ workspaces }: { workspaces: readonly WorkspaceSize[] }) => {
  const remove = useOperation('removeWorkspace')
  return (
    <DataTable
      caption={t('Workspaces')}
      rows={workspaces}
      rowKey={({ workspace }) => workspace}
      columns={[
        {
          heading: t('Workspace'),
          cell: ({ workspace, title }) => (
            <Stack gap={0}>
              <TextLink to="/w/$workspace" params={{ workspace }}>
                {title}
              </TextLink>
              <Text size="xs" c="dimmed" ff="monospace">
                {workspace}
              </Text>
            </Stack>
          ),
        },
        { heading: t('People'), cell: ({ people }) => formatNumber(people) },
        {
          heading: t('System-to-System accounts'),
          cell: ({ systemToSystem }) => formatNumber(systemToSystem),
        },
        { heading: t('Collections'), cell: ({ collections }) => formatNumber(collections) },
        {
          heading: t('Documents'),
          cell: ({ documents }) => (documents === null ? t('not counted') : formatNumber(documents)),
        },
        { heading: t('Created'), cell: ({ createdAt }) => <Moment moment={createdAt} /> },
        {
          heading: '',
          cell: ({ workspace, documents, collections, people }) => (
            <ConfirmButton
              label={t('Delete')}
              description={t('Delete the workspace {workspace}', { workspace })}
              question={t('Delete the workspace {workspace}?', { workspace })}
              typed={workspace}
              onConfirm={() => remove.mutateAsync({ params: { workspace } })}
            >
              <DeletedContents contents={{ documents, collections, people }} />
            </ConfirmButton>
          ),
        },
      ]}
    />
  )
}
