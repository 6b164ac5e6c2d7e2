/** Settings > Applications: applications that people sign in to. */
import { Badge, Group, List } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'
import { RegistrationTokens } from './registration-tokens.tsx'

const EditApplication = lazy(async () => ({
  default: (await import('./edit-application.tsx')).EditApplication,
}))
const SnippetDialog = lazy(async () => ({ default: (await import('./snippet.tsx')).SnippetDialog }))
const RegisterApplication = lazy(async () => ({
  default: (await import('./register-application.tsx')).RegisterApplication,
}))

export const Applications = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/applications' })
  const { data } = useSuspenseQuery(
    readOperation('listApplications', { params: { workspace }, query: { count: 1000 } }),
  )
  const remove = useOperation('removeApplication')
  return (
    <Page
      title="Applications"
      description="Websites, apps and servers that people sign in to with their account. They can only query this workspace."
      action={
        <DialogButton label="Register application">
          {dialog => <RegisterApplication workspace={workspace} {...dialog} />}
        </DialogButton>
      }
    >
      {data.items.length === 0 ? (
        <Empty title="No applications yet">
          Register the application that people sign in to. It gets a Client ID and sample code.
        </Empty>
      ) : (
        <DataTable
          caption="Applications"
          rows={data.items}
          rowKey={({ clientId }) => clientId}
          columns={[
            {
              heading: 'Name',
              cell: ({ name, own, disabled }) => (
                <Group gap="xs">
                  {name}
                  {own && <Badge variant="light">first-party</Badge>}
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
            { heading: 'Registered', cell: ({ createdAt }) => <Moment moment={createdAt} /> },
            {
              heading: '',
              cell: application => (
                <Group gap={4} wrap="nowrap" justify="flex-end">
                  <DialogButton
                    label="Edit"
                    description={`Edit ${application.name}`}
                    size="compact-sm"
                    variant="subtle"
                  >
                    {dialog => (
                      <EditApplication workspace={workspace} application={application} {...dialog} />
                    )}
                  </DialogButton>
                  <DialogButton
                    label="Code"
                    description={`Code for ${application.name}`}
                    size="compact-sm"
                    variant="subtle"
                  >
                    {dialog => <SnippetDialog workspace={workspace} application={application} {...dialog} />}
                  </DialogButton>
                  <ConfirmButton
                    label="Delete"
                    description={`Delete ${application.name}`}
                    question={`Delete ${application.name}?`}
                    onConfirm={() =>
                      remove.mutateAsync({ params: { workspace, clientId: application.clientId } })
                    }
                  >
                    Its tokens and grants stop working immediately.
                  </ConfirmButton>
                </Group>
              ),
            },
          ]}
        />
      )}
      <RegistrationTokens workspace={workspace} />
    </Page>
  )
}
