/** Ends sessions that began at a workspace's own OpenID provider. */
import type { Db, Writer } from './db.ts'
import { endGrant } from './grants.ts'
import { findRecord } from './oidc-records.ts'
import { removeProviderToken } from './provider-tokens.ts'
import { endSession, endSessionGrants } from './sessions.ts'

/** Stored fields of a session or grant about its provider (oauth/library/provider-sign-in.ts). */
interface SessionPayload {
  providerSignIn?: { workspaceId?: string; issuer?: string; sid?: string; tokenId?: string }
}

/**
 * Returns the issuer of the workspace's own OpenID provider that signed the person of this token in, as `byProvider` of the audit log. Null: one
 * did, but the grant has ended. Undefined: the person signed in here.
 */
export const findTokenIssuer = async (
  db: Db,
  { grantId, workspaceId }: { grantId: string | undefined; workspaceId: string | undefined },
): Promise<string | null | undefined> => {
  const record: object | undefined =
    grantId === undefined ? undefined : await findRecord(db, 'Grant', { id: grantId })
  // Written only by the library's adapter.
  const { providerSignIn } = (record ?? {}) as SessionPayload
  return providerSignIn?.issuer ?? (workspaceId === undefined ? undefined : null)
}

/** Sessions per statement. */
const batchSize = 500

/**
 * Ends the sessions of this provider: those of the user, those with the provider's `sid`, or those with both. Ends everything that was issued
 * in them. Returns how many.
 */
export const endProviderSessions = async (
  writer: Writer,
  {
    workspaceId,
    issuer,
    userId,
    sid,
  }: { workspaceId: string; issuer: string; userId: string | undefined; sid: string | undefined },
): Promise<number> => {
  const { db } = writer
  let query = db
    .selectFrom('oidc_records')
    .select(['uid', 'account_id', 'payload_json'])
    .where('model', '=', 'Session')
    .where(e => e.or([e('expires_at', 'is', null), e('expires_at', '>', Date.now())]))
    .limit(batchSize)
  query =
    userId === undefined
      ? query.where('account_id', 'in', ({ selectFrom }) =>
          selectFrom('provider_identities')
            .select('user_id')
            .where('workspace_id', '=', workspaceId)
            .where('issuer', '=', issuer),
        )
      : query.where('account_id', '=', userId)
  // Narrows the rows; the parsed record decides.
  if (sid !== undefined) query = query.where('payload_json', 'like', `%${escapeLike(JSON.stringify(sid))}%`)
  let endedCount = 0
  for (const { uid, account_id, payload_json } of await query.execute()) {
    // Written only by the library's adapter.
    const { providerSignIn } = JSON.parse(payload_json) as SessionPayload
    const isMeant =
      providerSignIn?.workspaceId === workspaceId &&
      providerSignIn.issuer === issuer &&
      (sid === undefined || providerSignIn.sid === sid)
    if (isMeant && uid !== null && account_id !== null && (await endSession(writer, account_id, uid)))
      endedCount += 1
  }
  return endedCount
}

/**
 * Ends the session of the sign-in with this refresh token of a provider, and every grant made in it, also those that outlived the session.
 * `keptSessionId`: of this session, only the grants end.
 */
export const endProviderSignIn = async (
  writer: Writer,
  userId: string,
  tokenId: string,
  keptSessionId?: string,
): Promise<void> => {
  const rows = await writer.db
    .selectFrom('oidc_records')
    .select(['model', 'uid', 'grant_id', 'payload_json'])
    .where('account_id', '=', userId)
    .where('model', 'in', ['Session', 'Grant'])
    .where('payload_json', 'like', `%${tokenId}%`)
    .execute()
  for (const { model, uid, grant_id, payload_json } of rows) {
    // Written only by the library's adapter.
    const { providerSignIn } = JSON.parse(payload_json) as SessionPayload
    if (providerSignIn?.tokenId !== tokenId) continue
    if (model === 'Session' && uid !== null) {
      if (uid === keptSessionId) await endSessionGrants(writer, uid, { offlineToo: true })
      else await endSession(writer, userId, uid)
    }
    if (model === 'Grant' && grant_id !== null) await endGrant(writer, grant_id)
  }
  await removeProviderToken(writer.db, tokenId)
}

/** Replaces characters that a pattern would not take literally by one that matches any. */
const escapeLike = (text: string): string => text.replaceAll(/[%_\\]/g, '_')
