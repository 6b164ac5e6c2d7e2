/**
 * Stores oidc-provider's records between requests: sessions, codes, grants, refresh tokens, used assertions.
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Keyring } from '#keys/keyring'
import { createRecordEncryption } from '#keys/record-encryption'
import { replayedProof } from '#oauth/library/error-descriptions'
import {
  codeSeconds,
  grantSeconds,
  interactionSeconds,
  longestLifetimeSeconds,
} from '#oauth/library/lifetime'
import { readProviderSignIn } from '#oauth/library/provider-sign-in'
import { recordPoll } from '#oauth/requests/device-polling'
import type { StartedSignIns } from '#oauth/requests/started-sign-ins'
import type { UserCodeAttempts } from '#oauth/requests/user-code-attempts'
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
  sealedModels,
} from '#storage/oidc-records'
import {
  endUnusedSiblings,
  findReplacedToken,
  saveReplacedToken,
  siblingSeconds,
} from '#storage/replaced-tokens'

/**
 * Placeholder for the record's own id in the stored payload. The id is a code, a token, or the value of a
 * cookie.
 */
const ownId = '\u0000id'

const toRecord = (model: string, id: string, payload: AdapterPayload, ttlSeconds?: number): OidcRecord => {
  // The record is found by a hash of its id, so the id itself must not be stored in clear.
  const { jti, ...rest } = payload
  if (typeof rest.returnTo === 'string') rest.returnTo = rest.returnTo.replace(id, ownId)
  // The library stores the session's cookie here but never reads it.
  if (rest.session) rest.session = { ...rest.session, cookie: '' }
  // The library saves a session on each use (storage/sessions.ts).
  if (model === 'Session' && rest.loginTs !== undefined) rest.usedAt = Math.floor(Date.now() / 1000)
  // Limits the grant like its session.
  if (model === 'Grant') rest.providerSignIn = readProviderSignIn(Provider.ctx?.oidc.session)
  // ID tokens from a refresh should not have a nonce (OpenID Connect Core, section 12.2).
  if (model === 'RefreshToken') delete rest.nonce
  const uid = findUid(model, payload)
  return {
    model,
    id,
    // A device code is also found by its user code. Its payload is encrypted (encryptRecord).
    payload: model === 'DeviceCode' ? { jti, ...rest } : rest,
    ...(payload.grantId === undefined ? {} : { grantId: payload.grantId }),
    ...(uid === undefined ? {} : { uid }),
    ...(payload.userCode === undefined ? {} : { userCode: hashRecordId(payload.userCode) }),
    ...(ttlSeconds === undefined
      ? {}
      : { expiresAt: Date.now() + (ttlSeconds + (secondsAfterExpiry[model] ?? 0)) * 1000 }),
  }
}

/**
 * How long a record is kept after it expires. A sign-in may last longer than its pushed request, which must
 * then still be known as used or unused.
 */
const secondsAfterExpiry: Readonly<Record<string, number>> = {
  PushedAuthorizationRequest: interactionSeconds,
  // The device must learn that its code has expired.
  DeviceCode: interactionSeconds,
}

/**
 * Returns the second key of a record. A grant belongs to the session in which it is made, and ends with it
 * (storage/sessions.ts).
 */
const findUid = (model: string, { uid }: AdapterPayload): string | undefined => {
  if (model === 'RefreshToken') return findSiblingsUid()
  return model === 'Grant' ? Provider.ctx?.oidc.session?.uid : uid
}

/** Common key of all successors of one refresh token; undefined for the first of a family. */
const findSiblingsUid = (): string | undefined => {
  const replaced = Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti
  return replaced === undefined ? undefined : makeSuccessorsUid(replaced)
}
const successorPrefix = 'after '
const makeSuccessorsUid = (token: string): string => `${successorPrefix}${hashRecordId(token)}`

