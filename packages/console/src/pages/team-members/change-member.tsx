import { Button, Stack, Text } from '@mantine/core'
import type { Role } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { reading, useChange } from '#api/manage.ts'
import { Dialogue } from '#ui/dialogue.tsx'
import { faultAt } from '#ui/faults.ts'
import { RoleChoice } from '#ui/role-choice.tsx'
import { roles } from '#ui/role-names.ts'
import type { Person } from './people.tsx'
import { type FilterRow, filterFields, filterOf, rowFault, rowsOf } from './row-filter.ts'
import { RowFilterForm } from './row-filter-form.tsx'

/** Changes the roles of a member, and which documents they see. */
export const ChangeMember = ({ workspace, member }: { workspace: string; member: Person }) => {
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<Role[]>(member.roles)
  const [rows, setRows] = useState<FilterRow[]>([])
  const [isChecked, setChecked] = useState(false)
  const { data } = useQuery({
    ...reading('listCollections', { params: { workspace } }),
    enabled: isOpen,
  })
  const fields = filterFields(data?.items ?? [])
  const set = useChange('setMember')
  const open = () => {
    setChosen(member.roles)
    setRows(rowsOf(member.filter))
    setChecked(false)
    set.reset()
    setOpen(true)
  }
  const save = async () => {
    setChecked(true)
    if (rows.some(row => rowFault(row, fields) !== undefined)) return
    await set.mutateAsync({
      params: { workspace, email: member.email },
      input: { roles: chosen, filter: filterOf(rows, fields) },
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
          {data && (
            <RowFilterForm
              fields={fields}
              rows={rows}
              onChange={setRows}
              isChecked={isChecked}
              error={faultAt(set.error, 'filter')}
            />
          )}
          <Text size="sm" c="dimmed">
            It holds from their very next request on. A workspace always has an administrator: the last one
            stays.
          </Text>
        </Stack>
      </Dialogue>
    </>
  )
}
