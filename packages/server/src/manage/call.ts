/** Input of a management operation: dependencies, caller, workspace, and validated parameters. */

import type { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type {
  AcceptedReply,
  MissingDocuments,
  OperationId,
  OperationInput,
  OperationParams,
  OperationQuery,
  OperationReply,
  operations,
} from '@querent/contract/manage'
import type { Proposal } from '@querent/contract/proposal'
import type { LeakTest, LeakTestOutcome } from '@querent/contract/relevance-tests'
import { commandLineAgent, type RightsSource } from '@querent/contract/rights-sources'
import type { FastifyRequest } from 'fastify'
import type { DomainDns } from '#accounts/domain-dns'
import type { Mailer } from '#accounts/mail'
import type { SecurityNotices } from '#accounts/security-notices'
import type { Bearer } from '#authz/bearer'
import type { Principal } from '#authz/principal'
import type { RefusalLog } from '#authz/refusal-log'
import type { SignInLog } from '#authz/sign-in-log'
import type { Collections } from '#collections/collections'
import type { Embedders } from '#embedding/embedders'
import type { Engine, GenerationInfo } from '#engines/engine'
import type { KeyRotation } from '#keys/key-rotation'
import type { ProviderSecrets } from '#keys/provider-secrets'
import type { createUnreadableCount } from '#keys/unreadable-secrets'
import { type AuditEntry, recordAudit } from '#storage/audit'
import { consoleClientId } from '#storage/clients'
import type { Storage, Writer } from '#storage/db'
import type { Directory } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Activity } from '#usage/activity'
import type { UsageLog } from '#usage/usage-log'
import type { NodeReport } from './node-report.ts'

/** Operations on generations of collections. */
export type ManagedCollections = Pick<
  Collections,
  'reconcile' | 'redefine' | 'planRemoval' | 'list' | 'promote' | 'sample' | 'hasValue'
>

/** Records a backup, for example in the audit log. */
export interface BackupRecord {
  requestId: string
  start(): Promise<unknown>
  /** Called before the backup ends, if documents are missing. */
  incomplete(missing: readonly MissingDocuments[]): Promise<unknown>
  failed(reason: string): Promise<unknown>
}

/** A fault in the metadata of an issuer. `found`: the issuer in them, or the members that they lack. */
export interface IssuerFault {
  kind: 'unreachable' | 'missing' | 'other-issuer' | 'incomplete'
  url: string
  found: string
}

export interface ManagementDependencies {
  storage: Storage
  directory: Directory
  bearer: Bearer
  refusalLog: RefusalLog
  signInLog: Pick<SignInLog, 'flush'>
  activity: Pick<Activity, 'record' | 'flush'>
  usageLog: Pick<UsageLog, 'flush' | 'decryptSearch' | 'live'>
  /** Whether this process answers queries, or only other ones do. */
  answersQueries: boolean
  /** Origins without a trailing slash. */
  authUrl: string
  baseUrl: string
  /** Schemes without a dot that native applications may use for redirect URIs. */
  nativeSchemes: readonly string[]
  collections: ManagedCollections
  /** Returns a document of the live generation as the engine stores it. Throws 503 if there is none yet. */
  readDocument(workspaceId: string, collection: string, uri: string): Promise<string | undefined>
  leakTests: {
    /** Runs tests in the generations that answer. `config` replaces the configurations that they name. */
    run(workspace: WorkspaceRow, tests: readonly LeakTest[], config?: string): Promise<LeakTestOutcome[]>
  }
  /** Embedders that workspaces may name, and {@link Engine.missingForVectors}, if the engine has it. */
  vectors?: { embedders?: Embedders; missing: Engine['missingForVectors'] }
  /**
   * Streams a backup of the whole server, after its start is recorded. Throws 503 while another one is running.
   */
  backups: { make(record: BackupRecord): Promise<Readable> }
  /** Returns argon2id in PHC form. */
  hashPassword(password: string): Promise<string>
  /** Throws `bad-documents` if there is nothing to propose. */
  propose(workspaceId: string, input: Call<'proposeCollection'>['input']): Promise<Proposal>
  /** Inputs of `diagnose` besides the storage. */
  diagnostics: {
    /**
     * Returns the engine's information about the live generation; undefined if there is none. Calls `mayOpen`
     * before opening one. Rejects if it cannot be opened or the engine does not answer.
     */
    live(
      workspaceId: string,
      collection: string,
      mayOpen: () => boolean,
    ): Promise<GenerationInfo | 'unopened' | undefined>
    /** {@link Engine.ping}, if the engine has it. */
    ping: Engine['ping']
    /** The data folder. */
    data: string
    /** Limits of the process that are too low for the settings, a sentence each. */
    limitWarnings: readonly string[]
    accessTokenAlgorithm: 'ES256' | 'EdDSA'
    /** Age at which a signing key is replaced. */
    keyRotationDays: number | 'off'
    /** Whether a mail server is configured. */
    canMail: boolean
  }
  /** The nodes of the service. */
  nodes: Pick<NodeReport, 'list' | 'version'>
  providerSecrets: ProviderSecrets
  /** Counts stored secrets that the current key cannot decrypt. */
  countUnreadable: ReturnType<typeof createUnreadableCount>
  domainDns: DomainDns
  /** Fetches the metadata of an OpenID provider and returns what is wrong with them; undefined: nothing. */
  checkIssuer(issuer: string): Promise<IssuerFault | undefined>
  keyRotation: Pick<KeyRotation, 'rotate' | 'withdraw'>
  securityNotices: Pick<SecurityNotices, 'send'>
  mail: Pick<Mailer, 'send' | 'test' | 'supports' | 'description' | 'isAvailable'>
  /** Invitation mails an hour for each address; a workspace may send 20 times as many a day. */
  invitationThrottle: number | 'off'
  /** Wrong passwords a minute for each account. */
  signInThrottle: number | 'off'
  /** Fewest characters of a new password. */
  passwordLengthMin: number
  /** Client address behind trusted proxies. */
  clientAddress(request: FastifyRequest): string
  /** Whether forwarding headers from this address are trusted. */
  isTrustedProxy(address: string): boolean
}

