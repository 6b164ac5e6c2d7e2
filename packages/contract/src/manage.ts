/**
 * The management API, `{auth_url}/manage/v1`: one row for each operation. The server's routes, its OpenAPI document, the client's
 * functions and the tests of permissions all come from this table.
 */
import { ErrorPlace } from './errors.ts'
import { type Static, type TSchema, Type } from './schema.ts'

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

/** Letters and digits: ASCII, and other scripts without their spaces, signs and direction marks (RFC 6531). */
const emailLetters =
  'A-Za-z0-9\\u00c0-\\u061b\\u061d-\\u167f\\u1681-\\u180a\\u180f-\\u1fff\\u2c00-\\u2fef\\u3040-\\ud7ff\\uf900-\\ufdcf'
/** A label of a domain: not empty, and without a hyphen at either end. No lookaheads, so that generators find examples. */
const emailLabel = `[${emailLetters}](?:[${emailLetters}-]*[${emailLetters}])?`
/**
 * The one syntax of email addresses, checked wherever one comes in: that of `<input type=email>` (HTML Standard, "valid e-mail address"),
 * with letters of other scripts. It has no blanks, control characters, commas, parentheses or quotes, so it is safe in mail headers.
 */
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: `^[${emailLetters}.!#$%&'*+/=?^_\`{|}~-]+@${emailLabel}(?:\\.${emailLabel})*$`,
  description: 'Email address',
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

const EmailVerified = Type.Boolean({
  description:
    'Whether the address is confirmed: by a link that was mailed there, or by the operator who created the account',
})

export const User = Type.Object({
  id: Type.String(),
  email: Email,
  emailVerified: EmailVerified,
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

/** Languages that mails are written in. */
export const MailLanguage = Type.Union([Type.Literal('en'), Type.Literal('nl')])

const invited = {
  id: Type.String(),
  email: Email,
  roles: Type.Array(Role),
  filter: Type.Optional(RowFilter),
  expiresAt: Timestamp,
}
/** An invitation with its link, which is shown this once. */
export const NewInvitation = Type.Object({
  ...invited,
  url: Type.String({ description: 'For this person alone; shown this once' }),
  mailed: Type.Boolean({
    description: 'Whether a mail server took it; else hand the link over yourself',
  }),
})
export type NewInvitation = Static<typeof NewInvitation>

export const ApplyReply = Type.Object({
  workspace: Type.String(),
  created: Type.Boolean(),
  dryRun: Type.Boolean(),
  changes: Type.Array(Change),
  invitations: Type.Array(NewInvitation, {
    description: 'For people in `members` whose address is not confirmed; empty in a dry run',
  }),
  warnings: Type.Array(ErrorPlace, {
    description: 'What the file says and this version cannot do yet, and what becomes of documents',
  }),
})
export type ApplyReply = Static<typeof ApplyReply>

/** One complete set of a collection's documents. */
export const Generation = Type.Object({
  id: Type.String({ description: 'Its number in the collection, as status and configurations name it' }),
  createdAt: Timestamp,
  documents: Type.Union([Type.Integer(), Type.Null()], {
    description: 'null: not told to a member with a row filter, or never counted',
  }),
  state: Type.Union([Type.Literal('building'), Type.Literal('complete'), Type.Literal('promoted')]),
  promotedAt: Type.Union([Timestamp, Type.Null()], {
    description: 'When it was promoted last; null: never. Roll back promotes the second by this',
  }),
  configurations: Type.Array(Type.String(), { description: 'Names of those that answer with it' }),
})
export type Generation = Static<typeof Generation>

/** An API of a workspace, with the names of what can be asked. The query service's `about` has the parameters. */
export const ApiSummary = Type.Object({
  api: Type.String(),
  title: Type.String(),
  access: Type.Union([Type.Literal('members'), Type.Literal('public')]),
  endpoints: Type.Array(Type.Object({ name: Type.String(), kind: Type.String(), title: Type.String() })),
  fieldTitles: Type.Record(Type.String(), Type.String(), {
    description:
      'Titles of the fields of the collections that its endpoints name, by field; fields without a title are absent',
  }),
})
export type ApiSummary = Static<typeof ApiSummary>

export const CollectionSummary = Type.Object({
  collection: Type.String(),
  documents: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'In the promoted generation; null: not told to a member with a row filter, not counted yet, or there is none',
  }),
  idField: Type.String({ description: 'Field that holds the id of a document' }),
  fields: Type.Array(
    Type.Object({ name: Type.String(), type: Type.String(), title: Type.Optional(Type.String()) }),
  ),
})
export type CollectionSummary = Static<typeof CollectionSummary>

