/** The workspace's own OpenID provider: addresses to register there, and its client secret. */
import type { IdentityProviderState } from '@querent/contract/manage'
import { Problem } from '#errors'
import { providerBackchannelLogoutUrl, providerCallbackUrl, providerTestUrl } from '#http/provider-urls'
import type { Db } from '#storage/db'
import { findProviderSecret, removeProviderSecret, saveProviderSecret } from '#storage/identity-providers'
import { listProviderDomains } from '#storage/provider-domains'
import type { WorkspaceRow } from '#storage/workspaces'
import { audit, type Handler, type ManagementDependencies, timestamp } from './call.ts'
import { describeDomain } from './provider-domains.ts'

export const identityProviderHandlers = {
  getIdentityProvider: (deps, { workspace }) => describeProvider(deps, deps.storage.db, workspace),

  setIdentityProviderSecret: async (deps, call) => {
    const { workspace, input } = call
    const provider = requireProvider(workspace)
    const encrypted = await deps.providerSecrets.encrypt(workspace.id, provider, input.secret)
    return deps.storage.write(async writer => {
      await saveProviderSecret(writer, workspace.id, encrypted)
      const { issuer, clientId } = provider
      await audit(writer, call, { workspaceId: workspace.id, target: issuer, detail: { clientId } })
      return describeProvider(deps, writer.db, workspace)
    })
  },

  removeIdentityProviderSecret: async ({ storage }, call) => {
    const { workspace } = call
    await storage.write(async writer => {
      if (!(await removeProviderSecret(writer, workspace.id)))
        throw new Problem('no-such-resource', 'this workspace has no client secret for an OpenID provider')
      await audit(writer, call, {
        workspaceId: workspace.id,
        target: workspace.definition.identityProvider?.issuer ?? workspace.slug,
      })
    })
    return undefined
  },
} satisfies {
  [Id in 'getIdentityProvider' | 'setIdentityProviderSecret' | 'removeIdentityProviderSecret']: Handler<Id>
}

/** The secret is for one issuer and Client ID, so the file must name them first. */
const requireProvider = ({ definition }: WorkspaceRow) => {
  if (definition.identityProvider) return definition.identityProvider
  throw new Problem(
    'conflict',
    'the workspace has no identityProvider: add its issuer and clientId to the workspace file first',
  )
}

const describeProvider = async (
  { providerSecrets, authUrl }: Pick<ManagementDependencies, 'providerSecrets' | 'authUrl'>,
  db: Db,
  { id, slug, definition }: WorkspaceRow,
): Promise<IdentityProviderState> => {
  const provider = definition.identityProvider
  const row = await findProviderSecret(db, id)
  return {
    issuer: provider?.issuer ?? null,
    clientId: provider?.clientId ?? null,
    callbackUrl: providerCallbackUrl(authUrl, slug),
    backchannelLogoutUrl: providerBackchannelLogoutUrl(authUrl, slug),
    testUrl: providerTestUrl(authUrl, slug),
    secret: row ? await describeSecret(providerSecrets, id, provider, row.encrypted_secret) : 'absent',
    secretSetAt: row ? timestamp(row.created_at) : null,
    domains: (await listProviderDomains(db, id)).map(describeDomain),
  }
}

const describeSecret = async (
  secrets: ManagementDependencies['providerSecrets'],
  workspaceId: string,
  provider: WorkspaceRow['definition']['identityProvider'],
  encryptedSecret: string,
): Promise<IdentityProviderState['secret']> => {
  const { state } = await secrets.open(workspaceId, provider ?? undefined, encryptedSecret)
  return state === 'readable' ? 'set' : state
}
