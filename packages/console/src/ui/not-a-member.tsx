import { Text } from '@mantine/core'
import { person } from '#api/session.ts'
import { Empty } from './empty.tsx'
import { TextLink } from './links.tsx'

/** At the address of a workspace that one is no member of, or that there is not: nobody learns which. */
export const NotAMember = ({ workspace }: { workspace: string }) => (
  <Empty title="You are no member of this workspace" isPage>
    <Text>
      You are signed in as {person()?.email}. If there is a workspace {workspace}, one of its administrators
      can invite you by this address.
    </Text>
    <TextLink to="/workspaces">Your workspaces</TextLink>
  </Empty>
)
