/** What oidc-provider keeps between requests (sessions, codes, grants, refresh tokens, seen assertions), in the storage. */
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Keyring } from '#keys/keyring'
import type { StartedSignIns } from '#oauth/sessions/started-sign-ins'
import { codeSeconds, grantSeconds, longestLifetimeSeconds } from '#oauth/tokens/lifetime'
import type { Storage } from '#storage/db'
import { endGrant } from '#storage/grants'
import {
  addRecord,
  consumeRecord,
  findRecord,
  hashRecordId,
  isAnyConsumed,
  type OidcRecord,
  removeRecord,
  saveRecord,
} from '#storage/oidc-records'
import { findReplacedToken, saveReplacedToken, siblingSeconds } from '#storage/replaced-tokens'
import { createRecordEncryption } from './record-encryption.ts'

/** Stands in what is stored for the record's own id, which is a code, a token, or the value of a cookie. */
const ownId = '\u0000id'

const toRecord = (model: string, id: string, payload: AdapterPayload, ttlSeconds?: number): OidcRecord => {
  // Stored under a hash of its id; the id itself must not stand beside it in clear.
  const { jti: _, ...rest } = payload
  if (typeof rest.returnTo === 'string') rest.returnTo = rest.returnTo.replace(id, ownId)
  // The library notes the session's cookie here, and never looks at it.
  if (rest.session) rest.session = { ...rest.session, cookie: '' }
  // The library saves a session at each use of it (storage/sessions.ts).
  if (model === 'Session' && rest.loginTs !== undefined) rest.usedAt = Math.floor(Date.now() / 1000)
  // ID tokens that come of a refresh should have none (OpenID Connect Core, section 12.2).
  if (model === 'RefreshToken') delete rest.nonce
  const uid = findUid(model, payload)
  return {
    model,
    id,
    payload: rest,
    ...(payload.grantId === undefined ? {} : { grantId: payload.grantId }),
    ...(uid === undefined ? {} : { uid }),
    ...(payload.userCode === undefined ? {} : { userCode: payload.userCode }),
    ...(ttlSeconds === undefined ? {} : { expiresAt: Date.now() + ttlSeconds * 1000 }),
  }
}

/** What a record is found by beside its id. A grant is made where a session is at hand, and ends with it (storage/sessions.ts). */
const findUid = (model: string, { uid }: AdapterPayload): string | undefined => {
  if (model === 'RefreshToken') return findSiblingsUid()
  return model === 'Grant' ? Provider.ctx?.oidc.session?.uid : uid
}

/** What the successors of one refresh token have in common; undefined for the first of a family. */
const findSiblingsUid = (): string | undefined => {
  const replaced = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti
  return replaced === undefined ? undefined : makeSuccessorsUid(replaced)
}
const successorPrefix = 'after '
const makeSuccessorsUid = (token: string): string => `${successorPrefix}${hashRecordId(token)}`

/** What the library compares before it sees that a code or token was used: who has not got these ends nothing. */
const proofFields = ['codeChallenge', 'codeChallengeMethod', 'redirectUri', 'jkt'] as const
const pickProofs = (payload: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    proofFields.flatMap(name => (payload[name] === undefined ? [] : [[name, payload[name]]])),
  )

/** For how long what a code gave can live, its refresh tokens' family too: as long as its grant, which was made before. */
const issuedLifetimeSeconds = ({ scope }: Record<string, unknown>): number =>
  grantSeconds(typeof scope === 'string' ? scope : 'offline_access') - codeSeconds

const pickConsumed = ({ consumed }: Record<string, unknown>) => (consumed === undefined ? {} : { consumed })

const restorePayload = (id: string, payload: Record<string, unknown>): AdapterPayload => ({
  ...payload,
  jti: id,
  ...(typeof payload.returnTo === 'string' ? { returnTo: payload.returnTo.replace(ownId, id) } : {}),
})

/**
 * One model's records. Clients are none of them: the library asks for those in another way (library.ts). Ending a grant ends its
 * access tokens at the query service too.
 */
