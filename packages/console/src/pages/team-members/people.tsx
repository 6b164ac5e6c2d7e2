import { Group } from '@mantine/core'
import type { Member } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { reading, useChange } from '#api/manage.ts'
import { person } from '#api/session.ts'
import { Confirm } from '#ui/confirm.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { OpensDialogue } from '#ui/opens-dialogue.tsx'
import { Roles } from '#ui/roles.tsx'
import { SeenDocuments } from '#ui/seen-documents.tsx'
import { When } from '#ui/when.tsx'

const ChangeMember = lazy(async () => ({ default: (await import('./change-member.tsx')).ChangeMember }))

export type Person = Member & { email: string }

const isPerson = (member: Member): member is Person => member.kind === 'user'

/** The workspace's people, with their roles. */
export const People = ({ workspace }: { workspace: string }) => {
  const { data } = useSuspenseQuery(reading('listMembers', { params: { workspace }, query: { count: 1000 } }))
  const remove = useChange('removeMember')
  return (
    <DataTable
      caption="People"
      rows={data.items.filter(isPerson)}
      keyOf={({ email }) => email}
      columns={[
        { heading: 'Name', cell: ({ name }) => name },
        { heading: 'E-mail', cell: ({ email }) => email, isWhole: true },
        { heading: 'Roles', cell: member => <Roles roles={member.roles} /> },
        {
          heading: 'Sees only',
          cell: ({ filter, email, roles }) => (
            <SeenDocuments workspace={workspace} member={email} filter={filter} roles={roles} />
          ),
        },
        { heading: 'Last activity', cell: ({ lastActivityAt }) => <When at={lastActivityAt} /> },
        { heading: 'Member since', cell: ({ createdAt }) => <When at={createdAt} /> },
        {
          heading: '',
          cell: member => (
            <Group gap={4} wrap="nowrap" justify="flex-end">
              <OpensDialogue
                label="Change"
                description={`Change ${member.email}`}
                size="compact-sm"
                variant="subtle"
              >
                {opened => <ChangeMember workspace={workspace} member={member} {...opened} />}
              </OpensDialogue>
              <Confirm
                label="Remove"
                description={`Remove ${member.email}`}
                question={`Remove ${member.email}?`}
                onConfirm={() => remove.mutateAsync({ params: { workspace, email: member.email } })}
              >
                They are refused from the very next request on, though their tokens have not expired.
                {member.email === person()?.email && ' This is you.'}
              </Confirm>
            </Group>
          ),
        },
      ]}
    />
  )
}