/** Fields that the library compares before it detects reuse: without them, a replay ends nothing. */
const proofFields = ['codeChallenge', 'codeChallengeMethod', 'redirectUri', 'jkt'] as const
const pickProofs = (payload: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    proofFields.flatMap(name => (payload[name] === undefined ? [] : [[name, payload[name]]])),
  )

/**
 * Lifetime of everything issued from a code, including its refresh tokens: that of its grant, which was made
 * before.
 */
const issuedLifetimeSeconds = ({ scope }: Record<string, unknown>): number =>
  grantSeconds(typeof scope === 'string' ? scope : 'offline_access') - codeSeconds

/** Whether this record of `ReplayDetection` is of the request's DPoP proof. The library makes the same for assertions. */
const isDpopProof = (id: string, { iss }: AdapterPayload): boolean => {
  const [, claims] = Provider.ctx?.get('dpop').split('.') ?? []
  if (claims === undefined) return false
  // The library has verified the proof.
  const { jti } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { jti?: unknown }
  return (
    createHash('sha256')
      .update(`${String(iss)}${String(jti)}`)
      .digest('base64url') === id
  )
}

const pickConsumed = ({ consumed }: Record<string, unknown>) => (consumed === undefined ? {} : { consumed })

const restorePayload = (id: string, payload: Record<string, unknown>): AdapterPayload => ({
  ...payload,
  jti: id,
  ...(typeof payload.returnTo === 'string' ? { returnTo: payload.returnTo.replace(ownId, id) } : {}),
})

/** Limits of what anybody may store or try. */
interface Limits {
  startedSignIns: StartedSignIns
  userCodeAttempts: UserCodeAttempts
}

/** Whether the device of this code asks for its tokens before a person has decided. */
const isPolled = ({ accountId, clientId, error, consumed, exp }: AdapterPayload): boolean => {
  const oidc = Provider.ctx?.oidc
  if (oidc?.route !== 'token' || clientId !== oidc.client?.clientId) return false
  const isDecided = accountId !== undefined || error !== undefined || consumed !== undefined
  return !isDecided && Number(exp) > Date.now() / 1000
}

/**
 * Returns the request if anybody could have sent it to store this record: a sign-in, or what a public client
 * pushes before one, a device code of a public client, or the session of a form for user codes.
 */
const findUnauthenticatedStart = (model: string, payload: AdapterPayload): IncomingMessage | undefined => {
  const ctx = Provider.ctx
  if (!ctx) return undefined
  const { route, client } = ctx.oidc
  const isStart =
    (model === 'Interaction' && route === 'authorization') ||
    (model === 'PushedAuthorizationRequest' && client?.clientAuthMethod === 'none') ||
    (route === 'device_authorization' && client?.clientAuthMethod === 'none') ||
    (model === 'Session' && route === 'code_verification' && payload.accountId === undefined)
  return isStart ? ctx.req : undefined
}

/**
 * Stores the records of one model, except for clients (oidc-provider-internals.ts). Ending a grant also ends
 * its access tokens at the query service.
 */
export const recordAdapter =
  (storage: Storage, keyring: Pick<Keyring, 'derive'>, { startedSignIns, userCodeAttempts }: Limits) =>
  (model: string): Adapter => {
    const { db } = storage
    const records = { storage, model, encryption: createRecordEncryption(keyring) }
    const findStored = finders[model] ?? find
    const consumeStored = consumers[model] ?? consumeOnce
    return {
      async upsert(id, payload, ttlSeconds) {
        const starts = findUnauthenticatedStart(model, payload)
        if (starts) startedSignIns.refuseTooMany(starts)
        // The grant that the code refers to (consents.ts).
        if (model === 'AuthorizationCode' || (model === 'DeviceCode' && payload.grantId !== undefined))
          await Provider.ctx?.oidc.entities.Grant?.save()
        const record = await encryptRecord(records, toRecord(model, id, payload, ttlSeconds))
        if (starts) await startedSignIns.record(starts, model, id)
        if (model !== 'ReplayDetection') return saveRecord(db, record)
        // The same for assertions (RFC 7523, section 3, item 7) and DPoP proofs (RFC 9449, section 11.1).
        if (await addRecord(db, record)) return
        if (isDpopProof(id, payload)) throw new errors.InvalidDpopProof(replayedProof)
        throw new errors.InvalidClientAuth('client assertion tokens must only be used once')
      },
      find: id => findStored(records, id),
      findByUid: uid => findRecord(db, model, { uid }),
      findByUserCode: userCode =>
        Provider.ctx
          ? userCodeAttempts.find(Provider.ctx.req, () => findByUserCode(records, userCode))
          : findByUserCode(records, userCode),
      consume: id => consumeStored(records, id),
      async destroy(id) {
        startedSignIns.forget(model, id)
        await removeRecord(db, model, id)
      },
      async revokeByGrantId(grantId) {
        // The library calls this for each kind of token, always for access tokens; the grant ends with all of
        // them.
        if (model === 'AccessToken') await endGrantById(records, grantId)
      },
    }
  }

