import { Alert, Stack, Text, TextInput } from '@mantine/core'
import type { Role } from '@querent/contract/manage'
import { useState } from 'react'
import { useChange } from '#api/manage.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { Dialogue } from '#ui/dialog.tsx'
import type { Opened } from '#ui/dialog-button.tsx'
import { faultAt } from '#ui/faults.ts'
import { keptLabel } from '#ui/new-secret.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { roles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'

/** Invites somebody by e-mail address, and shows the link this once. */
export const Invite = ({ workspace, isOpen, onClose }: Opened & { workspace: string }) => {
  const [email, setEmail] = useState('')
  const [chosen, setChosen] = useState<Role[]>(['api'])
  const filter = useRowFilter(workspace, undefined)
  const invite = useChange('inviteMember')
  const made = invite.data
  const send = async () => {
    if (made) return onClose()
    const seen = filter.read()
    if (seen === undefined || chosen.length === 0) return
    await invite.mutateAsync({
      params: { workspace },
      input: { email, roles: chosen, ...(seen === null ? {} : { filter: seen }) },
    })
  }
  return (
    <Dialogue
      title="Invite a team member"
      isOpen={isOpen}
      onClose={onClose}
      submit={made ? keptLabel : 'Invite'}
      onSubmit={send}
      fields={['email', 'roles', 'filter']}
      isDone={made !== undefined}
    >
      {made ? (
        <Stack>
          <Alert color="yellow" title="The link is shown this once">
            Lost, it is replaced by inviting them again.
          </Alert>
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
          <RowFilterForm {...filter.state} error={faultAt(invite.error, 'filter')} />
        </Stack>
      )}
    </Dialogue>
  )
}
