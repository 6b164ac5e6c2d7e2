/** `/interaction/{uid}`: the pages between an application's request and the code that it gets (boundary.ts). */
import { errors } from 'oidc-provider'
import { findPerson } from '#oauth/accounts'
import type { AbortResult, InteractionDetails } from '#oauth/boundary'
import { consentPage } from '#oauth/pages/consent-page'
import { speechFor } from '#oauth/pages/language'
import { type LoginFault, loginPage, memberPage } from '#oauth/pages/login-page'
import type { Page } from '#oauth/pages/page'
import { acrByPassword } from '#oauth/policy'
import { emailCharactersMax, signInByForm } from './password-sign-in.ts'
import { type Deps, type Handler, typed, type Visit } from './visit.ts'

export const interaction: Handler = async (deps, asker, uid) => {
  const details = await deps.provider().interactionDetails(asker.request, asker.response)
  if (details.uid !== uid) throw new errors.SessionNotFound('the cookie is that of another interaction')
  const visit = inLanguageOf(asker, details)
  const { fields } = visit
  switch (fields?.get('action')) {
    case 'cancel':
      return finish(deps, visit, { ...goneBack }, false)
    case 'allow':
      if (details.prompt.name !== 'consent') break
      return finish(deps, visit, { ...(await deps.interacting.agree(details)) }, true)
    case 'sign-in': {
      const email = typed(fields, 'email')
      const person = await signInByForm(deps, visit, { email, password: fields.get('password') ?? '' })
      if (typeof person === 'string')
        return { page: await login(deps, visit, details, { email, fault: person }) }
      const result = { accountId: person.id, amr: ['pwd'], acr: acrByPassword }
      return finish(deps, visit, { login: result }, false)
    }
  }
  return { page: await show(deps, visit, details) }
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

const show = async (deps: Deps, visit: Visit, details: InteractionDetails): Promise<Page> => {
  const { prompt, session } = details
  const person = session && (await findPerson(deps.directory, session.accountId))
  const wantsOther = visit.query.get('account') === 'other'
  if (prompt.name === 'login' || wantsOther || !person) {
    const email = wantsOther ? undefined : (person?.email ?? hintOf(details))
    return login(deps, visit, details, {
      email,
      fault: undefined,
      again: person !== undefined && !wantsOther,
    })
  }
  const { speech, token } = visit
  const facts = { token, email: person.email, otherAccountUrl }
  if (prompt.name === 'member')
    return memberPage(speech, { ...facts, application: await deps.interacting.application(details) })
  const { baseUrl, authUrl } = deps
  return consentPage(speech, { ...facts, asked: await deps.interacting.consent(details), baseUrl, authUrl })
}

const login = async (
  deps: Deps,
  { speech, token }: Visit,
  details: InteractionDetails,
  {
    email,
    fault,
    again = false,
  }: { email: string | undefined; fault: LoginFault | undefined; again?: boolean },
): Promise<Page> =>
  loginPage(speech, {
    application: await deps.interacting.application(details),
    token,
    email,
    again,
    fault,
    forgottenUrl: `/password/forgot?${new URLSearchParams({ interaction: details.uid, ui_locales: speech.language })}`,
  })

const hintOf = ({ params }: InteractionDetails): string | undefined =>
  typeof params.login_hint === 'string' && params.login_hint.length <= emailCharactersMax
    ? params.login_hint
    : undefined
