import { Button, Group, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { Member } from '@querent/contract/manage'
import { useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { management, useOperation } from '#api/manage.ts'
import { person } from '#api/session.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { ActivityNote, readLastActivity } from '#ui/last-activity.tsx'
import { MemberGroupNames } from '#ui/member-group-names.tsx'
import { Moment } from '#ui/moment.tsx'
import { Roles } from '#ui/roles.tsx'
import { SeenDocuments } from '#ui/seen-documents.tsx'
import type { Person } from './edit-member.tsx'
import { WithdrawnAccess } from './withdrawn-access.tsx'

const EditMember = lazy(async () => ({ default: (await import('./edit-member.tsx')).EditMember }))

const ExplainSight = lazy(async () => ({ default: (await import('#ui/explain-sight.tsx')).ExplainSight }))

const isPerson = (member: Member): member is Person => member.kind === 'user'

/** Whether the membership has groups or an end. */
const hasRights = ({ groups, given, until }: Member): boolean =>
  groups !== undefined || given !== undefined || until !== undefined

/** Lists the people of a workspace in pages. `search` is the start of an address or name; empty lists all. */
export const People = ({ workspace, search }: { workspace: string; search: string }) => {
  const { data, error, fetchNextPage, hasNextPage, isFetchingNextPage } = useSuspenseInfiniteQuery({
    queryKey: ['listMembers', workspace, search],
    queryFn: ({ pageParam }) =>
      management.call('listMembers', {
        params: { workspace },
        query: { search, count: 100, ...(pageParam === '' ? {} : { after: pageParam }) },
      }),
    initialPageParam: '',
    getNextPageParam: last => last.next ?? undefined,
  })
  const people = data.pages.flatMap(page => page.items).filter(isPerson)
  return (
    <>
      {people.length > 0 && <Table workspace={workspace} people={people} />}
      {people.length > 0 && <ActivityNote />}
      {people.length === 0 && (
        <Text c="dimmed">{hasNextPage ? t('No matches so far.') : t('No people match.')}</Text>
      )}
      {error && <ErrorNote error={error} />}
      {hasNextPage && (
        <Group>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {people.length === 0 ? t('Search further') : t('Show more')}
          </Button>
        </Group>
      )}
    </>
  )
}

const Table = ({ workspace, people }: { workspace: string; people: readonly Person[] }) => {
  const remove = useOperation('removeMember')
  return (
    <DataTable
      caption={t('People')}
      rows={people}
      rowKey={({ email }) => email}
      columns={[
        // Many have no name yet: a column of names would be full of dashes.
        {
          heading: t('Person'),
          cell: ({ name, email, emailVerified }) => (
            <>
              {name !== email && (
                <Text size="sm" fw={500}>
                  {name}
                </Text>
              )}
              {displayEmail(email)}
              {!emailVerified && (
                <Text size="xs" c="dimmed">
                  {t('not confirmed')}
                </Text>
              )}
            </>
          ),
          isWhole: 'narrow',
        },
        { heading: t('Roles'), cell: member => <Roles roles={member.roles} /> },
        {
          heading: t('Document access'),
          cell: member => <SeenDocuments workspace={workspace} member={member.email} holder={member} />,
        },
        ...(people.some(hasRights)
          ? [
              {
                heading: t('Groups'),
                cell: (member: Person) => <MemberGroupNames workspace={workspace} holder={member} />,
              },
            ]
          : []),
        // One column: with two, a long address and a language with long words push the buttons over others.
        {
          heading: t('Last activity'),
          cell: member => (
            <>
              <Moment moment={readLastActivity(member)} />
              <Text size="xs" c="dimmed">
                {tNodes('member since {moment}', { moment: <Moment moment={member.createdAt} /> })}
              </Text>
            </>
          ),
        },
        {
          heading: '',
          cell: member => (
            <Group gap={4} wrap="nowrap" justify="flex-end">
              <DialogButton
                label={t('Edit')}
                description={t('Edit {email}', { email: member.email })}
                size="compact-sm"
                variant="subtle"
              >
                {dialog => <EditMember workspace={workspace} member={member} {...dialog} />}
              </DialogButton>
              <DialogButton
                label={t('Explain')}
                description={t('Explain what {name} can read', { name: member.email })}
                size="compact-sm"
                variant="subtle"
              >
                {dialog => (
                  <ExplainSight
                    workspace={workspace}
                    member={member.email}
                    name={displayEmail(member.email)}
                    {...dialog}
                  />
                )}
              </DialogButton>
              <ConfirmButton
                label={t('Remove')}
                description={t('Remove {email}', { email: member.email })}
                question={t('Remove {email}?', { email: member.email })}
                onConfirm={() => remove.mutateAsync({ params: { workspace, email: member.email } })}
              >
                {t('They lose access immediately, even if their tokens have not expired.')}
                {member.email === person()?.email && ` ${t('This is you.')}`}
                <Suspense>
                  <WithdrawnAccess workspace={workspace} email={member.email} />
                </Suspense>
              </ConfirmButton>
            </Group>
          ),
        },
      ]}
    />
  )
}
