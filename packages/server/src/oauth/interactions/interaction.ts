/** `/interaction/{uid}`: the pages between an application's request and its code (interaction-types.ts). */
import { errors } from 'oidc-provider'
import { memberPage, wrongAccountPage } from '#oauth/pages/account-pages'
import { consentPage } from '#oauth/pages/consent-page'
import { failurePage } from '#oauth/pages/error-page'
import { chooseLocale } from '#oauth/pages/language'
import { loginFaults, loginPage } from '#oauth/pages/login-page'
import type { Page } from '#oauth/pages/page'
import type {
  AbortResult,
  InteractionDetails,
  RequestingApplication,
} from '#oauth/provider/interaction-types'
import { findPerson } from '#oauth/sessions/accounts'
import { acrByPassword } from '#oauth/sessions/policy'
import { type BrowserSession, browserSession } from './browser-session.ts'
import {
  type Answer,
  type Handler,
  type PageDependencies,
  type PageRequest,
  readField,
  redirectBack,
} from './page-request.ts'
import { emailCharactersMax, signInByForm } from './password-sign-in.ts'
import { findNextLink, rememberReturnTo } from './return-to.ts'

export const interaction: Handler = async (deps, incomingRequest, uid) => {
  const details = await findInteraction(deps, incomingRequest, uid)
  if (!details) return answerEnded(deps, incomingRequest, uid)
  const pageRequest = withApplicationLanguage(incomingRequest, details)
  if (pageRequest.fields) return handleForm(deps, pageRequest, details, pageRequest.fields)
  const session = await findNewSession(deps, pageRequest, details)
  if (session)
    return finish(deps, pageRequest, { login: { accountId: session.accountId, ...session.login } }, false)
  const application = await deps.consentService.application(details)
  rememberReturnTo(deps.cookies, pageRequest, uid, application)
  return { page: await showPage(deps, pageRequest, details, application) }
}

/**
 * Returns the action of the form. A form sent without a button, by a program or `form.submit()`, means the
 * main action of the page; but nobody consents by omission.
 */
const readAction = (
  fields: NonNullable<PageRequest['fields']>,
  details: InteractionDetails,
): string | undefined => {
  const action = fields.get('action')
  if (action) return action
  if (fields.has('email') || fields.has('password')) return 'sign-in'
  if (details.prompt.name === 'member' || isWrongAccount(details)) return 'cancel'
  return details.prompt.name === 'login' ? 'sign-in' : undefined
}

const undecided = 'undecided'

/** Handles a submitted form. */
const handleForm = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  details: InteractionDetails,
  fields: NonNullable<PageRequest['fields']>,
): Promise<Answer> => {
  switch (readAction(fields, details)) {
    case 'cancel':
      return finish(
        deps,
        pageRequest,
        { ...(isWrongAccount(details) ? wrongAccountResult : canceledResult) },
        false,
      )
    case 'allow':
      if (details.prompt.name !== 'consent') break
      return finish(deps, pageRequest, { ...(await deps.consentService.agree(details)) }, true)
    case 'sign-in': {
      const email = readField(fields, 'email')
      const person = await signInByForm(deps, pageRequest, { email, password: fields.get('password') ?? '' })
      if (typeof person === 'string') return redirectBack(deps, pageRequest, { fault: person, email })
      const result = { accountId: person.id, amr: ['pwd'], acr: acrByPassword }
      return finish(deps, pageRequest, { login: result }, false)
    }
  }
  return redirectBack(deps, pageRequest, details.prompt.name === 'consent' ? { fault: undecided } : {})
}

/** Returns the interaction of this path if it belongs to this browser and has not ended. */
const findInteraction = async (
  { provider }: PageDependencies,
  { request, response }: PageRequest,
  uid: string,
): Promise<InteractionDetails | undefined> => {
  try {
    const details = await provider().interactionDetails(request, response)
    return details.uid === uid ? details : undefined
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined
    throw error
  }
}