/** Set for operations on one workspace, which exists and is open to the caller. */
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
  /** Fields of the audit entry: actor, provider of their sign-in, action and address. */
  origin: Pick<AuditEntry, 'actor' | 'byProvider' | 'action' | 'address' | 'requestId'>
  /** Checks in a transaction that the caller may still do this. Throws 401, 403 or 404. */
  recheckCaller(writer: Writer): Promise<void>
  /** Path of the request without the query, unchanged. */
  path: string
  /** Connection of the request: its peer, and headers of proxies. */
  arrival: { peer: string; headers: FastifyRequest['headers'] }
}

/** A reply with status 202 and the operation's `acceptedReply`. */
export class AcceptedResult<T> {
  readonly reply: T
  constructor(reply: T) {
    this.reply = reply
  }
}

/** Handles one operation: resolves to its reply, throws a Problem. */
export type Handler<Id extends OperationId> = (
  deps: ManagementDependencies,
  call: Call<Id>,
) => Promise<
  (typeof operations)[Id] extends { media: string }
    ? Readable
    : Exclude<OperationReply<Id>, AcceptedReply<Id>> | AcceptedResult<AcceptedReply<Id>>
>

/**
 * Records the call in the transaction of the change, also in one begun outside of the handler's storage.
 * Throws 401, 403 or 404 if the caller is no longer authorized. `detail` never holds a secret.
 */
export const audit = async (
  writer: Writer,
  call: Pick<Call, 'origin' | 'recheckCaller'>,
  entry: Pick<AuditEntry, 'workspaceId' | 'target' | 'detail'>,
): Promise<void> => {
  await call.recheckCaller(writer)
  await recordAudit(writer, { ...call.origin, ...entry })
}

/**
 * Where a change of rights comes from, for the audit entry, as far as the server can know. A token of the console may be used by another
 * program, which sends no `Origin`; the command line says its name. Claims of a provider have `claim`.
 */
export const rightsSource = (
  { authUrl }: Pick<ManagementDependencies, 'authUrl'>,
  { principal, arrival }: Pick<Call, 'principal' | 'arrival'>,
  isFile = false,
): RightsSource => {
  const { origin, 'user-agent': agent } = arrival.headers
  if (principal.client.id === consoleClientId) {
    if (origin === authUrl) return 'console'
  } else if (agent === commandLineAgent && !isFile) return 'command-line'
  return isFile ? 'file' : 'api'
}

/**
 * Returns the previous values of all changed fields, as `before` for the audit entry. A field that was not
 * set is null, because JSON has no undefined.
 */
export const makeAuditDiff = (
  previous: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): { before: Record<string, unknown> } => {
  const changed = Object.entries(changes).filter(
    ([field, value]) => value !== undefined && !isDeepStrictEqual(value ?? null, previous[field] ?? null),
  )
  return { before: Object.fromEntries(changed.map(([field]) => [field, previous[field] ?? null])) }
}

/** Formats milliseconds since 1970 as the contract writes times. */
export const timestamp = (ms: number): string => new Date(ms).toISOString()
