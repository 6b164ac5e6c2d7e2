/** `POST` of a stream of documents. */
import type { ImportReply, UpdateReply } from '@querent/contract/query'
import type { FastifyRequest } from 'fastify'
import { AuthorizationError } from '#authz/authorization-error'
import { embeddedFields } from '#embedding/entity-vectors'
import { Problem } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import type { Writer } from '#storage/db'
import {
  type DocumentsContext,
  type DocumentsDependencies,
  mayReadDocuments,
  refusedByFilter,
} from './admit.ts'
import { readDecodedBody } from './body.ts'
import type { EmptyFields } from './empty-fields.ts'
import { type ImportOptions, readImportOptions } from './import-options.ts'
import {
  allOrNothing,
  createImportSource,
  fillScratch,
  type ImportRun,
  importDocuments,
} from './import-run.ts'
import { auditDocuments, changeLive, isRecorded, putAll, refresh } from './live-generation.ts'
import { readStreamType, refuseUnannouncedGzip } from './media-type.ts'
import { NothingAccepted } from './nothing-accepted.ts'
import { readWholePatch } from './patch.ts'
import type { ImportCounter, ImportsProgress } from './progress.ts'
import { hiddenMessage } from './row-filter.ts'
import { createStrictUpdate, importUpdates, importWholePatches } from './update-stream.ts'

/**
 * Adds the documents of the stream. `replace` makes them the whole collection, `update` changes stored ones, `strict` accepts all or none.
 * The reply means that they are durable and, unless `wait=false`, searchable.
 */
export const importStream = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  context: DocumentsContext,
  { progress, emptyFields }: { progress: ImportsProgress; emptyFields: EmptyFields },
): Promise<ImportReply | UpdateReply> => {
  const options = readImportOptions(context.address.search)
  return progress.track(context, options.name, async counter => {
    let rejected = 0
    let isBroken = false
    try {
      const done = await runImport(deps, request, context, options, counter)
      rejected = done.rejected
      return {
        ...withShortIds(done, context),
        ...(options.update ? {} : await findEmptyFields(deps, context, options, emptyFields)),
      }
    } catch (error) {
      if (error instanceof NothingAccepted) rejected = error.done.rejected
      else isBroken = true
      // Something may be missing because the account was deleted, such as a collection that went with its
      // workspace.
      if (!(error instanceof AuthorizationError)) await context.confirm()
      throw error
    } finally {
      // Documents that a broken import has written stay.
      const accepted = counter.documents
      deps.usageLog.recordImport(context.workspace.id, context.name, { accepted, rejected })
      // A replacement is recorded with its promotion.
      if (accepted > 0 && !options.replace && isRecorded(context))
        await deps.storage.write(writer =>
          auditDocuments(writer, context, 'importDocuments', {
            accepted,
            ...(isBroken ? { broken: true } : { rejected }),
          }),
        )
    }
  })
}

/** The caller knows documents by the ids that they sent. */
const withShortIds = <T extends ImportReply | UpdateReply>(done: T, { reader }: DocumentsContext): T =>
  'replacedIds' in done && done.replacedIds
    ? { ...done, replacedIds: done.replacedIds.map(id => String(reader.toIdValue(id))) }
    : done

/** Tells nobody about documents that the caller may not read. */
const findEmptyFields = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  { wait, stage, replace }: ImportOptions,
  emptyFields: EmptyFields,
): Promise<Pick<ImportReply, 'emptyFields'>> => {
  const live = deps.collections.live(context.workspace.id, context.name)
  if (!live || !wait || stage || !(replace || (await mayReadDocuments(deps, context)))) return {}
  // The import is done, whatever this search says.
  const names = await emptyFields.find(live.id, context.collection).catch(() => [])
  return names.length > 0 ? { emptyFields: names } : {}
}

const runImport = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  context: DocumentsContext,
  options: ImportOptions,
  counter: ImportCounter,
): Promise<ImportReply | UpdateReply> => {
  const type = readStreamType(request.headers)
  const body = counter.countBytes(
    confirmEachPart(refuseUnannouncedGzip(readDecodedBody(request.raw, deps.idleMs)), context),
  )
  const source = createImportSource(body, type, context.collection, options)
  refuseUnfitOptions(deps, context, options)
  if (options.replace || options.strict) counter.markAtomic()
  const run: ImportRun = { deps, context, options, source, counter }
  if (options.replace) return replaceDocuments(run)
  try {
    const done = source.withEncoding(await changeDocuments(run))
    if (done.accepted === 0) throw new NothingAccepted(done)
    if (options.wait) await refresh(deps, context)
    else void tryRefresh(deps, request, context)
    return done
  } catch (error) {
    // The documents written before a stream broke off stay, so make them searchable. Don't wait if the index
    // is being rebuilt.
    const refreshed = tryRefresh(deps, request, context)
    if (!(error instanceof Problem && error.code === 'unavailable')) await refreshed
    throw error instanceof AuthorizationError && !options.strict
      ? withWrittenCount(error, counter.documents)
      : error
  }
}

