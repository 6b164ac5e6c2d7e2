import { Text } from '@mantine/core'
import { person } from '#api/session.ts'
import { Empty } from './empty.tsx'
import { TextLink } from './links.tsx'

/** Replaces the pages of a workspace that the person is not a member of, or that does not exist. Only operators learn which. */
export const NotAMember = ({ workspace, operator }: { workspace: string; operator: boolean }) => (
  <Empty title={operator ? 'Workspace not found' : "You're not a member of this workspace"} isPage>
    <Text>
      {operator
        ? `The workspace ${workspace} does not exist. It may have been deleted or renamed.`
        : `You are signed in as ${person()?.email}. If the workspace ${workspace} exists, one of its administrators can invite you at this address.`}
    </Text>
    <TextLink to="/workspaces">{operator ? 'All workspaces' : 'Your workspaces'}</TextLink>
  </Empty>
)
