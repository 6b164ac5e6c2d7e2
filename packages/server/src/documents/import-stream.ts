/** `POST` of a stream of documents. */
import type { ImportReply, UpdateReply } from '@querent/contract/query'
import type { FastifyRequest } from 'fastify'
import { AuthorizationError } from '#authz/bearer'
import { embeddedFields } from '#embedding/entity-vectors'
import type { EngineDocument, LinesRead } from '#engines/engine'
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
import { importBlocks, importLines } from './import.ts'
import { type ImportOptions, readImportOptions, streamReaders } from './import-options.ts'
import { asWrite, auditDocuments, changeLive, putAll, refresh } from './live-generation.ts'
import { readStreamType, refuseUnannouncedGzip } from './media-type.ts'
import { NothingAccepted } from './nothing-accepted.ts'
import { readWholePatch } from './patch.ts'
import type { ImportCounter, ImportsProgress } from './progress.ts'
import { hiddenMessage } from './row-filter.ts'
import type { Encoding } from './text-encoding.ts'
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
    try {
      const done = await runImport(deps, request, context, options, counter)
      rejected = done.rejected
      return {
        ...done,
        ...(options.update ? {} : await findEmptyFields(deps, context, options, emptyFields)),
      }
    } catch (error) {
      if (error instanceof NothingAccepted) rejected = error.done.rejected
      // Something may be missing because the account was deleted, such as a collection that went with its
      // workspace.
      if (!(error instanceof AuthorizationError)) await context.confirm()
      throw error
    } finally {
      // Documents that a broken import has written stay.
      const accepted = counter.documents
      deps.usageLog.recordImport(context.workspace.id, context.name, { accepted, rejected })
    }
  })
}

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

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
const runImport = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  context: DocumentsContext,
  { wait, replace, strict, stage, update, create, ...readOptions }: ImportOptions,
  counter: ImportCounter,
): Promise<ImportReply | UpdateReply> => {
  const { reader, workspace, name, collection, writeFilter: allowed } = context
  const { format, encoding: statedEncoding } = readStreamType(request.headers)
  const body = counter.countBytes(
    confirmEachPart(refuseUnannouncedGzip(readDecodedBody(request.raw, deps.idleMs)), context),
  )
  refuseUnfitOptions(deps, context, { replace, update })
  if (replace || strict) counter.markAtomic()
  const { rules } = reader
  const { readLines } = deps.engine
  let encoding: Encoding | undefined
  const onEncoding = (detected: Encoding) => {
    encoding = detected
  }
  const readDocumentLines = () =>
    streamReaders[format](body, collection, {
      ...readOptions,
      encoding: readOptions.encoding ?? statedEncoding,
      onEncoding,
    })
  const withEncoding = <T extends ImportReply | UpdateReply>(done: T): T =>
    encoding === undefined ? done : { ...done, encoding }
  /** Imports through the given writers. The engine parses the lines itself where it can. */
  const importWith = async (
    writeDocuments: (documents: EngineDocument[]) => Promise<ReadonlySet<number>>,
    writeBlock: (
      read: LinesRead,
      fallbackDocuments: readonly (EngineDocument | undefined)[],
    ) => Promise<void>,
  ): Promise<ImportReply> => {
    if (format === 'lines' && rules && readLines)
      return importBlocks({
        body,
        reader,
        readLines: block => readLines(block, rules),
        mustBeComplete: replace,
        write: async (read, fallbackDocuments) => {
          await writeBlock(read, fallbackDocuments)
          counter.addDocuments(
            read.lines - fallbackDocuments.filter(document => document === undefined).length,
          )
        },
      })
    const write = async (documents: EngineDocument[]) => {
      const skipped = await writeDocuments(documents)
      counter.addDocuments(documents.length - skipped.size)
      return skipped
    }
    return importLines({
      lines: readDocumentLines(),
      reader,
      write,
      skippedMessage: hiddenMessage,
      mustBeComplete: replace,
    })
  }
  /** Fills a scratch generation, which takes effect only when it is complete. */
  const fill = async (id: string) => {
    const live = deps.collections.live(workspace.id, name)?.id
    const putDocuments = async (documents: EngineDocument[]) => {
      await context.confirm()
      const prepared =
        (await deps.embedding?.keepVectors({ collection }, live, documents))?.documents ?? documents
      await deps.engine.write(id, prepared.map(asWrite))
      return new Set<number>()
    }
    const done = withEncoding(
      await importWith(putDocuments, async (read, fallbackDocuments) => {
        await context.confirm()
        await read.write(id, fallbackDocuments)
      }),
    )
    if (done.accepted === 0 || (strict && done.rejected > 0)) throw new NothingAccepted(done)
    return done
  }
  const refuseHidden =
    allowed &&
    (async (scratch: string, live: string) => {
      if (await allowed.hidesAny(deps.engine, scratch, live))
        throw refusedByFilter(deps, context, hiddenMessage)
    })
  /** Resets the counter if the import as a whole fails. */
  const allOrNothing = <T>(work: Promise<T>) =>
    mapEngineErrors(work).catch(error => {
      counter.reset()
      throw error
    })
  /** Confirms and records the replacement in the transaction that promotes it. */
  const record = async (writer: Writer, { accepted, rejected }: ImportReply, isPromoted: boolean) => {
    writer.runLast(() => context.confirmIn(writer))
    await auditDocuments(writer, context, 'replaceDocuments', { accepted, rejected, staged: !isPromoted })
  }
  if (replace) {
    const done = await allOrNothing(deps.collections.replace(workspace.id, name, fill, stage, record))
    deps.embedding?.wake()
    return done
  }
  let documentsWritten = 0
  const changeDocuments = async (): Promise<UpdateReply> => {
    const onChanged = (documents: number) => {
      counter.addDocuments(documents)
      documentsWritten += documents
    }
    const stream = { lines: readDocumentLines(), create, onChanged }
    if (!strict) return importUpdates(deps, context, stream)
    const { spool, merge } = createStrictUpdate(deps, context, stream)
    return allOrNothing(importStrictly(deps, context, spool, merge))
  }
  /** Their stored values stay where fields are hidden from the caller. */
  const addVisibleParts = async (): Promise<ImportReply> => {
    const onChanged = (documents: number) => {
      counter.addDocuments(documents)
      documentsWritten += documents
    }
    const stream = { lines: readDocumentLines(), create: true, onChanged }
    if (!strict) return importWholePatches(deps, context, stream)
    const { spool, merge, counts } = createStrictUpdate(deps, context, stream, readWholePatch)
    const {
      accepted: _,
      updated: __,
      ...rejected
    } = await allOrNothing(importStrictly(deps, context, spool, merge))
    return { ...rejected, ...counts() }
  }
  const addDocuments = async (): Promise<ImportReply> =>
    strict
      ? allOrNothing(importStrictly(deps, context, fill, refuseHidden))
      : importWith(
          async documents => {
            const hidden = await putAll(deps, context, documents)
            documentsWritten += documents.length - hidden.size
            return hidden
          },
          async (read, fallbackDocuments) => {
            await changeLive(deps, context, id => read.write(id, fallbackDocuments))
            documentsWritten +=
              read.lines - fallbackDocuments.filter(document => document === undefined).length
          },
        )
  try {
    const done = withEncoding(
      await (update ? changeDocuments() : context.hiddenPaths ? addVisibleParts() : addDocuments()),
    )
    if (done.accepted === 0) throw new NothingAccepted(done)
    if (wait) await refresh(deps, context)
    else void tryRefresh(deps, request, context)
    return done
  } catch (error) {
    // The documents written before a stream broke off stay, so make them searchable. Don't wait if the index
    // is being rebuilt.
    const refreshed = tryRefresh(deps, request, context)
    if (!(error instanceof Problem && error.code === 'unavailable')) await refreshed
    throw error instanceof AuthorizationError && !strict ? withWrittenCount(error, documentsWritten) : error
  }
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
  deps: DocumentsDependencies,
  context: DocumentsContext,
  fill: (id: string) => Promise<T>,
  check: ((scratch: string, live: string) => Promise<void>) | undefined,
): Promise<T> => {
  const { workspace, name, collection } = context
  const rescan = async () => {
    const live = deps.collections.live(workspace.id, name)
    if (live && embeddedFields(collection).length > 0) await deps.embedding?.rescan(live.id)
  }
  const confirm = async () => {
    await context.confirm()
    // Also before the copy, in case that the server is killed after it.
    await rescan()
  }
  const done = await deps.collections.importAtomically(workspace.id, name, fill, confirm, check)
  await rescan()
  deps.embedding?.wake()
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

/** Turns engine errors into Problems. */
const mapEngineErrors = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    throw toEngineProblem(error)
  })

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
