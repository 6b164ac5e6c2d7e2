import { Modal, Stack, Text } from '@mantine/core'
import type { Application } from '@querent/contract/manage'
import { authUrl, baseUrl } from '#api/addresses.ts'
import { useFirstQuery } from '#api/first-query.ts'
import { t } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'

interface SnippetProps {
  workspace: string
  application: Application
}

/** Shows the values and code that the application needs to sign people in. */
export const Snippet = ({ workspace, application }: SnippetProps) => {
  const address = useFirstQuery(workspace)
  if (application.type === 'browser')
    return (
      <CopyValue
        label={t('Sign in from a page (npm install oidc-client-ts)')}
        value={browserCode(
          application,
          address ?? `${baseUrl}/4/${workspace}/api/<api>/e/<endpoint>/results`,
        )}
        block
      />
    )
  return (
    <Stack gap="xs">
      <Text size="sm">
        {t('Configure your OpenID Connect library with these values. It reads the rest from the metadata.')}
      </Text>
      <CopyValue label={t('Issuer')} value={`${authUrl}/`} />
      <CopyValue label={t('Audience')} value={baseUrl} />
    </Stack>
  )
}

export const SnippetDialog = ({ workspace, application, isOpen, onClose }: SnippetProps & DialogState) => (
  <Modal
    opened={isOpen}
    onClose={onClose}
    title={application.name}
    size="lg"
    closeButtonProps={{ 'aria-label': t('Close') }}
  >
    <Stack>
      <CopyValue label={t('Client ID')} value={application.clientId} />
      <Snippet workspace={workspace} application={application} />
    </Stack>
  </Modal>
)

const browserCode = (
  { clientId, redirectUris }: Application,
  address: string,
): string => `import { UserManager } from 'oidc-client-ts'

const users = new UserManager({
  authority: '${authUrl}/',
  client_id: '${clientId}',
  redirect_uri: '${redirectUris[0] ?? ''}',
  scope: 'openid profile email offline_access',
  extraQueryParams: { audience: '${baseUrl}/' },
})
// After the sign-in, the address has a code or an error.
const callback = new URLSearchParams(location.search)
if (callback.has('code') || callback.has('error')) {
  await users.signinCallback()
  history.replaceState(null, '', location.pathname)
}
const user = await users.getUser()
if (!user || user.expired) {
  await users.signinRedirect()
} else {
  const reply = await fetch(${JSON.stringify(address)}, {
    headers: { authorization: \`Bearer \${user.access_token}\` },
  })
  console.log(await reply.json())
}`
