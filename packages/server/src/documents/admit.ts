/** Who asks, and for the documents of which collection: before anything they sent is looked at. */
import { isDeepStrictEqual } from 'node:util'
import type { Collection } from '@querent/contract/workspace-file'
import type { FastifyRequest } from 'fastify'
import { type AuthorizedCaller, authorize, reauthorize } from '#authz/authorize'
import { AuthorizationError, type Bearer } from '#authz/bearer'
import { challenge } from '#authz/challenge'
import { heldByRowFilterMessage, isHeldByRowFilter, publicCollections } from '#authz/public-content'
import type { RefusalLog } from '#authz/refusal-log'
import { refuseTokenInUrl } from '#authz/token-in-url'
import type { Collections } from '#collections/collections'
import type { Engine, EngineDocument } from '#engines/engine'
import { Problem } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import type { Origins } from '#http/origins'
import type { Storage, Writer } from '#storage/db'
import { type AccessLookups, createStoredLookups, type Directory } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Counters } from '#telemetry/counters'
import type { Activity } from '#usage/activity'
import { type DocumentsAddress, readDocumentsAddress } from './address.ts'
import { type DocumentReader, documentReader } from './entity.ts'
import { type Allowed, allowedBy, filteredReader } from './row-filter.ts'

export interface DocumentsDependencies {
  directory: Directory
  bearer: Bearer
  refusalLog: RefusalLog
  activity: Pick<Activity, 'record'>
  engine: Engine
  collections: Collections
  origins: Origins
  /** Origins without a slash at the end. */
  baseUrl: string
  authUrl: string
  storage: Pick<Storage, 'write' | 'db' | 'kind'>
  /** How long nothing of a body may come. */
  idleMs?: number
  counts?: Pick<Counters, 'imports'>
}

/** What a request works on, once it may. */
export interface Asked extends AuthorizedCaller {
  address: DocumentsAddress
  requestId: string
  /** IP address of who asks. */
  from: string
  /** Name of the collection. */
  name: string
  collection: Collection
  reader: DocumentReader
  /** What the row filter lets them put; undefined: they have none. */
  allowed: Allowed | undefined
  /**
   * Resolves if the caller still may do this: from memory, unless something has changed since. Await it before each part of a body takes
   * effect. Throws 401 or 403, also when the caller got another row filter.
   */
  confirm(): Promise<void>
  /** The same in a transaction, by what the storage says there. */
  confirmIn(writer: Writer): Promise<void>
}

