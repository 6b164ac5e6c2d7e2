import { Button, Stack, Text } from '@mantine/core'
import type { WorkspacePermission } from '@querent/contract/roles'
import { useOperation } from '#api/manage.ts'
import { person } from '#api/session.ts'
import { permittedRoles, type WorkspaceAccess } from '#api/workspace-access.ts'
import { Empty } from './empty.tsx'
import { ErrorNote } from './error-note.tsx'
import { TextLink } from './links.tsx'

interface NoAccessProps {
  workspace: string
  access: WorkspaceAccess
  permission: WorkspacePermission
}

/** Replaces a page that needs another role: names the roles, and what to do next. */
export const NoAccess = ({ workspace, access: { roles, operator }, permission }: NoAccessProps) => (
  <Empty title="You don't have access to this page" isPage>
    <Stack gap="sm" align="center">
      <Text>
        It is available to {permittedRoles[permission]}.{' '}
        {roles.length > 0
          ? `Your role here is ${roles.join(', ')}. An administrator of this workspace can change it.`
          : "You're not a member of this workspace."}
      </Text>
      {operator ? (
        <Join workspace={workspace} />
      ) : (
        <TextLink to="/w/$workspace" params={{ workspace }}>
          Go to the overview
        </TextLink>
      )}
    </Stack>
  </Empty>
)

/** Operators can manage every workspace. To query one, they must become a member. */
const Join = ({ workspace }: { workspace: string }) => {
  const addMember = useOperation('setMember')
  const join = () =>
    addMember.mutateAsync({
      params: { workspace, email: person()?.email ?? '' },
      input: { roles: ['administrator'] },
    })
  return (
    <>
      <Button onClick={() => join().catch(() => {})} loading={addMember.isPending}>
        Become an administrator
      </Button>
      {addMember.error && <ErrorNote error={addMember.error} />}
    </>
  )
}
