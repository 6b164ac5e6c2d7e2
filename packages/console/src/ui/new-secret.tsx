import { Alert, Stack } from '@mantine/core'
import { authUrl, baseUrl } from '#api/addresses.ts'
import { CopyValue } from './copy-value.tsx'

/** On the button that takes what is shown this once out of sight. */
export const savedLabel = 'I have kept it'

/** Client ID and Client Secret to take away, and the request that gets a token with them. */
export const NewSecret = ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) => (
  <Stack>
    <Alert color="yellow" title="The Client Secret is shown this once">
      Keep it where only the application can read it. Lost, it is replaced by another.
    </Alert>
    <CopyValue label="Client ID" value={clientId} />
    <CopyValue label="Client Secret" value={clientSecret} />
    <CopyValue label="A request for a token" value={tokenRequest(clientId, clientSecret)} block />
  </Stack>
)

const tokenRequest = (clientId: string, clientSecret: string): string =>
  `curl -s ${authUrl}/oauth/token \\
  -d grant_type=client_credentials \\
  -d client_id=${clientId} \\
  -d client_secret=${clientSecret} \\
  -d audience=${baseUrl}`
