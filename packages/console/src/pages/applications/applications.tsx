/** Settings > Applications: what people sign in to. */
import { Badge, Group, List } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy } from 'react'
import { reading, useChange } from '#api/manage.ts'
import { Confirm } from '#ui/confirm.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { OpensDialogue } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Page } from '#ui/page.tsx'
import { When } from '#ui/when.tsx'

const ChangeApplication = lazy(async () => ({
  default: (await import('./edit-application.tsx')).ChangeApplication,
}))
const SnippetDialogue = lazy(async () => ({ default: (await import('./snippet.tsx')).SnippetDialogue }))
const RegisterApplication = lazy(async () => ({
  default: (await import('./register-application.tsx')).RegisterApplication,
}))

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
      action={
        <OpensDialogue label="Register an application">
          {opened => <RegisterApplication workspace={workspace} {...opened} />}
        </OpensDialogue>
      }
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
                  <OpensDialogue
                    label="Change"
                    description={`Change ${application.name}`}
                    size="compact-sm"
                    variant="subtle"
                  >
                    {opened => (
                      <ChangeApplication workspace={workspace} application={application} {...opened} />
                    )}
                  </OpensDialogue>
                  <OpensDialogue
                    label="Code"
                    description={`Code for ${application.name}`}
                    size="compact-sm"
                    variant="subtle"
                  >
                    {opened => (
                      <SnippetDialogue workspace={workspace} application={application} {...opened} />
                    )}
                  </OpensDialogue>
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
