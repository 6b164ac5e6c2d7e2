import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import type { Member, Role } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { reading, useChange } from '#api/manage.ts'
import { person } from '#api/session.ts'
import { Confirm } from '#ui/confirm.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { Dialogue } from '#ui/dialogue.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { roles } from '#ui/role-names.ts'
import { Roles } from '#ui/roles.tsx'
import { When } from '#ui/when.tsx'

type Person = Member & { email: string }

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
        { heading: 'E-mail', cell: ({ email }) => email },
        { heading: 'Roles', cell: member => <Roles roles={member.roles} /> },
        {
          heading: 'Sees only',
          cell: ({ filter }) => (filter ? <Code>{JSON.stringify(filter)}</Code> : 'everything'),
        },
        { heading: 'Member since', cell: ({ createdAt }) => <When at={createdAt} /> },
        {
          heading: '',
          cell: member => (
            <Group gap={4} wrap="nowrap" justify="flex-end">
              <ChangeRoles workspace={workspace} member={member} />
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

const ChangeRoles = ({ workspace, member }: { workspace: string; member: Person }) => {
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<Role[]>(member.roles)
  const set = useChange('setMember')
  const save = async () => {
    await set.mutateAsync({ params: { workspace, email: member.email }, input: { roles: chosen } })
    setOpen(false)
  }
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={`Change ${member.email}`}
        onClick={() => {
          setChosen(member.roles)
          setOpen(true)
        }}
      >
        Change
      </Button>
      <Dialogue
        title={`Roles of ${member.email}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit="Save"
        onSubmit={save}
      >
        <Stack>
          <TextInput label="E-mail" value={member.email} readOnly />
          <RoleChoice offered={roles} value={chosen} onChange={setChosen} />
          <Text size="sm" c="dimmed">
            A workspace always has an administrator: the last one stays.
          </Text>
        </Stack>
      </Dialogue>
    </>
  )
}