export const Member = Type.Object({
  kind: Type.Union([Type.Literal('user'), Type.Literal('system-to-system')]),
  email: Type.Optional(Email),
  emailVerified: Type.Optional(EmailVerified),
  clientId: Type.Optional(Type.String()),
  name: Type.String(),
  roles: Type.Array(Role),
  filter: Type.Optional(RowFilter),
  createdAt: Timestamp,
  lastActivityAt: Type.Union([Timestamp, Type.Null()], {
    description:
      'When a request of theirs was last let through in this workspace, or a Client Secret used; precise to a minute; null: not yet',
  }),
})
export type Member = Static<typeof Member>

/** One thing that was looked at, and what to do about it. */
export const HealthCheck = Type.Object({
  name: Type.String({
    description: 'What was looked at: clock, storage, keys, engine, disk, mail, backup, proxy, node',
  }),
  state: Type.Union([Type.Literal('ok'), Type.Literal('warn'), Type.Literal('fail')]),
  message: Type.String({ description: 'What was found' }),
  advice: Type.Optional(Type.String({ description: 'What to do; absent when it is well' })),
})
export type HealthCheck = Static<typeof HealthCheck>

/** One node of the service, as it last reported itself. */
export const NodeHealth = Type.Object({
  id: Type.String({ description: 'Changes with each start of the node' }),
  services: Type.Array(Type.Union([Type.Literal('query'), Type.Literal('authorization')])),
  host: Type.String({ description: 'Name of its machine' }),
  listening: Type.Array(Type.String(), { description: 'Origins where it listens, in the order of services' }),
  version: Type.String(),
  startedAt: Timestamp,
  seenAt: Timestamp,
  checks: Type.Array(HealthCheck, {
    description:
      'What the node found out about itself; of one not seen for 2 minutes only the warning `node`',
  }),
})
export type NodeHealth = Static<typeof NodeHealth>

export const Invitation = Type.Object({
  ...invited,
  invitedBy: Type.Union([Email, Type.Null()], { description: 'null: somebody who is removed since' }),
  createdAt: Timestamp,
  expired: Type.Boolean(),
})
export type Invitation = Static<typeof Invitation>

/** A link for one person, shown once, when it is made. */
const oneTimeLink = { url: Type.String(), expiresAt: Timestamp }

const ClientName = Type.Object({ clientId: Type.String(), name: Type.String() })
export const Session = Type.Object({
  id: Type.String(),
  signedInAt: Timestamp,
  lastUsedAt: Type.String({
    format: 'date-time',
    description: 'When an application last got a code or tokens in it',
  }),
  browser: Type.Union([Type.String(), Type.Null()], {
    description: 'Name and version, of the browser that signed in: Firefox 145; null: not known',
  }),
  system: Type.Union([Type.String(), Type.Null()], { description: 'Linux; null: not known' }),
  address: Type.Union([Type.String(), Type.Null()], {
    description: 'IP address that it was opened from; null: not known',
  }),
  expiresAt: Type.Union([Timestamp, Type.Null()]),
  current: Type.Boolean({ description: 'The one that the token of this request came from' }),
  applications: Type.Array(ClientName),
})
export type Session = Static<typeof Session>

export const Consent = Type.Object({
  ...ClientName.properties,
  workspace: Type.Union([Type.String(), Type.Null()]),
  scopes: Type.Array(Type.String()),
  since: Timestamp,
})
export type Consent = Static<typeof Consent>

