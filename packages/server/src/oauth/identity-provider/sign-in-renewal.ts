/**
 * Asks a workspace's own OpenID provider about a person again, at each refresh of our tokens: with the refresh token that it gave at the
 * sign-in. A person who was removed there is out, and changed groups change the roles. A provider that does not answer changes nothing; the
 * session's lifetime bounds that (library/provider-sign-in.ts).
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { SignInLog } from '#authz/sign-in-log'
import type { ProviderSecrets } from '#keys/provider-secrets'
import type { Log } from '#oauth/library/log'
import { type ProviderSignIn, providerSessionSeconds } from '#oauth/library/provider-sign-in'
import type { Storage } from '#storage/db'
import type { Directory } from '#storage/directory'
import { endProviderSignIn } from '#storage/provider-sessions'
import {
  addProviderToken,
  findProviderToken,
  leaseProviderToken,
  type ProviderTokenRow,
  releaseProviderToken,
  replaceProviderToken,
} from '#storage/provider-tokens'
import type { UserRow } from '#storage/users'
import type { WorkspaceRow } from '#storage/workspaces'
import { type Counter, increment } from '#telemetry/counters'
import { readmitPerson } from './admit-person.ts'
import { ProviderRefusal, ProviderUnavailable } from './provider-failures.ts'
import type { RelyingParty } from './relying-party.ts'

interface Dependencies {
  storage: Storage
  directory: Pick<Directory, 'workspace'>
  /** For refresh tokens. */
  secrets: ProviderSecrets
  relyingParty: Pick<RelyingParty, 'refresh'>
  log: Log
  signInLog: Pick<SignInLog, 'record'>
  /** Counts answers by outcome. */
  counter?: Counter | undefined
}

/** The request that refreshes our tokens, for the audit log. */
interface RenewalRequest {
  /** IP address. */
  address: string
  requestId: string
}

export interface SignInRenewal {
  /** Keeps the refresh token of a new sign-in. Returns its `tokenId`. */
  keepToken(workspace: WorkspaceRow, userId: string, refreshToken: string): Promise<string>
  /**
   * Returns false if the provider no longer lets the person in; then the session and its grants have ended. Sign-ins without a refresh token
   * are not asked about.
   */
  renew(signIn: ProviderSignIn, user: UserRow, request: RenewalRequest): Promise<boolean>
  /**
   * The same for an authorization request in the session `sessionId`, whose grants end, but not the session itself: the library would save it
   * again. An answer of the last minute counts.
   */
  confirm(signIn: ProviderSignIn, user: UserRow, request: RenewalRequest, sessionId: string): Promise<boolean>
}

/** `recent`: another request, here or on another node, was answered. */
type Outcome = 'renewed' | 'refused' | 'unavailable' | 'recent'

/** Longer than a node can take to ask. After that, the node that holds the lease is gone. */
const leaseMsMax = 30_000
const pollMs = 50
/** How long an answer counts for authorization requests, of which a sign-in needs several. */
const freshMs = 60_000

export const openSignInRenewal = (deps: Dependencies): SignInRenewal => {
  const { storage, secrets, log, counter } = deps
  /** Concurrent refreshes on this node share one answer. */
  const running = new Map<string, Promise<Outcome>>()

  const ask = async (
    signIn: ProviderSignIn,
    user: UserRow,
    request: RenewalRequest,
    { freshMs: answerMs = 0, sessionId }: { freshMs?: number; sessionId?: string } = {},
  ): Promise<boolean> => {
    const { tokenId } = signIn
    if (tokenId === undefined) return true
    const outcome = await askOnce(`${tokenId} ${answerMs}`, async () => {
      const answer = await askProvider(deps, { ...signIn, tokenId }, user, { ...request, answerMs })
      if (answer === 'recent') return answer
      if (counter) increment(counter, answer)
      if (answer === 'refused')
        await storage.write(writer => endProviderSignIn(writer, user.id, tokenId, sessionId))
      if (answer === 'unavailable')
        log.warn(
          { workspace: signIn.workspace, issuer: signIn.issuer, requestId: request.requestId },
          'an OpenID provider did not say whether a person may stay signed in; they stay until the session ends',
        )
      return answer
    })
    return outcome !== 'refused'
  }

  const askOnce = (key: string, ask: () => Promise<Outcome>): Promise<Outcome> => {
    const existing = running.get(key)
    if (existing) return existing
    const outcome = ask().finally(() => running.delete(key))
    running.set(key, outcome)
    return outcome
  }

  return {
    async keepToken(workspace, userId, refreshToken) {
      const id = randomUUID()
      const { identityProvider } = workspace.definition
      if (!identityProvider)
        throw new Error('a sign-in came from a provider that the workspace does not have')
      await addProviderToken(storage.db, {
        id,
        workspaceId: workspace.id,
        userId,
        encryptedToken: await secrets.encrypt(id, identityProvider, refreshToken),
        expiresAt: Date.now() + providerSessionSeconds * 1000,
      })
      return id
    },

    renew: (signIn, user, request) => ask(signIn, user, request),
    confirm: (signIn, user, request, sessionId) => ask(signIn, user, request, { freshMs, sessionId }),
  }
}

