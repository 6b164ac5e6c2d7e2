/** Records rejected requests of applications, and sign-ins with an existing session, in the sign-in log. */

import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { LRUCache } from 'lru-cache'
import type Provider from 'oidc-provider'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { SignInEvent, SignInLog } from '#authz/sign-in-log'
import type { LoadedClient } from '#oauth/library/loaded-client'
import type { LibraryClient } from '#oauth/library/oidc-provider-internals'

interface Dependencies {
  signInLog: Pick<SignInLog, 'record'>
  clientAddress: (request: IncomingMessage) => string
}

/** Errors of requests that work as they should: polling for a device, and asking whether a person is signed in. */
const expected: ReadonlySet<string> = new Set([
  'authorization_pending',
  'slow_down',
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
  'use_dpop_nonce',
])

/** Every reload of a page may sign in with the session of its browser. The first use by an application is recorded, then one in this time. */
const sameSessionMs = 12 * 60 * 60 * 1000
const rememberedSessions = 10_000

/** Listens to the library. The client of a rejected request may not have proved who it is. */
export const recordInLog = (
  provider: Provider,
  { signInLog, clientAddress }: Dependencies,
  findLoadedClient: (client: LibraryClient) => LoadedClient | undefined,
): void => {
  const record = (ctx: KoaContextWithOIDC, event: Pick<SignInEvent, 'kind' | 'result' | 'method'>) => {
    const { oidc, req, res } = ctx
    const client = oidc?.client && findLoadedClient(oidc.client)
    const requestId = res.getHeader('x-request-id')
    signInLog.record({
      ...event,
      userId: readUserId(oidc),
      clientId: client?.row.id,
      workspaceId: client?.row.workspaceId ?? undefined,
      address: clientAddress(req),
      userAgent: req.headers['user-agent'],
      requestId: typeof requestId === 'string' ? requestId : randomUUID(),
    })
  }
  const recordError = (kind: 'token' | 'refusal') => (ctx: KoaContextWithOIDC, error: Error) => {
    const code = error instanceof errors.OIDCProviderError ? error.error : 'server_error'
    if (!expected.has(code)) record(ctx, { kind, result: code })
  }
  provider.on('grant.error', recordError('token'))
  provider.on('authorization.error', recordError('refusal'))
  /** Sessions, each with one client, whose use is in the log. */
  const recordedUses = new LRUCache<string, true>({ max: rememberedSessions, ttl: sameSessionMs })
  const nameUse = ({ session, client }: KoaContextWithOIDC['oidc']) => `${session?.uid} ${client?.clientId}`
  /** The pages have recorded a new sign-in, so a reload with its session is no other one. */
  const rememberSignIn = ({ oidc }: KoaContextWithOIDC) => {
    if (oidc.result?.login !== undefined) recordedUses.set(nameUse(oidc), true)
  }
  // A further page, such as that of consent, follows the sign-in.
  provider.on('interaction.started', rememberSignIn)
  provider.on('authorization.success', ctx => {
    rememberSignIn(ctx)
    const use = nameUse(ctx.oidc)
    // Silent renewals are no sign-ins.
    if (ctx.oidc.params?.prompt === 'none' || recordedUses.has(use)) return
    recordedUses.set(use, true)
    record(ctx, { kind: 'sign-in', result: 'ok', method: 'session' })
  })
}

const readUserId = (oidc: KoaContextWithOIDC['oidc'] | undefined): string | undefined => {
  const { session, account, entities } = oidc ?? {}
  const { AuthorizationCode: code, RefreshToken: refreshToken, DeviceCode: deviceCode } = entities ?? {}
  return (
    account?.accountId ??
    code?.accountId ??
    refreshToken?.accountId ??
    deviceCode?.accountId ??
    session?.accountId
  )
}