/** All that is kept about a person. */
export const PersonExport = Type.Object({
  user: Type.Object({
    ...User.properties,
    hasPassword: Type.Boolean(),
    language: Type.Union([Type.String(), Type.Null()], { description: 'In which the person read last here' }),
  }),
  memberships: Type.Array(
    Type.Object({
      workspace: Type.String(),
      roles: Type.Array(Role),
      filter: Type.Optional(RowFilter),
      createdAt: Timestamp,
    }),
  ),
  invitations: Type.Array(
    Type.Object({
      workspace: Type.String(),
      roles: Type.Array(Role),
      state: Type.String({ description: 'open, accepted, withdrawn or expired' }),
      createdAt: Timestamp,
      expiresAt: Timestamp,
    }),
  ),
  sessions: Type.Array(Type.Omit(Session, ['current'])),
  consents: Type.Array(Consent),
  refusals: Type.Array(
    Type.Object({ requestId: Type.String(), at: Timestamp, status: Type.Integer(), path: Type.String() }),
    { description: 'Requests of theirs that were refused, of the last 24 hours' },
  ),
  audit: Type.Array(
    Type.Object({
      at: Timestamp,
      action: Type.String(),
      target: Type.String(),
      by: Type.Union([Type.Literal('them'), Type.Literal('others')]),
      address: Type.Optional(Type.String({ description: 'Of what they did themselves' })),
      workspace: Type.Union([Type.String(), Type.Null()]),
    }),
    { description: 'What they did, and what was done to them; newest first, at most 10,000' },
  ),
})
export type PersonExport = Static<typeof PersonExport>

export const Secret = Type.Object({
  id: Type.String(),
  hint: Type.Union([Type.String(), Type.Null()], {
    description: 'How the secret begins, `qrs_` and 4 characters; null: made by a version that kept no hint',
  }),
  createdAt: Timestamp,
  expiresAt: Type.Union([Timestamp, Type.Null()]),
  lastUsedAt: Type.Union([Timestamp, Type.Null()]),
})
export type Secret = Static<typeof Secret>

export const SigningKey = Type.Object({
  kid: Type.String({ description: 'Its thumbprint (RFC 7638), as tokens name it' }),
  algorithm: Type.String({
    description: 'RS256 for ID tokens, or as applications ask; ES256 or EdDSA for access tokens',
  }),
  state: Type.Union([Type.Literal('next'), Type.Literal('signs'), Type.Literal('retired')], {
    description:
      'next: published, and does not sign yet; retired: published until what it signed has expired',
  }),
  signsFrom: Timestamp,
  signsUntil: Type.Union([Timestamp, Type.Null()], { description: 'null: not followed by another yet' }),
})

/** By which clients may sign their assertions, of `private_key_jwt`. Ed25519 and EdDSA are one, by its new name and its old (RFC 9864). */
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'Ed25519', 'EdDSA'] as const

/** A JSON Web Key Set with public keys only, for `private_key_jwt` (RFC 7523). */
export const PublicKeys = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.Unknown()), { minItems: 1, maxItems: 10 }) },
  {
    description:
      'JSON Web Key Set (RFC 7517), public keys only: the client then authenticates by private_key_jwt, without a secret',
  },
)

export const SystemToSystem = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  roles: Type.Array(SystemRole),
  filter: Type.Optional(RowFilter),
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

/** Signature of ID tokens (authorization-server.md, Habits of real clients): RS256, which every client takes, unless asked otherwise. */
export const IdTokenAlgorithm = Type.Union([Type.Literal('RS256'), Type.Literal('ES256')])

export const Application = Type.Object({
  clientId: Type.String(),
  name: Type.String(),
  type: ApplicationType,
  redirectUris: Type.Array(Type.String()),
  origins: Type.Array(Type.String()),
  logoutUris: Type.Array(Type.String()),
  own: Type.Boolean({ description: "The workspace's own: consent may be skipped" }),
  pkce: Type.Boolean({ description: 'Whether it must send a code challenge' }),
  nonce: Type.Boolean({ description: 'Whether it must send a nonce where it sends no code challenge' }),
  idTokenAlgorithm: IdTokenAlgorithm,
  publicKeys: Type.Boolean({ description: 'Authenticates by private_key_jwt' }),
  disabled: Type.Boolean(),
  createdAt: Timestamp,
})
export type Application = Static<typeof Application>

