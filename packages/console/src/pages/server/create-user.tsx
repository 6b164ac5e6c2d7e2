import { Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { OneTimeLink } from './one-time-link.tsx'

/** Creates an account, and shows the link with which the person chooses a password. */
export const CreateUser = ({ isOpen, onClose }: DialogState) => {
  const [email, setEmail] = useState('')
  const [name, setName] = useState('')
  const create = useOperation('createUser')
  const reset = useOperation('resetPassword')
  const link = reset.data
  const send = async () => {
    if (link) return onClose()
    const user =
      create.data ?? (await create.mutateAsync({ input: { email, ...(name === '' ? {} : { name }) } }))
    await reset.mutateAsync({ params: { email: user.email } })
  }
  return (
    <FormDialog
      title={t('Create account')}
      isOpen={isOpen}
      onClose={onClose}
      submit={link ? t('Done') : t('Create')}
      onSubmit={send}
      fields={['email', 'name']}
      isDone={link !== undefined}
    >
      {link ? (
        <OneTimeLink email={email} {...link} />
      ) : (
        <Stack>
          <TextInput
            label={t('E-mail')}
            type="email"
            required
            data-autofocus
            autoComplete="off"
            disabled={create.data !== undefined}
            value={email}
            onChange={event => setEmail(event.currentTarget.value)}
            error={fieldFault(create.error, 'email')}
          />
          <TextInput
            label={t('Name')}
            maxLength={200}
            autoComplete="off"
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={fieldFault(create.error, 'name')}
          />
          <Text size="sm" c="dimmed">
            {t(
              'You vouch for the address: it counts as confirmed. An administrator can then add the person.',
            )}
          </Text>
        </Stack>
      )}
    </FormDialog>
  )
}
