/** What a management operation gets: its dependencies, who calls, where, and with which checked input. */
import type { Readable } from 'node:stream'
import type {
  AcceptedReply,
  OperationId,
  OperationInput,
  OperationParams,
  OperationQuery,
  OperationReply,
  operations,
} from '@querent/contract/manage'
import type { Definition } from '@querent/contract/workspace-file'
import type { FastifyRequest } from 'fastify'
import type { Mailer } from '#accounts/mail'
import type { Bearer, Principal } from '#authz/bearer'
import type { RefusalLog } from '#authz/refusal-log'
import type { Engine, GenerationInfo } from '#engines/engine'
import type { KeyRotation } from '#keys/key-rotation'
import { type AuditEntry, recordAudit } from '#storage/audit'
import type { Storage, Writer } from '#storage/db'
import type { Directory } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Activity } from '#usage/activity'
import type { UsageLog } from '#usage/usage-log'
import type { NodeReport } from './node-report.ts'

/** What management asks of the generations of collections. */
export interface ManagedCollections {
  /** Brings the generations of a workspace in line with its definition, after it was committed. */
  reconcile(workspaceId: string): Promise<void>
  /**
   * Builds what a new definition needs beside what answers, then calls `commit`, which stores the definition and calls `promote` in
   * the same transaction. Nothing has changed when either throws.
   */
  redefine<T>(
    workspaceId: string,
    definition: Definition,
    commit: (promote: (writer: Writer) => Promise<void>) => Promise<T>,
  ): Promise<T>
  /** In the transaction that removes the workspace: its documents are dropped when no query can be running on them. */
  planRemoval(writer: Writer, workspaceId: string): Promise<void>
  /** Newest first; times in milliseconds since 1970. `mayOpen` is asked before one is opened to be counted; without it all are. */
  list(
    workspace: WorkspaceRow,
    collection: string,
    mayOpen?: () => boolean,
  ): Promise<
    {
      name: string
      createdAt: number
      documents: number | undefined
      state: 'building' | 'complete' | 'promoted'
      promotedAt: number | undefined
      configurations: string[]
    }[]
  >
  /** Lets the generation answer that `choose` picks, by name, or that it throws for; runs `also` in the same transaction. */
  promote(
    workspaceId: string,
    collection: string,
    choose: (candidates: {
      complete: string[]
      building: string[]
      latest: string | undefined
      /** The one that answers first. */
      promoted: string[]
    }) => string,
    also: (writer: Writer, name: string) => Promise<void>,
  ): Promise<string>
}

export interface ManagementDependencies {
  storage: Storage
  directory: Directory
  bearer: Bearer
  refusalLog: RefusalLog
  activity: Pick<Activity, 'record' | 'flush'>
  usageLog: Pick<UsageLog, 'flush'>
  /** Origins without a slash at the end. */
  authUrl: string
  baseUrl: string
  collections: ManagedCollections
  /** The bytes of a backup of the whole server, from when `record` is done. Throws 503 while another is made. */
  backups: { make(record: () => Promise<void>): Promise<Readable> }
  /** argon2id in PHC form. */
  hashPassword(password: string): Promise<string>
  /** What `diagnose` looks at beside the storage. */
  diagnostics: {
    /**
     * What the engine says of the live generation; undefined when there is none. `mayOpen` is asked before one is opened for it. Rejects
     * when it cannot be opened, or the engine does not answer.
     */
    live(
      workspaceId: string,
      collection: string,
      mayOpen: () => boolean,
    ): Promise<GenerationInfo | 'unopened' | undefined>
    /** {@link Engine.ping}, where the engine has one. */
    ping: Engine['ping']
    /** The data folder. */
    data: string
    accessTokenAlgorithm: 'ES256' | 'EdDSA'
    /** Age at which a signing key is followed by the next. */
    keyRotationDays: number | 'off'
    /** Whether there is a mail server. */
    canMail: boolean
  }
  /** The nodes of the service. */
  nodes: Pick<NodeReport, 'list'>
  keyRotation: Pick<KeyRotation, 'rotate' | 'withdraw'>
  mail: Pick<Mailer, 'send' | 'isAvailable'>
  /** Mails with an invitation an hour for each address; a workspace sends 20 times as many a day. */
  invitationThrottle: number | 'off'
  /** Wrong passwords a minute for each account. */
  signInThrottle: number | 'off'
  /** Address of the client, behind trusted proxies. */
  clientAddress(request: FastifyRequest): string
  /** Whether what this address says of its clients is believed. */
  isTrustedProxy(address: string): boolean
}

/** Operations on one workspace have it; it is known to be there and the caller's to work on. */
type OperationWorkspace<Id extends OperationId> = (typeof operations)[Id]['permission'] extends
  | 'operator'
  | 'account'
  ? undefined
  : WorkspaceRow

export interface Call<Id extends OperationId = OperationId> {
  principal: Principal
  workspace: OperationWorkspace<Id>
  params: OperationParams<Id>
  query: OperationQuery<Id>
  input: OperationInput<Id>
  /** Of the audit entry: who, what, from where. */
  origin: Pick<AuditEntry, 'actor' | 'action' | 'address' | 'requestId'>
  /** Checks in a transaction that the caller may still do this. Throws 401, 403 or 404. */
  recheckCaller(writer: Writer): Promise<void>
  /** Path as it came, without the query. */
  path: string
  /** How it came to this process: whoever is at the other end, and what proxies say. */
  arrival: { peer: string; headers: FastifyRequest['headers'] }
}

/** A reply with status 202: the body of the operation's `acceptedReply`. */
export class AcceptedResult<T> {
  readonly reply: T
  constructor(reply: T) {
    this.reply = reply
  }
}

/** One operation: resolves to its reply, throws a Problem. */
export type Handler<Id extends OperationId> = (
  deps: ManagementDependencies,
  call: Call<Id>,
) => Promise<
  (typeof operations)[Id] extends { media: string }
    ? Readable
    : Exclude<OperationReply<Id>, AcceptedReply<Id>> | AcceptedResult<AcceptedReply<Id>>
>

/**
 * Records the call in the transaction that makes the change, also one that the storage of the handler's dependencies did not begin. Throws
 * 401, 403 or 404 when the caller may no longer make it. `detail` never holds a secret.
 */
export const audit = async (
  writer: Writer,
  call: Pick<Call, 'origin' | 'recheckCaller'>,
  entry: Pick<AuditEntry, 'workspaceId' | 'target' | 'detail'>,
): Promise<void> => {
  await call.recheckCaller(writer)
  await recordAudit(writer, { ...call.origin, ...entry })
}

/** Milliseconds since 1970 as the contract writes times. */
export const timestamp = (ms: number): string => new Date(ms).toISOString()
