/** Authorizes requests to the documents API, before anything in the request is read. */
import { isDeepStrictEqual } from 'node:util'
import type { Collection } from '@querent/contract/workspace-file'
import type { FastifyRequest } from 'fastify'
import { checkCollection, workspaceAccess } from '#authz/access'
import {
  type AuthorizationDependencies,
  type AuthorizationRequest,
  type AuthorizedCaller,
  authorize,
  reauthorize,
  refuseAccess,
} from '#authz/authorize'
import type { Bearer } from '#authz/bearer'
import { blockedByRowFilterMessage, isBlockedByRowFilter, publicCollections } from '#authz/public-content'
import type { RefusalLog } from '#authz/refusal-log'
import { isLimited, type Rights, seesAllDocuments } from '#authz/rights'
import { refuseTokenInUrl } from '#authz/token-in-url'
import type { Collections } from '#collections/collections'
import type { Embedding } from '#embedding/embedding'
import type { Engine } from '#engines/engine'
import { Problem } from '#errors'
import type { Origins } from '#http/origins'
import type { OpenReplySize } from '#http/reply-size'
import type { Storage, Writer } from '#storage/db'
import { type AccessLookups, createStoredLookups, type Directory } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Counters } from '#telemetry/counters'
import type { Activity } from '#usage/activity'
import type { UsageLog } from '#usage/usage-log'
import { type DocumentsAddress, readDocumentsAddress } from './address.ts'
import { type DocumentReader, documentReader } from './entity.ts'
import { createWriteFilter, filteredReader, type WriteFilter } from './row-filter.ts'

export interface DocumentsDependencies {
  directory: Directory
  bearer: Bearer
  refusalLog: RefusalLog
  activity: Pick<Activity, 'record'>
  engine: Engine
  /** Undefined without embedders. */
  embedding?: Embedding
  collections: Collections
  origins: Origins
  /** Origins without a trailing slash. */
  baseUrl: string
  authUrl: string
  storage: Pick<Storage, 'write' | 'db' | 'kind'>
  /** Key of the cursors of found documents. */
  cursorKey: Buffer
  /** How long the body may pause. */
  idleMs?: number
  counts: Pick<Counters, 'imports'>
  usageLog: Pick<UsageLog, 'recordImport'>
  /** Counts large replies together with others of the process. */
  openReplySize: OpenReplySize
}

/** Target of an authorized request. */
export interface DocumentsContext extends AuthorizedCaller {
  address: DocumentsAddress
  requestId: string
  /** IP address of the client. */
  clientAddress: string
  /** Name of the collection. */
  name: string
  collection: Collection
  reader: DocumentReader
  /** Limits writes by the member's row filter; undefined without a row filter. */
  writeFilter: WriteFilter | undefined
  /** The attributes and paths of fields that the caller does not see. Their values stay as they are. Undefined: none. */
  hiddenPaths: readonly string[] | undefined
  /**
   * Resolves if the caller may still do this. Answers from memory unless something has changed. Await it
   * before each part of a body takes effect. Throws 401 or 403, also if the row filter has changed.
   */
  confirm(): Promise<void>
  /** Like `confirm`, but reads from the storage inside the transaction. */
  confirmIn(writer: Writer): Promise<void>
}