/** The records of one model. */
interface Records {
  storage: Storage
  model: string
  encryption: ReturnType<typeof createRecordEncryption>
}

/**
 * Request parameters may contain an ID token, so they are encrypted. The account stays readable for
 * lookups.
 */
const encryptRecord = async ({ encryption }: Records, record: OidcRecord): Promise<OidcRecord> => {
  const { params, request, accountId } = record.payload
  if (params === undefined && request === undefined) return record
  // A change of the server's key would not find it.
  if (!sealedModels.includes(record.model))
    throw new Error(`${record.model} has request parameters, but is not in sealedModels`)
  const { id, userCode } = record
  return {
    ...record,
    payload: { accountId, userCode, sealed: await encryption.encrypt(userCode ?? id, record.payload) },
  }
}

const endGrantById = ({ storage }: Records, grantId: string) =>
  storage.write(writer => endGrant(writer, grantId))

const find = async (
  { storage, model, encryption }: Records,
  id: string,
): Promise<AdapterPayload | undefined> => {
  const stored = await findRecord(storage.db, model, { id })
  if (typeof stored?.sealed !== 'string') return stored && restorePayload(id, stored)
  const key = typeof stored.userCode === 'string' ? stored.userCode : id
  const payload = await encryption.decrypt(key, stored.sealed)
  return payload && restorePayload(id, { ...payload, ...pickConsumed(stored) })
}

const findByUserCode = async (
  { storage, model, encryption }: Records,
  userCode: string,
): Promise<AdapterPayload | undefined> => {
  const key = hashRecordId(userCode)
  const stored = await findRecord(storage.db, model, { userCode: key })
  // A code that was exchanged is shrunk.
  return typeof stored?.sealed === 'string' ? encryption.decrypt(key, stored.sealed) : undefined
}

/**
 * Restores a consumed record, of which little is left, from its grant. Sets a future expiry: the library
 * checks expiry before reuse, and would not revoke what was issued (RFC 6749, section 10.5; RFC 9700,
 * section 4.14).
 */
const restoreReplayed = async (
  records: Records,
  replayed: AdapterPayload,
): Promise<AdapterPayload | undefined> => {
  const { storage } = records
  // Written only by the library.
  const grant = (await findRecord(storage.db, 'Grant', { id: replayed.grantId ?? '' })) as
    | AdapterPayload
    | undefined
  if (!grant) {
    // Revoking the grant was interrupted, or the record was replayed meanwhile. The library finds nothing
    // and revokes nothing.
    if (replayed.grantId !== undefined) await endGrantById(records, replayed.grantId)
    return undefined
  }
  const { accountId, clientId, openid }: AdapterPayload & { openid?: { scope?: string } } = grant
  const exp = Math.floor(Date.now() / 1000) + longestLifetimeSeconds
  return { ...{ accountId, clientId, scope: openid?.scope }, ...replayed, exp } as AdapterPayload
}

