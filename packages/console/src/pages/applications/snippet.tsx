import { Button, Modal, Stack, Text } from '@mantine/core'
import type { Application } from '@querent/contract/manage'
import { useState } from 'react'
import { authUrl, baseUrl } from '#api/addresses.ts'
import { CopyValue } from '#ui/copy-value.tsx'

/** What the application needs to sign people in. */
export const Snippet = ({ application }: { application: Application }) => {
  if (application.type === 'browser')
    return (
      <CopyValue
        label="Sign in from a page (npm install oidc-client-ts)"
        value={browserCode(application)}
        block
      />
    )
  return (
    <Stack gap="xs">
      <Text size="sm">Any OpenID Connect library takes these; the rest it finds in the metadata.</Text>
      <CopyValue label="Issuer" value={`${authUrl}/`} />
      <CopyValue label="Audience" value={baseUrl} />
    </Stack>
  )
}

export const SnippetButton = ({ application }: { application: Application }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={`Code for ${application.name}`}
        onClick={() => setOpen(true)}
      >
        Code
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={application.name}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Stack>
          <CopyValue label="Client ID" value={application.clientId} />
          <Snippet application={application} />
        </Stack>
      </Modal>
    </>
  )
}

const browserCode = ({
  clientId,
  redirectUris,
}: Application): string => `import { UserManager } from 'oidc-client-ts'

const users = new UserManager({
  authority: '${authUrl}/',
  client_id: '${clientId}',
  redirect_uri: '${redirectUris[0] ?? ''}',
  scope: 'openid profile email offline_access',
  extraQueryParams: { audience: '${baseUrl}/' },
})
// On the page that people come back to:
//   await users.signinCallback()
const user = (await users.getUser()) ?? (await users.signinRedirect())
const reply = await fetch('${baseUrl}/4/<workspace>/api/<api>/e/<endpoint>/results', {
  headers: { authorization: \`Bearer \${user.access_token}\` },
})`
