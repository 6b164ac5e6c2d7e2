/** Settings > Team Members: people, invitations, System-to-System accounts. */
import { Stack, Title } from '@mantine/core'
import { useParams, useSearch } from '@tanstack/react-router'
import { lazy, useDeferredValue } from 'react'
import { t } from '#i18n/translate.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Page } from '#ui/page.tsx'
import { SearchField } from '#ui/search-field.tsx'
import { Invitations } from './invitations.tsx'
import { People } from './people.tsx'
import type { MemberSearch } from './search.ts'
import { SystemToSystemAccounts } from './system-to-system-accounts.tsx'

const Invite = lazy(async () => ({ default: (await import('./invite.tsx')).Invite }))

const route = '/signed-in/w/$workspace/settings/team-members'

export const TeamMembers = () => {
  const { workspace } = useParams({ from: route })
  const { search = '', invite }: MemberSearch = useSearch({ from: route })
  // The previous results stay until the new ones arrive.
  const deferredSearch = useDeferredValue(search)
  return (
    <Page
      title={t('Team Members')}
      description={t('People and accounts that may use this workspace. Changes take effect immediately.')}
      action={
        <DialogButton key={invite} label={t('Invite')} hash="invite" isOpenAtFirst={invite !== undefined}>
          {dialog => (
            <Invite
              workspace={workspace}
              {...dialog}
              {...(invite === undefined ? {} : { address: invite })}
            />
          )}
        </DialogButton>
      }
    >
      <SearchField search={search} placeholder={t('Search by e-mail, name or Client ID')} />
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t('People')}
        </Title>
        <People workspace={workspace} search={deferredSearch} />
        <Invitations workspace={workspace} />
      </Stack>
      <SystemToSystemAccounts workspace={workspace} search={deferredSearch} />
    </Page>
  )
}
