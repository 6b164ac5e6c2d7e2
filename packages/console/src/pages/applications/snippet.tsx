import { Modal, Stack, Tabs, Text } from '@mantine/core'
import type { Application } from '@querent/contract/manage'
import { authUrl, baseUrl } from '#api/addresses.ts'
import { t } from '#i18n/translate.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'
import { useFirstQuery } from '#ui/first-query.ts'

interface SnippetProps {
  workspace: string
  application: Application
}

/** Shows the values and code that the application needs to sign people in. */
export const Snippet = ({ workspace, application }: SnippetProps) => {
  const address = useFirstQuery(workspace)
  if (application.type === 'browser')
    return (
      <BrowserSnippet
        application={application}
        address={address ?? `${baseUrl}/4/${workspace}/api/<api>/e/<endpoint>/results`}
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

interface BrowserSnippetProps {
  application: Application
  /** URL of a query. */
  address: string
}

/** Code for a page, by the framework of the page. */
const BrowserSnippet = ({ application, address }: BrowserSnippetProps) => (
  <Tabs defaultValue="plain" keepMounted={false}>
    <Tabs.List aria-label={t('Framework')}>
      {frameworks.map(({ value, label }) => (
        <Tabs.Tab key={value} value={value}>
          {label}
        </Tabs.Tab>
      ))}
    </Tabs.List>
    {frameworks.map(({ value, code }) => (
      <Tabs.Panel key={value} value={value} pt="sm">
        <CopyValue
          label={t('Sign in from a page (npm install oidc-client-ts)')}
          value={code(searchModule(application, address))}
          block
        />
      </Tabs.Panel>
    ))}
  </Tabs>
)

/** Signs the person in and searches. The other code calls `search`. */
const searchModule = (
  { clientId, redirectUris }: Application,
  address: string,
): string => `import { UserManager } from 'oidc-client-ts'

const users = new UserManager({
  authority: '${authUrl}/',
  client_id: '${clientId}',
  redirect_uri: '${redirectUris[0] ?? ''}',
  scope: 'openid profile email offline_access',
  extraQueryParams: { audience: '${baseUrl}' },
})

let isNew = false
const signIn = async () => {
  // After the sign-in, the address has a code or an error.
  const callback = new URLSearchParams(location.search)
  if (callback.has('code') || callback.has('error')) {
    await users.signinCallback()
    isNew = true
    history.replaceState(null, '', location.pathname)
  }
  const user = await users.getUser()
  if (user && !user.expired) return user
  await users.signinRedirect()
}
// Once for each page: the code of a sign-in works only once.
const signedIn = signIn()

const search = async () => {
  const user = await signedIn
  // Without a user, the page is leaving for the sign-in.
  if (!user) return
  const reply = await fetch(${JSON.stringify(address)}, {
    headers: { authorization: \`Bearer \${user.access_token}\` },
  })
  // The session has ended, for example because of a new password. A new token that is refused needs another remedy.
  if (reply.status === 401 && !isNew) {
    await users.removeUser()
    await users.signinRedirect()
    return
  }
  return reply.json()
}`

const exported = (module: string): string => module.replace('const search =', 'export const search =')

const frameworkNames = { react: 'React', vue: 'Vue' }

const frameworks = [
  {
    value: 'plain',
    label: t('Plain JavaScript'),
    code: (module: string) => `${module}\n\nconsole.log(await search())`,
  },
  {
    value: 'react',
    label: frameworkNames.react,
    code: (module: string) => `// src/search.js
${exported(module)}

// src/App.jsx
import { useEffect, useState } from 'react'
import { search } from './search.js'

export default function App() {
  const [reply, setReply] = useState()
  useEffect(() => {
    search().then(setReply)
  }, [])
  return (
    <ul>
      {reply?.items.map(({ rank, tuple: [document] }) => (
        <li key={rank}>{JSON.stringify(document.attributes)}</li>
      ))}
    </ul>
  )
}`,
  },
  {
    value: 'vue',
    label: frameworkNames.vue,
    code: (module: string) => `// src/search.js
${exported(module)}

// src/App.vue
<script setup>
import { onMounted, ref } from 'vue'
import { search } from './search.js'

const reply = ref()
onMounted(async () => {
  reply.value = await search()
})
</script>

<template>
  <ul>
    <li v-for="{ rank, tuple: [document] } in reply?.items" :key="rank">{{ document.attributes }}</li>
  </ul>
</template>`,
  },
] as const
