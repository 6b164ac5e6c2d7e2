import { Select } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { NewSecret, savedLabel } from '#ui/new-secret.tsx'

const daySeconds = 86_400

const lifetimes = [
  { value: '', label: t('Never') },
  { value: String(30 * daySeconds), label: t('In 30 days') },
  { value: String(90 * daySeconds), label: t('In 90 days') },
  { value: String(365 * daySeconds), label: t('In a year') },
]

interface AddSecretProps extends DialogState {
  workspace: string
  clientId: string
}

/** Creates an additional secret of an account, and shows it once. */
export const AddSecret = ({ workspace, clientId, isOpen, onClose }: AddSecretProps) => {
  const [lifetime, setLifetime] = useState('')
  const add = useOperation('addSecret')
  const created = add.data
  const send = async () => {
    if (created) return onClose()
    const input = lifetime === '' ? {} : { expiresInSeconds: Number(lifetime) }
    await add.mutateAsync({ params: { workspace, clientId }, input })
  }
  return (
    <FormDialog
      title={t('Add Client Secret')}
      isOpen={isOpen}
      onClose={onClose}
      submit={created ? savedLabel : t('Add')}
      onSubmit={send}
      isDone={created !== undefined}
    >
      {created ? (
        <NewSecret clientId={created.clientId} clientSecret={created.clientSecret} />
      ) : (
        <Select
          label={t('Expires')}
          data={lifetimes}
          value={lifetime}
          onChange={value => setLifetime(value ?? '')}
          allowDeselect={false}
        />
      )}
    </FormDialog>
  )
}
