/**
 * The management API, `{auth_url}/manage/v1`: one row for each operation. The server's routes, its OpenAPI document, the client's
 * functions and the tests of permissions all come from this table.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { ErrorPlace } from './errors.ts'

/** Slug of a workspace, collection, API or endpoint (workspace-file.md). */
export const slugPattern = '^[a-z0-9-]{1,63}$'

export const Role = Type.Union([
  Type.Literal('administrator'),
  Type.Literal('user'),
  Type.Literal('api'),
  Type.Literal('data-provider'),
])
export type Role = Static<typeof Role>

/** Roles that a System-to-System account may have (authorization-server.md, People and accounts). */
export const SystemRole = Type.Union([Type.Literal('api'), Type.Literal('data-provider')])
export type SystemRole = Static<typeof SystemRole>

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@<>"]+@[^\\s@<>"]+$',
  description: 'E-mail address',
})
const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' })
const Name = Type.String({ minLength: 1, maxLength: 200 })
const Url = Type.String({ minLength: 1, maxLength: 2048, description: 'Absolute URL' })

/** A row filter: field → the values a member may see, any of them; all fields must match. */
export const RowFilter = Type.Record(
  Type.String({ minLength: 1 }),
  Type.Union([
    Type.String(),
    Type.Number(),
    Type.Boolean(),
    Type.Array(Type.Union([Type.String(), Type.Number(), Type.Boolean()]), { minItems: 1, maxItems: 1000 }),
  ]),
  { description: 'Row filter: field → value or values' },
)
export type RowFilter = Static<typeof RowFilter>

export const User = Type.Object({
  id: Type.String(),
  email: Email,
  name: Type.String(),
  operator: Type.Boolean(),
  disabled: Type.Boolean(),
  createdAt: Timestamp,
})
export type User = Static<typeof User>

export const Workspace = Type.Object({
  workspace: Type.String(),
  title: Type.String(),
  roles: Type.Array(Role, { description: 'Of who asks; empty for an operator who is no member' }),
  createdAt: Timestamp,
})
export type Workspace = Static<typeof Workspace>

/** One difference between what the server holds and what the file says. */
export const Change = Type.Object({
  change: Type.Union([Type.Literal('add'), Type.Literal('change'), Type.Literal('remove')]),
  path: Type.String({
    description: 'Place in the workspace file, with dots: apis.dictionary.endpoints.search',
  }),
  before: Type.Optional(Type.Unknown()),
  after: Type.Optional(Type.Unknown()),
})
export type Change = Static<typeof Change>

export const ApplyReply = Type.Object({
  workspace: Type.String(),
  created: Type.Boolean(),
  dryRun: Type.Boolean(),
  changes: Type.Array(Change),
  warnings: Type.Array(Type.String(), { description: 'What the file says and this version cannot do yet' }),
})
export type ApplyReply = Static<typeof ApplyReply>

export const Member = Type.Object({
  kind: Type.Union([Type.Literal('user'), Type.Literal('system-to-system')]),
  email: Type.Optional(Email),
  clientId: Type.Optional(Type.String()),
  name: Type.String(),
  roles: Type.Array(Role),
  filter: Type.Optional(RowFilter),
  createdAt: Timestamp,
})
export type Member = Static<typeof Member>

export const Secret = Type.Object({
  id: Type.String(),
  createdAt: Timestamp,
  expiresAt: Type.Union([Timestamp, Type.Null()]),
  lastUsedAt: Type.Union([Timestamp, Type.Null()]),
})
export type Secret = Static<typeof Secret>

/** A JSON Web Key Set with public keys only, for `private_key_jwt` (RFC 7523). */
const PublicKeys = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1, maxItems: 10 }) },
  {
    description:
      'JSON Web Key Set (RFC 7517), public keys only: the account then signs in by private_key_jwt, without a secret',
  },
)

export const SystemToSystem = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  roles: Type.Array(SystemRole),
  addresses: Type.Array(Type.String()),
  disabled: Type.Boolean(),
  publicKeys: Type.Boolean({ description: 'Signs in by private_key_jwt' }),
  secrets: Type.Array(Secret),
  createdAt: Timestamp,
})
export type SystemToSystem = Static<typeof SystemToSystem>

/** Shown once, when it is made; the server keeps a hash. */
export const NewSecret = Type.Object({
  clientId: Type.String(),
  clientSecret: Type.String(),
  secretId: Type.String(),
})
export type NewSecret = Static<typeof NewSecret>

export const ApplicationType = Type.Union([
  Type.Literal('browser'),
  Type.Literal('server'),
  Type.Literal('native'),
])

export const Application = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  type: ApplicationType,
  redirectUris: Type.Array(Type.String()),
  origins: Type.Array(Type.String()),
  logoutUris: Type.Array(Type.String()),
  own: Type.Boolean({ description: "The workspace's own: consent may be skipped" }),
  disabled: Type.Boolean(),
  createdAt: Timestamp,
})
export type Application = Static<typeof Application>

