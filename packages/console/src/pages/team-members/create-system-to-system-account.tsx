import { Stack, Text, TextInput } from '@mantine/core'
import type { SystemRole } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { AddressesField } from '#ui/addresses-field.tsx'
import { Dialogue } from '#ui/dialog.tsx'
import type { Opened } from '#ui/dialog-button.tsx'
import { faultAt } from '#ui/faults.ts'
import { lines } from '#ui/lines.ts'
import { keptLabel, NewSecret } from '#ui/new-secret.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { systemRoles } from '#ui/role-names.ts'
import { FirstRequest } from './first-request.tsx'

interface MakeSystemToSystemAccountProps extends Opened {
  workspace: string
}

/** Makes an account, and shows its Client Secret this once. */
export const MakeSystemToSystemAccount = ({ workspace, isOpen, onClose }: MakeSystemToSystemAccountProps) => {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<SystemRole[]>(['api'])
  const [addresses, setAddresses] = useState('')
  const create = useChange('createSystemToSystem')
  const made = create.data
  const send = async () => {
    if (made) onClose()
    else if (chosen.length > 0)
      await create.mutateAsync({
        params: { workspace },
        input: { name, roles: chosen, addresses: lines(addresses) },
      })
  }
  return (
    <Dialogue
      title={made ? `System-to-System account ${made.name}` : 'Make a System-to-System account'}
      isOpen={isOpen}
      onClose={onClose}
      submit={made ? keptLabel : 'Make'}
      onSubmit={send}
      fields={['name', 'roles', 'addresses']}
      isDone={made !== undefined}
    >
      {made ? (
        <Stack>
          <NewSecret clientId={made.clientId} clientSecret={made.clientSecret ?? ''} />
          <FirstRequest workspace={workspace} roles={made.roles} />
        </Stack>
      ) : (
        <Stack>
          <TextInput
            label="Name"
            description="Which application uses it, such as Website"
            required
            data-autofocus
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={faultAt(create.error, 'name')}
          />
          <RoleChoice
            offered={systemRoles}
            value={chosen}
            onChange={setChosen}
            error={faultAt(create.error, 'roles')}
          />
          <AddressesField
            value={addresses}
            onChange={setAddresses}
            error={faultAt(create.error, 'addresses')}
          />
          <Text size="sm" c="dimmed">
            Its Client Secret is shown once, after this.
          </Text>
        </Stack>
      )}
    </Dialogue>
  )
}