/** Promotes a generation of these documents. Confirms and records that in the same transaction. */
const replaceDocuments = async (run: ImportRun): Promise<ImportReply> => {
  const { deps, context, options } = run
  const record = async (writer: Writer, { accepted, rejected }: ImportReply, isPromoted: boolean) => {
    writer.runLast(() => context.confirmIn(writer))
    await auditDocuments(writer, context, 'replaceDocuments', { accepted, rejected, staged: !isPromoted })
  }
  const fill = (scratch: string) => fillScratch(run, scratch)
  const replacement = deps.collections.replace(
    context.workspace.id,
    context.name,
    fill,
    options.stage,
    record,
  )
  const done = await allOrNothing(run, replacement)
  deps.embedding?.wake()
  return done
}

/** Changes the live generation by the documents. */
const changeDocuments = (run: ImportRun): Promise<ImportReply | UpdateReply> => {
  const change = run.options.update
    ? updateDocuments(run)
    : run.context.hiddenPaths
      ? addVisibleParts(run)
      : addDocuments(run)
  return run.options.strict ? allOrNothing<ImportReply | UpdateReply>(run, change) : change
}

const openUpdateStream = ({ source, counter }: ImportRun, create: boolean) => ({
  lines: source.readLines(),
  create,
  onChanged: (documents: number) => counter.addDocuments(documents),
})

const updateDocuments = async (run: ImportRun): Promise<UpdateReply> => {
  const { deps, context, options } = run
  const stream = openUpdateStream(run, options.create)
  if (!options.strict) return importUpdates(deps, context, stream)
  const { spool, merge } = createStrictUpdate(deps, context, stream)
  return importStrictly(run, spool, merge)
}

/** Adds documents of a caller from whom fields are hidden. Their stored values stay in these fields. */
const addVisibleParts = async (run: ImportRun): Promise<ImportReply> => {
  const { deps, context, options } = run
  const stream = openUpdateStream(run, true)
  if (!options.strict) return importWholePatches(deps, context, stream)
  const { spool, merge, counts } = createStrictUpdate(deps, context, stream, readWholePatch)
  const { accepted: _, updated: __, ...rejected } = await importStrictly(run, spool, merge)
  return { ...rejected, ...counts() }
}

const addDocuments = (run: ImportRun): Promise<ImportReply> => {
  const { deps, context, options } = run
  if (options.strict)
    return importStrictly(run, scratch => fillScratch(run, scratch), refuseHidden(deps, context))
  return importDocuments(run, {
    writeDocuments: documents => putAll(deps, context, documents),
    writeBlock: (read, fallbackDocuments) =>
      changeLive(deps, context, id => read.write(id, fallbackDocuments)),
  })
}

/** Returns a check of a scratch generation: none of its documents may be hidden from the caller. */
const refuseHidden = (deps: DocumentsDependencies, context: DocumentsContext) => {
  const { writeFilter } = context
  return (
    writeFilter &&
    (async (scratch: string, live: string) => {
      if (await writeFilter.hidesAny(deps.engine, scratch, live))
        throw refusedByFilter(deps, context, hiddenMessage)
    })
  )
}

/** Throws 403 for a replacement by somebody who does not see everything, and 400 for ids that this import cannot make. */
const refuseUnfitOptions = (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  { replace, update }: Pick<ImportOptions, 'replace' | 'update'>,
): void => {
  if (replace && (context.writeFilter || context.hiddenPaths))
    throw refusedByFilter(
      deps,
      context,
      'replace=true: members who do not see everything may not replace what is hidden from them',
    )
  if (context.collection.id?.generate === 'row' && !replace && !update)
    throw new Problem(
      'bad-option',
      'the ids of this collection are the positions of its documents in an import: add replace=true',
    )
}

/** Imports all documents or none. Their vectors are found missing by a scan, because only the engine knows the copied documents. */
const importStrictly = async <T>(
  run: ImportRun,
  fill: (id: string) => Promise<T>,
  check: ((scratch: string, live: string) => Promise<void>) | undefined,
): Promise<T> => {
  const { collections, embedding } = run.deps
  const { workspace, name, collection, confirm } = run.context
  const rescan = async () => {
    const live = collections.live(workspace.id, name)
    if (live && embeddedFields(collection).length > 0) await embedding?.rescan(live.id)
  }
  const prepare = async () => {
    await confirm()
    // Also before the copy, in case that the server is killed after it.
    await rescan()
  }
  const done = await collections.importAtomically(workspace.id, name, fill, prepare, check)
  await rescan()
  embedding?.wake()
  return done
}

/** Yields the parts of the body while the caller is still authorized. */
async function* confirmEachPart(
  body: AsyncIterable<Uint8Array>,
  context: Pick<DocumentsContext, 'confirm'>,
): AsyncGenerator<Uint8Array> {
  for await (const part of body) {
    await context.confirm()
    yield part
  }
}

/** Adds the number of written documents to the error of an interrupted import. */
const withWrittenCount = (error: AuthorizationError, documents: number): AuthorizationError =>
  new AuthorizationError(
    error.code,
    `${error.message}; the ${documents} documents that were written before stay`,
    error.check,
    error.token,
    error.headers['www-authenticate'],
  )

const tryRefresh = (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  context: DocumentsContext,
): Promise<void> =>
  refresh(deps, context).catch(error => {
    // The server is stopping or the engine is unreachable, which is logged elsewhere. The documents become
    // searchable later.
    const problem = toEngineProblem(error)
    if (problem instanceof Problem && problem.code === 'unavailable') return
    request.log.error({ err: error }, 'the refresh after an import failed')
  })