/** A refresh token that was just replaced counts as unused while it may still give a sibling. */
const findRefreshToken = async (records: Records, id: string): Promise<AdapterPayload | undefined> => {
  const { storage, model } = records
  const payload = await find(records, id)
  if (!payload) {
    const replaced = await findReplacedToken(storage.db, id)
    return replaced && restoreReplayed(records, restorePayload(id, { ...replaced, consumed: true }))
  }
  if (payload.consumed === undefined) return payload
  const { consumed, ...unused } = payload
  // The use of a successor is recorded before this token is shrunk.
  const mayGiveSibling =
    Number(consumed) + siblingSeconds >= Date.now() / 1000 &&
    !(await isAnyConsumed(storage.db, model, makeSuccessorsUid(id)))
  return mayGiveSibling ? unused : restoreReplayed(records, payload)
}

const findCode = async (records: Records, id: string): Promise<AdapterPayload | undefined> => {
  const payload = await find(records, id)
  return payload?.consumed === undefined ? payload : restoreReplayed(records, payload)
}

const findDeviceCode = async (records: Records, id: string): Promise<AdapterPayload | undefined> => {
  const { storage } = records
  const payload = await findCode(records, id)
  if (payload && isPolled(payload)) await recordPoll(storage.db, id)
  return payload
}

const finders: Readonly<Record<string, typeof find>> = {
  DeviceCode: findDeviceCode,
  RefreshToken: findRefreshToken,
  AuthorizationCode: findCode,
}

/**
 * Keeps a replaced refresh token while the family may live, to detect its reuse. Using a token proves
 * that it arrived, so its predecessor gives no more siblings and is shrunk, and unused siblings of that one end.
 */
const replaceRefreshToken = async ({ storage, model }: Records, id: string): Promise<void> => {
  const { grantId, jkt, iiat }: AdapterPayload = (await findRecord(storage.db, model, { id })) ?? {}
  const startedAt = iiat ?? Math.floor(Date.now() / 1000)
  const expiresAt = (startedAt + issuedLifetimeSeconds({})) * 1000
  const { uid } = (await consumeRecord(storage.db, model, id, { expiresAt })) ?? {}
  if (!uid?.startsWith(successorPrefix) || grantId === undefined) return
  const predecessorHash = uid.slice(successorPrefix.length)
  await endUnusedSiblings(storage.db, predecessorHash)
  // A separate transaction, after the first is committed, which prevents deadlocks with the end of the
  // grant.
  await storage.write(writer =>
    saveReplacedToken(writer.db, predecessorHash, {
      grantId,
      expiresAt,
      ...(jkt === undefined ? {} : { jkt }),
    }),
  )
}

/**
 * The library checks before it consumes, so one of two concurrent requests with the same code must lose.
 * A consumed record is kept as long as everything issued from it, so that a replay ends that.
 */
const consumeOnce = async (records: Records, id: string): Promise<void> => {
  const { storage, model } = records
  const record = await findRecord(storage.db, model, { id })
  const isConsumedNow =
    record &&
    (await consumeRecord(storage.db, model, id, {
      expiresAt: Date.now() + issuedLifetimeSeconds(record) * 1000,
      ...(model === 'AuthorizationCode' || model === 'DeviceCode' ? { remains: pickProofs(record) } : {}),
    }))
  if (isConsumedNow) return
  const grantId = record?.grantId
  if (typeof grantId === 'string') await endGrantById(records, grantId)
  throw new errors.InvalidGrant('consumed by a request at the same time')
}

/** RFC 9126, section 4: a `request_uri` works once, also for concurrent requests. */
const consumePushedRequest = async ({ storage, model }: Records, id: string): Promise<void> => {
  if (!(await consumeRecord(storage.db, model, id)))
    throw new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used')
}

const consumers: Readonly<Record<string, (records: Records, id: string) => Promise<void>>> = {
  RefreshToken: replaceRefreshToken,
  PushedAuthorizationRequest: consumePushedRequest,
}
