import { Alert, Stack } from '@mantine/core'
import { authUrl, baseUrl } from '#api/addresses.ts'
import { t } from '#i18n/translate.ts'
import { CopyValue } from './copy-value.tsx'

/** Label of the button that closes a dialog with a secret. */
export const savedLabel = t("I've saved it")

/** Shows a new Client ID and Client Secret, and the request that gets a token with them. */
export const NewSecret = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => (
  <Stack>
    <Alert color="yellow" title={t('Copy the Client Secret now')}>
      {t(
        "You won't see it again. If you lose it, create a new one. Store it where only the application can read it.",
      )}
    </Alert>
    <CopyValue label={t('Client ID')} value={clientId} />
    <CopyValue label={t('Client Secret')} value={clientSecret} />
    <CopyValue label={t('Token request')} value={tokenRequest(clientId, clientSecret)} block />
  </Stack>
)

const tokenRequest = (clientId: string, clientSecret: string): string =>
  `curl -s ${authUrl}/oauth/token \\
  -d grant_type=client_credentials \\
  -d client_id=${clientId} \\
  -d client_secret=${clientSecret} \\
  -d audience=${baseUrl}`