/**
 * Returns the account that signed in to this browser since the page was requested, in another tab or by
 * joining a workspace. Undefined if the request demands more (`prompt`, `max_age`, a certain account).
 */
const findNewSession = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { prompt, session }: InteractionDetails,
): Promise<BrowserSession | undefined> => {
  const isForAnybody = prompt.name === 'login' && prompt.reasons.every(reason => reason === 'no_session')
  if (!isForAnybody || session || pageRequest.query.has('account')) return undefined
  return browserSession(deps, pageRequest)
}

/** Handles a return to the page, from the application or another page. */
const answerEnded = async (
  { provider, cookies }: PageDependencies,
  { request, requestId, reader }: PageRequest,
  uid: string,
): Promise<Answer> => {
  const way = await findNextLink(cookies, request, provider(), uid)
  return { page: failurePage('expired', requestId, reader, way) }
}

/** The application's preference precedes the browser's (OpenID Connect Core, section 3.1.2.1, ui_locales). */
const withApplicationLanguage = (pageRequest: PageRequest, { params }: InteractionDetails): PageRequest => {
  if (typeof params.ui_locales !== 'string') return pageRequest
  const reader = { ...pageRequest.reader, uiLocales: params.ui_locales }
  return { ...pageRequest, reader, locale: chooseLocale(reader) }
}

const canceledResult: AbortResult = {
  error: 'access_denied',
  error_description: 'the person went back without allowing it',
}

/** OpenID Connect Core, section 3.1.2.1, id_token_hint: another account is an error. */
const wrongAccountResult: AbortResult = {
  error: 'login_required',
  error_description: 'the person signed in with another account than id_token_hint or the claim sub asks for',
}

const isWrongAccount = ({ prompt }: InteractionDetails): boolean => prompt.reasons.includes('another_account')

/**
 * Returns to the library, which continues with the next page or the application. `merge`: keep earlier
 * results.
 */
const finish = async (
  { provider }: PageDependencies,
  { request, response }: PageRequest,
  result: Parameters<ReturnType<PageDependencies['provider']>['interactionFinished']>[2],
  merge: boolean,
): Promise<'answered'> => {
  response.setHeader('cache-control', 'no-store')
  await provider().interactionFinished(request, response, result, { mergeWithLastSubmission: merge })
  return 'answered'
}

const otherAccountUrl = '?account=other'

const showPage = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  details: InteractionDetails,
  application: RequestingApplication,
): Promise<Page> => {
  const { prompt, session } = details
  const person = session && (await findPerson(deps.directory, session.accountId))
  const wantsOther = pageRequest.query.get('account') === 'other'
  const { locale, token } = pageRequest
  const facts = { token, email: person?.email ?? '', otherAccountUrl, application }
  if (person && !wantsOther && isWrongAccount(details)) return wrongAccountPage(locale, facts)
  if (prompt.name === 'login' || wantsOther || !person) {
    const suggested = wantsOther ? undefined : (person?.email ?? readLoginHint(details))
    const { fault, email = suggested } = deps.flash.read(pageRequest)
    return loginPage(locale, {
      application,
      token,
      email,
      fault: loginFaults.find(currentAccount => currentAccount === fault),
      isRepeated: person !== undefined && !wantsOther,
      forgottenUrl: `/password/forgot?ui_locales=${locale.language}`,
      canMail: deps.mail.isAvailable,
    })
  }
  if (prompt.name === 'member') return memberPage(locale, facts)
  const { baseUrl, authUrl } = deps
  return consentPage(locale, {
    ...facts,
    consentRequest: await deps.consentService.consent(details),
    isUndecided: deps.flash.read(pageRequest).fault === undecided,
    baseUrl,
    authUrl,
  })
}

const readLoginHint = ({ params }: InteractionDetails): string | undefined =>
  typeof params.login_hint === 'string' && params.login_hint.length <= emailCharactersMax
    ? params.login_hint
    : undefined
