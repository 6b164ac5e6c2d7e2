/** `POST` of a stream of documents (workspace-file.md, Documents). */
import type { ImportReply } from '@querent/contract/query'
import type { Collection } from '@querent/contract/workspace-file'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EngineDocument } from '#engines/engine'
import { errorReply, Problem } from '#errors'
import { problemOfEngine } from '#http/engine-problem'
import { readOptions, yesOrNo } from './address.ts'
import { type Asked, asWrite, type DocumentsDependencies, putAll, refresh, refusedByFilter } from './admit.ts'
import { readArrayItems } from './array-items.ts'
import { readBody } from './body.ts'
import { readCsv } from './csv.ts'
import { importLines } from './import.ts'
import { type Line, readLines } from './lines.ts'
import { type StreamFormat, streamFormat } from './media-type.ts'
import { hiddenMessage } from './row-filter.ts'

/** Nothing was accepted: 400, with the counts beside the error's fields. */
class NothingAccepted extends Problem {
  readonly done: ImportReply
  constructor(done: ImportReply) {
    const [first] = done.errors
    super(
      'bad-documents',
      first ? `no document was accepted; line ${first.line}: ${first.message}` : 'no documents were sent',
      { errors: done.errors },
    )
    // Of a strict import nothing was kept, whatever could be read.
    this.done = { ...done, accepted: 0 }
  }
}

/** Adds the documents of the stream, or replaces all by them; with `strict` all or none. Acknowledged means durable and, unless `wait=false`, searchable. */
export const importStream = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  asked: Asked,
): Promise<ImportReply> => {
  const { wait, replace, strict, stage } = readImportOptions(asked.address.search)
  const { reader, workspace, name, collection, allowed } = asked
  const lines = formats[streamFormat(request.headers)](readBody(request.raw, deps.idleMs), collection)
  if (replace && allowed)
    throw refusedByFilter(
      deps,
      asked,
      'replace=true: a member with a row filter may not replace the documents that it hides',
    )
  /** All into a generation of its own, which counts only when it is complete. */
  const fill = async (id: string) => {
    const write = async (documents: EngineDocument[]) => {
      await deps.engine.write(id, documents.map(asWrite))
      return new Set<number>()
    }
    const done = await importLines({ lines, reader, write, leftOut: hiddenMessage })
    if (done.accepted === 0 || (strict && done.rejected > 0)) throw new NothingAccepted(done)
    return done
  }
  const refuseHidden =
    allowed &&
    (async (aside: string, live: string) => {
      if (await allowed.hidesAny(deps.engine, aside, live)) throw refusedByFilter(deps, asked, hiddenMessage)
    })
  if (replace) return inProblems(deps.collections.replace(workspace.id, name, fill, stage))
  try {
    const done = strict
      ? await inProblems(deps.collections.putTogether(workspace.id, name, fill, refuseHidden))
      : await importLines({
          lines,
          reader,
          write: documents => putAll(deps, asked, documents),
          leftOut: hiddenMessage,
        })
    if (done.accepted === 0) throw new NothingAccepted(done)
    if (wait) await refresh(deps, asked)
    else refreshLater(deps, request, asked)
    return done
  } catch (error) {
    // What a broken stream has brought so far is kept, and found.
    refreshLater(deps, request, asked)
    throw error
  }
}

/** How each format becomes documents. */
const formats: Readonly<
  Record<StreamFormat, (body: AsyncIterable<Uint8Array>, collection: Collection) => AsyncIterable<Line[]>>
> = { lines: readLines, array: readArrayItems, table: readCsv }

/** What the engine refuses, as a Problem. */
const inProblems = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    throw problemOfEngine(error)
  })

const refreshLater = (deps: DocumentsDependencies, request: FastifyRequest, asked: Asked): void => {
  refresh(deps, asked).catch(error => request.log.error({ err: error }, 'the refresh after an import failed'))
}

const readImportOptions = (
  search: string,
): { wait: boolean; replace: boolean; strict: boolean; stage: boolean } => {
  const { wait, replace, strict, stage } = readOptions(search, {
    wait: yesOrNo,
    replace: yesOrNo,
    strict: yesOrNo,
    stage: yesOrNo,
  })
  if (stage === 'true' && replace !== 'true')
    throw new Problem(
      'bad-option',
      'stage=true needs replace=true: only documents that become the whole collection can be staged',
    )
  return {
    wait: wait !== 'false',
    replace: replace === 'true',
    strict: strict === 'true',
    stage: stage === 'true',
  }
}

/** Answers an import of which nothing was accepted; throws any other error on. */
export const answerNothingAccepted = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  if (!(error instanceof NothingAccepted)) throw error
  reply.code(error.status).header('cache-control', 'no-store')
  return { ...errorReply(error, request.id), ...error.done }
}
