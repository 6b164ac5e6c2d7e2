/** `/interaction/{uid}`: the pages between an application's request and the code that it gets (boundary.ts). */
import { errors } from 'oidc-provider'
import { findPerson } from '#oauth/accounts'
import type { AbortResult, AskingApplication, InteractionDetails } from '#oauth/boundary'
import { memberPage, wrongAccountPage } from '#oauth/pages/account-pages'
import { consentPage } from '#oauth/pages/consent-page'
import { failurePage } from '#oauth/pages/error-page'
import { speechFor } from '#oauth/pages/language'
import { loginFaults, loginPage } from '#oauth/pages/login-page'
import type { Page } from '#oauth/pages/page'
import { acrByPassword } from '#oauth/policy'
import { type BrowserSession, browserSession } from './browser-session.ts'
import { rememberCameFrom, wayAfter } from './came-from.ts'
import { emailCharactersMax, signInByForm } from './password-sign-in.ts'
import { type Answer, type Deps, type Handler, sendBack, typed, type Visit } from './visit.ts'

export const interaction: Handler = async (deps, asker, uid) => {
  const details = await underWay(deps, asker, uid)
  if (!details) return ended(deps, asker, uid)
  const visit = inLanguageOf(asker, details)
  if (visit.fields) return take(deps, visit, details, visit.fields)
  const session = await signedInMeanwhile(deps, visit, details)
  if (session)
    return finish(deps, visit, { login: { accountId: session.accountId, ...session.login } }, false)
  const application = await deps.interacting.application(details)
  rememberCameFrom(deps.cookies, visit, uid, application)
  return { page: await show(deps, visit, details, application) }
}

/**
 * What the form asks for. One that was sent without its button, by a program or `form.submit()`, means the main one of its page; but
 * nobody agrees by leaving something out.
 */
const actionIn = (fields: NonNullable<Visit['fields']>, details: InteractionDetails): string | undefined => {
  const sent = fields.get('action')
  if (sent) return sent
  if (fields.has('email') || fields.has('password')) return 'sign-in'
  if (details.prompt.name === 'member' || isWrongAccount(details)) return 'cancel'
  return details.prompt.name === 'login' ? 'sign-in' : undefined
}

const undecided = 'undecided'

/** A form that was sent. */
const take = async (
  deps: Deps,
  visit: Visit,
  details: InteractionDetails,
  fields: NonNullable<Visit['fields']>,
): Promise<Answer> => {
  switch (actionIn(fields, details)) {
    case 'cancel':
      return finish(deps, visit, { ...(isWrongAccount(details) ? wrongAccount : goneBack) }, false)
    case 'allow':
      if (details.prompt.name !== 'consent') break
      return finish(deps, visit, { ...(await deps.interacting.agree(details)) }, true)
    case 'sign-in': {
      const email = typed(fields, 'email')
      const person = await signInByForm(deps, visit, { email, password: fields.get('password') ?? '' })
      if (typeof person === 'string') return sendBack(deps, visit, { fault: person, email })
      const result = { accountId: person.id, amr: ['pwd'], acr: acrByPassword }
      return finish(deps, visit, { login: result }, false)
    }
  }
  return sendBack(deps, visit, details.prompt.name === 'consent' ? { fault: undecided } : {})
}

/** The interaction of this address, when it is this browser's and has not ended. */
const underWay = async (
  { provider }: Deps,
  { request, response }: Visit,
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
 * Who signed in to this browser since the page was asked for: in another tab, or by joining a workspace. Undefined where the request
 * asks for more than that somebody is signed in (`prompt`, `max_age`, a certain account).
 */
const signedInMeanwhile = async (
  deps: Deps,
  visit: Visit,
  { prompt, session }: InteractionDetails,
): Promise<BrowserSession | undefined> => {
  const isForAnybody = prompt.name === 'login' && prompt.reasons.every(reason => reason === 'no_session')
  if (!isForAnybody || session || visit.query.has('account')) return undefined
  return browserSession(deps, visit)
}

/** Somebody came back to it, from the application or another page. */
const ended = async (
  { provider, cookies }: Deps,
  { request, requestId, reader }: Visit,
  uid: string,
): Promise<Answer> => {
  const way = await wayAfter(cookies, request, provider(), uid)
  return { page: failurePage('expired', requestId, reader, way) }
}

/** The application's wish counts more than the browser's (OpenID Connect Core, section 3.1.2.1, ui_locales). */
const inLanguageOf = (visit: Visit, { params }: InteractionDetails): Visit => {
  if (typeof params.ui_locales !== 'string') return visit
  const reader = { ...visit.reader, uiLocales: params.ui_locales }
  return { ...visit, reader, speech: speechFor(reader) }
}

const goneBack: AbortResult = {
  error: 'access_denied',
  error_description: 'the person went back without allowing it',
}

/** OpenID Connect Core, section 3.1.2.1, id_token_hint: another than it asks for is an error. */
const wrongAccount: AbortResult = {
  error: 'login_required',
  error_description: 'the person signed in with another account than id_token_hint or the claim sub asks for',
}

const isWrongAccount = ({ prompt }: InteractionDetails): boolean => prompt.reasons.includes('another_account')

/** Back to the library, which goes on to the next page or to the application. `merge`: what was settled before stays. */
const finish = async (
  { provider }: Deps,
  { request, response }: Visit,
  result: Parameters<ReturnType<Deps['provider']>['interactionFinished']>[2],
  merge: boolean,
): Promise<'answered'> => {
  response.setHeader('cache-control', 'no-store')
  await provider().interactionFinished(request, response, result, { mergeWithLastSubmission: merge })
  return 'answered'
}

const otherAccountUrl = '?account=other'

const show = async (
  deps: Deps,
  visit: Visit,
  details: InteractionDetails,
  application: AskingApplication,
): Promise<Page> => {
  const { prompt, session } = details
  const person = session && (await findPerson(deps.directory, session.accountId))
  const wantsOther = visit.query.get('account') === 'other'
  const { speech, token } = visit
  const facts = { token, email: person?.email ?? '', otherAccountUrl, application }
  if (person && !wantsOther && isWrongAccount(details)) return wrongAccountPage(speech, facts)
  if (prompt.name === 'login' || wantsOther || !person) {
    const suggested = wantsOther ? undefined : (person?.email ?? hintOf(details))
    const { fault, email = suggested } = deps.notes.read(visit)
    return loginPage(speech, {
      application,
      token,
      email,
      fault: loginFaults.find(known => known === fault),
      again: person !== undefined && !wantsOther,
      forgottenUrl: `/password/forgot?ui_locales=${speech.language}`,
      canMail: deps.mail.available,
    })
  }
  if (prompt.name === 'member') return memberPage(speech, facts)
  const { baseUrl, authUrl } = deps
  return consentPage(speech, {
    ...facts,
    asked: await deps.interacting.consent(details),
    isUndecided: deps.notes.read(visit).fault === undecided,
    baseUrl,
    authUrl,
  })
}

const hintOf = ({ params }: InteractionDetails): string | undefined =>
  typeof params.login_hint === 'string' && params.login_hint.length <= emailCharactersMax
    ? params.login_hint
    : undefined
