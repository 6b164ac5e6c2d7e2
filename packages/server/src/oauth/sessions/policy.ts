/**
 * Decides which page an authorization request needs, in this order: `login`, `member`, `factor`, `passkey`,
 * `consent`.
 */

import type { IncomingMessage } from 'node:http'
import { authenticationLevels, twoFactorLevel } from '@querent/contract/authentication-levels'
import { decodeJwt } from 'jose'
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { MetadataDocuments } from '#oauth/clients/metadata-documents'
import type { SignInRenewal } from '#oauth/identity-provider/sign-in-renewal'
import { hasTwoFactors } from '#oauth/library/authentication'
import type { InteractionDetails } from '#oauth/library/interaction-types'
import type { LoadedClient, MetadataDocument } from '#oauth/library/loaded-client'
import type { LibraryClient } from '#oauth/library/oidc-provider-internals'
import {
  isProviderSignInCurrent,
  type ProviderSignIn,
  readProviderSignIn,
} from '#oauth/library/provider-sign-in'
import { readResources } from '#oauth/requests/normalize-request'
import type { Db } from '#storage/db'
import type { Directory } from '#storage/directory'
import { hasSecondFactor } from '#storage/second-factors'
import { findPerson, mayUseClient, requiresSecondFactor } from './accounts.ts'

const { Check, Prompt, base } = interactionPolicy

interface Dependencies {
  db: Db
  directory: Directory
  metadataDocuments: Pick<MetadataDocuments, 'bindToWorkspace'>
  findLoadedClient: (client: LibraryClient) => LoadedClient | undefined
  signInRenewal: Pick<SignInRenewal, 'confirm'>
  clientAddress: (request: IncomingMessage) => string
}

export const promptPolicy = (dependencies: Dependencies): interactionPolicy.Prompt[] => {
  const policy = base()
  const login = policy.get('login')
  const consent = policy.get('consent')
  if (!login || !consent) throw new Error('the library has no prompt of this name')
  const rules = makeRules(dependencies)
  completeLogin(login, dependencies, rules)
  // Consent is asked once per application and permission set, and remembered for native applications too.
  consent.checks.remove('native_client_prompt')
  addPrompts(policy, dependencies, rules)
  for (const prompt of policy) {
    const { details } = prompt
    prompt.details = async ctx => {
      const document = ctx.oidc.client && dependencies.findLoadedClient(ctx.oidc.client)?.document
      return { ...(await details(ctx)), ...(document ? { [documentDetail]: document } : {}) }
    }
  }
  return [...policy]
}

type Rules = ReturnType<typeof makeRules>

const makeRules = (dependencies: Dependencies) => {
  const { directory, signInRenewal, clientAddress } = dependencies
  const findClient = (ctx: KoaContextWithOIDC) => findBoundClient(dependencies, ctx)
  /** Whether the person is signed in with one factor, and the request needs two. */
  const lacksFactor = async (ctx: KoaContextWithOIDC): Promise<boolean> => {
    const { session } = ctx.oidc
    if (!ctx.oidc.account || !session || hasTwoFactors(session)) return false
    return demandsTwoFactors(ctx) || requiresSecondFactor(directory, await findClient(ctx))
  }
  /** Whether the person's OpenID provider still lets them in. */
  const isConfirmed = async (ctx: KoaContextWithOIDC, signIn: ProviderSignIn): Promise<boolean> => {
    const { account, session } = ctx.oidc
    const user = account && (await findPerson(directory, account.accountId))
    if (!user || !session) return true
    const request = { address: clientAddress(ctx.req), requestId: ctx.response.get('x-request-id') }
    return signInRenewal.confirm(signIn, user, request, session.uid)
  }
  return { findClient, lacksFactor, isConfirmed }
}

const completeLogin = (
  login: interactionPolicy.Prompt,
  { db, directory }: Dependencies,
  { findClient, lacksFactor, isConfirmed }: Rules,
): void => {
  login.checks.add(
    new Check(
      'account_gone',
      'the account was disabled or deleted',
      'login_required',
      ({ oidc }) => oidc.session?.accountId !== undefined && oidc.account === undefined,
    ),
  )
  // No sign-in can satisfy it, so the library would prompt again and again (OpenID Connect Core, section
  // 5.5.1.1).
  login.checks.add(
    new Check(
      'acr_unknown',
      'none of the requested acr can be given',
      'unmet_authentication_requirements',
      ctx => {
        if (
          essentialAcr(ctx).some(value => authenticationLevels.includes(value)) ||
          essentialAcr(ctx).length === 0
        )
          return false
        throw new errors.UnmetAuthenticationRequirements(
          `no sign-in satisfies the requested essential acr; supported: ${authenticationLevels.join(', ')}`,
        )
      },
    ),
    0,
  )
  // Ours below also accepts a higher level, and leads those without a factor to setting one up.
  login.checks.remove('essential_acr')
  login.checks.remove('essential_acrs')
  login.checks.add(
    new Check(
      'second_factor',
      'the request requires a second factor',
      'login_required',
      async ctx => (await lacksFactor(ctx)) && (await hasSecondFactor(db, ctx.oidc.account?.accountId ?? '')),
    ),
  )
  login.checks.add(
    new Check(
      'provider_sign_in',
      'the person signed in through the OpenID provider of another workspace, or too long ago, or it no longer lets them in',
      'login_required',
      async ctx => {
        const signIn = readProviderSignIn(ctx.oidc.session)
        if (!signIn || !ctx.oidc.account) return false
        const workspaceId = (await findClient(ctx))?.row.workspaceId ?? signIn.workspaceId
        if (workspaceId !== signIn.workspaceId) return true
        return !(await isProviderSignInCurrent(directory, signIn)) || !(await isConfirmed(ctx, signIn))
      },
    ),
  )
  // The library forgets the hint after the sign-in, and the page must know the reason.
  login.checks.add(
    new Check('another_account', 'another account is signed in', 'login_required', ({ oidc }) => {
      const signedIn = oidc.session?.accountId
      return signedIn !== undefined && demandedAccounts(oidc).some(accountId => accountId !== signedIn)
    }),
    0,
  )
}

