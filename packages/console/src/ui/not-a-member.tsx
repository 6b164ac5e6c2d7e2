import { Text } from '@mantine/core'
import { person } from '#api/session.ts'
import { Empty } from './empty.tsx'
import { TextLink } from './links.tsx'

/** At the address of a workspace that one is no member of, or that there is not: only operators, who see all, learn which. */
export const NotAMember = ({ workspace, operator }: { workspace: string; operator: boolean }) => (
  <Empty title={operator ? 'There is no such workspace' : 'You are no member of this workspace'} isPage>
    <Text>
      {operator
        ? `There is no workspace ${workspace}: it was removed, or its name is another.`
        : `You are signed in as ${person()?.email}. If there is a workspace ${workspace}, one of its administrators can invite you by this address.`}
    </Text>
    <TextLink to="/workspaces">{operator ? 'All workspaces' : 'Your workspaces'}</TextLink>
  </Empty>
)
