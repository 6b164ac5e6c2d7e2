/** The audit logs of a workspace and of the server. */
import { type Static, Type } from '#schema'
import { Timestamp } from './fields.ts'
import { list, type Operations, Page, WorkspaceParams } from './operation.ts'

/** One entry of the audit log: actor, action, target, time and IP address. */
export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Timestamp,
  actor: Type.String({
    description: 'E-mail address or client name; the id if the account has been removed',
  }),
  action: Type.String({ description: 'Id of the management operation' }),
  target: Type.String(),
  targetName: Type.Union([Type.String(), Type.Null()], {
    description: 'Name of the account or application whose id is the target; null: neither, or removed',
  }),
  detail: Type.Record(Type.String(), Type.Unknown()),
  address: Type.String(),
  requestId: Type.String(),
})
export type AuditEntry = Static<typeof AuditEntry>

export const ServerAuditEntry = Type.Object({
  ...AuditEntry.properties,
  workspace: Type.Union([Type.String(), Type.Null()], {
    description: 'null: the server itself, or a workspace that has been removed',
  }),
})
export type ServerAuditEntry = Static<typeof ServerAuditEntry>

const AuditQuery = Type.Object({
  ...Page.properties,
  after: Type.Optional(Type.String({ pattern: '^[0-9]{1,15}$', description: '`next` of the previous page' })),
  action: Type.Optional(Type.String({ maxLength: 100, description: 'Id of a management operation' })),
  actor: Type.Optional(
    Type.String({
      maxLength: 254,
      description: 'Part of the e-mail address or name of the actor, ignoring case; or an id as in `actor`',
    }),
  ),
  from: Type.Optional(Timestamp),
  to: Type.Optional(Timestamp),
})

export const auditOperations = {
  listServerAudit: {
    id: 'listServerAudit',
    method: 'GET',
    path: '/audit',
    permission: 'operator',
    summary: 'List the audit log of the whole server, newest first',
    query: AuditQuery,
    status: 200,
    reply: list(ServerAuditEntry),
  },
  listAudit: {
    id: 'listAudit',
    method: 'GET',
    path: '/workspaces/{workspace}/audit',
    permission: 'administer',
    summary: 'List the audit log of a workspace, newest first',
    params: WorkspaceParams,
    query: AuditQuery,
    status: 200,
    reply: list(AuditEntry),
  },
} as const satisfies Operations
