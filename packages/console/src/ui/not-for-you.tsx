import { Button, Stack, Text } from '@mantine/core'
import type { WorkspacePermission } from '@querent/contract/roles'
import { useChange } from '#api/manage.ts'
import { holders, type Standing } from '#api/rights.ts'
import { person } from '#api/session.ts'
import { Empty } from './empty.tsx'
import { ErrorNote } from './error-note.tsx'
import { TextLink } from './links.tsx'

interface NotForYouProps {
  workspace: string
  standing: Standing
  needed: WorkspacePermission
}

/** In place of a page that one's roles do not open: whom it is for, and what to do. */
export const NotForYou = ({ workspace, standing: { roles, operator }, needed }: NotForYouProps) => (
  <Empty title="This page is not for your role" isPage>
    <Stack gap="sm" align="center">
      <Text>
        It is for {holders[needed]}.{' '}
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
  const set = useChange('setMember')
  const join = () =>
    set.mutateAsync({
      params: { workspace, email: person()?.email ?? '' },
      input: { roles: ['administrator'] },
    })
  return (
    <>
      <Button onClick={() => join().catch(() => {})} loading={set.isPending}>
        Become its administrator
      </Button>
      {set.error && <ErrorNote error={set.error} />}
    </>
  )
}
