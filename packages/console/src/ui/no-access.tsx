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

/** In place of a page that one's roles do not open: whom it is for, and what to do. */
export const NoAccess = ({ workspace, access: { roles, operator }, permission }: NoAccessProps) => (
  <Empty title="This page is not for your role" isPage>
    <Stack gap="sm" align="center">
      <Text>
        It is for {permittedRoles[permission]}.{' '}
        {roles.length > 0
          ? `Your role here is ${roles.join(', ')}. An administrator of this workspace can change it.`
          : 'You are no member of this workspace.'}
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

/** Operators manage every workspace; to query one, they become its members. */
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
        Become its administrator
      </Button>
      {addMember.error && <ErrorNote error={addMember.error} />}
    </>
  )
}
