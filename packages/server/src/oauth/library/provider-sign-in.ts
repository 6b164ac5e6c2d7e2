/**
 * Sign-ins through a workspace's own OpenID provider. Its administrators choose the provider, and so whom it speaks for. Therefore such a
 * sign-in opens this workspace only: no other one, no page or operation of the person's account, and nothing as an operator.
 */
import type { Directory } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'

export interface ProviderSignIn {
  workspaceId: string
  /** Slug of the workspace. */
  workspace: string
  issuer: string
  /** `sub` at the issuer. */
  subject: string
  /** The session at the provider, if it says so. */
  sid?: string
  /** Its refresh token of the provider (storage/provider-tokens.ts), if the provider gave one. */
  tokenId?: string
  /** Seconds since 1970. */
  at: number
}

/**
 * How long the provider's word holds. Then the browser goes there again, which needs no typing while the session there lasts. Refresh
 * tokens end too, so that a person who left the company is out by then.
 */
export const providerSessionSeconds = 12 * 60 * 60

/** Reads the field that provider/oidc-provider-internals.ts adds to sessions, and provider/adapter.ts to grants. */
export const readProviderSignIn = (record: object | undefined): ProviderSignIn | undefined =>
  record && 'providerSignIn' in record ? (record.providerSignIn as ProviderSignIn | undefined) : undefined

/** Whether the sign-in is recent, and its workspace still has this provider. */
export const isProviderSignInCurrent = async (
  directory: Pick<Directory, 'workspace'>,
  { workspaceId, workspace: slug, issuer, at }: ProviderSignIn,
): Promise<boolean> => {
  if (at + providerSessionSeconds < Date.now() / 1000) return false
  const workspace = await directory.workspace(slug)
  return workspace?.id === workspaceId && isSameIssuer(readIssuer(workspace), issuer)
}

const readIssuer = ({ definition }: WorkspaceRow): string => definition.identityProvider?.issuer ?? ''

/** Only a slash at the end may differ, which the metadata of the provider decides. */
const isSameIssuer = (a: string, b: string): boolean => a.replace(/\/$/, '') === b.replace(/\/$/, '')
