/** Form for `identityProvider` of the workspace file. */
import { Fieldset, Stack, Textarea, TextInput } from '@mantine/core'
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import { isDomain, isIssuer } from '@querent/contract/provider-addresses'
import { defaultRolesClaim, readRoleMap } from '@querent/contract/provider-roles'
import type { IdentityProvider } from '@querent/contract/workspace-file'
import { useState } from 'react'
import { t } from '#i18n/translate.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FileEditDialog } from '#ui/file-edit-dialog.tsx'
import { lines } from '#ui/lines.ts'
import { isComplete, type RoleMapping, RoleMappings } from './role-mappings.tsx'

interface ProviderDialogProps extends DialogState {
  workspace: string
  /** Undefined for a new one. */
  provider: IdentityProvider | undefined
}

const readClaim = (provider: IdentityProvider | undefined): string => {
  const claim = provider && readRoleMap(provider)?.claim
  return claim === undefined || claim === defaultRolesClaim ? '' : claim
}

export const ProviderDialog = ({ workspace, provider, ...dialog }: ProviderDialogProps) => {
  const [issuer, setIssuer] = useState(provider?.issuer ?? '')
  const [clientId, setClientId] = useState(provider?.clientId ?? '')
  const [domains, setDomains] = useState(provider?.domains?.join('\n') ?? '')
  const [name, setName] = useState(provider?.name ?? '')
  const [rolesClaim, setRolesClaim] = useState(readClaim(provider))
  const [mappings, setMappings] = useState(readMappings(provider))
  const typedDomains = lines(domains)
  const badDomain = typedDomains.find(domain => !isDomain(domain))
  const entered = toProvider({ issuer, clientId, domains: typedDomains, name, rolesClaim }, mappings)
  // The browser itself rejects the start of an address.
  const isIssuerWrong = !'https://'.startsWith(entered.issuer) && !isIssuer(entered.issuer)
  return (
    <FileEditDialog
      {...dialog}
      title={provider ? t('Edit the provider') : t('Add provider')}
      workspace={workspace}
      path={['identityProvider']}
      submit={provider ? t('Save') : t('Add')}
      isInvalid={isIssuerWrong || badDomain !== undefined || !isComplete(mappings)}
      edits={() => writeEdits(provider, entered)}
    >
      {fault => (
        <>
          <TextInput
            label={t('Issuer')}
            description={t(
              'The issuer URL, exactly as the metadata of the provider at …/.well-known/openid-configuration has it.',
            )}
            placeholder="https://login.example.org"
            required
            type="url"
            spellCheck={false}
            maxLength={500}
            data-autofocus
            value={issuer}
            onChange={event => setIssuer(event.currentTarget.value)}
            error={
              isIssuerWrong ? t('Type an https:// address without query and fragment.') : fault('issuer')
            }
          />
          <TextInput
            label={t('Client ID')}
            description={t('Issued by the provider for this workspace.')}
            required
            spellCheck={false}
            maxLength={200}
            value={clientId}
            onChange={event => setClientId(event.currentTarget.value)}
            error={fault('clientId')}
          />
          <Textarea
            label={t('E-mail domains')}
            description={t(
              'One per line. The provider signs in people of these domains only. Subdomains are domains of their own.',
            )}
            placeholder="example.org"
            required
            autosize
            spellCheck={false}
            value={domains}
            onChange={event => setDomains(event.currentTarget.value)}
            error={
              badDomain === undefined
                ? fault('domains')
                : t('{domain} is not a domain, such as example.org.', { domain: badDomain })
            }
          />
          <TextInput
            label={t('Name on the sign-in page')}
            description={t('Empty: the host of the issuer.')}
            maxLength={200}
            value={name}
            onChange={event => setName(event.currentTarget.value)}
            error={fault('name')}
          />
          <Fieldset legend={t('Roles')}>
            <Stack>
              <TextInput
                label={t('Claim')}
                description={t('Claim of the ID token whose values get the roles below.')}
                placeholder={defaultRolesClaim}
                spellCheck={false}
                maxLength={200}
                value={rolesClaim}
                onChange={event => setRolesClaim(event.currentTarget.value)}
                error={fault('rolesClaim')}
              />
              <RoleMappings mappings={mappings} onChange={setMappings} error={fault('roles')} />
            </Stack>
          </Fieldset>
        </>
      )}
    </FileEditDialog>
  )
}

/** Leaves out what is empty. */
const toProvider = (
  typed: Required<Pick<IdentityProvider, 'issuer' | 'clientId' | 'domains'>> & {
    name: string
    rolesClaim: string
  },
  mappings: readonly RoleMapping[],
): IdentityProvider => {
  const [name, rolesClaim] = [typed.name.trim(), typed.rolesClaim.trim()]
  return {
    issuer: typed.issuer.trim(),
    clientId: typed.clientId.trim(),
    domains: typed.domains,
    ...(name === '' ? {} : { name }),
    ...(rolesClaim === '' ? {} : { rolesClaim }),
    ...(mappings.length === 0
      ? {}
      : { roles: Object.fromEntries(mappings.map(({ value, roles }) => [value.trim(), roles])) }),
  }
}

const readMappings = (provider: IdentityProvider | undefined): RoleMapping[] =>
  Object.entries((provider && readRoleMap(provider)?.map) ?? {}).map(([value, roles], id) => ({
    id,
    value,
    roles,
  }))

/** A new provider at once; of an existing one its keys, so that comments between them stay. */
const writeEdits = (provider: IdentityProvider | undefined, entered: IdentityProvider): WorkspaceEdit[] => {
  if (!provider) return [{ path: ['identityProvider'], value: entered }]
  const { issuer, clientId, domains, name, rolesClaim, roles } = entered
  return Object.entries({ issuer, clientId, domains, name, rolesClaim, roles }).map(([key, value]) => ({
    path: ['identityProvider', key],
    value,
  }))
}
