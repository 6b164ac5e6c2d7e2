/** Asks for a new email address. */
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { Proof } from './proof.tsx'

export const EmailDialog = ({ hasPassword, ...dialog }: DialogState & { hasPassword: boolean }) => {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const change = useOperation('changeEmail')
  const save = async () => {
    await change.mutateAsync({ input: { email: email.trim(), ...(hasPassword && { password }) } })
    dialog.onClose()
  }
  return (
    <FormDialog
      {...dialog}
      title={t('Change your e-mail address')}
      submit={t('Send link')}
      onSubmit={save}
      fields={['email', 'password']}
    >
      <Text size="sm">
        {t(
          'We send a link to the new address. Your old address stays until you open the link, and gets a notice.',
        )}
      </Text>
      <TextInput
        label={t('New e-mail address')}
        type="email"
        autoComplete="email"
        required
        data-autofocus
        value={email}
        onChange={event => setEmail(event.currentTarget.value)}
        error={fieldFault(change.error, 'email')}
      />
      <Proof hasPassword={hasPassword} password={password} onChange={setPassword} error={change.error} />
    </FormDialog>
  )
}
