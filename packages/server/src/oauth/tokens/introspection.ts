/** Token introspection (RFC 7662) of JWT access tokens; the library handles others. */
import type { Bearer } from '#authz/bearer'
import type { LoadedClient } from '#oauth/clients/clients'
import { mayUseClient } from '#oauth/sessions/accounts'
import type { Directory } from '#storage/directory'

interface Dependencies {
  bearer: Bearer
  directory: Directory
}

/**
 * Whether `caller`, an authenticated client, may introspect tokens of `clientId`: it must be of the same
 * workspace, or the server's own command line.
 */
export const mayIntrospect = async (
  directory: Directory,
  caller: LoadedClient,
  clientId: string,
): Promise<boolean> => {
  if (caller.row.id === clientId) return true
  if (caller.row.kind === 'own') return true
  return (await directory.client(clientId))?.workspaceId === caller.row.workspaceId
}

/** Whether the token belongs to a machine, or to a person who may still use the application. */
const isOfMember = async (
  directory: Directory,
  token: { clientId: string; subject: string },
): Promise<boolean> => {
  const row = await directory.client(token.clientId)
  return row?.kind === 'application' ? mayUseClient(directory, { row }, token.subject) : row !== undefined
}

/**
 * Returns the reply (RFC 7662, section 2.2). Unknown, expired, revoked and foreign tokens, and those of
 * disabled accounts, are inactive.
 */
export const introspect = async (
  { bearer, directory }: Dependencies,
  caller: LoadedClient,
  jwt: string,
): Promise<Record<string, unknown>> => {
  const token = await bearer.read(jwt)
  // The query service tolerates a minute of clock difference; here a token expires on time.
  if (!token || token.expiresAt * 1000 <= Date.now()) return { active: false }
  if (!(await mayIntrospect(directory, caller, token.clientId))) return { active: false }
  if (!(await isOfMember(directory, token))) return { active: false }
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