/** The chain of query-service.md, "Why was I refused?", in its order. */
export const checkNames = [
  'token',
  'issuer',
  'signature',
  'audience',
  'clock',
  'revocation',
  'client',
  'account',
  'client-workspace',
  'membership',
  'role',
  'row-filter',
] as const

export const Check = Type.Object({
  name: Type.Unsafe<(typeof checkNames)[number]>(Type.String({ enum: [...checkNames] })),
  passed: Type.Union([Type.Boolean(), Type.Null()], {
    description: 'null: not reached, because an earlier one failed',
  }),
  message: Type.String(),
  expected: Type.Optional(Type.String()),
  found: Type.Optional(Type.String()),
})
export type Check = Static<typeof Check>

export const Inspection = Type.Object({
  allowed: Type.Boolean(),
  header: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  claims: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  checks: Type.Array(Check),
})
export type Inspection = Static<typeof Inspection>

export const Refusal = Type.Object({
  requestId: Type.String(),
  at: Timestamp,
  status: Type.Integer(),
  workspace: Type.String(),
  path: Type.String(),
  subject: Type.Union([Type.String(), Type.Null()]),
  clientId: Type.Union([Type.String(), Type.Null()]),
  checks: Type.Array(Check),
})
export type Refusal = Static<typeof Refusal>

/**
 * Who may call an operation. `operator`: operators. `account`: any account that is signed in; what it sees is its own. The others
 * are held by members of the workspace in the path (see `http/access.ts`), and by operators.
 */
export type Permission = 'operator' | 'account' | 'administer' | 'edit' | 'query'

