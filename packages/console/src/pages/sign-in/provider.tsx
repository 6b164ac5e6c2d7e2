/** The workspace's own OpenID provider: settings of the workspace file, addresses to register there, and its client secret. */

import { Alert, Anchor, Badge, Group, Stack, Text, Title } from '@mantine/core'
import { canonicalDomain, displayDomain } from '@querent/contract/email-address'
import type { IdentityProviderState } from '@querent/contract/manage'
import { readRoleMap } from '@querent/contract/provider-roles'
import type { IdentityProvider } from '@querent/contract/workspace-file'
import { useSuspenseQuery } from '@tanstack/react-query'
import { lazy } from 'react'
import { readOperation, useOperation } from '#api/manage.ts'
import { t, tNodes } from '#i18n/translate.ts'
import { ConfirmButton } from '#ui/confirm-button.tsx'
import { CopyValue } from '#ui/copy-value.tsx'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { Facts } from '#ui/facts.tsx'
import { FileLink } from '#ui/file-link.tsx'
import { Moment } from '#ui/moment.tsx'
import { roleNames } from '#ui/role-names.ts'

import { ProviderDomains } from './provider-domains.tsx'

const ProviderDialog = lazy(async () => ({ default: (await import('./provider-dialog.tsx')).ProviderDialog }))
const SecretDialog = lazy(async () => ({ default: (await import('./secret-dialog.tsx')).SecretDialog }))
const FileEditDialog = lazy(async () => ({
  default: (await import('#ui/file-edit-dialog.tsx')).FileEditDialog,
}))

interface ProviderProps {
  workspace: string
  /** As the workspace file has it. Undefined: none. */
  provider: IdentityProvider | undefined
}

export const Provider = ({ workspace, provider }: ProviderProps) => {
  const { data: state } = useSuspenseQuery(readOperation('getIdentityProvider', { params: { workspace } }))
  return (
    <Stack gap="md" mt="lg" component="section" aria-label={t('OpenID provider')}>
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('OpenID provider')}
        </Title>
        {provider && <ProviderButtons workspace={workspace} provider={provider} testUrl={state.testUrl} />}
      </Group>
      {provider ? (
        <>
          <ProviderFacts provider={provider} />
          <Group>
            <FileLink workspace={workspace} path={['identityProvider']} />
          </Group>
          <ProviderDomains workspace={workspace} domains={state.domains} />
          <Secret workspace={workspace} state={state} />
        </>
      ) : (
        <Empty title={t('No OpenID provider yet')}>
          <Stack gap="sm" align="center">
            <Text>
              {t(
                'Let people sign in with the provider of your organization, such as Google, Microsoft Entra ID, Okta or Keycloak. Register the addresses below there first.',
              )}
            </Text>
            <DialogButton label={t('Add provider')}>
              {dialog => <ProviderDialog workspace={workspace} provider={undefined} {...dialog} />}
            </DialogButton>
          </Stack>
        </Empty>
      )}
      <Stack gap="sm" maw={720}>
        <Title order={3} size="h5">
          {t('Addresses to register at the provider')}
        </Title>
        <CopyValue label={t('Redirect URI')} value={state.callbackUrl} />
        <CopyValue label={t('Back-channel logout URI')} value={state.backchannelLogoutUrl} />
      </Stack>
    </Stack>
  )
}

interface ButtonsProps {
  workspace: string
  provider: IdentityProvider
  testUrl: string
}

const ProviderButtons = ({ workspace, provider, testUrl }: ButtonsProps) => (
  <Group gap="xs">
    <Anchor href={testUrl} target="_blank" rel="noopener" size="sm">
      {t('Test the sign-in')}
    </Anchor>
    <DialogButton label={t('Edit')} description={t('Edit the provider')} size="compact-sm" variant="light">
      {dialog => <ProviderDialog workspace={workspace} provider={provider} {...dialog} />}
    </DialogButton>
    <DialogButton
      label={t('Delete')}
      description={t('Delete the provider')}
      size="compact-sm"
      variant="subtle"
      color="red"
    >
      {dialog => (
        <FileEditDialog
          {...dialog}
          title={t('Delete the provider?')}
          note={t('Nobody can sign in with it any longer, and the sessions that began there end.')}
          workspace={workspace}
          path={['identityProvider']}
          edits={() => [{ path: ['identityProvider'], value: undefined }]}
          submit={t('Delete')}
          color="red"
        />
      )}
    </DialogButton>
  </Group>
)

const ProviderFacts = ({ provider }: { provider: IdentityProvider }) => {
  const { issuer, clientId, domains = [], name } = provider
  const { claim: rolesClaim, map: roles } = readRoleMap(provider) ?? { claim: '', map: {} }
  const mappings = Object.entries(roles)
  return (
    <Facts
      facts={[
        [t('Name on the sign-in page'), name ?? new URL(issuer).host],
        [t('Issuer'), <code key="issuer">{issuer}</code>],
        [t('Client ID'), <code key="client">{clientId}</code>],
        [
          t('E-mail domains'),
          domains.map(domain => displayDomain(canonicalDomain(domain) ?? domain)).join(', '),
        ],
        [
          t('Roles'),
          mappings.length === 0 ? (
            t('Only members and invited people can sign in.')
          ) : (
            <Stack key="roles" gap={4}>
              {mappings.map(([value, given]) => (
                <Group key={value} gap={6}>
                  {value === '*' ? t('everybody') : <code>{`${rolesClaim}: ${value}`}</code>}
                  {given.map(role => (
                    <Badge key={role}>{roleNames[role]}</Badge>
                  ))}
                </Group>
              ))}
            </Stack>
          ),
        ],
      ]}
    />
  )
}

/** The client secret is write-only: this says whether there is one, sets it and deletes it. */
const Secret = ({ workspace, state }: { workspace: string; state: IdentityProviderState }) => {
  const remove = useOperation('removeIdentityProviderSecret')
  const { secret, secretSetAt } = state
  return (
    <Stack gap="sm" maw={720}>
      <Title order={3} size="h5">
        {t('Client secret')}
      </Title>
      {secret === 'other-provider' && (
        <Alert color="yellow" variant="light" title={t('Set the client secret again')}>
          <Text size="sm">
            {t('It was set for another issuer or Client ID, so it is not sent to this provider.')}
          </Text>
        </Alert>
      )}
      {secret === 'unreadable' && (
        <Alert color="yellow" variant="light" title={t('Set the client secret again')}>
          <Text size="sm">
            {t(
              'The server has another encryption key now and cannot read it. Nobody can sign in through this provider until you set it.',
            )}
          </Text>
        </Alert>
      )}
      <Group gap="sm">
        <Text size="sm">
          {secret === 'absent' || secretSetAt === null
            ? t('Not set. The server is a public client of the provider.')
            : tNodes('Set {time}', { time: <Moment key="time" moment={secretSetAt} /> })}
        </Text>
        <DialogButton label={t('Set client secret')} size="compact-sm" variant="light">
          {dialog => <SecretDialog workspace={workspace} {...dialog} />}
        </DialogButton>
        {secret !== 'absent' && (
          <ConfirmButton
            label={t('Delete')}
            description={t('Delete the client secret')}
            question={t('Delete the client secret?')}
            onConfirm={() => remove.mutateAsync({ params: { workspace } })}
          >
            {t('The server is then a public client of the provider. Most providers reject that.')}
          </ConfirmButton>
        )}
      </Group>
    </Stack>
  )
}
