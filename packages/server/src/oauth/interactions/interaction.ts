/** `/interaction/{uid}`: the pages between an application's request and its code (interaction-types.ts). */
import { errors } from 'oidc-provider'
import { byPassword, byTwoFactors, hasTwoFactors, passkeyMethods } from '#oauth/library/authentication'
import type { AbortResult, InteractionDetails, RequestingApplication } from '#oauth/library/interaction-types'
import type { ProviderSignIn } from '#oauth/library/provider-sign-in'
import { type AccountFacts, wrongAccountPage } from '#oauth/pages/account-pages'
import { endedPage } from '#oauth/pages/error-page'
import { chooseLocale, withBrand } from '#oauth/pages/language'
import type { Page } from '#oauth/pages/page'
import { findPerson } from '#oauth/sessions/accounts'
import { offerField, passkeyOfferAnswered } from '#oauth/sessions/policy'
import { type BrowserSession, browserSession } from './browser-session.ts'
import { showLogin, showPrompt, undecided } from './interaction-pages.ts'
import {
  type Answer,
  type Handler,
  type PageDependencies,
  type PageRequest,
  readField,
  redirectBack,
} from './page-request.ts'
import { declinePasskey, shouldOfferPasskey } from './passkey-offer.ts'
import { signInByForm } from './password-sign-in.ts'
import { chooseProvider } from './provider-choice.ts'
import { takeProviderResult } from './provider-sign-in.ts'
import { findNextLink, rememberReturnTo } from './return-to.ts'
import { completeSignIn, type FirstFactor, showSecondFactor } from './second-factor.ts'
import { completeRecord, findTarget, recordSignIn } from './sign-in-record.ts'

export const interaction: Handler = async (deps, incomingRequest, uid) => {
  const details = await findInteraction(deps, incomingRequest, uid)
  if (!details) return answerEnded(deps, incomingRequest, uid)
  const pageRequest = withApplicationLanguage(incomingRequest, details)
  if (pageRequest.fields) return handleForm(deps, pageRequest, details, pageRequest.fields)
  const providerLogin = await takeProviderResult(deps, pageRequest, uid)
  if (providerLogin) return finish(deps, pageRequest, { login: providerLogin }, false)
  const session = await findNewSession(deps, pageRequest, details)
  if (session)
    return finish(deps, pageRequest, { login: { accountId: session.accountId, ...session.login } }, false)
  const application = await deps.consentService.application(details)
  rememberReturnTo(deps.cookies, pageRequest, uid, application)
  const locale = withBrand(pageRequest.locale, application.workspace)
  return { page: await showPage(deps, { ...pageRequest, locale }, details, application) }
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
  if (fields.get('passkey')) return 'passkey'
  if (fields.has('code')) return 'verify'
  if (fields.has('email') || fields.has('password')) return 'sign-in'
  if (['member', 'factor'].includes(details.prompt.name) || isWrongAccount(details)) return 'cancel'
  if (details.prompt.name === 'passkey') return 'later'
  return details.prompt.name === 'login' ? 'sign-in' : undefined
}

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
    case 'next':
    case 'organization':
    case 'provider':
      return chooseProvider(deps, pageRequest, details, fields)
    case 'sign-in': {
      const email = readField(fields, 'email')
      const credentials = { email, password: fields.get('password') ?? '' }
      const target = await findTarget(deps, details)
      const signIn = await signInByForm(deps, pageRequest, credentials, target)
      if (typeof signIn === 'string') return redirectBack(deps, pageRequest, { fault: signIn, email })
      if (signIn.isPending) return { seeOther: pageRequest.pathname }
      const { id: accountId } = signIn.person
      const offer = shouldOfferPasskey(deps, pageRequest, details, accountId) ? { [offerField]: true } : {}
      return finish(deps, pageRequest, { login: { accountId, ...byPassword, ...offer } }, false)
    }
    case 'later':
      if (details.prompt.name !== 'passkey') break
      declinePasskey(
        deps.cookies,
        pageRequest.request,
        pageRequest.response,
        details.session?.accountId ?? '',
      )
      return finish(deps, pageRequest, { [passkeyOfferAnswered]: {} }, true)
    case 'verify':
    case 'passkey':
      return handleFactor(deps, pageRequest, details)
  }
  return redirectBack(deps, pageRequest, details.prompt.name === 'consent' ? { fault: undecided } : {})
}

