/** Settings > Applications: what people sign in to. */
import { Badge, Group, List } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { reading, useChange } from '#api/manage.ts'
import { Confirm } from '#ui/confirm.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { Page } from '#ui/page.tsx'
import { When } from '#ui/when.tsx'
import { ChangeApplication } from './change-application.tsx'
import { RegisterApplication } from './register-application.tsx'
import { SnippetButton } from './snippet.tsx'

export const Applications = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/applications' })
  const { data } = useSuspenseQuery(
    reading('listApplications', { params: { workspace }, query: { count: 1000 } }),
  )
  const remove = useChange('removeApplication')
  return (
    <Page
      title="Applications"
      about="What people sign in to with their account here: pages, apps, servers. Each queries this workspace only."
      action={<RegisterApplication workspace={workspace} />}
    >
      {data.items.length === 0 ? (
        <Empty title="No application yet">
          Register the application that your people sign in to. It gets a Client ID, and the code to sign in
          with.
        </Empty>
      ) : (
        <DataTable
          caption="Applications"
          rows={data.items}
          keyOf={({ clientId }) => clientId}
          columns={[
            {
              heading: 'Name',
              cell: ({ name, own, disabled }) => (
                <Group gap="xs">
                  {name}
                  {own && <Badge variant="light">own</Badge>}
                  {disabled && <Badge color="gray">disabled</Badge>}
                </Group>
              ),
            },
            { heading: 'Type', cell: ({ type }) => type },
            { heading: 'Client ID', cell: ({ clientId }) => <code>{clientId}</code> },
            {
              heading: 'Redirect URIs',
              cell: ({ redirectUris }) => (
                <List size="sm" listStyleType="none">
                  {redirectUris.map(uri => (
                    <List.Item key={uri}>{uri}</List.Item>
                  ))}
                </List>
              ),
            },
            { heading: 'Registered', cell: ({ createdAt }) => <When at={createdAt} /> },
            {
              heading: '',
              cell: application => (
                <Group gap={4} wrap="nowrap" justify="flex-end">
                  <ChangeApplication workspace={workspace} application={application} />
                  <SnippetButton workspace={workspace} application={application} />
                  <Confirm
                    label="Remove"
                    description={`Remove ${application.name}`}
                    question={`Remove ${application.name}?`}
                    onConfirm={() =>
                      remove.mutateAsync({ params: { workspace, clientId: application.clientId } })
                    }
                  >
                    All it was granted ends with it, on the very next request.
                  </Confirm>
                </Group>
              ),
            },
          ]}
        />
      )}
    </Page>
  )
}
