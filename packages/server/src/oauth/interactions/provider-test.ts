/**
 * `/provider/{workspace}/test`: an administrator goes through the sign-in of the workspace's own OpenID provider, and sees what it would do. Makes no
 * account, membership or session, and keeps no token.
 */
import { rolesAllow } from '@querent/contract/roles'
import * as client from 'openid-client'
import { providerCallbackUrl } from '#http/provider-urls'
import { previewAdmission } from '#oauth/identity-provider/admit-person'
import { readAuthentication } from '#oauth/identity-provider/claims'
import { ProviderRefusal, ProviderUnavailable } from '#oauth/identity-provider/provider-failures'
import type { StartedSignIn } from '#oauth/identity-provider/started-sign-in'
import { hasTwoFactors } from '#oauth/library/authentication'
import { failurePage } from '#oauth/pages/error-page'
import { startProviderTestPage, testFailedPage, testResultPage } from '#oauth/pages/provider-test-pages'
import { findPerson } from '#oauth/sessions/accounts'
import type { WorkspaceRow } from '#storage/workspaces'
import { browserSession } from './browser-session.ts'
import { makeSignInUrl } from './fresh-sign-in.ts'
import { leadToProvider, readFault } from './lead-to-provider.ts'
import type { Answer, Handler, PageDependencies, PageRequest } from './page-request.ts'

export const testProvider: Handler = async (deps, pageRequest, slug) => {
  const { locale, token, fields, requestId, reader } = pageRequest
  const admitted = await admitTester(deps, pageRequest, slug)
  if ('answer' in admitted) return admitted.answer
  const { workspace, testerId } = admitted
  const issuer = workspace.definition.identityProvider?.issuer
  if (issuer === undefined) return { page: failurePage('missing', requestId, reader) }
  const facts = { workspace: workspace.title, issuer, settingsUrl: settingsUrl(workspace) }
  if (fields?.get('action') !== 'test') return { page: startProviderTestPage(locale, { token, ...facts }) }
  try {
    // No refresh token: nothing of the test is kept.
    const started = { uid: '', testerId, isRepeated: false, isOffline: false }
    return { seeOther: (await leadToProvider(deps, pageRequest, workspace, started)).href }
  } catch (error) {
    if (!(error instanceof ProviderUnavailable)) throw error
    return { page: testFailedPage(locale, { ...facts, fault: readFault(error), reason: undefined }) }
  }
}

/** Back from the provider, in the browser that left for it. */
export const finishProviderTest = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  workspace: WorkspaceRow,
  started: StartedSignIn,
): Promise<Answer> => {
  const { query, locale, requestId, reader } = pageRequest
  const admitted = await admitTester(deps, pageRequest, workspace.slug)
  if ('answer' in admitted || admitted.testerId !== started.testerId)
    return { page: failurePage('expired', requestId, reader, { kind: 'console' }) }
  const callback = new URL(providerCallbackUrl(deps.authUrl, workspace.slug))
  callback.search = query.toString()
  const { issuer } = started
  const facts = { workspace: workspace.title, issuer, settingsUrl: settingsUrl(workspace) }
  try {
    const { claims, ...answer } = await deps.providers.relyingParty.complete(callback, {
      ...started,
      workspace,
      maxAgeSeconds: undefined,
    })
    const preview = await previewAdmission(deps.storage.db, {
      workspace,
      claims,
      issuer: answer.issuer,
    })
    const isSecondFactorMissing =
      workspace.definition.settings?.requireSecondFactor === true &&
      !hasTwoFactors(readAuthentication(claims))
    return { page: testResultPage(locale, { ...facts, claims, preview, isSecondFactorMissing }) }
  } catch (error) {
    if (!(error instanceof ProviderUnavailable || error instanceof ProviderRefusal)) throw error
    deps.log.warn({ err: error, workspace: workspace.slug, requestId }, 'a test of an OpenID provider failed')
    const fault =
      error instanceof ProviderUnavailable
        ? readFault(error)
        : query.get('error') === 'access_denied'
          ? ('provider-denied' as const)
          : ('provider-refused' as const)
    return { page: testFailedPage(locale, { ...facts, fault, reason: describeCause(error) }) }
  }
}

/** Admits administrators of the workspace, and operators unless a provider signed them in. Others learn nothing about the workspace. */
const admitTester = async (
  deps: PageDependencies,
  pageRequest: PageRequest,
  slug: string,
): Promise<{ workspace: WorkspaceRow; testerId: string } | { answer: Answer }> => {
  const { directory } = deps
  const { requestId, reader } = pageRequest
  const session = await browserSession(deps, pageRequest)
  const person = session && (await findPerson(directory, session.accountId))
  const signInAgain = (acr: boolean) => ({
    answer: { seeOther: makeSignInUrl(deps, pageRequest, { isFresh: false, acr }) },
  })
  if (!session || !person) return signInAgain(false)
  const workspace = await directory.workspace(slug)
  const member = workspace && (await directory.fetchMember(workspace.id, person.id))
  const { providerSignIn } = session.login
  const isOfWorkspace = providerSignIn === undefined || providerSignIn.workspaceId === workspace?.id
  const isAdministrator = member !== undefined && rolesAllow(member.roles, 'administer')
  const isOperator = person.operator === 1 && providerSignIn === undefined
  if (!workspace || !isOfWorkspace || !(isAdministrator || isOperator))
    return { answer: { page: failurePage('missing', requestId, reader) } }
  const needsFactor = workspace.definition.settings?.requireSecondFactor === true
  if (needsFactor && !isOperator && !hasTwoFactors(session.login)) return signInAgain(true)
  return { workspace, testerId: person.id }
}

const settingsUrl = ({ slug }: WorkspaceRow): string => `/console/w/${slug}/settings/sign-in`

const reasonCharactersMax = 300

/** The provider's own error, or what the library did not accept. Administrators read it; causes in the network are for the log only. */
const describeCause = ({ cause, message }: Error): string | undefined => {
  if (cause instanceof client.ResponseBodyError || cause instanceof client.AuthorizationResponseError)
    return [cause.error, cause.error_description].filter(Boolean).join(': ').slice(0, reasonCharactersMax)
  if (cause instanceof client.WWWAuthenticateChallengeError) return describeChallenge(cause)
  if (cause instanceof client.ClientError) return cause.message.slice(0, reasonCharactersMax)
  return cause === undefined ? message : undefined
}

/** The reply to a wrong client secret often has a challenge (RFC 6749, section 5.2), which need not name the error. */
const describeChallenge = ({ cause, status }: client.WWWAuthenticateChallengeError): string => {
  const { error, error_description } = cause.find(({ parameters }) => parameters.error)?.parameters ?? {}
  const reason = error === undefined ? `HTTP ${status}, WWW-Authenticate: ${cause[0]?.scheme}` : error
  return [reason, error_description].filter(Boolean).join(': ').slice(0, reasonCharactersMax)
}