/** Settings of a workspace that the console changes; the workspace file has them all. */
const settings = {
  accessTokenLifetime: Type.String({ pattern: '^[0-9]+[smh]$', description: 'From 1m to 24h' }),
  origins: Type.Array(Url, { maxItems: 100, description: 'More origins whose pages may query' }),
}
export const WorkspaceSettings = Type.Object(settings)
export type WorkspaceSettings = Static<typeof WorkspaceSettings>

/** Who did what, when, from where. */
export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Timestamp,
  actor: Type.String({ description: 'E-mail address, or name of a client; the id of who is removed since' }),
  action: Type.String({ description: 'Id of the management operation' }),
  target: Type.String(),
  targetName: Type.Union([Type.String(), Type.Null()], {
    description:
      'Name of the account or application that the target is the id of; null: neither, or removed since',
  }),
  detail: Type.Record(Type.String(), Type.Unknown()),
  address: Type.String(),
  requestId: Type.String(),
})
export type AuditEntry = Static<typeof AuditEntry>

export const ServerAuditEntry = Type.Object({
  ...AuditEntry.properties,
  workspace: Type.Union([Type.String(), Type.Null()], {
    description: 'null: the server itself, or a workspace that is removed since',
  }),
})
export type ServerAuditEntry = Static<typeof ServerAuditEntry>

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
  account: Type.Optional(
    Type.Object(
      {
        id: Type.String(),
        name: Type.String({ description: 'E-mail address, or name of an account or application' }),
      },
      { description: 'Whom the check was about; absent: not reached, or an account that is gone' },
    ),
  ),
})
export type Check = Static<typeof Check>

export const Inspection = Type.Object({
  allowed: Type.Boolean(),
  header: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  claims: Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]),
  checks: Type.Array(Check),
})
export type Inspection = Static<typeof Inspection>

const Day = Type.String({
  pattern: '^[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$',
  description: 'A day in UTC: 2026-01-31',
})

/** Queries of one account by one endpoint of an API on one day. */
export const Usage = Type.Object({
  day: Day,
  api: Type.String(),
  endpoint: Type.String({ description: 'The first of the stack; empty where the query named none there is' }),
  account: Type.Union([Type.String(), Type.Null()], { description: 'null: a public API' }),
  name: Type.Union([Type.String(), Type.Null()], {
    description:
      'E-mail address, or name of a System-to-System account; null: removed since, or a public API',
  }),
  queries: Type.Integer(),
  failed: Type.Integer({ description: 'Answered with an error, after they were authorised' }),
  empty: Type.Integer({ description: 'Without results' }),
  totalMs: Type.Integer({ description: 'Duration of all of them together' }),
  slowestMs: Type.Integer(),
  durations: Type.Array(Type.Object({ underMs: Type.Integer(), queries: Type.Integer() }), {
    description: 'How many took less than so long',
  }),
})
export type Usage = Static<typeof Usage>

/** What was searched for, without who did; only where `settings.queryLog.parameters` lets it be kept. */
export const Search = Type.Object({
  api: Type.String(),
  parameters: Type.String({
    description:
      'Path of the endpoints, e/search/p/query/cat, at most 1024 characters; or hmac-sha256:… of it',
  }),
  queries: Type.Integer(),
  empty: Type.Integer({ description: 'Without results' }),
})
export type Search = Static<typeof Search>

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
 * are held by members of the workspace in the path (see `authz/access.ts`), and by operators, but for `query`: what `look` shows is what
 * there is to query.
 */
export type Permission = 'operator' | 'account' | 'administer' | 'edit' | 'import' | 'query' | 'look'

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
  /** Body of 202: something else has to happen before the operation is done. */
  acceptedReply?: TSchema
  /** Of a body that is a stream of bytes, in place of `reply`. */
  media?: string
}

