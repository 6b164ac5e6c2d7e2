/** Server > People: everybody who has an account. */

import { Badge, Button, Group, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { User } from '@querent/contract/manage'
import { useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { lazy, useDeferredValue } from 'react'
import { management } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { TextLink } from '#ui/links.tsx'
import { Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'
import { SearchField } from '#ui/search-field.tsx'

const CreateUser = lazy(async () => ({ default: (await import('./create-user.tsx')).CreateUser }))

export const People = () => {
  const { search = '' } = useSearch({ from: '/signed-in/server/people' })
  // The previous results stay until the new ones arrive.
  const deferredSearch = useDeferredValue(search)
  return (
    <Page
      title={t('People')}
      description={t('Everybody who has an account on this server.')}
      action={<DialogButton label={t('Create account')}>{dialog => <CreateUser {...dialog} />}</DialogButton>}
    >
      <SearchField search={search} placeholder={t('Search by e-mail or name')} />
      <UserList search={deferredSearch} />
    </Page>
  )
}

const UserList = ({ search }: { search: string }) => {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery({
    queryKey: ['listUsers', search],
    queryFn: ({ pageParam }) =>
      management.call('listUsers', {
        query: { search, count: 100, ...(pageParam === '' ? {} : { after: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: last => last.next ?? undefined,
  })
  const users = data.pages.flatMap(page => page.items)
  return (
    <>
      {users.length > 0 ? (
        <UserTable users={users} />
      ) : (
        <Text c="dimmed">{hasNextPage ? t('No matches so far.') : t('No people match.')}</Text>
      )}
      {error && <ErrorNote error={error} />}
      {hasNextPage && (
        <Group>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {users.length === 0 ? t('Search further') : t('Show more')}
          </Button>
        </Group>
      )}
    </>
  )
}

const UserTable = ({ users }: { users: readonly User[] }) => (
  <DataTable
    caption={t('People')}
    rows={users}
    rowKey={({ id }) => id}
    columns={[
      {
        heading: t('E-mail'),
        isWhole: true,
        cell: ({ email }) => (
          <TextLink to="/server/people/$email" params={{ email }}>
            {displayEmail(email)}
          </TextLink>
        ),
      },
      { heading: t('Name'), cell: ({ name, email }) => (name === email ? '' : name) },
      { heading: t('State'), cell: user => <UserState user={user} /> },
      { heading: t('Created'), cell: ({ createdAt }) => <Moment moment={createdAt} /> },
    ]}
  />
)

/** Marks operators, disabled accounts and unconfirmed addresses, as badges. */
export const UserState = ({ user }: { user: User }) => (
  <Group gap={4}>
    {user.operator && <Badge miw="max-content">{t('operator')}</Badge>}
    {user.disabled && (
      <Badge color="red" miw="max-content">
        {t('disabled')}
      </Badge>
    )}
    {!user.emailVerified && (
      <Badge color="yellow" miw="max-content">
        {t('e-mail not confirmed')}
      </Badge>
    )}
  </Group>
)
