import { Anchor, Badge, Group, Table } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { reading } from '#api/manage.ts'
import { Empty } from '#ui/empty.tsx'
import { Page } from '#ui/page.tsx'

/** The workspaces that one is a member of; for an operator, all. */
export const Workspaces = () => {
  const { data } = useSuspenseQuery(reading('listWorkspaces', {}))
  return (
    <Page title="Workspaces" about="Each has its own collections, APIs and members.">
      {data.items.length === 0 ? (
        <Empty title="You are a member of no workspace">
          An administrator of a workspace can invite you by your e-mail address.
        </Empty>
      ) : (
        <Table.ScrollContainer minWidth={300}>
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Workspace</Table.Th>
                <Table.Th>Your roles</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.items.map(({ workspace, title, roles }) => (
                <Table.Tr key={workspace}>
                  <Table.Td>
                    <Anchor component={Link} to="/w/$workspace" params={{ workspace } as never}>
                      {title}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <Group gap="xs">
                      {roles.length === 0
                        ? 'none: you see it as an operator'
                        : roles.map(role => (
                            <Badge key={role} variant="light" tt="none">
                              {role}
                            </Badge>
                          ))}
                    </Group>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Page>
  )
}