const inWorkspace = { workspace: Type.String({ pattern: slugPattern }) }
const WorkspaceParams = Type.Object(inWorkspace)
const ClientParams = Type.Object({ ...inWorkspace, clientId: Type.String({ minLength: 1, maxLength: 100 }) })
const MemberParams = Type.Object({ ...inWorkspace, email: Email })
const UserParams = Type.Object({ email: Email })
const CollectionParams = Type.Object({
  ...inWorkspace,
  collection: Type.String({ pattern: '^[A-Za-z0-9_-]{1,63}$' }),
})
const Password = Type.String({ minLength: 1, maxLength: 1000 })
const invitationMail = {
  language: Type.Optional(MailLanguage),
  mail: Type.Optional(
    Type.Boolean({ description: 'false: no mail, the link is for you to hand over; by default true' }),
  ),
}
const closed = { additionalProperties: false } as const
/** Lists are paged: `after` is the last key of the page before (opaque), `count` 1 to 1,000. */
const Page = Type.Object({
  after: Type.Optional(
    Type.String({
      maxLength: 300,
      // PostgreSQL takes no U+0000.
      pattern: '^[^\\u0000]*$',
      description: '`next` of the page before, at most 300 characters, without U+0000',
    }),
  ),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
})
/** `whose`: how what of theirs begins. Who finds all begins with nothing. */
const SearchedPage = (whose: string) =>
  Type.Object({
    ...Page.properties,
    search: Type.Optional(
      Type.String({
        maxLength: 254,
        pattern: '^[^\\u0000]*$',
        description: `${whose}, in whatever case; at most 254 characters, without U+0000. A page may then hold fewer items than \`count\`, or none, and not be the last: that has no \`next\``,
      }),
    ),
  })