/** Throws 401 or 403, then 404 for a collection that the workspace does not have. */
export const admit = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  permission: 'import' | 'edit',
): Promise<DocumentsContext> => {
  const address = readDocumentsAddress(request.originalUrl)
  refuseTokenInUrl(address.search)
  const { path, resourcePath } = address
  const authorizeDeps = { ...deps, origin: deps.baseUrl }
  const authorizationRequest = {
    request: request.raw,
    path,
    resourcePath,
    requestId: request.id,
    clientAddress: () => request.ip,
  }
  let version = deps.directory.version()
  let changesAt: number
  const authorized = await authorize(authorizeDeps, authorizationRequest, address.workspace, permission)
  changesAt = authorized.rights.changesAt
  const name = address.collection
  refuseClosedCollection(authorizeDeps, authorizationRequest, authorized, name)
  const collection = requireCollection(authorized.workspace, name)
  const { writeFilter, hiddenPaths } = await findWriteLimits(deps, authorized, name, collection)
  const unfiltered = findReader(authorized.workspace, name)
  const reader = writeFilter ? filteredReader(unfiltered, writeFilter) : unfiltered
  const confirmBy = async (lookups: AccessLookups) => {
    const current = await reauthorize(authorizeDeps, authorizationRequest, authorized, permission, lookups)
    refuseClosedCollection(authorizeDeps, authorizationRequest, current, name)
    changesAt = current.rights.changesAt
    if (restricts(current) && !isDeepStrictEqual(restrictions(current), restrictions(authorized)))
      throw refusedByFilter(deps, context, 'the row filter of the account changed during the request')
  }
  const context: DocumentsContext = {
    ...authorized,
    address,
    requestId: request.id,
    clientAddress: request.ip,
    name,
    collection,
    reader,
    writeFilter,
    hiddenPaths,
    async confirm() {
      if (deps.directory.isCurrent(version) && Date.now() < changesAt) return
      const next = deps.directory.version()
      await confirmBy(deps.directory)
      version = next
    },
    confirmIn: writer => confirmBy(createStoredLookups(writer.db)),
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') await refusePublicChange(deps, context)
  return context
}

/** Returns the limits of the documents that the caller writes. */
const restrictions = ({ filter, readers, rights }: AuthorizedCaller) => [filter, readers, rights.hidden?.key]
const restricts = (caller: AuthorizedCaller): boolean => restrictions(caller).some(part => part !== undefined)

/**
 * Returns the limits of writes. Readers and hidden fields don't limit the role `data-provider`, which reads nothing, and states who reads
 * the documents that it delivers.
 */
const findWriteLimits = async (
  { directory }: Pick<DocumentsDependencies, 'directory'>,
  { filter, readers, rights, principal, workspace }: AuthorizedCaller,
  name: string,
  collection: Collection,
): Promise<Pick<DocumentsContext, 'writeFilter' | 'hiddenPaths'>> => {
  const isWhole = !readers && !rights.hidden
  const member = isWhole ? undefined : await directory.member(workspace.id, principal.subject)
  const isProvider = member?.roles.includes('data-provider') && !member.roles.includes('user')
  const names = isProvider || !collection.readers ? undefined : readers
  const restriction = filter ?? names
  return {
    writeFilter:
      restriction &&
      createWriteFilter({ ...restriction, ...(names?.readers && { readers: names.readers }) }, collection),
    hiddenPaths: isProvider ? undefined : rights.hidden?.paths.get(name),
  }
}

/** Throws 403 if the caller may not use the collection. One that doesn't exist gives the same answer. */
const refuseClosedCollection = (
  deps: AuthorizationDependencies,
  request: AuthorizationRequest,
  { principal, workspace, rights }: AuthorizedCaller,
  name: string,
): void => {
  const check = checkCollection(rights, name)
  if (!check.passed) throw refuseAccess(deps, request, workspace.slug, principal, [check])
}

/**
 * Throws 403 for a limited `user` if a public API shows the collection. The role `data-provider`
 * may write the documents that its filter shows.
 */
const refusePublicChange = async (deps: DocumentsDependencies, context: DocumentsContext): Promise<void> => {
  const { workspace, principal, rights, name } = context
  if (!isLimited(rights) || !publicCollections(workspace.definition).has(name)) return
  const member = await deps.directory.member(workspace.id, principal.subject)
  if (isBlockedByRowFilter(workspace.definition, member) && !member?.roles.includes('data-provider'))
    throw refusedByFilter(deps, context, blockedByRowFilterMessage(`collections.${name}`))
}

/** Readers by version of a workspace's definition. Those of an old version are garbage-collected with it. */
const readers = new WeakMap<WorkspaceRow, Map<string, DocumentReader>>()

const findReader = (workspace: WorkspaceRow, name: string): DocumentReader => {
  const readersByName = readers.get(workspace) ?? new Map<string, DocumentReader>()
  readers.set(workspace, readersByName)
  const reader = readersByName.get(name) ?? documentReader(workspace.definition, name)
  readersByName.set(name, reader)
  return reader
}

const requireCollection = ({ definition }: WorkspaceRow, name: string): Collection => {
  const collections = definition.collections ?? {}
  const collection = Object.hasOwn(collections, name) ? collections[name] : undefined
  if (collection) return collection
  const names = Object.keys(collections).slice(0, 50).join(', ') || 'none'
  throw new Problem(
    'no-such-resource',
    `unknown collection ${JSON.stringify(name.slice(0, 100))}; existing collections: ${names}`,
  )
}

/** Whether the caller may read the documents here: with a role that edits, and seeing everything. */
export const mayReadDocuments = async (
  { directory }: DocumentsDependencies,
  { workspace, principal, rights }: DocumentsContext,
): Promise<boolean> => {
  if (!seesWholeDocuments(rights)) return false
  const member = await directory.member(workspace.id, principal.subject)
  const access = workspaceAccess(principal, workspace, member, 'edit')
  return access.allowed && seesWholeDocuments(access.rights)
}

/** False if documents or fields may be hidden. */
const seesWholeDocuments = (rights: Rights): boolean =>
  seesAllDocuments(rights) && rights.hidden === undefined

/** Throws 403 for members who do not see everything, because the engine's lists and counts show all. */
export const refuseFiltered = (deps: DocumentsDependencies, context: DocumentsContext): void => {
  if (context.filter)
    throw refusedByFilter(deps, context, 'members with a row filter can read documents through queries only')
  if (!seesWholeDocuments(context.rights))
    throw refusedByFilter(
      deps,
      context,
      'members from whom documents or fields are hidden can read documents through queries only',
    )
}

/** Records and returns a 403 for something that a row filter forbids. */
export const refusedByFilter = (
  { refusalLog, baseUrl }: DocumentsDependencies,
  { principal, workspace, address, requestId, clientAddress }: DocumentsContext,
  message: string,
): Problem =>
  refuseAccess(
    { refusalLog, origin: baseUrl },
    {
      path: address.path,
      resourcePath: address.resourcePath,
      requestId,
      clientAddress: () => clientAddress,
    },
    workspace.slug,
    principal,
    [{ name: 'row-filter', passed: false, message }],
  )