/** Handles the second factor after a password, or a passkey instead of it. */
const handleFactor = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  details: InteractionDetails,
): Promise<Answer> => {
  const first = await findFirstFactor(deps, pageRequest, details)
  const target = await findTarget(deps, details)
  if (first) {
    const authentication = await completeSignIn(deps, pageRequest, first, target)
    if (typeof authentication === 'string') return redirectBack(deps, pageRequest, { fault: authentication })
    const { person, ts, providerSignIn } = first
    const login = {
      accountId: person.id,
      ...authentication,
      ...(ts === undefined ? {} : { ts }),
      ...(providerSignIn && { providerSignIn }),
    }
    return finish(deps, pageRequest, { login }, false)
  }
  const response = pageRequest.fields?.get('passkey')
  if (!response) return redirectBack(deps, pageRequest)
  const verified = await deps.passkeys.verify(pageRequest, response)
  const event = { ...target, kind: 'sign-in', method: 'passkey' } as const
  if (!verified) {
    recordSignIn(deps, pageRequest, { ...event, result: 'wrong-passkey' })
    const unknown = await deps.passkeys.findUnknown(response)
    const fault = unknown === undefined ? { fault: 'passkey' } : { fault: 'unknownPasskey', passkey: unknown }
    return redirectBack(deps, pageRequest, fault)
  }
  completeRecord(deps, pageRequest, verified.person, event)
  const login = { accountId: verified.person.id, ...byTwoFactors(passkeyMethods(verified.passkey)) }
  return finish(deps, pageRequest, { login }, false)
}

/**
 * Returns the person whose second factor is awaited: their password was right on this page, or they signed in
 * with it before, and the request only demands more. `ts`: time of an earlier sign-in, which stays.
 */
const findFirstFactor = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { prompt, session }: InteractionDetails,
): Promise<
  (FirstFactor & { isUpgrade: boolean; ts?: number; providerSignIn?: ProviderSignIn }) | undefined
> => {
  if (pageRequest.query.get('account') === 'other') return undefined
  const pending = await deps.pendingSignIns.find(pageRequest.request, pageRequest.pathname)
  if (pending) return { person: pending, amr: byPassword.amr, isUpgrade: false }
  if (!session || !isUpgrade(prompt)) return undefined
  const current = await browserSession(deps, pageRequest)
  const person = await findPerson(deps.directory, session.accountId)
  if (!person || current?.uid !== session.uid) return undefined
  const { amr = [], ts, providerSignIn } = current.login
  return {
    person,
    amr,
    isUpgrade: true,
    ...(ts === undefined ? {} : { ts }),
    ...(providerSignIn && { providerSignIn }),
  }
}

/** Whether the person is signed in and the request only demands the second factor. */
const isUpgrade = ({ name, reasons }: InteractionDetails['prompt']): boolean =>
  name === 'login' && reasons.every(reason => reason === 'second_factor')

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
  // The person set a second factor up, or confirmed with it in another tab.
  if (session && (['factor', 'passkey'].includes(prompt.name) || isUpgrade(prompt))) {
    const current = await browserSession(deps, pageRequest)
    return current?.uid === session.uid && hasTwoFactors(current.login) ? current : undefined
  }
  const isForAnybody = prompt.name === 'login' && prompt.reasons.every(reason => reason === 'no_session')
  if (!isForAnybody || session || pageRequest.query.has('account')) return undefined
  return browserSession(deps, pageRequest)
}

/** Handles a return to the page, from the application or another page. */
const answerEnded = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  uid: string,
): Promise<Answer> => {
  const { request, requestId, reader } = pageRequest
  const way = await findNextLink(deps.cookies, request, deps.provider(), uid)
  const session = await browserSession(deps, pageRequest)
  return { page: endedPage(session !== undefined, requestId, reader, way) }
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
  const facts: AccountFacts = { token, email: person?.email ?? '', otherAccountUrl, application }
  const first = await findFirstFactor(deps, pageRequest, details)
  if (first) {
    const options = { isUpgrade: first.isUpgrade, mayCancel: true }
    return showSecondFactor(deps, pageRequest, first.person, options)
  }
  if (person && !wantsOther && isWrongAccount(details)) return wrongAccountPage(locale, facts)
  if (prompt.name === 'login' || wantsOther || !person)
    return showLogin(deps, pageRequest, { person, wantsOther, details, application })
  return showPrompt(deps, pageRequest, { person, details, facts })
}