const AuditQuery = Type.Object({
  ...Page.properties,
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: '`next` of the page before' })),
  action: Type.Optional(Type.String({ maxLength: 100, description: 'Id of a management operation' })),
  actor: Type.Optional(
    Type.String({
      maxLength: 254,
      description:
        'Part of the e-mail address or name of who did it, in whatever case; or an id as it stands under `actor`',
    }),
  ),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
})
/** Both inclusive; by default the last 30 days. */
const usageDays = { from: Type.Optional(Day), to: Type.Optional(Day) }
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
        password: Type.Optional(Password),
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
    summary: 'List users by e-mail address, or those who are searched for',
    query: SearchedPage('How an e-mail address or name begins'),
    status: 200,
    reply: list(User),
  },
  updateUser: {
    id: 'updateUser',
    method: 'PATCH',
    path: '/users/{email}',
    permission: 'operator',
    summary: 'Disable or enable a user; disabling signs them out everywhere',
    params: UserParams,
    input: Type.Object({ disabled: Type.Boolean() }, closed),
    status: 200,
    reply: User,
  },
  removeUser: {
    id: 'removeUser',
    method: 'DELETE',
    path: '/users/{email}',
    permission: 'operator',
    summary: 'Remove a user with their memberships, sessions and consents; takes effect at once',
    params: UserParams,
    status: 204,
  },
  resetPassword: {
    id: 'resetPassword',
    method: 'POST',
    path: '/users/{email}/password-reset',
    permission: 'operator',
    summary: 'A one-time link by which a user chooses a new password, good for an hour',
    params: UserParams,
    status: 201,
    reply: Type.Object(oneTimeLink),
  },
  exportUser: {
    id: 'exportUser',
    method: 'GET',
    path: '/users/{email}/export',
    permission: 'operator',
    summary: 'All that is kept about a person',
    params: UserParams,
    status: 200,
    reply: PersonExport,
  },
  listServerAudit: {
    id: 'listServerAudit',
    method: 'GET',
    path: '/audit',
    permission: 'operator',
    summary: 'Who did what, when, from where, on the whole server; newest first',
    query: AuditQuery,
    status: 200,
    reply: list(ServerAuditEntry),
  },
  listKeys: {
    id: 'listKeys',
    method: 'GET',
    path: '/keys',
    permission: 'operator',
    summary:
      'The keys that sign tokens, are to sign them, or signed some that have not expired; oldest first',
    status: 200,
    reply: list(SigningKey),
  },
  rotateKeys: {
    id: 'rotateKeys',
    method: 'POST',
    path: '/keys/rotate',
    permission: 'operator',
    summary: 'Publish the next signing keys, which sign a while later',
    input: Type.Object(
      {
        signsInSeconds: Type.Optional(
          Type.Integer({
            minimum: 5,
            maximum: 7 * 86400,
            default: 600,
            description: 'Until then those who keep the key set can fetch it anew',
          }),
        ),
      },
      closed,
    ),
    status: 200,
    reply: Type.Object({
      published: Type.Array(Type.String(), { description: '`kid` of each key that signs next' }),
      signsFrom: Timestamp,
    }),
  },
  withdrawKey: {
    id: 'withdrawKey',
    method: 'POST',
    path: '/keys/{kid}/withdraw',
    permission: 'operator',
    summary: 'Withdraw a signing key that leaked, and refuse what it signed; takes effect at once',
    params: Type.Object({ kid: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 200,
    reply: Type.Object({
      published: Type.Array(Type.String(), {
        description: '`kid` of the key that signs in its place; empty where another did already',
      }),
      signsFrom: Type.Optional(Timestamp),
    }),
  },
  diagnose: {
    id: 'diagnose',
    method: 'GET',
    path: '/diagnosis',
    permission: 'operator',
    summary: 'What is well with the server and what is not, as it sees itself and this request',
    query: Type.Object({
      allNodes: Type.Optional(
        Type.Union([Type.Literal('true'), Type.Literal('false')], {
          description: 'Whether the reply has `nodes`; default: false',
        }),
      ),
    }),
    status: 200,
    reply: Type.Object({
      baseUrl: Url,
      authUrl: Url,
      checks: Type.Array(HealthCheck),
      nodes: Type.Optional(
        Type.Array(NodeHealth, {
          description:
            'Nodes that run, or ended within the last hour without a stop; each reports itself every 30 s',
        }),
      ),
    }),
  },
  makeBackup: {
    id: 'makeBackup',
    method: 'POST',
    path: '/backup',
    permission: 'operator',
    summary:
      'All that the server keeps, for `querent restore`: as secret as its data folder. Not through the console. Cut short when it fails',
    status: 200,
    media: 'application/gzip',
  },
  getMe: {
    id: 'getMe',
    method: 'GET',
    path: '/me',
    permission: 'account',
    summary: 'Who one is',
    status: 200,
    reply: User,
  },
  changePassword: {
    id: 'changePassword',
    method: 'PUT',
    path: '/me/password',
    permission: 'account',
    summary: 'Change one’s own password; signs out everywhere else',
    input: Type.Object({ current: Password, new: Password }, closed),
    status: 204,
  },
  listMySessions: {
    id: 'listMySessions',
    method: 'GET',
    path: '/me/sessions',
    permission: 'account',
    summary: 'Where one is signed in',
    status: 200,
    reply: list(Session),
  },
  endMySession: {
    id: 'endMySession',
    method: 'DELETE',
    path: '/me/sessions/{sessionId}',
    permission: 'account',
    summary: 'Sign out one session and the applications in it; takes effect at once',
    params: Type.Object({ sessionId: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 204,
  },
  listMyConsents: {
    id: 'listMyConsents',
    method: 'GET',
    path: '/me/consents',
    permission: 'account',
    summary: 'What one allowed applications to do',
    status: 200,
    reply: list(Consent),
  },
  withdrawMyConsent: {
    id: 'withdrawMyConsent',
    method: 'DELETE',
    path: '/me/consents/{clientId}',
    permission: 'account',
    summary: 'Withdraw what one allowed an application; takes effect at once',
    params: Type.Object({ clientId: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 204,
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
        // Empty and too long ones are told with line and column, as all else that is wrong with a file.
        source: Type.String({ description: 'The file, YAML or JSON, at most 1 MiB' }),
        dryRun: Type.Optional(Type.Boolean()),
        onlyNew: Type.Optional(
          Type.Boolean({ description: 'true: 409 where there is a workspace of this name already' }),
        ),
      },
      closed,
    ),
    status: 200,
    reply: ApplyReply,
  },
  removeWorkspace: {
    id: 'removeWorkspace',
    method: 'DELETE',
    path: '/workspaces/{workspace}',
    permission: 'administer',
    summary:
      'Remove a workspace with its documents, members, accounts and applications; takes effect at once',
    params: WorkspaceParams,
    status: 204,
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
  listApis: {
    id: 'listApis',
    method: 'GET',
    path: '/workspaces/{workspace}/apis',
    permission: 'look',
    summary: 'List APIs and their endpoints',
    params: WorkspaceParams,
    status: 200,
    reply: Type.Object({ items: Type.Array(ApiSummary) }),
  },
  listCollections: {
    id: 'listCollections',
    method: 'GET',
    path: '/workspaces/{workspace}/collections',
    permission: 'import',
    summary: 'List collections and their fields; who only puts documents in is not told how many there are',
    params: WorkspaceParams,
    status: 200,
    reply: Type.Object({ items: Type.Array(CollectionSummary) }),
  },
  listGenerations: {
    id: 'listGenerations',
    method: 'GET',
    path: '/workspaces/{workspace}/collections/{collection}/generations',
    permission: 'edit',
    summary: 'List the generations of a collection that are kept, newest first',
    params: CollectionParams,
    status: 200,
    reply: Type.Object({ items: Type.Array(Generation) }),
  },
  promoteGeneration: {
    id: 'promoteGeneration',
    method: 'POST',
    path: '/workspaces/{workspace}/collections/{collection}/generations/promote',
    permission: 'edit',
    summary: 'Let a complete generation answer; without an id the newest',
    params: CollectionParams,
    input: Type.Object({ generation: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })) }, closed),
    status: 200,
    reply: Generation,
  },
  rollBackGeneration: {
    id: 'rollBackGeneration',
    method: 'POST',
    path: '/workspaces/{workspace}/collections/{collection}/generations/rollback',
    permission: 'edit',
    summary: 'Let the generation answer again that was promoted before the present one',
    params: CollectionParams,
    status: 200,
    reply: Generation,
  },
  getSettings: {
    id: 'getSettings',
    method: 'GET',
    path: '/workspaces/{workspace}/settings',
    permission: 'administer',
    summary: 'Settings of the workspace',
    params: WorkspaceParams,
    status: 200,
    reply: WorkspaceSettings,
  },
  updateSettings: {
    id: 'updateSettings',
    method: 'PATCH',
    path: '/workspaces/{workspace}/settings',
    permission: 'administer',
    summary: 'Change settings of the workspace; takes effect with the next token, and with the next request',
    params: WorkspaceParams,
    input: Type.Object(
      {
        accessTokenLifetime: Type.Optional(settings.accessTokenLifetime),
        origins: Type.Optional(settings.origins),
      },
      closed,
    ),
    status: 200,
    reply: WorkspaceSettings,
  },
  listAudit: {
    id: 'listAudit',
    method: 'GET',
    path: '/workspaces/{workspace}/audit',
    permission: 'administer',
    summary: 'Who did what, when, from where; newest first',
    params: WorkspaceParams,
    query: AuditQuery,
    status: 200,
    reply: list(AuditEntry),
  },
  listMembers: {
    id: 'listMembers',
    method: 'GET',
    path: '/workspaces/{workspace}/members',
    permission: 'administer',
    summary: 'List members, or those who are searched for',
    params: WorkspaceParams,
    query: SearchedPage('How an e-mail address or name begins, or a whole Client ID'),
    status: 200,
    reply: list(Member),
  },
  setMember: {
    id: 'setMember',
    method: 'PUT',
    path: '/workspaces/{workspace}/members/{email}',
    permission: 'administer',
    summary:
      'Set the roles of a member, or add a person whose address is confirmed; any other person is invited instead (202)',
    params: MemberParams,
    input: Type.Object(
      {
        roles: Type.Array(Role, { minItems: 1, uniqueItems: true }),
        filter: Type.Optional(Type.Union([RowFilter, Type.Null()])),
        ...invitationMail,
      },
      closed,
    ),
    status: 200,
    reply: Member,
    acceptedReply: NewInvitation,
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
  inviteMember: {
    id: 'inviteMember',
    method: 'POST',
    path: '/workspaces/{workspace}/invitations',
    permission: 'administer',
    summary: 'Invite a person by e-mail address; good for 7 days and once; replaces an earlier invitation',
    params: WorkspaceParams,
    input: Type.Object(
      {
        email: Email,
        roles: Type.Array(Role, { minItems: 1, uniqueItems: true }),
        filter: Type.Optional(RowFilter),
        ...invitationMail,
      },
      closed,
    ),
    status: 201,
    reply: NewInvitation,
  },
  listInvitations: {
    id: 'listInvitations',
    method: 'GET',
    path: '/workspaces/{workspace}/invitations',
    permission: 'administer',
    summary: 'List invitations that nobody accepted yet, by e-mail address',
    params: WorkspaceParams,
    query: Page,
    status: 200,
    reply: list(Invitation),
  },
  withdrawInvitation: {
    id: 'withdrawInvitation',
    method: 'DELETE',
    path: '/workspaces/{workspace}/invitations/{invitationId}',
    permission: 'administer',
    summary: 'Withdraw an invitation; takes effect at once',
    params: Type.Object({ ...inWorkspace, invitationId: Type.String({ minLength: 1, maxLength: 100 }) }),
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
    summary: 'List System-to-System accounts, or those that are searched for',
    params: WorkspaceParams,
    query: SearchedPage('How a name begins, or a whole Client ID'),
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
        pkce: Type.Optional(
          Type.Boolean({
            description: 'false, for type server alone: it sends a nonce in place of a code challenge',
          }),
        ),
        nonce: Type.Optional(
          Type.Boolean({
            description:
              'false, with pkce false: it sends neither, and nothing guards its codes (RFC 9700, section 2.1.1); for conformance runs',
          }),
        ),
        idTokenAlgorithm: Type.Optional(IdTokenAlgorithm),
        publicKeys: Type.Optional(PublicKeys),
      },
      closed,
    ),
    status: 201,
    reply: Type.Object({
      ...Application.properties,
      clientSecret: Type.Optional(
        Type.String({ description: 'For type server; shown this once, absent with publicKeys' }),
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
    summary: 'Change an application, disable or enable it; takes effect at once',
    params: ClientParams,
    input: Type.Object(
      {
        name: Type.Optional(Name),
        redirectUris: Type.Optional(Type.Array(Url, { minItems: 1, maxItems: 100 })),
        origins: Type.Optional(Type.Array(Url, { maxItems: 100 })),
        logoutUris: Type.Optional(Type.Array(Url, { maxItems: 100 })),
        own: Type.Optional(Type.Boolean()),
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
  listUsage: {
    id: 'listUsage',
    method: 'GET',
    path: '/workspaces/{workspace}/usage',
    permission: 'edit',
    summary: 'How much was queried: by day, API, endpoint and account',
    params: WorkspaceParams,
    query: Type.Object({ ...usageDays, ...Page.properties }),
    status: 200,
    reply: list(Usage),
  },
  listSearches: {
    id: 'listSearches',
    method: 'GET',
    path: '/workspaces/{workspace}/usage/searches',
    permission: 'edit',
    summary: 'The commonest searches, where the workspace keeps parameters',
    params: WorkspaceParams,
    query: Type.Object({ ...usageDays, count: Page.properties.count }),
    status: 200,
    reply: Type.Object({ items: Type.Array(Search) }),
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
/** Body of 202, for operations that have one. */
export type AcceptedReply<Id extends OperationId> = (typeof operations)[Id] extends {
  acceptedReply: infer S extends TSchema
}
  ? Static<S>
  : never
export type OperationReply<Id extends OperationId> = Part<Id, 'reply'> | AcceptedReply<Id>
