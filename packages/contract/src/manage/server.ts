/** Version, workspaces, signing keys, mail, health and backup of the server, for operators. */
import { type Static, Type } from '#schema'
import { Email, Password, Timestamp, Url } from './fields.ts'
import { closed, list, type Operations, Page } from './operation.ts'

/** Subjects of the checks of a server (docs/operate.md, "Is it well?"). Some appear only if there is something to report. */
export const healthCheckNames = [
  'data',
  'server',
  'addresses',
  'tls',
  'clock',
  'storage',
  'keys',
  'former address',
  'secrets',
  'people',
  'engine',
  'disk',
  'limits',
  'mail',
  'backup',
  'domains',
  'proxy',
  'node',
] as const

/** A sentence of a check, or a part of one. */
export const HealthPart = Type.Object({
  code: Type.String(),
  values: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()])),
})

const HealthParts = Type.Array(HealthPart, {
  description: 'The parts of the sentence with stable codes, to translate it; absent: it has none',
})

/** Result of one check of the server. */
export const HealthCheck = Type.Object({
  // Open, because a client may meet a later server.
  name: Type.Unsafe<(typeof healthCheckNames)[number]>(
    Type.String({ description: `Subject of the check: ${healthCheckNames.join(', ')}` }),
  ),
  state: Type.Union([Type.Literal('ok'), Type.Literal('warn'), Type.Literal('fail')]),
  message: Type.String({ description: 'Result of the check' }),
  advice: Type.Optional(Type.String({ description: 'What to do; absent if the check passed' })),
  messageParts: Type.Optional(HealthParts),
  adviceParts: Type.Optional(HealthParts),
})
export type HealthCheck = Static<typeof HealthCheck>

/** The last report of one node of the service. */
export const NodeHealth = Type.Object({
  id: Type.String({ description: 'Changes with each start of the node' }),
  services: Type.Array(Type.Union([Type.Literal('query'), Type.Literal('authorization')])),
  host: Type.String({ description: 'Name of its machine' }),
  listening: Type.Array(Type.String(), { description: 'Origins it listens on, in the order of services' }),
  version: Type.String(),
  startedAt: Timestamp,
  seenAt: Timestamp,
  checks: Type.Array(HealthCheck, {
    description: 'Checks of the node itself; only the warning `node` if it was not seen for 2 minutes',
  }),
})
export type NodeHealth = Static<typeof NodeHealth>

/** A generation whose documents a backup lacks, because they could not be read. */
export const MissingDocuments = Type.Object({
  workspace: Type.String(),
  collection: Type.String(),
  generation: Type.String({ description: 'Its name: 1, 2, …' }),
  live: Type.Boolean({ description: 'Whether it answered queries when the backup was made' }),
  reason: Type.String({ description: 'Why the documents could not be read' }),
})
export type MissingDocuments = Static<typeof MissingDocuments>

export const SigningKey = Type.Object({
  kid: Type.String({ description: 'Thumbprint of the key (RFC 7638), as in tokens' }),
  algorithm: Type.String({
    description:
      'RS256 for ID tokens, unless an application requests another; ES256 or EdDSA for access tokens',
  }),
  state: Type.Union([Type.Literal('next'), Type.Literal('signs'), Type.Literal('retired')], {
    description:
      'next: published, but does not sign yet; retired: published until its signatures have expired',
  }),
  signsFrom: Timestamp,
  signsUntil: Type.Union([Timestamp, Type.Null()], { description: 'null: no successor yet' }),
})

export const MailServer = Type.Object({
  server: Type.String({ description: 'Host and port of the mail server' }),
  from: Type.String({ description: 'Sender of mails' }),
})

export const ServerSummary = Type.Object({
  version: Type.String(),
  baseUrl: Url,
  authUrl: Url,
  storage: Type.Union([Type.Literal('sqlite'), Type.Literal('postgres')]),
  engine: Type.Union([Type.Literal('embedded'), Type.Literal('opensearch')]),
  mail: Type.Union([MailServer, Type.Null()], { description: 'null: no mail server is configured' }),
  lastBackupAt: Type.Union([Timestamp, Type.Null()], { description: 'null: none was made' }),
  lastBackupMissing: Type.Array(MissingDocuments, {
    description: 'Documents that the last backup lacks; empty if it is complete',
  }),
})
export type ServerSummary = Static<typeof ServerSummary>

