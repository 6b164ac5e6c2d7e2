/** The device code grant (RFC 8628): options of the library, and what its pages show. */

import type { Configuration, ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import type { ServiceUrls } from '#http/origins'
import { minuteSeconds } from '#memory/minute-counter'
import type { Cookies } from '#oauth/library/cookies'
import type { LoadedClient } from '#oauth/library/loaded-client'
import {
  discardNewSession,
  type LibraryClient,
  readFormPost,
  readUserCodeError,
} from '#oauth/library/oidc-provider-internals'
import {
  deviceConfirmPage,
  deviceConnectedPage,
  deviceRefusedPage,
  type UserCodeFault,
  userCodePage,
} from '#oauth/pages/device-pages'
import { failurePage } from '#oauth/pages/error-page'
import { chooseLocale, withBrand } from '#oauth/pages/language'
import { describeRequestingApplication } from '#oauth/sessions/consent-service'
import { readRequestedPermissions } from '#oauth/sessions/consents'
import type { Storage } from '#storage/db'
import { makeReader, pages, setPage } from './page-replies.ts'

type DeviceFlow = Exclude<NonNullable<Configuration['features']>['deviceFlow'], undefined>

interface Dependencies extends ServiceUrls {
  storage: Storage
  findLoadedClient: (client: LibraryClient) => LoadedClient | undefined
  cookies: Cookies
}

export const makeDeviceFlow = (dependencies: Dependencies): DeviceFlow => {
  const { storage, findLoadedClient, baseUrl, authUrl, cookies } = dependencies
  return {
    enabled: true,
    charset: 'base-20',
    mask: '****-****',
    userCodeInputSource: (ctx, _form, error, cause) => showUserCodePage(ctx, cookies, error, cause),
    async userCodeConfirmSource(ctx, _form, client, _deviceInfo, userCode) {
      const loadedClient = findLoadedClient(client)
      if (!loadedClient) throw new Error('a client of the library has no client of ours')
      const permissions = readRequestedPermissions(ctx.oidc.deviceCode?.params ?? {})
      const application = await describeRequestingApplication(storage.db, loadedClient, undefined)
      const consentRequest = {
        application,
        scopes: [...permissions.scopes],
        claims: [...permissions.claims],
        resources: [...permissions.resources],
      }
      const facts = { ...readForm(ctx), userCode, consentRequest, baseUrl, authUrl }
      setPage(ctx, deviceConfirmPage(withBrand(chooseLocale(makeReader(ctx)), application.workspace), facts))
    },
    async successSource(ctx) {
      const title = ctx.oidc.client?.clientName ?? ''
      setPage(ctx, deviceConnectedPage(chooseLocale(makeReader(ctx)), title))
    },
  }
}

/** Target and secret of the library's forms. */
const readForm = (ctx: KoaContextWithOIDC) => {
  const secret: unknown = ctx.oidc.session?.state?.secret
  return {
    action: new URL(ctx.oidc.urlFor('code_verification')).pathname,
    xsrf: typeof secret === 'string' ? secret : '',
  }
}

const showUserCodePage = async (
  ctx: KoaContextWithOIDC,
  cookies: Cookies,
  error: ErrorOut | undefined,
  cause: Error | undefined,
): Promise<void> => {
  const reader = makeReader(ctx)
  const userCodeError = readUserCodeError(cause)
  if (userCodeError === 'aborted') return setPage(ctx, deviceRefusedPage(chooseLocale(reader)))
  const isThrottled = ctx.status === 429
  if (isThrottled) ctx.set('retry-after', String(minuteSeconds))
  const fault = userCodeError ?? (isThrottled ? 'throttled' : undefined)
  if (!error || fault) return showInput(ctx, readTypedCode(ctx), fault)
  discardNewSession(ctx)
  const requestId = ctx.response.get('x-request-id')
  if (cause?.name === 'SessionNotFound') return pages.expired(ctx, cookies)
  if (forgeryErrors.test(error.error_description ?? ''))
    return setPage(ctx, failurePage('forged', requestId, reader, { kind: 'again', href: '/activate' }))
  pages.error(ctx, error)
}

/** The library's descriptions of a form that was sent without its session or with another secret. */
const forgeryErrors = /^(xsrf token invalid|could not find device form details)$/

const readTypedCode = ({ oidc }: KoaContextWithOIDC): string | undefined => {
  const userCode: unknown = oidc.params?.user_code
  return typeof userCode === 'string' ? userCode : undefined
}

const showInput = (
  ctx: KoaContextWithOIDC,
  userCode: string | undefined,
  fault: UserCodeFault | undefined,
): void => {
  const locale = chooseLocale(makeReader(ctx))
  setPage(ctx, userCodePage(locale, { ...readForm(ctx), userCode, fault }))
}

/**
 * Replaces the library's self-submitting page of `verification_uri_complete` by the form with the code, which
 * works without JavaScript.
 */
export const showCompleteUserCode = (ctx: KoaContextWithOIDC): void => {
  if (ctx.oidc.route !== 'code_verification' || ctx.method === 'POST') return
  const fields = new Map(readFormPost(ctx.body)?.fields ?? [])
  if (fields.has('user_code')) showInput(ctx, fields.get('user_code'), undefined)
}
