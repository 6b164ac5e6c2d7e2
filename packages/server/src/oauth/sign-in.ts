/** What happens to a browser's session around the library's own steps: another person signs in, the session ends. */
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Storage } from '#storage/db'
import { afterLogout, endSession, needsNoQuestion } from './logout.ts'

type Context = Parameters<Parameters<Provider['use']>[0]>[0]

/**
 * Ends the session of whoever was signed in before another person signed in on the way to a code. The library would do it by a page that
 * sends itself on with a script; ours need none.
 */
export const leaveFormerSession = async (
  provider: Provider,
  storage: Storage,
  ctx: Context,
): Promise<void> => {
  if (!/^\/authorize\/[^/]+$/.test(ctx.path)) return
  const uid = ctx.cookies.get(provider.cookieName('resume'))
  const interaction = uid === undefined ? undefined : await provider.Interaction.find(uid)
  const former = interaction?.session
  const accountId = interaction?.result?.login?.accountId
  if (!interaction || !former || accountId === undefined || former.accountId === accountId) return
  const session = await provider.Session.get(ctx)
  if (session.uid !== former.uid) return
  await endSession(storage, session)
  interaction.session = undefined
  interaction.grantId = undefined
  await interaction.persist()
}

/** Logs out at once where no question is to be asked; the library has prepared the page that asks it. */
export const logOutAtOnce = async (storage: Storage, ctx: KoaContextWithOIDC): Promise<void> => {
  const { session, provider, route } = ctx.oidc
  if (route !== 'end_session' || ctx.status !== 200 || !session || !needsNoQuestion(ctx)) return
  const target = afterLogout(ctx)
  await endSession(storage, session)
  ctx.oidc.cookies.set(provider.cookieName('session'), null, { path: '/', httpOnly: true, sameSite: 'lax' })
  ctx.remove('content-security-policy')
  ctx.status = 303
  ctx.redirect(target)
  ctx.body = ''
}
