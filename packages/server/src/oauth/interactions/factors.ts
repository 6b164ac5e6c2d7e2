/** `/factors`: the list of a person's second factors, and their recovery codes. */
import { createRecoveryCodes } from '#accounts/recovery-codes'
import { confirmPage, factorsPage, recoveryCodesPage } from '#oauth/pages/factor-pages'
import { findSecondFactors, hasSecondFactor, replaceRecoveryCodes } from '#storage/second-factors'
import { auditFactor, mailFactorChange } from './factor-notices.ts'
import { accountPath, factorPaths } from './factor-paths.ts'
import { requireSignIn, type SignedIn } from './fresh-sign-in.ts'
import type { Answer, Handler, PageDependencies, PageRequest } from './page-request.ts'
import { findSetupSignIn } from './return-to.ts'

export const factors: Handler = async (deps, pageRequest) => {
  const result = await requireSignIn(deps, pageRequest, { isFresh: false })
  if ('answer' in result) return result.answer
  const { person } = result.signedIn
  const { app, passkeys, recoveryCodes } = await findSecondFactors(deps.storage.db, person.id)
  return {
    page: factorsPage(pageRequest.locale, {
      email: person.email,
      app: app && { createdAt: app.created_at },
      passkeys: passkeys.map(({ id, name, created_at, last_used_at }) => ({
        name,
        createdAt: created_at,
        lastUsedAt: last_used_at,
        url: factorPaths.passkey(id),
      })),
      recoveryCodes,
      urls: { ...factorPaths, account: accountPath },
      hasPasskeys: deps.passkeys.isAvailable,
      passkeySignals: deps.passkeys.isAvailable ? await deps.passkeys.signalAccepted(person) : undefined,
      scriptUrl: deps.passkeyScriptUrl,
      done: deps.flash.read(pageRequest).done,
      signInUrl: await findSetupSignIn(deps.cookies, pageRequest.request, deps.provider()),
    }),
  }
}

const codesCookie = 'recovery_codes'

/** Makes the codes of a person's first factor; undefined if they have codes. Saves nothing. */
export const prepareFirstCodes = async ({ storage }: PageDependencies, { person }: SignedIn) => {
  const { recoveryCodes } = await findSecondFactors(storage.db, person.id)
  return recoveryCodes === 0 ? createRecoveryCodes() : undefined
}

/** Shows the new codes until the person has saved them, at most ten minutes. */
export const showCodes = async (
  { sealedCookies }: PageDependencies,
  { response }: PageRequest,
  { session }: SignedIn,
  codes: readonly string[],
): Promise<Answer> => {
  await sealedCookies.set(response, codesCookie, session, { codes })
  return { seeOther: factorPaths.recoveryCodes }
}

/** Continues after a change: with the sign-in that awaits it, or the list, which says what was `done`. */
export const continueAfterChange = async (
  { cookies, flash, provider }: PageDependencies,
  { request, response }: PageRequest,
  done?: string,
): Promise<Answer> => {
  const signIn = await findSetupSignIn(cookies, request, provider())
  if (signIn !== undefined) return { seeOther: signIn }
  if (done !== undefined) flash.set(response, factorPaths.overview, { done })
  return { seeOther: factorPaths.overview }
}

/** `/factors/recovery-codes`: shows new codes once, and replaces them. */
export const recoveryCodes: Handler = async (deps, pageRequest) => {
  const result = await requireSignIn(deps, pageRequest, { isFresh: true })
  if ('answer' in result) return result.answer
  const { signedIn } = result
  const { person, session } = signedIn
  const { locale, token, fields, request, response } = pageRequest
  const { sealedCookies, storage, authUrl, passkeyScriptUrl } = deps
  const action = fields?.get('action')
  if (action === 'saved') {
    sealedCookies.clear(response, codesCookie)
    return continueAfterChange(deps, pageRequest)
  }
  if (!(await hasSecondFactor(storage.db, person.id))) return { seeOther: factorPaths.overview }
  if (action === 'create') return replaceCodes(deps, pageRequest, signedIn)
  const payload = await sealedCookies.read(request, codesCookie, session)
  if (payload)
    return {
      page: recoveryCodesPage(locale, {
        token,
        email: person.email,
        // Written only by `showCodes`.
        codes: payload.codes as string[],
        host: new URL(authUrl).host,
        scriptUrl: passkeyScriptUrl,
      }),
    }
  const { codes } = locale.texts.factors
  return {
    page: confirmPage(locale, {
      token,
      email: person.email,
      title: codes.newTitle,
      text: codes.newText,
      submit: codes.create,
      action: 'create',
      cancelUrl: factorPaths.overview,
    }),
  }
}

const replaceCodes = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  signedIn: SignedIn,
): Promise<Answer> => {
  const { person } = signedIn
  const { codes, ...stored } = await createRecoveryCodes()
  await deps.storage.write(async writer => {
    await replaceRecoveryCodes(writer, person.id, stored)
    await auditFactor(writer, pageRequest, person, 'codes-replaced')
  })
  mailFactorChange(deps, pageRequest, person, 'codes-replaced')
  return showCodes(deps, pageRequest, signedIn, codes)
}
