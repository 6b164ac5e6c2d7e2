/** Settings > Team Members: people, invitations, System-to-System accounts. */
import { Stack, Title } from '@mantine/core'
import { useParams, useSearch } from '@tanstack/react-router'
import { lazy, useDeferredValue } from 'react'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Page } from '#ui/page.tsx'
import { Invitations } from './invitations.tsx'
import { People } from './people.tsx'
import type { MemberSearch } from './search.ts'
import { SearchField } from './search-field.tsx'
import { SystemToSystemAccounts } from './system-to-system-accounts.tsx'

const Invite = lazy(async () => ({ default: (await import('./invite.tsx')).Invite }))

const route = '/signed-in/w/$workspace/settings/team-members'

export const TeamMembers = () => {
  const { workspace } = useParams({ from: route })
  const { search = '' }: MemberSearch = useSearch({ from: route })
  // While what is found is on its way, what was found before stays.
  const deferredSearch = useDeferredValue(search)
  return (
    <Page
      title="Team Members"
      description="Who may use this workspace. A change takes effect on the very next request."
      action={
        <DialogButton label="Invite">{dialog => <Invite workspace={workspace} {...dialog} />}</DialogButton>
      }
    >
      <SearchField search={search} />
      <Stack gap="sm">
        <Title order={2} size="h4">
          People
        </Title>
        <People workspace={workspace} search={deferredSearch} />
        <Invitations workspace={workspace} />
      </Stack>
      <SystemToSystemAccounts workspace={workspace} search={deferredSearch} />
    </Page>
  )
}
