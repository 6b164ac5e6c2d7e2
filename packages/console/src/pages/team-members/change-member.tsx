import { Button, Stack, Text } from '@mantine/core'
import type { Role } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { Dialogue } from '#ui/dialogue.tsx'
import { faultAt } from '#ui/faults.ts'
import { RoleChoice } from '#ui/role-choice.tsx'
import { roles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'
import type { Person } from './people.tsx'

/** Changes the roles of a member, and which documents they see. */
export const ChangeMember = ({ workspace, member }: { workspace: string; member: Person }) => {
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<Role[]>(member.roles)
  const filter = useRowFilter(workspace, isOpen)
  const set = useChange('setMember')
  const open = () => {
    setChosen(member.roles)
    filter.fill(member.filter)
    set.reset()
    setOpen(true)
  }
  const save = async () => {
    const next = filter.read()
    if (next === undefined) return
    await set.mutateAsync({
      params: { workspace, email: member.email },
      input: { roles: chosen, filter: next },
    })
    setOpen(false)
  }
  return (
    <>
      <Button size="compact-sm" variant="subtle" aria-label={`Change ${member.email}`} onClick={open}>
        Change
      </Button>
      <Dialogue
        title={`Change ${member.email}`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit="Save"
        onSubmit={save}
        fields={['roles', 'filter']}
      >
        <Stack>
          <RoleChoice
            offered={roles}
            value={chosen}
            onChange={setChosen}
            error={faultAt(set.error, 'roles')}
          />
          <RowFilterForm {...filter.state} error={faultAt(set.error, 'filter')} />
          <Text size="sm" c="dimmed">
            It holds from their very next request on. A workspace always has an administrator: the last one
            stays.
          </Text>
        </Stack>
      </Dialogue>
    </>
  )
}
