import { Alert, Group, Stack, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { readOperation } from '#api/manage.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'
import { Roles } from '#ui/roles.tsx'
import { CreateWorkspace } from './create-workspace.tsx'

/** Lists the workspaces of the person, or all workspaces for an operator. */
export const Workspaces = () => {
  const { data } = useSuspenseQuery(readOperation('listWorkspaces', {}))
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  return (
    <Page
      title={t('Workspaces')}
      description={t('Each has its own collections, APIs and members.')}
      action={
        me.operator && (
          <Group gap="md">
            <TextLink to="/server">{t('Server')}</TextLink>
            {data.items.length > 0 && <CreateWorkspace />}
          </Group>
        )
      }
    >
      <MissingFactor workspaces={data.items} />
      {data.items.length === 0 ? (
        me.operator ? (
          <Empty title={t('No workspaces yet')}>
            <Stack align="center">
              {t('Create your first workspace to get started.')}
              <CreateWorkspace />
            </Stack>
          </Empty>
        ) : (
          <Empty title={t("You don't belong to any workspace yet")}>
            {t('An administrator of a workspace can invite you at your e-mail address.')}
          </Empty>
        )
      ) : (
        <DataTable
          caption={t('Workspaces')}
          rows={data.items}
          rowKey={({ workspace }) => workspace}
          columns={[
            {
              heading: t('Workspace'),
              cell: ({ workspace, title }) => (
                <TextLink to="/w/$workspace" params={{ workspace }}>
                  {title}
                </TextLink>
              ),
            },
            {
              heading: t('URL name'),
              cell: ({ workspace }) => (
                <Text ff="monospace" size="sm">
                  {workspace}
                </Text>
              ),
            },
            {
              heading: t('Your roles'),
              cell: ({ roles }) =>
                roles.length === 0 ? t('none (you see it as an operator)') : <Roles roles={roles} />,
            },
          ]}
        />
      )}
    </Page>
  )
}

interface MissingFactorProps {
  workspaces: readonly { workspace: string; title: string }[]
}

/** Says why the workspace from which the person comes did not open. */
const MissingFactor = ({ workspaces }: MissingFactorProps) => {
  const { withoutFactor } = useSearch({ from: '/signed-in/workspaces' })
  const closed = workspaces.find(({ workspace }) => workspace === withoutFactor)
  if (!closed) return null
  return (
    <Alert color="yellow" variant="light" mb="md" title={t('You have not set up a second factor')}>
      {tNodes('{workspace} requires one. Open it again to set one up.', {
        workspace: (
          <TextLink to="/w/$workspace" params={{ workspace: closed.workspace }}>
            {closed.title}
          </TextLink>
        ),
      })}
    </Alert>
  )
}