export const recordAdapter =
  (storage: Storage, keyring: Pick<Keyring, 'derive'>, startedSignIns: StartedSignIns) =>
  (model: string): Adapter => {
    const { db } = storage
    const encryption = createRecordEncryption(keyring)
    /** The parameters of a request may hold an ID token; the account stays readable, to be found by. */
    const encryptRecord = async (record: OidcRecord): Promise<OidcRecord> => {
      const { params, accountId } = record.payload
      if (params === undefined) return record
      return {
        ...record,
        payload: { accountId, sealed: await encryption.encrypt(record.id, record.payload) },
      }
    }
    const endGrantById = (grantId: string) => storage.write(writer => endGrant(writer, grantId))

    const find = async (id: string): Promise<AdapterPayload | undefined> => {
      const stored = await findRecord(db, model, { id })
      if (typeof stored?.sealed !== 'string') return stored && restorePayload(id, stored)
      const payload = await encryption.decrypt(id, stored.sealed)
      return payload && restorePayload(id, { ...payload, ...pickConsumed(stored) })
    }
    /**
     * What was used and gives nothing more, as the library asks for it; of the record itself little is left, so it is told from the
     * grant. It is never expired: the library says "expired" before it sees that it was used, and would end nothing of what it gave
     * (RFC 6749, section 10.5; RFC 9700, section 4.14).
     */
    const restoreReplayed = async (used: AdapterPayload): Promise<AdapterPayload | undefined> => {
      // Written by the library alone.
      const grant = (await findRecord(db, 'Grant', { id: used.grantId ?? '' })) as AdapterPayload | undefined
      if (!grant) {
        // Its end was broken off, or what is used came while it ended: the library, which finds nothing, ends nothing.
        if (used.grantId !== undefined) await endGrantById(used.grantId)
        return undefined
      }
      const { accountId, clientId, openid }: AdapterPayload & { openid?: { scope?: string } } = grant
      const exp = Math.floor(Date.now() / 1000) + longestLifetimeSeconds
      return { ...{ accountId, clientId, scope: openid?.scope }, ...used, exp } as AdapterPayload
    }
    /** A refresh token just replaced counts as unused while its sibling may be given. */
    const findRefreshToken = async (id: string): Promise<AdapterPayload | undefined> => {
      const payload = await find(id)
      if (!payload) {
        const replaced = await findReplacedToken(db, id)
        return replaced && restoreReplayed(restorePayload(id, { ...replaced, consumed: true }))
      }
      if (payload.consumed === undefined) return payload
      const { consumed, ...unused } = payload
      // A successor that was used is noted before this one shrinks.
      const mayGiveSibling =
        Number(consumed) + siblingSeconds >= Date.now() / 1000 &&
        !(await isAnyConsumed(db, model, makeSuccessorsUid(id)))
      return mayGiveSibling ? unused : restoreReplayed(payload)
    }
    const findCode = async (id: string): Promise<AdapterPayload | undefined> => {
      const payload = await find(id)
      return payload?.consumed === undefined ? payload : restoreReplayed(payload)
    }
    const finders: Record<string, typeof find> = {
      RefreshToken: findRefreshToken,
      AuthorizationCode: findCode,
    }
    /**
     * A refresh token that was replaced is kept as long as the family may live: used again, it ends that. Whoever uses a token has it, so
     * the one that it replaced gives no sibling any more, and little of it stays.
     */
    const replaceRefreshToken = async (id: string): Promise<void> => {
      const { grantId, jkt, iiat }: AdapterPayload = (await findRecord(db, model, { id })) ?? {}
      const startedAt = iiat ?? Math.floor(Date.now() / 1000)
      const expiresAt = (startedAt + issuedLifetimeSeconds({})) * 1000
      const { uid } = (await consumeRecord(db, model, id, { expiresAt })) ?? {}
      if (!uid?.startsWith(successorPrefix) || grantId === undefined) return
      // After the other is committed: whoever ends the grant meanwhile waits for one of them, which waits for nothing.
      await storage.write(writer =>
        saveReplacedToken(writer.db, uid.slice(successorPrefix.length), {
          grantId,
          expiresAt,
          ...(jkt === undefined ? {} : { jkt }),
        }),
      )
    }
    /**
     * The library looks first and consumes then; of two that come at the same time with one code, one must lose. What was used is kept
     * for as long as what it gave, so that a replay ends that.
     */
    const consumeOnce = async (id: string): Promise<void> => {
      const record = await findRecord(db, model, { id })
      const isConsumedNow =
        record &&
        (await consumeRecord(db, model, id, {
          expiresAt: Date.now() + issuedLifetimeSeconds(record) * 1000,
          ...(model === 'AuthorizationCode' ? { remains: pickProofs(record) } : {}),
        }))
      if (isConsumedNow) return
      const grantId = record?.grantId
      if (typeof grantId === 'string') await endGrantById(grantId)
      throw new errors.InvalidGrant('consumed by a request at the same time')
    }

    return {
      async upsert(id, payload, ttlSeconds) {
        const starts =
          model === 'Interaction' && Provider.ctx?.oidc.route === 'authorization'
            ? Provider.ctx.req
            : undefined
        if (starts) startedSignIns.refuseTooMany(starts)
        // What it stands on (consents.ts).
        if (model === 'AuthorizationCode') await Provider.ctx?.oidc.entities.Grant?.save()
        const record = await encryptRecord(toRecord(model, id, payload, ttlSeconds))
        if (starts) await startedSignIns.record(starts, model, id)
        if (model !== 'ReplayDetection') return saveRecord(db, record)
        // The same for assertions (RFC 7523, section 3, item 7).
        if (!(await addRecord(db, record)))
          throw new errors.InvalidClientAuth('client assertion tokens must only be used once')
      },
      find: finders[model] ?? find,
      findByUid: uid => findRecord(db, model, { uid }),
      findByUserCode: userCode => findRecord(db, model, { userCode }),
      async consume(id) {
        if (model === 'RefreshToken') await replaceRefreshToken(id)
        else await consumeOnce(id)
      },
      async destroy(id) {
        startedSignIns.forget(model, id)
        await removeRecord(db, model, id)
      },
      async revokeByGrantId(grantId) {
        // The library says it of each kind of token at once, of access tokens always; the grant ends with all of them.
        if (model === 'AccessToken') await endGrantById(grantId)
      },
    }
  }
