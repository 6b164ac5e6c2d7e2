/** Logout tokens of a workspace's own OpenID provider (OpenID Connect Back-Channel Logout 1.0, section 2.6). */
import { type JWTPayload, errors as joseErrors } from 'jose'
import type { Db, Storage } from '#storage/db'
import { findIdentity } from '#storage/identity-providers'
import { addRecord } from '#storage/oidc-records'
import { endProviderSessions } from '#storage/provider-sessions'
import type { WorkspaceRow } from '#storage/workspaces'
import { isUnavailable, ProviderUnavailable } from './provider-failures.ts'
import { clockSkewSeconds, type ProviderKeys } from './provider-keys.ts'
import type { RelyingParty } from './relying-party.ts'

interface Dependencies {
  storage: Storage
  relyingParty: Pick<RelyingParty, 'metadata'>
  keys: ProviderKeys
}

/** The token is not one that the provider sent for this purpose. The message is for the provider's operator. */
export class LogoutTokenRefusal extends Error {}

export interface ProviderLogout {
  /**
   * Ends the sessions that the logout token names, with everything issued in them. Returns how many. Throws {@link LogoutTokenRefusal}, and
   * `ProviderUnavailable` if the provider's keys cannot be fetched.
   */
  accept(workspace: WorkspaceRow, token: string): Promise<number>
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
/** Oldest token that is accepted; its `jti` is remembered for as long. */
const ageSecondsMax = 10 * 60
const textCharactersMax = 500

export const openProviderLogout = ({ storage, relyingParty, keys }: Dependencies): ProviderLogout => {
  return {
    async accept(workspace, token) {
      const { issuer, jwksUri, clientId } = await relyingParty.metadata(workspace)
      const claims = await verify(keys, token, { issuer, clientId, jwksUri })
      const { subject, sid } = readLogout(claims)
      // One of two concurrent calls on any nodes succeeds.
      const isNew = await addRecord(storage.db, {
        model: 'ProviderLogout',
        id: JSON.stringify([workspace.id, issuer, claims.jti]),
        payload: {},
        expiresAt: Date.now() + (ageSecondsMax + 2 * clockSkewSeconds) * 1000,
      })
      if (!isNew) throw new LogoutTokenRefusal('jti: this token was used before')
      const userId = subject && (await findUserId(storage.db, { workspaceId: workspace.id, issuer, subject }))
      if (subject !== undefined && userId === undefined) return 0
      return storage.write(writer =>
        endProviderSessions(writer, { workspaceId: workspace.id, issuer, userId, sid }),
      )
    },
  }
}

const findUserId = (db: Db, person: { workspaceId: string; issuer: string; subject: string }) =>
  findIdentity(db, person)

const verify = async (
  keys: ProviderKeys,
  token: string,
  { issuer, clientId, jwksUri }: { issuer: string; clientId: string; jwksUri: string },
): Promise<JWTPayload> => {
  try {
    const { payload, protectedHeader } = await keys.verify(token, jwksUri, {
      issuer,
      audience: clientId,
      requiredClaims: ['iat', 'jti', 'events'],
      maxTokenAge: ageSecondsMax,
    })
    const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '')
    // Explicit typing is recommended. An ID or access token that says its type is refused.
    if (type !== undefined && !['logout+jwt', 'jwt'].includes(type))
      throw new LogoutTokenRefusal('typ: expected logout+jwt')
    return payload
  } catch (error) {
    if (isUnavailable(error))
      throw new ProviderUnavailable('the keys of the provider were not fetched', { cause: error })
    // jose throws TypeError for a text that is no JWT.
    if (error instanceof joseErrors.JOSEError || error instanceof TypeError)
      throw new LogoutTokenRefusal(`the logout token was not accepted: ${error.message}`, { cause: error })
    throw error
  }
}

/** Returns whom the token names. Throws {@link LogoutTokenRefusal}. */
const readLogout = ({
  events,
  nonce,
  sub,
  sid,
  jti,
}: JWTPayload): { subject: string | undefined; sid: string | undefined } => {
  if (nonce !== undefined) throw new LogoutTokenRefusal('nonce: not allowed, because an ID token has one')
  const event: unknown =
    typeof events === 'object' && events !== null ? Reflect.get(events, logoutEvent) : undefined
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw new LogoutTokenRefusal(`events: expected an object with the member ${logoutEvent}`)
  for (const [name, value] of Object.entries({ sub, sid, jti }))
    if (
      value !== undefined &&
      (typeof value !== 'string' || value === '' || value.length > textCharactersMax)
    )
      throw new LogoutTokenRefusal(`${name}: expected a text of at most ${textCharactersMax} characters`)
  if (sub === undefined && sid === undefined)
    throw new LogoutTokenRefusal('sub, sid: one of the two is required')
  return { subject: sub, sid: typeof sid === 'string' ? sid : undefined }
}