/** A workspace with the size of its parts. */
export const WorkspaceSize = Type.Object({
  workspace: Type.String(),
  title: Type.String(),
  createdAt: Timestamp,
  people: Type.Integer(),
  systemToSystem: Type.Integer({ description: 'System-to-System accounts' }),
  collections: Type.Integer(),
  documents: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Documents of the live generations; null: some collections were not opened to count them',
  }),
})
export type WorkspaceSize = Static<typeof WorkspaceSize>

export const TestMailReply = Type.Object({
  accepted: Type.Boolean({ description: 'Whether the mail server accepted the mail' }),
  answer: Type.String({
    description: 'Answer of the mail server, or the reason why there was none; without passwords',
  }),
})
export type TestMailReply = Static<typeof TestMailReply>

export const serverOperations = {
  getServer: {
    id: 'getServer',
    method: 'GET',
    path: '/server',
    permission: 'operator',
    summary: 'Get the version of the server and its main settings',
    status: 200,
    reply: ServerSummary,
  },
  listWorkspaceSizes: {
    id: 'listWorkspaceSizes',
    method: 'GET',
    path: '/server/workspaces',
    permission: 'operator',
    summary: 'List all workspaces with the numbers of members, collections and documents',
    query: Page,
    status: 200,
    reply: list(WorkspaceSize),
  },
  sendTestMail: {
    id: 'sendTestMail',
    method: 'POST',
    path: '/server/test-mail',
    permission: 'operator',
    summary: 'Send a test mail and return the answer of the mail server; 409 if none is configured',
    input: Type.Object({ to: Email }, closed),
    status: 200,
    reply: TestMailReply,
  },
  listKeys: {
    id: 'listKeys',
    method: 'GET',
    path: '/keys',
    permission: 'operator',
    summary: 'List the current, next and retired signing keys, oldest first',
    status: 200,
    reply: list(SigningKey),
  },
  rotateKeys: {
    id: 'rotateKeys',
    method: 'POST',
    path: '/keys/rotate',
    permission: 'operator',
    summary: 'Publish the next signing keys, which start to sign later',
    input: Type.Object(
      {
        signsInSeconds: Type.Optional(
          Type.Integer({
            minimum: 5,
            maximum: 7 * 86400,
            default: 600,
            description: 'Delay before the keys sign, so that clients can fetch the new key set',
          }),
        ),
      },
      closed,
    ),
    status: 200,
    reply: Type.Object({
      published: Type.Array(Type.String(), { description: '`kid` of each new key' }),
      signsFrom: Timestamp,
    }),
  },
  withdrawKey: {
    id: 'withdrawKey',
    method: 'POST',
    path: '/keys/{kid}/withdraw',
    permission: 'operator',
    summary: 'Revoke a leaked signing key and reject its signatures; takes effect immediately',
    params: Type.Object({ kid: Type.String({ minLength: 1, maxLength: 100 }) }),
    status: 200,
    reply: Type.Object({
      published: Type.Array(Type.String(), {
        description: '`kid` of the replacement; empty if another key already signed',
      }),
      signsFrom: Type.Optional(Timestamp),
    }),
  },
  diagnose: {
    id: 'diagnose',
    method: 'GET',
    path: '/diagnosis',
    permission: 'operator',
    summary: 'Check the health of the server, and how it sees this request',
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
          description: 'Nodes that run, or crashed within the last hour; each reports every 30 s',
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
      'Stream a backup of all data for `querent restore`. It is as secret as the data folder. Not available to the console. An error cuts it short. Its last line names documents that could not be read (`missing`)',
    status: 200,
    media: 'application/gzip',
  },
  downloadBackup: {
    id: 'downloadBackup',
    method: 'POST',
    path: '/backup/download',
    permission: 'operator',
    summary: 'Like `makeBackup`, for the console: it also needs the password of the operator',
    input: Type.Object({ password: Password }, closed),
    status: 200,
    media: 'application/gzip',
  },
} as const satisfies Operations
