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
  // The previous results stay until the new ones arrive.
  const deferredSearch = useDeferredValue(search)
  return (
    <Page
      title="Team Members"
      description="People and accounts that may use this workspace. Changes take effect immediately."
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