/** Throws 401 or 403, then 404 for a collection that the workspace does not have. */
export const admit = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  permission: 'import' | 'edit',
): Promise<Asked> => {
  const address = readDocumentsAddress(request.originalUrl)
  refuseTokenInUrl(address.search)
  const { path, resourcePath } = address
  const authoriseDeps = { ...deps, origin: deps.baseUrl }
  const requested = {
    request: request.raw,
    path,
    resourcePath,
    requestId: request.id,
    clientAddress: () => request.ip,
  }
  let mark = deps.directory.version()
  const authorised = await authorize(authoriseDeps, requested, address.workspace, permission)
  const name = address.collection
  const collection = collectionOf(authorised.workspace, name)
  const allowed = authorised.filter && allowedBy(authorised.filter, collection)
  const unfiltered = readerOf(authorised.workspace, name)
  const reader = allowed ? filteredReader(unfiltered, allowed) : unfiltered
  const confirmBy = async (lookups: AccessLookups) => {
    const { filter } = await reauthorize(authoriseDeps, requested, authorised, permission, lookups)
    if (filter !== undefined && !isDeepStrictEqual(filter, authorised.filter))
      throw refusedByFilter(deps, asked, 'the row filter of the account was changed while the request ran')
  }
  const asked: Asked = {
    ...authorised,
    address,
    requestId: request.id,
    from: request.ip,
    name,
    collection,
    reader,
    allowed,
    async confirm() {
      if (deps.directory.isCurrent(mark)) return
      const next = deps.directory.version()
      await confirmBy(deps.directory)
      mark = next
    },
    confirmIn: writer => confirmBy(createStoredLookups(writer.db)),
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') await refusePublicChange(deps, asked)
  return asked
}

/** Throws 403 for a `user` with a row filter where a public API shows the collection. The role `data-provider` writes what its filter shows. */
const refusePublicChange = async (deps: DocumentsDependencies, asked: Asked): Promise<void> => {
  const { workspace, principal, filter, name } = asked
  if (!filter || !publicCollections(workspace.definition).has(name)) return
  const member = await deps.directory.member(workspace.id, principal.subject)
  if (isHeldByRowFilter(member) && !member?.roles.includes('data-provider'))
    throw refusedByFilter(deps, asked, heldByRowFilterMessage(`collections.${name}`))
}

/** Readers of each version of a workspace's definition; an older version's go with it. */
const readers = new WeakMap<WorkspaceRow, Map<string, DocumentReader>>()

const readerOf = (workspace: WorkspaceRow, name: string): DocumentReader => {
  const known = readers.get(workspace) ?? new Map<string, DocumentReader>()
  readers.set(workspace, known)
  const reader = known.get(name) ?? documentReader(workspace.definition, name)
  known.set(name, reader)
  return reader
}

const collectionOf = ({ definition }: WorkspaceRow, name: string): Collection => {
  const collections = definition.collections ?? {}
  const collection = Object.hasOwn(collections, name) ? collections[name] : undefined
  if (collection) return collection
  const names = Object.keys(collections).slice(0, 50).join(', ') || 'none'
  throw new Problem(
    'no-such-resource',
    `No such collection ${JSON.stringify(name.slice(0, 100))}; there are: ${names}`,
  )
}

/** What the engine lists and counts is not narrowed by a row filter, so whoever has one is not shown it. Throws 403. */
export const refuseFiltered = (deps: DocumentsDependencies, asked: Asked): void => {
  if (asked.filter)
    throw refusedByFilter(
      deps,
      asked,
      'a member with a row filter sees documents through queries only, which apply it',
    )
}

/** 403 for what a row filter forbids, recorded like every refusal. */
export const refusedByFilter = (
  { refusalLog, baseUrl }: DocumentsDependencies,
  { principal, workspace, address, requestId, from }: Asked,
  message: string,
): Problem => {
  const check = { name: 'row-filter', passed: false, message } as const
  refusalLog.record(
    {
      requestId,
      at: Date.now(),
      status: 403,
      workspace: workspace.slug,
      path: address.path,
      subject: principal.subject,
      clientId: principal.client.id,
      checks: [check],
    },
    from,
  )
  return new AuthorizationError('insufficient-scope', message, check, principal.token).withChallenge(
    challenge('insufficient-scope', message, { origin: baseUrl, path: address.resourcePath }),
  )
}

/** Reads from the live generation, also while the next is being built. Throws 503 when there is none yet. */
export const readLive = async <T>(
  { collections }: DocumentsDependencies,
  { workspace, name }: Asked,
  read: (generationId: string) => Promise<T>,
): Promise<T> => {
  const live = collections.live(workspace.id, name)
  if (!live)
    throw new Problem('unavailable', `the collection "${name}" is being made ready; try again shortly`)
  try {
    return await read(live.id)
  } catch (error) {
    throw toEngineProblem(error)
  }
}

/** Changes the live generation, and gives what the engine refuses as a Problem. Waits while the next one takes its place. */
export const onLive = async <T>(
  { collections }: DocumentsDependencies,
  { workspace, name }: Asked,
  work: (generationId: string) => Promise<T>,
  alone = false,
): Promise<T> => {
  try {
    return await collections.write(workspace.id, name, work, alone)
  } catch (error) {
    throw toEngineProblem(error)
  }
}

const none: ReadonlySet<number> = new Set()

/** As {@link onLive}, if the caller still may. */
export const changeLive = async <T>(
  deps: DocumentsDependencies,
  asked: Asked,
  work: (generationId: string) => Promise<T>,
  alone = false,
): Promise<T> => {
  // The collection may have gone with its workspace.
  await asked.confirm()
  const confirmed = async (id: string) => {
    await asked.confirm()
    return work(id)
  }
  return onLive(deps, asked, confirmed, alone)
}

/** Durable when it resolves: to the places of the documents that were left out, because their ids belong to hidden ones. */
export const putAll = async (
  deps: DocumentsDependencies,
  asked: Asked,
  documents: readonly EngineDocument[],
): Promise<ReadonlySet<number>> => {
  const { allowed } = asked
  const put = async (id: string) => {
    const hidden = (await allowed?.hidden(deps.engine, id, documents)) ?? none
    const left = hidden.size === 0 ? documents : documents.filter((_, at) => !hidden.has(at))
    await deps.engine.write(id, left.map(asWrite))
    return hidden
  }
  // Nobody may put a document in the place of one that was looked for, before it is written.
  return changeLive(deps, asked, put, allowed !== undefined)
}

/** All that was written before is searchable when it resolves. */
export const refresh = (deps: DocumentsDependencies, asked: Asked): Promise<void> =>
  onLive(deps, asked, id => deps.engine.refresh(id))

export const asWrite = (put: EngineDocument): { put: EngineDocument } => ({ put })
