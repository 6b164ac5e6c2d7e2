/** The account page: what people see and change about themselves. */

import { Badge, Group, Stack, Title } from '@mantine/core'
import { displayEmail } from '@querent/contract/email-address'
import type { Caller, Consent, Me, Session } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { authUrl, queryAudience } from '#api/addresses.ts'
import { readOperation, useOperation } from '#api/manage.ts'
import { readAccountDraft } from '#api/recent-sign-in.ts'
import { clearRecovered } from '#api/session.ts'
import { t } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { Empty } from '#ui/empty.tsx'
import { formatMoment, Moment } from '#ui/moment.tsx'
import { Page } from '#ui/page.tsx'
import { Password } from './password.tsx'
import { PersonalData } from './personal-data.tsx'
import { Preferences } from './preferences.tsx'
import { Profile } from './profile.tsx'
import { SecondFactors } from './second-factors.tsx'
import { SignInHistory } from './sign-in-history.tsx'

export const Account = () => {
  const { data: me } = useSuspenseQuery(readOperation('getMe', {}))
  const [draft] = useState(readAccountDraft)
  useEffect(clearRecovered, [])
  const description = me.name === me.email ? displayEmail(me.email) : `${me.name}, ${displayEmail(me.email)}`
  if (!isWhole(me))
    return (
      <Page title={t('Account')} description={description}>
        <Empty title={t('The OpenID provider of your organization signed you in')}>
          {t('Sign in with your password or a passkey to view and change your account.')}
        </Empty>
      </Page>
    )
  return (
    <Page title={t('Account')} description={description}>
      <Profile me={me} draft={draft} />
      <Preferences />
      {me.hasPassword && <Password email={me.email} draft={draft} />}
      <SecondFactors />
      <Sessions />
      <SignInHistory />
      <Consents />
      <PersonalData me={me} draft={draft} />
    </Page>
  )
}

/** Sessions of a workspace's own OpenID provider read only id, address and name. */
const isWhole = (caller: Caller): caller is Me => caller.createdAt !== undefined

const Sessions = () => {
  const { data } = useSuspenseQuery(readOperation('listMySessions', {}))
  const end = useOperation('endMySession')
  const endOthers = useOperation('endMyOtherSessions')
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('Active sessions')}
        </Title>
        {data.items.some(({ current }) => !current) && (
          <ConfirmButton
            label={t('Sign out everywhere else')}
            question={t('Sign out all other devices?')}
            onConfirm={() => endOthers.mutateAsync({})}
          >
            {t('Applications and programs that you signed in to elsewhere lose access immediately.')}
          </ConfirmButton>
        )}
      </Group>
      <DataTable
        caption={t('Sessions')}
        rows={data.items}
        rowKey={({ id }) => id}
        columns={[
          {
            heading: t('Device'),
            cell: session => (
              <Group gap="xs">
                {describeBrowser(session)}
                {session.current && <Badge variant="light">{t('this device')}</Badge>}
              </Group>
            ),
          },
          { heading: t('IP address'), cell: ({ address }) => address ?? t('unknown') },
          { heading: t('Signed in'), cell: ({ signedInAt }) => <Moment moment={signedInAt} /> },
          { heading: t('Last used'), cell: ({ lastUsedAt }) => <Moment moment={lastUsedAt} /> },
          {
            heading: t('Expires'),
            cell: ({ expiresAt }) => <Moment moment={expiresAt} never={t('when the browser closes')} />,
          },
          {
            heading: t('Applications'),
            cell: ({ applications }) => applications.map(({ name }) => name).join(', '),
          },
          {
            heading: '',
            cell: session => (
              <ConfirmButton
                label={t('Sign out')}
                description={t('Sign out {device}, signed in {time}', {
                  device: describeBrowser(session),
                  time: formatMoment(session.signedInAt),
                })}
                question={session.current ? t('Sign out this device?') : t('Sign out that device?')}
                onConfirm={() => end.mutateAsync({ params: { sessionId: session.id } })}
              >
                {t('Applications in this session lose access immediately.')}
              </ConfirmButton>
            ),
          },
        ]}
      />
    </Stack>
  )
}

/** `Firefox 145 on Linux`. Sessions of earlier versions did not note it. */
const describeBrowser = ({ browser, system }: Session): string =>
  system === null
    ? (browser ?? t('unknown browser'))
    : t('{browser} on {system}', { browser: browser ?? t('unknown browser'), system })

const Consents = () => {
  const { data } = useSuspenseQuery(readOperation('listMyConsents', {}))
  const revoke = useOperation('withdrawMyConsent')
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t('Allowed applications')}
      </Title>
      {data.items.length === 0 ? (
        <Empty title={t('No applications yet')}>
          {t(
            'Applications that you allow to access your account appear here. You can revoke their access at any time.',
          )}
        </Empty>
      ) : (
        <DataTable
          caption={t('Allowed applications')}
          rows={data.items}
          rowKey={({ clientId }) => clientId}
          columns={[
            { heading: t('Application'), cell: ({ name }) => name },
            {
              heading: t('Workspace'),
              cell: ({ workspace, clientId }) =>
                workspace ?? (clientId.startsWith('https://') ? t('several') : t('this server')),
            },
            { heading: t('Permissions'), cell: consent => describePermissions(consent).join(', ') },
            { heading: t('Since'), cell: ({ since }) => <Moment moment={since} /> },
            {
              heading: '',
              cell: ({ clientId, name }) => (
                <ConfirmButton
                  label={t('Revoke')}
                  description={t('Revoke access of {name}', { name })}
                  question={t('Revoke access of {name}?', { name })}
                  onConfirm={() => revoke.mutateAsync({ params: { clientId } })}
                >
                  {t('It loses access immediately, and asks for your consent when you use it again.')}
                </ConfirmButton>
              ),
            },
          ]}
        />
      )}
    </Stack>
  )
}

/** Descriptions of what an application may do, as on the consent page, widest first. */
const describePermissions = ({ resources, scopes }: Consent): string[] => [
  ...new Set([...resources.map(describeResource), ...scopes.map(describeScope)]),
]

const describeResource = (resource: string): string => {
  const address = resource.replace(/\/$/, '')
  if (address === queryAudience.replace(/\/$/, '')) return t('search everything that you can search')
  return address.startsWith(authUrl)
    ? t('change everything that you can change on this server')
    : t('search {address}', { address })
}

const permissions: Readonly<Record<string, string>> = {
  openid: t('recognize you when you return'),
  profile: t('see your name'),
  email: t('see your e-mail address'),
  offline_access: t('keep this access while you are away'),
}
const describeScope = (scope: string): string => permissions[scope] ?? scope
