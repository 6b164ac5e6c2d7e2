import type { InteractionDetails, RequestingApplication } from '#oauth/library/interaction-types'
import {
  type AccountFacts,
  memberPage,
  providerFactorPage,
  requiredFactorPage,
} from '#oauth/pages/account-pages'
import { consentPage } from '#oauth/pages/consent-page'
import { loginFaults, loginPage } from '#oauth/pages/login-page'
import type { Page } from '#oauth/pages/page'
import { offeredPasskeyPage } from '#oauth/pages/passkey-pages'
import { providersPage } from '#oauth/pages/providers-page'
import { consoleClientId } from '#storage/clients'
import { hasProviders } from '#storage/provider-domains'
import type { UserRow } from '#storage/users'
import { browserSession } from './browser-session.ts'
import { factorPaths } from './factor-paths.ts'
import type { PageDependencies, PageRequest } from './page-request.ts'
import { emailCharactersMax } from './password-sign-in.ts'
import {
  describeProvider,
  findOfferedProvider,
  findProviderChoices,
  hidesPassword,
} from './provider-choice.ts'
import { rememberSetup } from './return-to.ts'
import { findTarget, recordSignIn } from './sign-in-record.ts'

export const undecided = 'undecided'

interface LoginInput {
  person: UserRow | undefined
  wantsOther: boolean
  details: InteractionDetails
  application: RequestingApplication
}

export const showLogin = async (
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
export const showPrompt = async (
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
    requiredBy:
      facts.application.clientId === consoleClientId
        ? 'console'
        : details.params.acr_values === undefined && details.params.claims === undefined
          ? 'workspace'
          : 'application',
  })
}

const readLoginHint = ({ params }: InteractionDetails): string | undefined =>
  typeof params.login_hint === 'string' && params.login_hint.length <= emailCharactersMax
    ? params.login_hint
    : undefined
