/** A workspace's own OpenID provider. The workspace file describes it; only its client secret is set here. */
import { type Static, Type } from '#schema'
import { Timestamp } from './fields.ts'
import { closed, type Operations, WorkspaceParams } from './operation.ts'

export const IdentityProviderState = Type.Object({
  issuer: Type.Union([Type.String(), Type.Null()], {
    description: 'Of the workspace file; null: no provider',
  }),
  clientId: Type.Union([Type.String(), Type.Null()]),
  callbackUrl: Type.String({ description: 'Redirect URI to register at the provider' }),
  backchannelLogoutUrl: Type.String({ description: 'Back-channel logout URI to register at the provider' }),
  secret: Type.Union([Type.Literal('set'), Type.Literal('absent'), Type.Literal('other-provider')], {
    description:
      'Whether the client secret is set. other-provider: it was set for another issuer or Client ID, so it is not sent to this one',
  }),
  secretSetAt: Type.Union([Timestamp, Type.Null()]),
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
} as const satisfies Operations
