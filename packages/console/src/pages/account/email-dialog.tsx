/** Asks for a new email address. */
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { runWithRecentSignIn } from '#api/recent-sign-in.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'

export const EmailDialog = ({
  typedBefore = '',
  ...dialog
}: DialogState & { typedBefore?: string | undefined }) => {
  const [email, setEmail] = useState(typedBefore)
  const change = useOperation('changeEmail')
  const save = async () => {
    await runWithRecentSignIn(() => change.mutateAsync({ input: { email: email.trim() } }), {
      form: 'email',
      email: email.trim(),
    })
    dialog.onClose()
  }
  return (
    <FormDialog
      {...dialog}
      title={t('Change your e-mail address')}
      submit={t('Send link')}
      onSubmit={save}
      fields={['email']}
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
    </FormDialog>
  )
}
