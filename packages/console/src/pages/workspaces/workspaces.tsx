import { Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { DataTable } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { TextLink } from '#ui/links.tsx'
import { Page } from '#ui/page.tsx'
import { Roles } from '#ui/roles.tsx'
import { CreateWorkspace } from './create-workspace.tsx'

/** The workspaces that one is a member of; for an operator, all. */
export const Workspaces = () => {
  const { data } = useSuspenseQuery(readOperation('listWorkspaces', {}))
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  return (
    <Page
      title="Workspaces"
      description="Each has its own collections, APIs and members."
      action={me.operator && <CreateWorkspace />}
    >
      {data.items.length === 0 ? (
        me.operator ? (
          <Empty title="No workspace yet">
            Make a workspace: the button above asks for its title, and you become its administrator.
          </Empty>
        ) : (
          <Empty title="You are a member of no workspace">
            An administrator of a workspace can invite you by your e-mail address.
          </Empty>
        )
      ) : (
        <DataTable
          caption="Workspaces"
          rows={data.items}
          rowKey={({ workspace }) => workspace}
          columns={[
            {
              heading: 'Workspace',
              cell: ({ workspace, title }) => (
                <TextLink to="/w/$workspace" params={{ workspace }}>
                  {title}
                </TextLink>
              ),
            },
            {
              heading: 'Name in addresses',
              cell: ({ workspace }) => <Text ff="monospace">{workspace}</Text>,
            },
            {
              heading: 'Your roles',
              cell: ({ roles }) =>
                roles.length === 0 ? 'none; you see it as an operator' : <Roles roles={roles} />,
            },
          ]}
        />
      )}
    </Page>
  )
}
