/** Decides which page an authorization request needs, in this order: `login`, `member`, `consent`. */
import { decodeJwt } from 'jose'
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { LoadedClient, MetadataDocument } from '#oauth/clients/clients'
import type { MetadataDocuments } from '#oauth/clients/metadata-documents'
import type { InteractionDetails } from '#oauth/provider/interaction-types'
import type { LibraryClient } from '#oauth/provider/oidc-provider-internals'
import { readResources } from '#oauth/requests/normalize-request'
import type { Directory } from '#storage/directory'
import { mayUseClient } from './accounts.ts'

const { Check, Prompt, base } = interactionPolicy

/**
 * Authentication level (`acr`; OpenID Connect Core, section 2) of a sign-in with one factor. A URI of ours,
 * because no registered value means a password alone.
 */
export const acrByPassword = 'urn:querent:acr:password'
export const acrValues = [acrByPassword]

interface Dependencies {
  directory: Directory
  metadataDocuments: Pick<MetadataDocuments, 'bindToWorkspace'>
  findLoadedClient: (client: LibraryClient) => LoadedClient | undefined
}

export const promptPolicy = ({
  directory,
  metadataDocuments,
  findLoadedClient,
}: Dependencies): interactionPolicy.Prompt[] => {
  const policy = base()
  const login = policy.get('login')
  const consent = policy.get('consent')
  if (!login || !consent) throw new Error('the library has no prompt of this name')
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
        if (essentialAcr(ctx).some(value => acrValues.includes(value)) || essentialAcr(ctx).length === 0)
          return false
        throw new errors.UnmetAuthenticationRequirements(
          `no sign-in satisfies the requested essential acr; supported: ${acrValues.join(', ')}`,
        )
      },
    ),
    0,
  )
  // The library forgets the hint after the sign-in, and the page must know the reason.
  login.checks.add(
    new Check('another_account', 'another account is signed in', 'login_required', ({ oidc }) => {
      const signedIn = oidc.session?.accountId
      return signedIn !== undefined && demandedAccounts(oidc).some(accountId => accountId !== signedIn)
    }),
    0,
  )
  // Consent is asked once per application and permission set, and remembered for native applications too.
  consent.checks.remove('native_client_prompt')
  policy.add(
    new Prompt(
      { name: 'member' },
      new Check(
        'no_member',
        'the account is no member of the workspace of this application with a role that includes api',
        'access_denied',
        async ({ oidc }) => {
          const client = oidc.client && findLoadedClient(oidc.client)
          if (!client || !oidc.account) return true
          const bound = await metadataDocuments.bindToWorkspace(client, readResources(oidc.params ?? {}))
          return !(await mayUseClient(directory, bound, oidc.account.accountId))
        },
      ),
    ),
    1,
  )
  for (const prompt of policy) {
    const { details } = prompt
    prompt.details = async ctx => {
      const document = ctx.oidc.client && findLoadedClient(ctx.oidc.client)?.document
      return { ...(await details(ctx)), ...(document ? { [documentDetail]: document } : {}) }
    }
  }
  return [...policy]
}

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
const essentialAcr = ({ oidc }: KoaContextWithOIDC): string[] => {
  const requestedAcr = oidc.claims?.id_token?.acr
  if (!requestedAcr?.essential) return []
  return [requestedAcr.value, requestedAcr.values].flat().filter(value => typeof value === 'string')
}
