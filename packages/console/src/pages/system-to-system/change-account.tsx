import { Button, Stack, Text, TextInput } from '@mantine/core'
import type { SystemRole, SystemToSystem } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { Dialogue } from '#ui/dialogue.tsx'
import { faultAt } from '#ui/faults.ts'
import { RoleChoice } from '#ui/role-choice.tsx'
import { systemRoles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'

interface ChangeAccountProps {
  workspace: string
  account: SystemToSystem
}

/** Changes the name of an account, its roles, and which documents it sees. */
export const ChangeAccount = ({ workspace, account }: ChangeAccountProps) => {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState(account.name)
  const [chosen, setChosen] = useState<SystemRole[]>(account.roles)
  const filter = useRowFilter(workspace, isOpen)
  const update = useChange('updateSystemToSystem')
  const open = () => {
    setName(account.name)
    setChosen(account.roles)
    filter.fill(account.filter)
    update.reset()
    setOpen(true)
  }
  const save = async () => {
    const next = filter.read()
    if (next === undefined) return
    await update.mutateAsync({
      params: { workspace, clientId: account.clientId },
      input: { name, roles: chosen, filter: next },
    })
    setOpen(false)
  }
  const label = `Change ${account.name}`
  return (
    <>
      <Button size="compact-sm" variant="subtle" aria-label={label} onClick={open}>
        Change
      </Button>
      <Dialogue
        title={label}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit="Save"
        onSubmit={save}
        fields={['name', 'roles', 'filter']}
      >
        <Stack>
          <TextInput
            label="Name"
            required
            data-autofocus
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={faultAt(update.error, 'name')}
          />
          <RoleChoice
            offered={systemRoles}
            value={chosen}
            onChange={setChosen}
            error={faultAt(update.error, 'roles')}
          />
          <RowFilterForm {...filter.state} error={faultAt(update.error, 'filter')} />
          <Text size="sm" c="dimmed">
            It holds from its very next request on. Client ID and secrets stay.
          </Text>
        </Stack>
      </Dialogue>
    </>
  )
}
