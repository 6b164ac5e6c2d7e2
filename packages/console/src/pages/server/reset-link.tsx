import { Text } from '@mantine/core'
import { useOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { OneTimeLink } from './one-time-link.tsx'

/** Creates a link with which the person chooses a new password, and shows it once. */
export const ResetLink = ({ email, isOpen, onClose }: DialogState & { email: string }) => {
  const reset = useOperation('resetPassword')
  const link = reset.data
  return (
    <FormDialog
      title={t('Link to choose a password')}
      isOpen={isOpen}
      onClose={onClose}
      submit={link ? t('Done') : t('Create')}
      onSubmit={async () => (link ? onClose() : reset.mutateAsync({ params: { email } }))}
      isDone={link !== undefined}
    >
      {link ? (
        <OneTimeLink email={email} {...link} />
      ) : (
        <Text>
          {t(
            'The link is valid for an hour. An earlier link stops working; the present password works until then.',
          )}
        </Text>
      )}
    </FormDialog>
  )
}
