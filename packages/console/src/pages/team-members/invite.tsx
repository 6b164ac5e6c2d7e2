import { Stack, Text, TextInput } from '@mantine/core'
import type { Role } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { Dialogue } from '#ui/dialogue.tsx'
import { faultAt } from '#ui/faults.ts'
import type { Opened } from '#ui/opens-dialogue.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { roles } from '#ui/role-names.ts'

/** Invites somebody by e-mail address; shows the link where no mail was sent. */
export const Invite = ({ workspace, isOpen, onClose }: Opened & { workspace: string }) => {
  const [email, setEmail] = useState('')
  const [chosen, setChosen] = useState<Role[]>(['api'])
  const invite = useChange('inviteMember')
  const made = invite.data
  const send = async () => {
    if (made) onClose()
    else await invite.mutateAsync({ params: { workspace }, input: { email, roles: chosen } })
  }
  return (
    <Dialogue
      title="Invite a team member"
      isOpen={isOpen}
      onClose={onClose}
      submit={made ? 'Done' : 'Invite'}
      onSubmit={send}
      fields={['email', 'roles']}
      isDone={made !== undefined}
    >
      {made ? (
        <Stack>
          <Text>
            {made.mailed
              ? `A mail is on its way to ${email}.`
              : `No mail was sent. Give this link to ${email}.`}{' '}
            It is good for 7 days, once, and for that address alone.
          </Text>
          <CopyValue label="Invitation link" value={made.url} />
        </Stack>
      ) : (
        <Stack>
          <TextInput
            label="E-mail"
            type="email"
            required
            data-autofocus
            autoComplete="off"
            value={email}
            onChange={event => setEmail(event.currentTarget.value)}
            error={faultAt(invite.error, 'email')}
          />
          <RoleChoice
            offered={roles}
            value={chosen}
            onChange={setChosen}
            error={faultAt(invite.error, 'roles')}
          />
        </Stack>
      )}
    </Dialogue>
  )
}