/** Adds the pages between the sign-in and the consent. */
const addPrompts = (
  policy: interactionPolicy.DefaultPolicy,
  { directory }: Dependencies,
  { findClient, lacksFactor }: Rules,
): void => {
  policy.add(
    new Prompt(
      { name: 'member' },
      new Check(
        'no_member',
        'the account is no member of the workspace of this application with a role that includes api',
        'access_denied',
        async ctx => {
          const client = await findClient(ctx)
          if (!client || !ctx.oidc.account) return true
          return !(await mayUseClient(directory, client, ctx.oidc.account.accountId))
        },
      ),
    ),
    1,
  )
  policy.add(
    new Prompt(
      { name: 'factor' },
      new Check(
        'no_second_factor',
        'the request requires a second factor, which the person must set up first',
        'interaction_required',
        lacksFactor,
      ),
    ),
    2,
  )
  policy.add(
    new Prompt(
      { name: 'passkey' },
      new Check(
        'passkey_offered',
        'the person may create a passkey now',
        'interaction_required',
        ({ oidc }) =>
          oidc.result?.login?.[offerField] === true && oidc.result[passkeyOfferAnswered] === undefined,
      ),
    ),
    3,
  )
}

/** Returns the client of the request; an unregistered one with the workspace of its resource. */
const findBoundClient = async (
  { metadataDocuments, findLoadedClient }: Dependencies,
  { oidc }: KoaContextWithOIDC,
): Promise<LoadedClient | undefined> => {
  const client = oidc.client && findLoadedClient(oidc.client)
  return client && metadataDocuments.bindToWorkspace(client, readResources(oidc.params ?? {}))
}

/**
 * Whether the application asks for two factors and accepts nothing less: by `acr_values` (RFC 9470, section 4),
 * or by the `claims` parameter.
 */
const demandsTwoFactors = (ctx: KoaContextWithOIDC): boolean => {
  const levels = requestedLevels(ctx).filter(value => authenticationLevels.includes(value))
  return levels.length > 0 && levels.every(value => value === twoFactorLevel)
}

/** Field of a sign-in's result: the page offers a passkey before it continues. */
export const offerField = 'offersPasskey'
/** Field of an interaction's result: the person answered the offer. */
export const passkeyOfferAnswered = 'passkeyOffer'

/** Name of the detail of a prompt with the document of an unregistered client. */
const documentDetail = 'metadataDocument'

/**
 * Returns the document as it was when the page was requested: what the page shows is what the person agrees
 * to, whatever the document says by then.
 */
export const readPromptDocument = ({
  prompt,
}: Pick<InteractionDetails, 'prompt'>): MetadataDocument | undefined =>
  // Written only by `promptPolicy`.
  prompt.details[documentDetail] as MetadataDocument | undefined

/**
 * Returns the accounts required by the verified `id_token_hint` and the `claims` parameter (Core, 3.1.2.1,
 * 5.5.1).
 */
const demandedAccounts = ({ params, claims }: KoaContextWithOIDC['oidc']): unknown[] => {
  const hint = params?.id_token_hint
  const sub = claims?.id_token?.sub
  return [
    ...(typeof hint === 'string' ? [decodeJwt(hint).sub] : []),
    ...(sub && 'value' in sub ? [sub.value] : []),
  ]
}

/** Returns essential `acr` values of the `claims` parameter, one of which is required. */
const essentialAcr = (ctx: KoaContextWithOIDC): string[] =>
  ctx.oidc.claims?.id_token?.acr?.essential ? requestedLevels(ctx) : []

/** Returns the `acr` values of the `claims` parameter. The library adds those of `acr_values` to it. */
const requestedLevels = ({ oidc }: KoaContextWithOIDC): string[] => {
  const acr = oidc.claims?.id_token?.acr
  return [acr?.value, acr?.values].flat().filter(value => typeof value === 'string')
}
