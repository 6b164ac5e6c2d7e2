/** Form for the client secret that the provider issued. The server stores it encrypted and never shows it. */
import { PasswordInput } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { fieldFault } from '#ui/faults.ts'
import { FormDialog } from '#ui/form-dialog.tsx'

export const SecretDialog = ({ workspace, ...dialog }: DialogState & { workspace: string }) => {
  const [secret, setSecret] = useState('')
  const { mutateAsync, error } = useOperation('setIdentityProviderSecret')
  return (
    <FormDialog
      {...dialog}
      title={t('Set client secret')}
      submit={t('Save')}
      fields={['secret']}
      onSubmit={async () => {
        await mutateAsync({ params: { workspace }, input: { secret: secret.trim() } })
        dialog.onClose()
      }}
    >
      <PasswordInput
        label={t('Client secret')}
        description={t('Issued by the provider. It is stored encrypted and never shown again.')}
        required
        maxLength={2000}
        autoComplete="off"
        data-autofocus
        value={secret}
        error={fieldFault(error, 'secret')}
        onChange={event => setSecret(event.currentTarget.value)}
      />
    </FormDialog>
  )
}
