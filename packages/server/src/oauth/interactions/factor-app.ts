/** `/factors/app`: setting up, replacing and removing the authenticator app. */
import { displayEmail } from '@querent/contract/email-address'
import { renderSVG } from 'uqr'
import { findTimeStep, makeKeyUri, newSecret } from '#accounts/authenticator-app'
import { byTwoFactors, codeMethods } from '#oauth/library/authentication'
import { confirmPage, setUpAppPage } from '#oauth/pages/factor-pages'
import {
  findAuthenticatorApp,
  hasSecondFactor,
  listPasskeys,
  removeAuthenticatorApp,
  replaceRecoveryCodes,
  saveAuthenticatorApp,
} from '#storage/second-factors'
import { raiseBrowserSession } from './browser-session.ts'
import { auditFactor, mailFactorChange } from './factor-notices.ts'
import { factorPaths } from './factor-paths.ts'
import { continueAfterChange, prepareFirstCodes, showCodes } from './factors.ts'
import { endOtherSessions } from './first-factor.ts'
import { requireSignIn, type SignedIn } from './fresh-sign-in.ts'
import {
  type Answer,
  type Handler,
  type PageDependencies,
  type PageRequest,
  redirectBack,
} from './page-request.ts'

/** Has the secret until a first code confirms it, so that an unfinished setup changes nothing. */
const secretCookie = 'app_secret'

export const setUpApp: Handler = async (deps, pageRequest) => {
  const result = await requireSignIn(deps, pageRequest, { isFresh: true })
  if ('answer' in result) return result.answer
  const { signedIn } = result
  const { request, response, fields } = pageRequest
  const payload = await deps.sealedCookies.read(request, secretCookie, signedIn.session)
  const pendingSecret = typeof payload?.secret === 'string' ? payload.secret : undefined
  if (fields && pendingSecret !== undefined) return confirmApp(deps, pageRequest, signedIn, pendingSecret)
  if (fields) return redirectBack(deps, pageRequest)
  const secret = pendingSecret ?? newSecret()
  await deps.sealedCookies.set(response, secretCookie, signedIn.session, { secret })
  return showSetup(deps, pageRequest, signedIn, secret)
}

const showSetup = async (
  { storage, flash, authUrl, passkeyScriptUrl }: PageDependencies,
  pageRequest: PageRequest,
  { person }: SignedIn,
  secret: string,
): Promise<Answer> => {
  const { fault } = flash.read(pageRequest)
  const uri = makeKeyUri(secret, { issuer: new URL(authUrl).host, account: displayEmail(person.email) })
  return {
    page: setUpAppPage(pageRequest.locale, {
      token: pageRequest.token,
      email: person.email,
      secret,
      uri,
      scriptUrl: passkeyScriptUrl,
      qrCode: renderSVG(uri, { ecc: 'L', border: 2 }),
      isReplacement: (await findAuthenticatorApp(storage.db, person.id)) !== undefined,
      isFirst: !(await hasSecondFactor(storage.db, person.id)),
      fault: fault === 'missing' || fault === 'refused' ? fault : undefined,
      cancelUrl: factorPaths.overview,
    }),
  }
}

const confirmApp = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  signedIn: SignedIn,
  secret: string,
): Promise<Answer> => {
  const { storage, factorCodes, sealedCookies, devices } = deps
  const { request, response, fields } = pageRequest
  const { person, session } = signedIn
  const code = fields?.get('code')?.trim() ?? ''
  if (code === '') return redirectBack(deps, pageRequest, { fault: 'missing' })
  const step = findTimeStep(secret, code)
  if (step === undefined) return redirectBack(deps, pageRequest, { fault: 'refused' })
  const encryptedSecret = await factorCodes.encryptSecret(person.id, secret)
  const isReplacement = (await findAuthenticatorApp(storage.db, person.id)) !== undefined
  const change = isReplacement ? 'app-replaced' : 'app-added'
  const first = await prepareFirstCodes(deps, signedIn)
  await storage.write(async writer => {
    const isFirst = !(await hasSecondFactor(writer.db, person.id))
    await saveAuthenticatorApp(writer, { userId: person.id, encryptedSecret, step })
    if (isFirst) await endOtherSessions(writer, pageRequest, signedIn)
    if (first) await replaceRecoveryCodes(writer, person.id, first)
    await auditFactor(writer, pageRequest, person, change)
  })
  sealedCookies.clear(response, secretCookie)
  const { id, password_hash } = person
  if (password_hash !== null) devices.remember(request, response, { id, password_hash })
  await raiseBrowserSession(deps, pageRequest, byTwoFactors(codeMethods, session.login.amr))
  mailFactorChange(deps, pageRequest, person, change)
  return first
    ? showCodes(deps, pageRequest, signedIn, first.codes)
    : continueAfterChange(deps, pageRequest, change)
}

/** `/factors/app/remove`. */
export const removeApp: Handler = async (deps, pageRequest) => {
  const result = await requireSignIn(deps, pageRequest, { isFresh: true })
  if ('answer' in result) return result.answer
  const { person } = result.signedIn
  const { locale, token, fields } = pageRequest
  const { db } = deps.storage
  if (!(await findAuthenticatorApp(db, person.id))) return { seeOther: factorPaths.overview }
  if (!fields) {
    const { removeApp } = locale.texts.factors
    const isLast = (await listPasskeys(db, person.id)).length === 0
    return {
      page: confirmPage(locale, {
        token,
        email: person.email,
        title: removeApp.title,
        text: isLast ? removeApp.last : removeApp.others,
        submit: removeApp.submit,
        action: 'remove',
        cancelUrl: factorPaths.overview,
      }),
    }
  }
  await deps.storage.write(async writer => {
    await removeAuthenticatorApp(writer, person.id)
    await auditFactor(writer, pageRequest, person, 'app-removed')
  })
  mailFactorChange(deps, pageRequest, person, 'app-removed')
  return continueAfterChange(deps, pageRequest, 'app-removed')
}
