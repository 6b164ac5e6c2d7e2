/** System-to-System accounts and their secrets. */
import { SystemRole } from '#roles'
import { type Static, Type } from '#schema'
import { Name, PublicKeys, Timestamp } from './fields.ts'
import { ClientParams, closed, list, type Operations, SearchedPage, WorkspaceParams } from './operation.ts'
import { changedRights, membershipRights } from './rights.ts'
import { RowFilter } from './row-filter.ts'

export const Secret = Type.Object({
  id: Type.String(),
  hint: Type.Union([Type.String(), Type.Null()], {
    description:
      'First characters of the secret, `qrs_` and 4 more; null: created by a version without hints',
  }),
  createdAt: Timestamp,
  expiresAt: Type.Union([Timestamp, Type.Null()]),
  lastUsedAt: Type.Union([Timestamp, Type.Null()]),
})
export type Secret = Static<typeof Secret>

export const SystemToSystem = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  roles: Type.Array(SystemRole),
  filter: Type.Optional(RowFilter),
  ...membershipRights,
  addresses: Type.Array(Type.String()),
  disabled: Type.Boolean(),
  publicKeys: Type.Boolean({ description: 'Authenticates with private_key_jwt' }),
  dpop: Type.Boolean({
    description:
      'Whether its tokens are always bound to a key, so that token requests need a DPoP proof (RFC 9449)',
  }),
  secrets: Type.Array(Secret),
  createdAt: Timestamp,
})
export type SystemToSystem = Static<typeof SystemToSystem>

/** Only shown when it is created; the server stores a hash. */
export const NewSecret = Type.Object({
  clientId: Type.String(),
  clientSecret: Type.String(),
  secretId: Type.String(),
})
export type NewSecret = Static<typeof NewSecret>

export const systemToSystemOperations = {
  createSystemToSystem: {
    id: 'createSystemToSystem',
    method: 'POST',
    path: '/workspaces/{workspace}/system-to-system',
    permission: 'administer',
    summary: 'Create a System-to-System account',
    params: WorkspaceParams,
    input: Type.Object(
      {
        name: Name,
        roles: Type.Array(SystemRole, { minItems: 1, uniqueItems: true }),
        addresses: Type.Optional(
          Type.Array(Type.String({ maxLength: 50, description: 'IP address or CIDR range' }), {
            maxItems: 100,
          }),
        ),
        publicKeys: Type.Optional(PublicKeys),
        filter: Type.Optional(RowFilter),
        ...membershipRights,
        dpop: Type.Optional(
          Type.Boolean({ description: 'true: token requests need a DPoP proof (RFC 9449)' }),
        ),
      },
      closed,
    ),
    status: 201,
    reply: Type.Object({
      ...SystemToSystem.properties,
      clientSecret: Type.Optional(Type.String({ description: 'Only shown once; absent with publicKeys' })),
    }),
  },
  listSystemToSystem: {
    id: 'listSystemToSystem',
    method: 'GET',
    path: '/workspaces/{workspace}/system-to-system',
    permission: 'administer',
    summary: 'List or search System-to-System accounts',
    params: WorkspaceParams,
    query: SearchedPage('Start of a name, or a whole Client ID'),
    status: 200,
    reply: list(SystemToSystem),
  },
  updateSystemToSystem: {
    id: 'updateSystemToSystem',
    method: 'PATCH',
    path: '/workspaces/{workspace}/system-to-system/{clientId}',
    permission: 'administer',
    summary: 'Update, disable or enable a System-to-System account',
    params: ClientParams,
    input: Type.Object(
      {
        name: Type.Optional(Name),
        roles: Type.Optional(Type.Array(SystemRole, { minItems: 1, uniqueItems: true })),
        addresses: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 100 })),
        dpop: Type.Optional(
          Type.Boolean({ description: 'true: token requests need a DPoP proof (RFC 9449)' }),
        ),
        disabled: Type.Optional(Type.Boolean()),
        filter: Type.Optional(Type.Union([RowFilter, Type.Null()])),
        ...changedRights,
      },
      closed,
    ),
    status: 200,
    reply: SystemToSystem,
  },
  removeSystemToSystem: {
    id: 'removeSystemToSystem',
    method: 'DELETE',
    path: '/workspaces/{workspace}/system-to-system/{clientId}',
    permission: 'administer',
    summary: 'Delete a System-to-System account',
    params: ClientParams,
    status: 204,
  },
  addSecret: {
    id: 'addSecret',
    method: 'POST',
    path: '/workspaces/{workspace}/system-to-system/{clientId}/secrets',
    permission: 'administer',
    summary: 'Create an additional Client Secret',
    params: ClientParams,
    input: Type.Object(
      { expiresInSeconds: Type.Optional(Type.Integer({ minimum: 60, maximum: 10 * 365 * 86400 })) },
      closed,
    ),
    status: 201,
    reply: NewSecret,
  },
  removeSecret: {
    id: 'removeSecret',
    method: 'DELETE',
    path: '/workspaces/{workspace}/system-to-system/{clientId}/secrets/{secretId}',
    permission: 'administer',
    summary: 'Delete a Client Secret',
    params: Type.Object({
      ...ClientParams.properties,
      secretId: Type.String({ minLength: 1, maxLength: 100 }),
    }),
    status: 204,
  },
} as const satisfies Operations
