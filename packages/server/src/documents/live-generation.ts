/** Reads and changes the live generation of an authorized request's collection. */
import type { EngineDocument } from '#engines/engine'
import { Problem } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import { recordAudit } from '#storage/audit'
import { consoleClientId } from '#storage/clients'
import type { Writer } from '#storage/db'
import { findTokenIssuer } from '#storage/provider-sessions'
import type { DocumentsContext, DocumentsDependencies } from './admit.ts'

/**
 * Reads from the live generation, also while the next one is being built. Throws 503 if there is none yet.
 */
export const readLive = async <T>(
  { collections }: DocumentsDependencies,
  { workspace, name }: DocumentsContext,
  read: (generationId: string) => Promise<T>,
): Promise<T> => {
  const live = collections.live(workspace.id, name)
  if (!live) throw new Problem('unavailable', `the collection "${name}" is not ready yet; try again shortly`)
  try {
    return await read(live.id)
  } catch (error) {
    throw toEngineProblem(error)
  }
}

/** Changes the live generation; waits while another one is promoted. Engine errors become Problems. */
export const withLive = async <T>(
  { collections }: DocumentsDependencies,
  { workspace, name }: DocumentsContext,
  work: (generationId: string) => Promise<T>,
  isExclusive = false,
): Promise<T> => {
  try {
    return await collections.write(workspace.id, name, work, isExclusive)
  } catch (error) {
    throw toEngineProblem(error)
  }
}

const noIndexes: ReadonlySet<number> = new Set()

/** Like {@link withLive}, but confirms the authorization first. */
export const changeLive = async <T>(
  deps: DocumentsDependencies,
  context: DocumentsContext,
  work: (generationId: string) => Promise<T>,
  isExclusive = false,
): Promise<T> => {
  // The collection may have been deleted together with its workspace.
  await context.confirm()
  const confirmed = async (id: string) => {
    await context.confirm()
    return work(id)
  }
  return withLive(deps, context, confirmed, isExclusive)
}

/** Checks the generation before a write; no other write comes between them. */
export type Check = (generationId: string) => Promise<void>

/** Like {@link putAll}, for one document, and makes it searchable. */
export const putSearchable = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  document: EngineDocument,
  check?: Check,
): Promise<ReadonlySet<number>> => {
  const { engine } = deps
  // The lock of a check or a row filter is not held until the document is searchable.
  if (check || context.writeFilter || !engine.writeSearchable) {
    const hidden = await putAll(deps, context, [document], check)
    if (hidden.size === 0) await refresh(deps, context)
    return hidden
  }
  await changeLive(deps, context, id =>
    writeWithVectors(deps, context, id, [document], async kept =>
      engine.writeSearchable?.(id, kept.map(asWrite)),
    ),
  )
  return noIndexes
}

/** Writes documents durably. Resolves to the indexes of skipped documents: a hidden document has their id. */
export const putAll = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  documents: readonly EngineDocument[],
  check?: Check,
): Promise<ReadonlySet<number>> => {
  const { writeFilter } = context
  const putVisible = async (id: string) => {
    await check?.(id)
    const hidden = (await writeFilter?.findHidden(deps.engine, id, documents)) ?? noIndexes
    const visible = hidden.size === 0 ? documents : documents.filter((_, index) => !hidden.has(index))
    await writeWithVectors(deps, context, id, visible, kept => deps.engine.write(id, kept.map(asWrite)))
    return hidden
  }
  // Exclusive with a check or a row filter: no other writer may put a document under an id between the check and the
  // write.
  return changeLive(deps, context, putVisible, check !== undefined || writeFilter !== undefined)
}

/** Writes documents, which keep the vectors of unchanged texts. Others get theirs later. */
export const writeWithVectors = async (
  { embedding }: DocumentsDependencies,
  { workspace, collection }: DocumentsContext,
  generation: string,
  documents: readonly EngineDocument[],
  write: (documents: readonly EngineDocument[]) => Promise<void>,
): Promise<void> => {
  if (!embedding) return write(documents)
  const { documents: kept, missing } = await embedding.keepVectors({ collection }, generation, documents)
  // Before the write: a crash in between leaves a row too many, not one too few.
  await embedding.addWork({ workspaceId: workspace.id, collection, generation }, missing)
  await write(kept)
  if (missing.length > 0) embedding.wake()
}

/** Makes all earlier writes searchable. */
export const refresh = (deps: DocumentsDependencies, context: DocumentsContext): Promise<void> =>
  withLive(deps, context, id => deps.engine.refresh(id))

export const asWrite = (document: EngineDocument): { put: EngineDocument } => ({ put: document })

/** Whether somebody works in the console. */
export const isInConsole = ({ principal }: Pick<DocumentsContext, 'principal'>): boolean =>
  principal.client.id === consoleClientId

/**
 * Whether imports that add and deletions of single documents are recorded: those in the console, and those of an administrator's token. Other
 * programs write thousands a minute, which would bury everything else.
 */
export const isRecorded = (context: Pick<DocumentsContext, 'principal' | 'rights'>): boolean =>
  isInConsole(context) || (context.principal.kind === 'user' && context.rights.isAdministrator)

/** Records changes of documents in the audit log. Rejects if the record cannot be written. `detail` has ids, and no content of documents. */
export const auditDocuments = async (
  writer: Writer,
  { principal, workspace, name, clientAddress, requestId }: DocumentsContext,
  action: 'replaceDocuments' | 'deleteDocuments' | 'importDocuments' | 'saveDocument',
  detail: Record<string, unknown>,
): Promise<void> =>
  recordAudit(writer, {
    workspaceId: workspace.id,
    actor: principal.subject,
    byProvider: await findTokenIssuer(writer.db, principal.token),
    action,
    target: name,
    detail,
    address: clientAddress,
    requestId,
  })
