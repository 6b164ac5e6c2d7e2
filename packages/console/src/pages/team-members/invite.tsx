import { Alert, Stack, Text, TextInput } from '@mantine/core'
import type { Role } from '@querent/contract/manage'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { savedLabel } from '#ui/new-secret.tsx'
import { RoleChoice } from '#ui/role-choice.tsx'
import { roles } from '#ui/role-names.ts'
import { RowFilterForm, useRowFilter } from '#ui/row-filter-form.tsx'

/** Invites a person by e-mail address, and shows the link once. */
export const Invite = ({ workspace, isOpen, onClose }: DialogState & { workspace: string }) => {
  const [email, setEmail] = useState('')
  const [chosen, setChosen] = useState<Role[]>(['api'])
  const filter = useRowFilter(workspace, undefined)
  const invite = useOperation('inviteMember')
  const created = invite.data
  const send = async () => {
    if (created) return onClose()
    const rowFilter = filter.read()
    if (rowFilter === undefined || chosen.length === 0) return
    await invite.mutateAsync({
      params: { workspace },
      input: { email, roles: chosen, ...(rowFilter === null ? {} : { filter: rowFilter }) },
    })
  }
  return (
    <FormDialog
      title="Invite team member"
      isOpen={isOpen}
      onClose={onClose}
      submit={created ? savedLabel : 'Invite'}
      onSubmit={send}
      fields={['email', 'roles', 'filter']}
      isDone={created !== undefined}
    >
      {created ? (
        <Stack>
          <Alert color="yellow" title="Copy the link now">
            You won't see it again. If you lose it, invite the person again.
          </Alert>
          <Text>
            {created.mailed
              ? `A mail is on its way to ${email}.`
              : `No mail was sent. Give this link to ${email}.`}{' '}
            It works once, within 7 days, and only for that address.
          </Text>
          <CopyValue label="Invitation link" value={created.url} />
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
            error={fieldFault(invite.error, 'email')}
          />
          <RoleChoice
            offered={roles}
            value={chosen}
            onChange={setChosen}
            error={fieldFault(invite.error, 'roles')}
          />
          <RowFilterForm {...filter.state} error={fieldFault(invite.error, 'filter')} />
        </Stack>
      )}
    </FormDialog>
  )
}
