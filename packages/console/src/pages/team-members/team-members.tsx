/** Settings > Team Members: people, invitations, System-to-System accounts. */
import { Stack, Title } from '@mantine/core'
import { useParams } from '@tanstack/react-router'
import { lazy } from 'react'
import { OpensDialogue } from '#ui/opens-dialogue.tsx'
import { Page } from '#ui/page.tsx'
import { Invitations } from './invitations.tsx'
import { People } from './people.tsx'
import { SystemToSystemAccounts } from './system-to-system-accounts.tsx'

const Invite = lazy(async () => ({ default: (await import('./invite.tsx')).Invite }))

export const TeamMembers = () => {
  const { workspace } = useParams({ from: '/signed-in/w/$workspace/settings/team-members' })
  return (
    <Page
      title="Team Members"
      about="Who may use this workspace. A change takes effect on the very next request."
      action={
        <OpensDialogue label="Invite">{opened => <Invite workspace={workspace} {...opened} />}</OpensDialogue>
      }
    >
      <Stack gap="sm">
        <Title order={2} size="h4">
          People
        </Title>
        <People workspace={workspace} />
        <Invitations workspace={workspace} />
      </Stack>
      <SystemToSystemAccounts workspace={workspace} />
    </Page>
  )
}
