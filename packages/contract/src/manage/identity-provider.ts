/** A workspace's own OpenID provider. The workspace file describes it; only its client secret is set here. */
import { type Static, Type } from '#schema'
import { describeMailOutcome, Email, Timestamp } from './fields.ts'
import { closed, inWorkspace, type Operations, WorkspaceParams } from './operation.ts'

/** A mailed link that proves a domain. */
export const DomainLink = Type.Object({ address: Email, expiresAt: Timestamp })

/** An e-mail domain of the provider. People of a domain are signed in once it is proved in this workspace. */
export const ProviderDomain = Type.Object({
  domain: Type.String(),
  state: Type.Union([Type.Literal('proved'), Type.Literal('failing'), Type.Literal('unproved')], {
    description:
      'failing: it still counts, but its TXT record is gone. unproved: nobody is signed in with an address of it',
  }),
  proof: Type.Union([Type.Literal('dns'), Type.Literal('email'), Type.Literal('operator'), Type.Null()]),
  provedAt: Type.Union([Timestamp, Type.Null()]),
  record: Type.String({ description: 'TXT record of the domain that proves it' }),
  lastCheck: Type.Union(
    [Type.Literal('found'), Type.Literal('missing'), Type.Literal('no-answer'), Type.Null()],
    { description: 'What the DNS said; null: never looked up' },
  ),
  checkedAt: Type.Union([Timestamp, Type.Null()]),
  endsAt: Type.Union([Timestamp, Type.Null()], {
    description: 'When the proof ends, unless the record is there again; null: it does not',
  }),
  needsOperator: Type.Boolean({
    description: 'Whether it belongs to a public mail service, so that only an operator can prove it',
  }),
  link: Type.Union([DomainLink, Type.Null()], {
    description: 'The mailed link that nobody has confirmed yet; null: none',
  }),
})
export type ProviderDomain = Static<typeof ProviderDomain>

/** A domain whose link was mailed just now. */
export const MailedProviderDomain = Type.Object({
  ...ProviderDomain.properties,
  mail: describeMailOutcome('`none`: there is no mail server'),
})
export type MailedProviderDomain = Static<typeof MailedProviderDomain>

const DomainParams = Type.Object({
  ...inWorkspace,
  domain: Type.String({ minLength: 3, maxLength: 253, pattern: '^[a-z0-9.-]+$' }),
})

export const IdentityProviderState = Type.Object({
  issuer: Type.Union([Type.String(), Type.Null()], {
    description: 'Of the workspace file; null: no provider',
  }),
  clientId: Type.Union([Type.String(), Type.Null()]),
  callbackUrl: Type.String({ description: 'Redirect URI to register at the provider' }),
  backchannelLogoutUrl: Type.String({ description: 'Back-channel logout URI to register at the provider' }),
  testUrl: Type.String({ description: 'Page where an administrator tests the sign-in' }),
  secret: Type.Union(
    [Type.Literal('set'), Type.Literal('absent'), Type.Literal('other-provider'), Type.Literal('unreadable')],
    {
      description:
        'Whether the client secret is set. other-provider: it was set for another issuer or Client ID, so it is not sent to this one. unreadable: the server has another encryption key now, so set it again',
    },
  ),
  secretSetAt: Type.Union([Timestamp, Type.Null()]),
  domains: Type.Array(ProviderDomain),
})
export type IdentityProviderState = Static<typeof IdentityProviderState>

export const identityProviderOperations = {
  getIdentityProvider: {
    id: 'getIdentityProvider',
    method: 'GET',
    path: '/workspaces/{workspace}/identity-provider',
    permission: 'administer',
    summary:
      "Get the addresses to register at the workspace's own OpenID provider, and whether its secret is set",
    params: WorkspaceParams,
    status: 200,
    reply: IdentityProviderState,
  },
  setIdentityProviderSecret: {
    id: 'setIdentityProviderSecret',
    method: 'PUT',
    path: '/workspaces/{workspace}/identity-provider/secret',
    permission: 'administer',
    summary:
      "Set the client secret for the workspace's own OpenID provider; it is stored encrypted and never shown",
    params: WorkspaceParams,
    input: Type.Object(
      {
        secret: Type.String({
          minLength: 1,
          maxLength: 2000,
          pattern: '^[\\x20-\\x7e]+$',
          description: 'Issued by the provider: printable ASCII, at most 2,000 characters',
        }),
      },
      closed,
    ),
    status: 200,
    reply: IdentityProviderState,
  },
  removeIdentityProviderSecret: {
    id: 'removeIdentityProviderSecret',
    method: 'DELETE',
    path: '/workspaces/{workspace}/identity-provider/secret',
    permission: 'administer',
    summary: 'Delete the client secret: the server is then a public client of the provider',
    params: WorkspaceParams,
    status: 204,
  },
  checkProviderDomain: {
    id: 'checkProviderDomain',
    method: 'POST',
    path: '/workspaces/{workspace}/identity-provider/domains/{domain}/check',
    permission: 'administer',
    summary: "Look for the TXT record that proves a domain of the workspace's own OpenID provider",
    params: DomainParams,
    status: 200,
    reply: ProviderDomain,
  },
  sendProviderDomainLink: {
    id: 'sendProviderDomainLink',
    method: 'POST',
    path: '/workspaces/{workspace}/identity-provider/domains/{domain}/link',
    permission: 'administer',
    summary: "Mail a link that proves a domain of the workspace's own OpenID provider to its postmaster",
    params: DomainParams,
    input: Type.Object(
      {
        to: Type.Union([Type.Literal('postmaster'), Type.Literal('admin')], {
          description: 'Who gets the mail: `postmaster@` or `admin@` of the domain',
        }),
      },
      closed,
    ),
    status: 200,
    reply: MailedProviderDomain,
  },
  proveProviderDomain: {
    id: 'proveProviderDomain',
    method: 'POST',
    path: '/workspaces/{workspace}/identity-provider/domains/{domain}/prove',
    permission: 'operator',
    summary: "Prove a domain of a workspace's own OpenID provider by an operator's word",
    params: DomainParams,
    status: 200,
    reply: ProviderDomain,
  },
} as const satisfies Operations
