/** Handles the session around the library's steps: another person signs in, or the session ends. */
import type { IncomingMessage } from 'node:http'
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { federated } from '#oauth/library/authentication'
import { type ProviderSignIn, readProviderSignIn } from '#oauth/library/provider-sign-in'
import type { ClientRow } from '#storage/clients'
import type { Storage } from '#storage/db'
import { endGrantsOfSession, endSession, makeLogoutTarget, mayLogOutAtOnce } from './logout.ts'

/** Sign-ins through providers by request, for the session that the library opens in it. */
const arrivals = new WeakMap<IncomingMessage, ProviderSignIn>()

/**
 * Returns the provider that signed the person in, in this request. Throws if that is lost: the session would open more than the provider may.
 */
export const takeProviderSignIn = (
  request: IncomingMessage,
  amr: readonly string[] | undefined,
): ProviderSignIn | undefined => {
  const providerSignIn = arrivals.get(request)
  if (!providerSignIn && amr?.includes(federated)) throw new Error('a sign-in lost its provider')
  return providerSignIn
}

type Context = Parameters<Parameters<Provider['use']>[0]>[0]

/**
 * Runs before the library when a sign-in returns from a page. Records the time of the sign-in, which would
 * otherwise be that of the last page. Ends the session of a different person, because the library would use a
 * self-submitting page for that.
 */
export const receiveSignIn = async (provider: Provider, storage: Storage, ctx: Context): Promise<void> => {
  if (!/^\/(?:authorize|activate)\/[^/]+$/.test(ctx.path)) return
  const uid = ctx.cookies.get(provider.cookieName('resume'))
  const interaction = uid === undefined ? undefined : await provider.Interaction.find(uid)
  const login = interaction?.result?.login
  if (!interaction || !login) return
  const providerSignIn = readProviderSignIn(login)
  if (providerSignIn) arrivals.set(ctx.req, providerSignIn)
  const isNew = login.ts === undefined
  if (isNew) login.ts = Math.floor(Date.now() / 1000)
  const former = interaction.session
  if (former && former.accountId !== login.accountId) {
    const session = await provider.Session.get(ctx)
    if (session.uid !== former.uid) return
    await endSession(storage, session)
    interaction.session = undefined
  } else if (!isNew) return
  await interaction.persist()
}

interface LogoutDependencies {
  storage: Storage
  /** Forgets replies to forms of this browser (interactions/repeated-forms.ts). */
  forgetReplies: (request: IncomingMessage) => Promise<void>
}

/** Ends grants after a confirmed logout; the library has ended the session. */
export const endGrantsAfterLogout = async (
  { storage, forgetReplies }: LogoutDependencies,
  { oidc, req }: KoaContextWithOIDC,
): Promise<void> => {
  const { session, route, params } = oidc
  if (route !== 'end_session_confirm' || !session || params?.logout === undefined) return
  await endGrantsOfSession(storage, session)
  await forgetReplies(req)
}

/** Logs out without confirmation if allowed; replaces the library's confirmation page. */
export const logOutAtOnce = async (
  { storage, forgetReplies }: LogoutDependencies,
  ctx: KoaContextWithOIDC,
  application: ClientRow | undefined,
): Promise<void> => {
  const { session, provider, route } = ctx.oidc
  if (route !== 'end_session' || ctx.status !== 200 || !session || !mayLogOutAtOnce(ctx, application)) return
  const target = makeLogoutTarget(ctx)
  await endSession(storage, session)
  await forgetReplies(ctx.req)
  ctx.oidc.cookies.set(provider.cookieName('session'), null, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    overwrite: true,
  })
  ctx.remove('content-security-policy')
  ctx.status = 303
  ctx.redirect(target)
  ctx.body = ''
}
