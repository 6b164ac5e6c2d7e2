import { Alert, Stack, Text } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { NewInvitation } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'

/** Links of new invitations, which are shown once. */
export const InvitationLinks = ({ invitations }: { invitations: readonly NewInvitation[] }) => {
  const [only, ...others] = invitations
  if (!only) return null
  const isOne = others.length === 0
  return (
    <Stack>
      <Alert color="yellow" title={isOne ? t('Copy the link now') : t('Copy the links now')}>
        {isOne
          ? t("You won't see it again. If you lose it, create a new one in the list of invitations.")
          : t("You won't see them again. If you lose one, create a new one in the list of invitations.")}
      </Alert>
      {isOne && (
        <Text>
          {only.mailed
            ? t('A mail is on its way to {email}.', { email: only.email })
            : t('No mail was sent. Give this link to {email}.', { email: only.email })}{' '}
          {t('It works once, within 7 days, and only for that address.')}
        </Text>
      )}
      {!isOne && <Text>{t('Each link works once, within 7 days, and only for its address.')}</Text>}
      {invitations.map(({ id, email, url, mailed }) => (
        <CopyValue
          key={id}
          label={
            isOne ? t('Invitation link') : mailed ? t('{email}, mailed', { email }) : displayEmail(email)
          }
          value={url}
        />
      ))}
    </Stack>
  )
}
