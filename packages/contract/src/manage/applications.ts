/** Applications that sign people in. */
import { type Static, Type } from '#schema'
import { Name, PublicKeys, Timestamp, Url } from './fields.ts'
import { ClientParams, closed, list, type Operations, Page, WorkspaceParams } from './operation.ts'

export const ApplicationType = Type.Union([
  Type.Literal('browser'),
  Type.Literal('server'),
  Type.Literal('native'),
])

/** Signature of ID tokens (authorization-server.md, Habits of real clients). The default RS256 works with every client. */
export const IdTokenAlgorithm = Type.Union([Type.Literal('RS256'), Type.Literal('ES256')])

/** Security profile that the server enforces for the application. `fapi2`: FAPI 2.0 Security Profile. */
export const ApplicationProfile = Type.Literal('fapi2')

/** Metadata of an application that registered itself (RFC 7591, section 2). The server enforces it. */
export const RegisteredMetadata = Type.Object(
  {
    grantTypes: Type.Array(
      Type.Union([
        Type.Literal('authorization_code'),
        Type.Literal('refresh_token'),
        Type.Literal('urn:ietf:params:oauth:grant-type:device_code'),
      ]),
      { minItems: 1, maxItems: 3, description: 'The only grants that it may use' },
    ),
    scope: Type.Optional(
      Type.Array(
        Type.Union([
          Type.Literal('openid'),
          Type.Literal('profile'),
          Type.Literal('email'),
          Type.Literal('offline_access'),
        ]),
        { minItems: 1, maxItems: 4, description: 'The only scopes that it gets; absent: all' },
      ),
    ),
    pushedRequests: Type.Optional(
      Type.Boolean({ description: 'true: it must push its authorization requests (RFC 9126)' }),
    ),
    maxAge: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'max_age in seconds of requests without one',
      }),
    ),
    acrValues: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        minItems: 1,
        maxItems: 10,
        description: 'acr_values of requests without them',
      }),
    ),
    assertionAlgorithm: Type.Optional(
      Type.String({ maxLength: 20, description: 'The only signature of its client assertions' }),
    ),
    policyUri: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Its privacy policy, a link on the consent page' }),
    ),
    termsUri: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Its terms of service, a link on the consent page' }),
    ),
  },
  closed,
)
export type RegisteredMetadata = Static<typeof RegisteredMetadata>

export const Application = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  type: ApplicationType,
  redirectUris: Type.Array(Type.String()),
  origins: Type.Array(Type.String()),
  logoutUris: Type.Array(Type.String()),
  backchannelLogoutUri: Type.Union([Type.String(), Type.Null()], {
    description: 'Receives logout tokens when a session ends (OpenID Connect Back-Channel Logout 1.0)',
  }),
  defaultAudience: Type.Union([Type.String(), Type.Null()], {
    description: 'Audience of authorization requests without audience and resource; null: /userinfo only',
  }),
  own: Type.Boolean({ description: 'First-party application: skips the consent page' }),
  pkce: Type.Boolean({ description: 'Whether it must send a code challenge' }),
  nonce: Type.Boolean({ description: 'Whether it must send a nonce if it sends no code challenge' }),
  idTokenAlgorithm: IdTokenAlgorithm,
  publicKeys: Type.Boolean({ description: 'Authenticates with private_key_jwt' }),
  profile: Type.Union([ApplicationProfile, Type.Null()], {
    description: 'Security profile that is enforced; null: none beyond the usual rules',
  }),
  dpop: Type.Boolean({
    description:
      'Whether its tokens are always bound to a key, so that token requests need a DPoP proof (RFC 9449)',
  }),
  registered: Type.Union([RegisteredMetadata, Type.Null()], {
    description:
      'What it said about itself when it registered itself (RFC 7591); null: an administrator registered it',
  }),
  disabled: Type.Boolean(),
  createdAt: Timestamp,
})
export type Application = Static<typeof Application>

export const applicationOperations = {
  createApplication: {
    id: 'createApplication',
    method: 'POST',
    path: '/workspaces/{workspace}/applications',
    permission: 'administer',
    summary: 'Register an application',
    params: WorkspaceParams,
    input: Type.Object(
      {
        name: Name,
        type: Type.Optional(ApplicationType),
        redirectUris: Type.Array(Url, { minItems: 1, maxItems: 100 }),
        origins: Type.Optional(Type.Array(Url, { maxItems: 100 })),
        logoutUris: Type.Optional(Type.Array(Url, { maxItems: 100 })),
        backchannelLogoutUri: Type.Optional(Url),
        defaultAudience: Type.Optional(Url),
        own: Type.Optional(Type.Boolean()),
        pkce: Type.Optional(
          Type.Boolean({
            description: 'false, only for type server: it sends a nonce instead of a code challenge',
          }),
        ),
        nonce: Type.Optional(
          Type.Boolean({
            description:
              'false, only with pkce false: nothing protects its codes (RFC 9700, section 2.1.1); for conformance tests',
          }),
        ),
        idTokenAlgorithm: Type.Optional(IdTokenAlgorithm),
        publicKeys: Type.Optional(PublicKeys),
        profile: Type.Optional(ApplicationProfile),
        dpop: Type.Optional(
          Type.Boolean({ description: 'true: token requests need a DPoP proof (RFC 9449)' }),
        ),
      },
      closed,
    ),
    status: 201,
    reply: Type.Object({
      ...Application.properties,
      clientSecret: Type.Optional(
        Type.String({ description: 'For type server; only shown once; absent with publicKeys' }),
      ),
    }),
  },
  listApplications: {
    id: 'listApplications',
    method: 'GET',
    path: '/workspaces/{workspace}/applications',
    permission: 'administer',
    summary: 'List applications',
    params: WorkspaceParams,
    query: Page,
    status: 200,
    reply: list(Application),
  },
  updateApplication: {
    id: 'updateApplication',
    method: 'PATCH',
    path: '/workspaces/{workspace}/applications/{clientId}',
    permission: 'administer',
    summary: 'Update, disable or enable an application; takes effect immediately',
    params: ClientParams,
    input: Type.Object(
      {
        name: Type.Optional(Name),
        redirectUris: Type.Optional(Type.Array(Url, { minItems: 1, maxItems: 100 })),
        origins: Type.Optional(Type.Array(Url, { maxItems: 100 })),
        logoutUris: Type.Optional(Type.Array(Url, { maxItems: 100 })),
        backchannelLogoutUri: Type.Optional(Type.Union([Url, Type.Null()])),
        defaultAudience: Type.Optional(Type.Union([Url, Type.Null()])),
        own: Type.Optional(Type.Boolean()),
        pkce: Type.Optional(
          Type.Boolean({
            description: 'false, only for type server: it sends a nonce instead of a code challenge',
          }),
        ),
        dpop: Type.Optional(
          Type.Boolean({ description: 'true: token requests need a DPoP proof (RFC 9449)' }),
        ),
        disabled: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
    status: 200,
    reply: Application,
  },
  removeApplication: {
    id: 'removeApplication',
    method: 'DELETE',
    path: '/workspaces/{workspace}/applications/{clientId}',
    permission: 'administer',
    summary: 'Delete an application and its grants',
    params: ClientParams,
    status: 204,
  },
} as const satisfies Operations
