import { Button, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import type { SystemRole } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { Dialogue } from '#ui/dialogue.tsx'
import { faultAt } from '#ui/faults.ts'
import { NewSecret } from '#ui/new-secret.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { systemRoles } from '#ui/role-names.ts'
import { FirstRequest } from './first-request.tsx'

/** Makes an account, and shows its Client Secret this once. */
export const MakeSystemToSystemAccount = ({ workspace }: { workspace: string }) => {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<SystemRole[]>(['api'])
  const [addresses, setAddresses] = useState<string[]>([])
  const create = useChange('createSystemToSystem')
  const made = create.data
  const open = () => {
    setName('')
    setChosen(['api'])
    setAddresses([])
    create.reset()
    setOpen(true)
  }
  const send = async () => {
    if (made) setOpen(false)
    else await create.mutateAsync({ params: { workspace }, input: { name, roles: chosen, addresses } })
  }
  return (
    <>
      <Button onClick={open}>Make System-to-System account</Button>
      <Dialogue
        title={made ? `System-to-System account ${made.name}` : 'Make a System-to-System account'}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={made ? 'Done' : 'Make'}
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
            <TagsInput
              label="Addresses it may be used from"
              description="IP addresses or ranges such as 192.0.2.0/24; none: from everywhere"
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
    </>
  )
}
