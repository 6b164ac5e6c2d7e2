/** Leads a browser to the workspace's own OpenID provider, for a sign-in or for a test of it. */
import { randomBytes } from 'node:crypto'
import {
  ProviderSecretUnreadable,
  type ProviderUnavailable,
} from '#oauth/identity-provider/provider-failures'
import type { StartedSignIn } from '#oauth/identity-provider/started-sign-in'
import type { WorkspaceRow } from '#storage/workspaces'
import type { PageDependencies, PageRequest } from './page-request.ts'

const makeSecret = (): string => randomBytes(32).toString('base64url')

export const readFault = (error: ProviderUnavailable) =>
  error instanceof ProviderSecretUnreadable ? 'provider-secret' : 'provider-down'

/** Returns the address at the provider. Throws {@link ProviderUnavailable}. */
export const leadToProvider = async (
  { providers }: PageDependencies,
  { response }: PageRequest,
  workspace: WorkspaceRow,
  started: Pick<
    StartedSignIn,
    'uid' | 'clientId' | 'maxAgeSeconds' | 'loginHint' | 'testerId' | 'isRepeated' | 'isOffline'
  >,
): Promise<URL> => {
  const { loginHint, maxAgeSeconds } = started
  const secrets = { state: makeSecret(), nonce: makeSecret(), codeVerifier: makeSecret() }
  const url = await providers.relyingParty.authorizationUrl({
    ...started,
    ...secrets,
    workspace,
    loginHint,
    maxAgeSeconds,
  })
  const { issuer = '' } = workspace.definition.identityProvider ?? {}
  await providers.started.add(response, { ...started, ...secrets, workspaceId: workspace.id, issuer })
  return url
}
