/** Opens the sign-in page as the people of an application see it. */
import { Anchor, Text } from '@mantine/core'
import type { Application } from '@querent/contract/manage'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { authUrl } from '#api/addresses.ts'
import { readOperation } from '#api/manage.ts'
import { t } from '#i18n/translate.ts'
import { TextLink } from '#ui/links.tsx'

export const SignInPageLink = ({ workspace }: { workspace: string }) => {
  const { data } = useQuery(
    readOperation('listApplications', { params: { workspace }, query: { count: 100 } }),
  )
  const [random] = useState(() => crypto.randomUUID().replaceAll('-', '') + crypto.randomUUID().slice(0, 13))
  if (!data) return null
  // Those with a security profile push their requests.
  const application = data.items.find(({ disabled, profile }) => !disabled && profile === null)
  return (
    <Text size="sm">
      {application ? (
        <Anchor href={signInAddress(application, random)} target="_blank" rel="noopener">
          {t('Open the saved sign-in page of {application}', { application: application.name })}
        </Anchor>
      ) : (
        <TextLink to="/w/$workspace/settings/applications" params={{ workspace }}>
          {t('Register an application to see the sign-in page')}
        </TextLink>
      )}
    </Text>
  )
}

/** An authorization request that shows the page also to somebody who is signed in. Nobody knows the verifier, so its code gets no token. */
const signInAddress = ({ clientId, redirectUris }: Application, random: string): string =>
  `${authUrl}/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUris[0] ?? '',
    response_type: 'code',
    scope: 'openid',
    prompt: 'login',
    nonce: random,
    code_challenge: random.padEnd(43, '0'),
    code_challenge_method: 'S256',
  })}`
