import { Alert, Stack, Text } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import { formatMoment } from '#ui/moment.tsx'

/** A link to choose a password, which is shown once. */
export const OneTimeLink = ({ email, url, expiresAt }: { email: string; url: string; expiresAt: string }) => (
  <Stack>
    <Alert color="yellow" title={t('Copy the link now')}>
      {t("You won't see it again. If you lose it, create a new one.")}
    </Alert>
    <Text>
      {t('Give this link to {email}. It works once, until {time}.', { email, time: formatMoment(expiresAt) })}
    </Text>
    <CopyValue label={t('Link to choose a password')} value={url} />
  </Stack>
)
