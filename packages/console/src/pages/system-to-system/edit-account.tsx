import { Stack, Text, TextInput } from '@mantine/core'
import type { SystemRole, SystemToSystem } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { Dialogue } from '#ui/dialog.tsx'
import type { Opened } from '#ui/dialog-button.tsx'
import { faultAt } from '#ui/faults.ts'
import { RoleChoice } from '#ui/role-choice.tsx'
import { systemRoles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'

interface ChangeAccountProps extends Opened {
  workspace: string
  account: SystemToSystem
}

/** Changes the name of an account, its roles, and which documents it sees. */
export const ChangeAccount = ({ workspace, account, isOpen, onClose }: ChangeAccountProps) => {
  const [name, setName] = useState(account.name)
  const [chosen, setChosen] = useState<SystemRole[]>(account.roles)
  const filter = useRowFilter(workspace, account.filter)
  const update = useChange('updateSystemToSystem')
  const save = async () => {
    const next = filter.read()
    if (next === undefined || chosen.length === 0) return
    await update.mutateAsync({
      params: { workspace, clientId: account.clientId },
      input: { name, roles: chosen, filter: next },
    })
    onClose()
  }
  return (
    <Dialogue
      title={`Change ${account.name}`}
      isOpen={isOpen}
      onClose={onClose}
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
  )
}
