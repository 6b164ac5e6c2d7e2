/** Handles the session around the library's steps: another person signs in, or the session ends. */
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { ClientRow } from '#storage/clients'
import type { Storage } from '#storage/db'
import { endGrantsOfSession, endSession, makeLogoutTarget, mayLogOutAtOnce } from './logout.ts'

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

/** Ends grants after a confirmed logout; the library has ended the session. */
export const endGrantsAfterLogout = async (storage: Storage, { oidc }: KoaContextWithOIDC): Promise<void> => {
  const { session, route, params } = oidc
  if (route !== 'end_session_confirm' || !session || params?.logout === undefined) return
  await endGrantsOfSession(storage, session)
}

/** Logs out without confirmation if allowed; replaces the library's confirmation page. */
export const logOutAtOnce = async (
  storage: Storage,
  ctx: KoaContextWithOIDC,
  application: ClientRow | undefined,
): Promise<void> => {
  const { session, provider, route } = ctx.oidc
  if (route !== 'end_session' || ctx.status !== 200 || !session || !mayLogOutAtOnce(ctx, application)) return
  const target = makeLogoutTarget(ctx)
  await endSession(storage, session)
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
