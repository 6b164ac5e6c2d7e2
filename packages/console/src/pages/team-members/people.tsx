import { Button, Group, Text } from '@mantine/core'
import type { Member } from '@querent/contract/manage'
import { useSuspenseInfiniteQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { management, useOperation } from '#api/manage.ts'
import { person } from '#api/session.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { Moment } from '#ui/moment.tsx'
import { Roles } from '#ui/roles.tsx'
import { SeenDocuments } from '#ui/seen-documents.tsx'
import type { Person } from './edit-member.tsx'

const EditMember = lazy(async () => ({ default: (await import('./edit-member.tsx')).EditMember }))

const isPerson = (member: Member): member is Person => member.kind === 'user'

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
      {people.length === 0 && (
        <Text c="dimmed">{hasNextPage ? 'No matches so far.' : 'No people match.'}</Text>
      )}
      {error && <ErrorNote error={error} />}
      {hasNextPage && (
        <Group>
          <Button variant="default" loading={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {people.length === 0 ? 'Search further' : 'Show more'}
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
      caption="People"
      rows={people}
      rowKey={({ email }) => email}
      columns={[
        { heading: 'Name', cell: ({ name }) => name },
        { heading: 'E-mail', cell: ({ email }) => email, isWhole: true },
        {
          heading: 'E-mail status',
          cell: ({ emailVerified }) => (emailVerified ? 'confirmed' : 'not confirmed'),
        },
        { heading: 'Roles', cell: member => <Roles roles={member.roles} /> },
        {
          heading: 'Document access',
          cell: ({ filter, email, roles }) => (
            <SeenDocuments workspace={workspace} member={email} filter={filter} roles={roles} />
          ),
        },
        { heading: 'Last activity', cell: ({ lastActivityAt }) => <Moment moment={lastActivityAt} /> },
        { heading: 'Member since', cell: ({ createdAt }) => <Moment moment={createdAt} /> },
        {
          heading: '',
          cell: member => (
            <Group gap={4} wrap="nowrap" justify="flex-end">
              <DialogButton
                label="Edit"
                description={`Edit ${member.email}`}
                size="compact-sm"
                variant="subtle"
              >
                {dialog => <EditMember workspace={workspace} member={member} {...dialog} />}
              </DialogButton>
              <ConfirmButton
                label="Remove"
                description={`Remove ${member.email}`}
                question={`Remove ${member.email}?`}
                onConfirm={() => remove.mutateAsync({ params: { workspace, email: member.email } })}
              >
                They lose access immediately, even if their tokens have not expired.
                {member.email === person()?.email && ' This is you.'}
              </ConfirmButton>
            </Group>
          ),
        },
      ]}
    />
  )
}
