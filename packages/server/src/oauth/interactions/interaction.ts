/** `/interaction/{uid}`: the pages between an application's request and its code (interaction-types.ts). */
import { errors } from 'oidc-provider'
import { byPassword, byTwoFactors, hasTwoFactors, passkeyMethods } from '#oauth/library/authentication'
import type { AbortResult, InteractionDetails, RequestingApplication } from '#oauth/library/interaction-types'
import type { ProviderSignIn } from '#oauth/library/provider-sign-in'
import {
  type AccountFacts,
  memberPage,
  providerFactorPage,
  requiredFactorPage,
  wrongAccountPage,
} from '#oauth/pages/account-pages'
import { consentPage } from '#oauth/pages/consent-page'
import { endedPage } from '#oauth/pages/error-page'
import { chooseLocale, withBrand } from '#oauth/pages/language'
import { loginFaults, loginPage } from '#oauth/pages/login-page'
import type { Page } from '#oauth/pages/page'
import { offeredPasskeyPage } from '#oauth/pages/passkey-pages'
import { providersPage } from '#oauth/pages/providers-page'
import { findPerson } from '#oauth/sessions/accounts'
import { offerField, passkeyOfferAnswered } from '#oauth/sessions/policy'
import { hasProviders } from '#storage/provider-domains'
import type { UserRow } from '#storage/users'
import { type BrowserSession, browserSession } from './browser-session.ts'
import { factorPaths } from './factor-paths.ts'
import {
  type Answer,
  type Handler,
  type PageDependencies,
  type PageRequest,
  readField,
  redirectBack,
} from './page-request.ts'
import { declinePasskey, shouldOfferPasskey } from './passkey-offer.ts'
import { emailCharactersMax, signInByForm } from './password-sign-in.ts'
import {
  chooseProvider,
  describeProvider,
  findOfferedProvider,
  findProviderChoices,
  hidesPassword,
} from './provider-choice.ts'
import { takeProviderResult } from './provider-sign-in.ts'
import { findNextLink, rememberReturnTo, rememberSetup } from './return-to.ts'
import { completeSignIn, type FirstFactor, showSecondFactor } from './second-factor.ts'
import { completeRecord, recordSignIn, type SignInTarget } from './sign-in-record.ts'

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

/** Returns the application and its workspace, for the log. */
const findTarget = async (
  { consentService, directory }: PageDependencies,
  details: InteractionDetails,
): Promise<SignInTarget> => {
  const { clientId, workspace } = await consentService.application(details)
  return { clientId, workspaceId: workspace && (await directory.workspace(workspace.slug))?.id }
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

interface LoginInput {
  person: UserRow | undefined
  wantsOther: boolean
  details: InteractionDetails
  application: RequestingApplication
}

const showLogin = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { person, wantsOther, details, application }: LoginInput,
): Promise<Page> => {
  const { locale, token } = pageRequest
  const suggested = wantsOther ? undefined : (person?.email ?? readLoginHint(details))
  const { fault, email = suggested, step, notice, passkey } = deps.flash.read(pageRequest)
  const currentFault = loginFaults.find(candidate => candidate === fault)
  if (step === 'providers')
    return providersPage(locale, {
      application,
      token,
      email: email ?? '',
      choices: (await findProviderChoices(deps, email ?? '')).map(describeProvider),
    })
  const workspace = application.workspace
  return loginPage(locale, {
    application,
    token,
    email,
    fault: currentFault,
    provider: await findOfferedProvider(deps, workspace),
    hidesPassword: hidesPassword(pageRequest, { step, fault: currentFault }),
    passwordUrl: '?with=password',
    hasOrganizations: !workspace && (await hasProviders(deps.storage.db)),
    isRepeated: person !== undefined && !wantsOther,
    isPasswordSaved: notice === 'password-saved',
    forgottenUrl: `/password/forgot?ui_locales=${locale.language}`,
    canMail: deps.mail.isAvailable,
    passkeyOptions: deps.passkeys.isAvailable ? await deps.passkeys.requestOptions(pageRequest) : undefined,
    passkeySignals:
      currentFault === 'unknownPasskey' && passkey !== undefined
        ? await deps.passkeys.signalUnknown(passkey)
        : undefined,
    formerHost: deps.formerPasskeyHosts[0],
    scriptUrl: deps.passkeyScriptUrl,
  })
}

/** The page of a step after the sign-in. */
const showPrompt = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  { person, details, facts }: { person: UserRow; details: InteractionDetails; facts: AccountFacts },
): Promise<Page> => {
  const { prompt } = details
  const { locale, token } = pageRequest
  if (prompt.name === 'member' || prompt.name === 'factor')
    recordSignIn(deps, pageRequest, {
      ...(await findTarget(deps, details)),
      kind: 'refusal',
      result: prompt.name === 'member' ? 'not-a-member' : 'second-factor-missing',
      userId: person.id,
    })
  if (prompt.name === 'member') return memberPage(locale, facts)
  if (prompt.name === 'factor') {
    const provider = (await browserSession(deps, pageRequest))?.login.providerSignIn
    if (provider) return providerFactorPage(locale, facts)
    return showRequiredFactor(deps, pageRequest, details, facts)
  }
  if (prompt.name === 'passkey') {
    rememberSetup(deps.cookies, pageRequest.response, details.uid)
    return offeredPasskeyPage(locale, { token, email: facts.email, createUrl: factorPaths.addPasskey })
  }
  const { baseUrl, authUrl } = deps
  return consentPage(locale, {
    ...facts,
    consentRequest: await deps.consentService.consent(details),
    isUndecided: deps.flash.read(pageRequest).fault === undecided,
    baseUrl,
    authUrl,
  })
}

/** Leads to setting up a factor, after which the person continues here. */
const showRequiredFactor = (
  { cookies, passkeys }: PageDependencies,
  { response, locale }: PageRequest,
  details: InteractionDetails,
  facts: AccountFacts,
): Page => {
  rememberSetup(cookies, response, details.uid)
  return requiredFactorPage(locale, {
    ...facts,
    appUrl: factorPaths.app,
    passkeyUrl: passkeys.isAvailable ? factorPaths.addPasskey : undefined,
    isOfWorkspace: details.params.acr_values === undefined && details.params.claims === undefined,
  })
}

const readLoginHint = ({ params }: InteractionDetails): string | undefined =>
  typeof params.login_hint === 'string' && params.login_hint.length <= emailCharactersMax
    ? params.login_hint
    : undefined
