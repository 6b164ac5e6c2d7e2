/** Deletes the account, after the person has typed their address. */

import { Text, TextInput } from '@mantine/core'
import { canonicalEmail } from '@querent/contract/email-address'
import type { Me } from '@querent/contract/manage'
import { useState } from 'react'
import { authUrl } from '#api/addresses.ts'
import { management } from '#api/manage.ts'
import { runWithRecentSignIn } from '#api/recent-sign-in.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'

export const DeleteAccountDialog = ({
  me,
  typedBefore = '',
  ...dialog
}: DialogState & { me: Me; typedBefore?: string | undefined }) => {
  const [typed, setTyped] = useState(typedBefore)
  const [isMismatch, setMismatch] = useState(false)
  const [isDeleted, setDeleted] = useState(false)
  const remove = async () => {
    const isWrong = canonicalEmail(typed) !== canonicalEmail(me.email)
    setMismatch(isWrong)
    if (isWrong) return
    await runWithRecentSignIn(() => management.call('deleteMe', { input: {} }), { form: 'deletion', typed })
    setDeleted(true)
  }
  if (isDeleted)
    return (
      <FormDialog
        {...dialog}
        title={t('Your account is deleted')}
        submit={t('Leave the console')}
        isDone
        // The session has ended with the account.
        onSubmit={async () => location.replace(`${authUrl}/`)}
      >
        <Text size="sm" role="status">
          {t('You are signed out, and {email} can no longer sign in.', { email: me.email })}
        </Text>
      </FormDialog>
    )
  return (
    <FormDialog
      {...dialog}
      title={t('Delete your account?')}
      submit={t('Delete account')}
      color="red"
      onSubmit={remove}
    >
      <Text size="sm">
        {t(
          'You lose access to all workspaces immediately. This cannot be undone. Documents that you imported stay.',
        )}
      </Text>
      <TextInput
        label={t('Type {typed} to confirm', { typed: me.email })}
        autoComplete="off"
        spellCheck={false}
        required
        data-autofocus
        value={typed}
        onChange={event => setTyped(event.currentTarget.value)}
        error={isMismatch ? t('This is not your address.') : undefined}
      />
    </FormDialog>
  )
}
