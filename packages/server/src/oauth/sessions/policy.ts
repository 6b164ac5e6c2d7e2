/** Which page an authorization request needs, in this order: `login`, `member`, `consent`. */
import { decodeJwt } from 'jose'
import { errors, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import type { LoadedClient } from '#oauth/clients/clients'
import type { LibraryClient } from '#oauth/provider/oidc-provider-internals'
import type { Directory } from '#storage/directory'
import { mayUseClient } from './accounts.ts'

const { Check, Prompt, base } = interactionPolicy

/**
 * How sure a sign-in is (`acr`; OpenID Connect Core, section 2): by one factor. Higher ones go with the second factor. Its name is a URI
 * of ours, for there is no registered one that means a password alone.
 */
export const acrByPassword = 'urn:querent:acr:password'
export const acrValues = [acrByPassword]

interface Dependencies {
  directory: Directory
  findLoadedClient: (client: LibraryClient) => LoadedClient | undefined
}

export const promptPolicy = ({ directory, findLoadedClient }: Dependencies): interactionPolicy.Prompt[] => {
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
  // No sign-in makes up for it, so that the library would ask for one after the other (OpenID Connect Core, section 5.5.1.1).
  login.checks.add(
    new Check(
      'acr_unknown',
      'none of the requested acr can be given',
      'unmet_authentication_requirements',
      ctx => {
        if (essentialAcr(ctx).some(value => acrValues.includes(value)) || essentialAcr(ctx).length === 0)
          return false
        throw new errors.UnmetAuthenticationRequirements(
          `no sign-in here is of an essential acr that was asked for: there is ${acrValues.join(', ')}`,
        )
      },
    ),
    0,
  )
  // After the sign-in the library forgets the hint; the page must be told why it asks again.
  login.checks.add(
    new Check('another_account', 'another account is signed in', 'login_required', ({ oidc }) => {
      const signedIn = oidc.session?.accountId
      return signedIn !== undefined && demandedAccounts(oidc).some(accountId => accountId !== signedIn)
    }),
    0,
  )
  // Asked once and remembered for native applications too: authorization-server.md, "once per application and permission set".
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
          return !client || !oidc.account || !(await mayUseClient(directory, client, oidc.account.accountId))
        },
      ),
    ),
    1,
  )
  return [...policy]
}

/** Accounts that it must be, by the `id_token_hint`, which was verified as it came, and the `claims` parameter (Core, 3.1.2.1, 5.5.1). */
const demandedAccounts = ({ params, claims }: KoaContextWithOIDC['oidc']): unknown[] => {
  const hint = params?.id_token_hint
  const sub = claims?.id_token?.sub
  return [
    ...(typeof hint === 'string' ? [decodeJwt(hint).sub] : []),
    ...(sub && 'value' in sub ? [sub.value] : []),
  ]
}

/** Values of `acr` of which one must be had, by the `claims` parameter. */
const essentialAcr = ({ oidc }: KoaContextWithOIDC): string[] => {
  const requestedAcr = oidc.claims?.id_token?.acr
  if (!requestedAcr?.essential) return []
  return [requestedAcr.value, requestedAcr.values].flat().filter(value => typeof value === 'string')
}
