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
          {describeMail(only)} {t('It works once, within 7 days, and only for that address.')}
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

const describeMail = ({ mail, email }: NewInvitation): string => {
  switch (mail) {
    case 'accepted':
      return t('A mail is on its way to {email}.', { email })
    case 'waiting':
      return t(
        'The mail server did not accept the mail yet. The server tries again for a day. If it is urgent, give this link to {email}.',
        { email },
      )
    case 'rejected':
      return t('The mail server refused the mail. Check the address, or give this link to {email}.', {
        email,
      })
    case 'unsupported':
      return t(
        'No mail was sent, because the mail server cannot send to this address. Give this link to {email}.',
        { email },
      )
    case 'limited':
      return t('No mail was sent, because too many were. Give this link to {email}.', { email })
    default:
      return t('No mail was sent. Give this link to {email}.', { email })
  }
}
