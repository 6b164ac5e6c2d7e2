/**
 * Logout started by an application (OpenID Connect RP-Initiated Logout 1.0). The library checks the redirect.
 * The session ends, with its grants without `offline_access`, whose tokens are rejected from the next request
 * on.
 */
import { compactVerify, decodeProtectedHeader, errors as joseErrors } from 'jose'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { listOrigins } from '#http/origins'
import type { Keyring } from '#keys/keyring'
import { chooseLocale } from '#oauth/pages/language'
import type { ClientRow } from '#storage/clients'
import type { Storage } from '#storage/db'
import { addLogoutNotices } from '#storage/logout-notices'
import { endSessionGrants } from '#storage/sessions'

type Session = NonNullable<KoaContextWithOIDC['oidc']['session']>

/**
 * Drops ID tokens that we did not sign, so that a confirmation replaces the library's error. Their key may be
 * long retired. An expired one is valid (section 4).
 */
export const dropInvalidHints = async (
  search: string,
  keyring: Pick<Keyring, 'verifier'>,
): Promise<string> => {
  const parameters = new URLSearchParams(search)
  const hints = parameters.getAll('id_token_hint')
  if (hints.length === 0) return search
  for (const hint of hints) if (!(await isSignedByUs(hint, keyring))) parameters.delete('id_token_hint', hint)
  return parameters.size > 0 ? `?${parameters}` : ''
}

const isSignedByUs = async (jwt: string, keyring: Pick<Keyring, 'verifier'>): Promise<boolean> => {
  try {
    const { kid = '', typ } = decodeProtectedHeader(jwt)
    const key = keyring.verifier(kid)
    if (!key || typ === 'at+jwt') return false
    await compactVerify(jwt, key.key, { algorithms: [key.alg] })
    return true
  } catch (error) {
    // jose throws TypeError for a bad header.
    if (error instanceof TypeError || error instanceof joseErrors.JOSEError) return false
    throw error
  }
}

/** Ends the session at the server, which invalidates its cookie. */
export const endSession = async (storage: Storage, session: Session): Promise<void> => {
  await endGrantsOfSession(storage, session)
  await session.destroy()
}

/** Ends the grants of a session without `offline_access`, and tells its applications. */
export const endGrantsOfSession = (
  storage: Storage,
  { uid, accountId, authorizations }: Session,
): Promise<void> =>
  storage.write(async writer => {
    await endSessionGrants(writer, uid, { offlineToo: false })
    if (accountId !== undefined) await addLogoutNotices(writer, accountId, authorizations)
  })

/**
 * Whether to skip the confirmation: nobody is signed in, the application sent an ID token of this session, which other sites don't have, or the
 * request comes from a page of the application that it names. An ID token of another session of the person asks (RP-Initiated Logout 1.0,
 * section 2): old ones are in histories and logs.
 */
export const mayLogOutAtOnce = (ctx: KoaContextWithOIDC, application: ClientRow | undefined): boolean => {
  const { session } = ctx.oidc
  const accountId = session?.accountId
  return accountId === undefined || isHintOfSession(ctx, accountId) || comesFromApplication(ctx, application)
}

const isHintOfSession = ({ oidc }: KoaContextWithOIDC, accountId: string): boolean => {
  const { session, client, entities } = oidc
  const { sub, sid } = entities.IdTokenHint?.payload ?? {}
  const ownSid = session?.authorizations?.[client?.clientId ?? '']?.sid
  return sub === accountId && ownSid !== undefined && sid === ownSid
}

/**
 * Whether the browser signed in to the application of `client_id`, and says that one of its registered origins
 * sent the request. Pages cannot set these headers (Fetch, forbidden request-headers), only leave them out.
 */
const comesFromApplication = (ctx: KoaContextWithOIDC, application: ClientRow | undefined): boolean => {
  if (!application || ctx.oidc.session?.grantIdFor(application.id) === undefined) return false
  // Another application's ID token speaks for somebody else.
  if (ctx.oidc.params?.id_token_hint !== undefined) return false
  const address = ctx.get('origin') || ctx.get('referer')
  return listOrigins(application).has(URL.parse(address)?.origin ?? 'null')
}

/** Returns the application's URL with its `state` (section 3), otherwise our own page. */
export const makeLogoutTarget = ({ oidc }: KoaContextWithOIDC): string => {
  const { post_logout_redirect_uri: address, state, ui_locales: locales } = oidc.params ?? {}
  if (typeof address !== 'string') {
    const page = new URL(oidc.urlFor('end_session_success'))
    // Our own language tag, because form fields must not end up in a URL.
    if (typeof locales === 'string')
      page.searchParams.set(
        'ui_locales',
        chooseLocale({ uiLocales: locales, acceptLanguage: undefined }).language,
      )
    return page.href
  }
  const url = new URL(address)
  if (typeof state === 'string') url.searchParams.set('state', state)
  return url.href
}