export interface Operation {
  id: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/manage/v1`, with `{name}` for path parameters. */
  path: string
  permission: Permission
  summary: string
  params?: TSchema
  query?: TSchema
  input?: TSchema
  /** Status and body of success; no `reply`: 204 without a body. */
  status: 200 | 201 | 204
  reply?: TSchema
}

const inWorkspace = { workspace: Type.String({ pattern: slugPattern }) }
const WorkspaceParams = Type.Object(inWorkspace)
const ClientParams = Type.Object({ ...inWorkspace, clientId: Type.String({ minLength: 1, maxLength: 100 }) })
const MemberParams = Type.Object({ ...inWorkspace, email: Email })
const closed = { additionalProperties: false } as const
/** Lists are paged: `after` is the last key of the page before (opaque), `count` 1 to 1,000. */
const Page = Type.Object({
  after: Type.Optional(Type.String({ maxLength: 300 })),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
})
const list = <T extends TSchema>(item: T) =>
  Type.Object({ items: Type.Array(item), next: Type.Union([Type.String(), Type.Null()]) })

export const operations = {
  createUser: {
    id: 'createUser',
    method: 'POST',
    path: '/users',
    permission: 'operator',
    summary: 'Make a user',
    input: Type.Object(
      {
        email: Email,
        name: Type.Optional(Name),
        password: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
      },
      closed,
    ),
    status: 201,
    reply: User,
  },
  listUsers: {
    id: 'listUsers',
    method: 'GET',
    path: '/users',
    permission: 'operator',
    summary: 'List users by e-mail address',
    query: Page,
    status: 200,
    reply: list(User),
  },
  updateUser: {
    id: 'updateUser',
    method: 'PATCH',
    path: '/users/{email}',
    permission: 'operator',
    summary: 'Disable or enable a user',
    params: Type.Object({ email: Email }),
    input: Type.Object({ disabled: Type.Boolean() }, closed),
    status: 200,
    reply: User,
  },
  listWorkspaces: {
    id: 'listWorkspaces',
    method: 'GET',
    path: '/workspaces',
    permission: 'account',
    summary: 'List workspaces that one is a member of; an operator: all',
    query: Page,
    status: 200,
    reply: list(Workspace),
  },
  applyWorkspaceFile: {
    id: 'applyWorkspaceFile',
    method: 'POST',
    path: '/apply',
    permission: 'account',
    summary: 'Make a workspace match its workspace file',
    input: Type.Object(
      {
        source: Type.String({ minLength: 1, maxLength: 1024 * 1024, description: 'The file, YAML or JSON' }),
        dryRun: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
    status: 200,
    reply: ApplyReply,
  },
  exportWorkspaceFile: {
    id: 'exportWorkspaceFile',
    method: 'GET',
    path: '/workspaces/{workspace}/file',
    permission: 'edit',
    summary: 'The workspace as a file that apply takes',
    params: WorkspaceParams,
    status: 200,
    reply: Type.Object({ source: Type.String() }),
  },
  listMembers: {
    id: 'listMembers',
    method: 'GET',
    path: '/workspaces/{workspace}/members',
    permission: 'administer',
    summary: 'List members',
    params: WorkspaceParams,
    query: Page,
    status: 200,
    reply: list(Member),
  },
  setMember: {
    id: 'setMember',
    method: 'PUT',
    path: '/workspaces/{workspace}/members/{email}',
    permission: 'administer',
    summary: 'Add a user as a member, or set the roles of one who is',
    params: MemberParams,
    input: Type.Object(
      {
        roles: Type.Array(Role, { minItems: 1, uniqueItems: true }),
        filter: Type.Optional(Type.Union([RowFilter, Type.Null()])),
      },
      closed,
    ),
    status: 200,
    reply: Member,
  },
  removeMember: {
    id: 'removeMember',
    method: 'DELETE',
    path: '/workspaces/{workspace}/members/{email}',
    permission: 'administer',
    summary: 'Remove a member; takes effect at once',
    params: MemberParams,
    status: 204,
  },
  createSystemToSystem: {
    id: 'createSystemToSystem',
    method: 'POST',
    path: '/workspaces/{workspace}/system-to-system',
    permission: 'administer',
    summary: 'Make a System-to-System account',
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
      },
      closed,
    ),
    status: 201,
    reply: Type.Object({
      ...SystemToSystem.properties,
      clientSecret: Type.Optional(Type.String({ description: 'Shown this once; absent with publicKeys' })),
    }),
  },
  listSystemToSystem: {
    id: 'listSystemToSystem',
    method: 'GET',
    path: '/workspaces/{workspace}/system-to-system',
    permission: 'administer',
    summary: 'List System-to-System accounts',
    params: WorkspaceParams,
    query: Page,
    status: 200,
    reply: list(SystemToSystem),
  },
  updateSystemToSystem: {
    id: 'updateSystemToSystem',
    method: 'PATCH',
    path: '/workspaces/{workspace}/system-to-system/{clientId}',
    permission: 'administer',
    summary: 'Change, disable or enable a System-to-System account',
    params: ClientParams,
    input: Type.Object(
      {
        name: Type.Optional(Name),
        roles: Type.Optional(Type.Array(SystemRole, { minItems: 1, uniqueItems: true })),
        addresses: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 100 })),
        disabled: Type.Optional(Type.Boolean()),
        filter: Type.Optional(Type.Union([RowFilter, Type.Null()])),
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
    summary: 'Remove a System-to-System account',
    params: ClientParams,
    status: 204,
  },
  addSecret: {
    id: 'addSecret',
    method: 'POST',
    path: '/workspaces/{workspace}/system-to-system/{clientId}/secrets',
    permission: 'administer',
    summary: 'Make one more Client Secret',
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
    summary: 'Remove a Client Secret',
    params: Type.Object({
      ...ClientParams.properties,
      secretId: Type.String({ minLength: 1, maxLength: 100 }),
    }),
    status: 204,
  },
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
        own: Type.Optional(Type.Boolean()),
      },
      closed,
    ),
    status: 201,
    reply: Type.Object({
      ...Application.properties,
      clientSecret: Type.Optional(Type.String({ description: 'For type server; shown this once' })),
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
  removeApplication: {
    id: 'removeApplication',
    method: 'DELETE',
    path: '/workspaces/{workspace}/applications/{clientId}',
    permission: 'administer',
    summary: 'Remove an application and all it was granted',
    params: ClientParams,
    status: 204,
  },
  inspectToken: {
    id: 'inspectToken',
    method: 'POST',
    path: '/tokens/inspect',
    permission: 'account',
    summary: 'Why a request with this token is or is not let through',
    input: Type.Object(
      {
        token: Type.String({ minLength: 1, maxLength: 16 * 1024 }),
        workspace: Type.Optional(Type.String({ maxLength: 63 })),
        api: Type.Optional(Type.String({ maxLength: 63 })),
      },
      closed,
    ),
    status: 200,
    reply: Inspection,
  },
  getRefusal: {
    id: 'getRefusal',
    method: 'GET',
    path: '/refusals/{requestId}',
    permission: 'account',
    summary: 'Why a request was refused; kept 24 hours',
    params: Type.Object({ requestId: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 200,
    reply: Refusal,
  },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations
type Part<Id extends OperationId, Key extends keyof Operation> = (typeof operations)[Id] extends {
  [K in Key]: infer S extends TSchema
}
  ? Static<S>
  : undefined
export type OperationParams<Id extends OperationId> = Part<Id, 'params'>
export type OperationQuery<Id extends OperationId> = Part<Id, 'query'>
export type OperationInput<Id extends OperationId> = Part<Id, 'input'>
export type OperationReply<Id extends OperationId> = Part<Id, 'reply'>

/** 400 body of `applyWorkspaceFile`: every place in the file that is wrong. */
export const WorkspaceFileErrors = Type.Array(ErrorPlace)
