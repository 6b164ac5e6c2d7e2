import { Stack, Text } from '@mantine/core'
import type { Member, Role } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { Dialogue } from '#ui/dialog.tsx'
import type { Opened } from '#ui/dialog-button.tsx'
import { faultAt } from '#ui/faults.ts'
import { RoleChoice } from '#ui/role-choice.tsx'
import { roles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'

export type Person = Member & { email: string }

interface ChangeMemberProps extends Opened {
  workspace: string
  member: Person
}

/** Changes the roles of a member, and which documents they see. */
export const ChangeMember = ({ workspace, member, isOpen, onClose }: ChangeMemberProps) => {
  const [chosen, setChosen] = useState<Role[]>(member.roles)
  const filter = useRowFilter(workspace, member.filter)
  const set = useChange('setMember')
  const save = async () => {
    const next = filter.read()
    if (next === undefined || chosen.length === 0) return
    await set.mutateAsync({
      params: { workspace, email: member.email },
      input: { roles: chosen, filter: next },
    })
    onClose()
  }
  return (
    <Dialogue
      title={`Change ${member.email}`}
      isOpen={isOpen}
      onClose={onClose}
      submit="Save"
      onSubmit={save}
      fields={['roles', 'filter']}
    >
      <Stack>
        <RoleChoice offered={roles} value={chosen} onChange={setChosen} error={faultAt(set.error, 'roles')} />
        <RowFilterForm {...filter.state} error={faultAt(set.error, 'filter')} />
        <Text size="sm" c="dimmed">
          It holds from their very next request on. A workspace always has an administrator: the last one
          stays.
        </Text>
      </Stack>
    </Dialogue>
  )
}
