/** Token introspection (RFC 7662) of JWT access tokens; the library handles others. */

import type { AccessToken } from '#authz/access-token'
import { readWorkspaceSlug } from '#authz/audience'
import type { Bearer } from '#authz/bearer'
import type { MetadataDocuments } from '#oauth/clients/metadata-documents'
import type { LoadedClient } from '#oauth/library/loaded-client'
import { mayUseClient } from '#oauth/sessions/accounts'
import type { Directory } from '#storage/directory'

interface Dependencies {
  baseUrl: string
  bearer: Bearer
  directory: Directory
  metadataDocuments: Pick<MetadataDocuments, 'findWorkspaceId'>
}

/**
 * Whether `caller`, an authenticated client, may introspect the token: it must be of the workspace of the
 * token's client, or the server's own command line. An unregistered client has the workspace that its token
 * opens.
 */
export const mayIntrospect = async (
  directory: Directory,
  caller: LoadedClient,
  { clientId, audience }: Pick<AccessToken, 'clientId' | 'audience'>,
  baseUrl: string,
): Promise<boolean> => {
  if (caller.row.id === clientId) return true
  if (caller.row.kind === 'own') return true
  if (caller.row.workspaceId === null) return false
  const client = await directory.client(clientId)
  if (client?.kind === 'metadata-document') return findSlug(audience, baseUrl) === caller.slug
  return client?.workspaceId === caller.row.workspaceId
}

/** Returns the workspace that the token of an unregistered client opens. */
const findSlug = (audience: readonly string[], baseUrl: string): string | undefined =>
  audience.map(address => readWorkspaceSlug(address, baseUrl)).find(slug => slug !== undefined)

/** Whether the token belongs to a machine, or to a person who may still use the application. */
const isOfMember = async (
  { directory, metadataDocuments, baseUrl }: Dependencies,
  { clientId, subject, audience }: AccessToken,
): Promise<boolean> => {
  const row = await directory.client(clientId)
  if (row?.kind === 'metadata-document') {
    const resources = audience.filter(address => readWorkspaceSlug(address, baseUrl) !== undefined)
    const workspaceId = await metadataDocuments.findWorkspaceId(resources)
    return mayUseClient(directory, { row: { ...row, workspaceId } }, subject)
  }
  return row?.kind === 'application' ? mayUseClient(directory, { row }, subject) : row !== undefined
}

/**
 * Returns the reply (RFC 7662, section 2.2). Unknown, expired, revoked and foreign tokens, and those of
 * disabled accounts, are inactive.
 */
export const introspect = async (
  dependencies: Dependencies,
  caller: LoadedClient,
  jwt: string,
): Promise<Record<string, unknown>> => {
  const { bearer, directory, baseUrl } = dependencies
  const token = await bearer.read(jwt)
  // The query service tolerates a minute of clock difference; here a token expires on time.
  if (!token || token.expiresAt * 1000 <= Date.now()) return { active: false }
  if (!(await mayIntrospect(directory, caller, token, baseUrl))) return { active: false }
  if (!(await isOfMember(dependencies, token))) return { active: false }
  return {
    active: true,
    iss: token.issuer,
    sub: token.subject,
    aud: token.audience.length === 1 ? token.audience[0] : token.audience,
    client_id: token.clientId,
    iat: token.issuedAt,
    exp: token.expiresAt,
    jti: token.jti,
    scope: token.scope,
    ...(token.keyThumbprint === undefined
      ? { token_type: 'Bearer' }
      : { token_type: 'DPoP', cnf: { jkt: token.keyThumbprint } }),
  }
}
