import { Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation, useOperation } from '#api/manage.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { FilterInWords } from '#ui/filter-in-words.tsx'
import { Moment } from '#ui/moment.tsx'
import { Roles } from '#ui/roles.tsx'

/** Lists open invitations; renders nothing without any. */
export const Invitations = ({ workspace }: { workspace: string }) => {
  const { data } = useSuspenseQuery(readOperation('listInvitations', { params: { workspace } }))
  const revoke = useOperation('withdrawInvitation')
  if (data.items.length === 0) return null
  return (
    <>
      <Title order={2} size="h4">
        Invitations
      </Title>
      <DataTable
        caption="Invitations"
        rows={data.items}
        rowKey={({ id }) => id}
        columns={[
          { heading: 'E-mail', cell: ({ email }) => email, isWhole: true },
          { heading: 'Roles', cell: ({ roles }) => <Roles roles={roles} /> },
          {
            heading: 'Document access',
            cell: ({ filter }) => (filter ? <FilterInWords workspace={workspace} filter={filter} /> : 'all'),
          },
          { heading: 'Invited by', cell: ({ invitedBy }) => invitedBy ?? 'removed user' },
          {
            heading: 'Expires',
            cell: ({ expired, expiresAt }) => (expired ? 'expired' : <Moment moment={expiresAt} />),
          },
          {
            heading: '',
            cell: ({ id, email }) => (
              <ConfirmButton
                label="Revoke"
                description={`Revoke the invitation of ${email}`}
                question={`Revoke the invitation of ${email}?`}
                onConfirm={() => revoke.mutateAsync({ params: { workspace, invitationId: id } })}
              >
                The link stops working.
              </ConfirmButton>
            ),
          },
        ]}
      />
    </>
  )
}