type KeptSignIn = ProviderSignIn & { tokenId: string }

const askProvider = async (
  deps: Dependencies,
  signIn: KeptSignIn,
  user: UserRow,
  { answerMs, ...request }: RenewalRequest & { answerMs: number },
): Promise<Outcome> => {
  const { db } = deps.storage
  const lease = randomUUID()
  const lookup = await takeLease(db, signIn.tokenId, { lease, answerMs })
  if (lookup === 'gone') return 'refused'
  if (lookup === 'answered') return 'recent'
  if (lookup.userId !== user.id) return 'refused'
  try {
    return await useToken(deps, signIn, user, { ...request, lease, encryptedToken: lookup.encryptedToken })
  } finally {
    await releaseProviderToken(db, signIn.tokenId, lease)
  }
}

/** Waits while another node has the lease. `answered`: that node, or any in the last `answerMs`, has an answer. */
const takeLease = async (
  db: Storage['db'],
  tokenId: string,
  { lease, answerMs }: { lease: string; answerMs: number },
): Promise<ProviderTokenRow | 'answered' | 'gone'> => {
  const first = await findProviderToken(db, tokenId)
  let holder = first?.lease
  let heldSince = performance.now()
  for (let row = first; row; row = await findProviderToken(db, tokenId)) {
    if (row.answeredAt !== first?.answeredAt || Date.now() - row.answeredAt < answerMs) return 'answered'
    if (row.lease !== holder) {
      holder = row.lease
      heldSince = performance.now()
    }
    // By this node's clock, so that clocks may differ.
    const isFree = row.lease === undefined || performance.now() - heldSince > leaseMsMax
    if (isFree && (await leaseProviderToken(db, tokenId, lease, row))) return row
    if (!isFree) await wait(pollMs)
  }
  return 'gone'
}

const useToken = async (
  { storage, directory, secrets, relyingParty, log, signInLog }: Dependencies,
  signIn: KeptSignIn,
  user: UserRow,
  { lease, encryptedToken, ...request }: RenewalRequest & { lease: string; encryptedToken: string },
): Promise<Outcome> => {
  const { tokenId, subject } = signIn
  const workspace = await directory.workspace(signIn.workspace)
  const provider = workspace?.definition.identityProvider
  const refreshToken = provider ? await secrets.decrypt(tokenId, provider, encryptedToken) : undefined
  // The workspace names another provider or Client ID, for which the token is not.
  if (!workspace || !provider || refreshToken === undefined) return 'refused'
  const facts = { workspace: workspace.slug, subject: user.id, requestId: request.requestId }
  try {
    const answer = await relyingParty.refresh({
      workspace,
      refreshToken,
      subject,
      saveToken: async newToken =>
        replaceProviderToken(storage.db, tokenId, lease, await secrets.encrypt(tokenId, provider, newToken)),
    })
    const arrival = { ...request, ...answer, workspace, subject }
    const fault = await readmitPerson({ storage, log, signInLog }, arrival, user)
    if (fault === undefined) return 'renewed'
    log.warn({ ...facts, fault }, 'an OpenID provider no longer vouches for a person, whose session ends')
    return 'refused'
  } catch (error) {
    if (!(error instanceof ProviderUnavailable || error instanceof ProviderRefusal)) throw error
    const isRefusal = error instanceof ProviderRefusal
    log.warn(
      { ...facts, err: error },
      isRefusal
        ? 'an OpenID provider refused to renew a sign-in, whose session ends'
        : 'an OpenID provider could not be asked about a person',
    )
    return isRefusal ? 'refused' : 'unavailable'
  }
}
