/** `POST` of a stream of documents (workspace-file.md, Documents). */
import type { ImportReply } from '@querent/contract/query'
import type { Collection } from '@querent/contract/workspace-file'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EngineDocument, LinesRead } from '#engines/engine'
import { errorReply, Problem } from '#errors'
import { problemOfEngine } from '#http/engine-problem'
import { notePlace } from '#http/observation'
import { importName, readOptions, yesOrNo } from './address.ts'
import {
  type Asked,
  asWrite,
  type DocumentsDependencies,
  onLive,
  putAll,
  refresh,
  refusedByFilter,
} from './admit.ts'
import { readArrayItems } from './array-items.ts'
import { auditDocuments } from './audit.ts'
import { readBody } from './body.ts'
import { importBlocks, importLines } from './import.ts'
import { type Line, readLines } from './lines.ts'
import { refusePacked, type StreamFormat, streamFormat } from './media-type.ts'
import type { Counting, ImportsProgress } from './progress.ts'
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
  progress: ImportsProgress,
): Promise<ImportReply> => {
  const options = readImportOptions(asked.address.search)
  return progress.follow(asked, options.name, counting => carryOut(deps, request, asked, options, counting))
}

const carryOut = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  asked: Asked,
  { wait, replace, strict, stage }: ImportOptions,
  counting: Counting,
): Promise<ImportReply> => {
  const { reader, workspace, name, collection, allowed } = asked
  const format = streamFormat(request.headers)
  const body = counting.reading(refusePacked(readBody(request.raw, deps.idleMs)))
  if (replace && allowed)
    throw refusedByFilter(
      deps,
      asked,
      'replace=true: a member with a row filter may not replace the documents that it hides',
    )
  if (replace || strict) counting.countsTogether()
  const { rules } = reader
  const { readLines } = deps.engine
  /** Into what `put` writes to; the engine reads the lines itself where it can. */
  const importInto = (
    put: (documents: EngineDocument[]) => Promise<ReadonlySet<number>>,
    putRead: (read: LinesRead, others: readonly (EngineDocument | undefined)[]) => Promise<void>,
  ): Promise<ImportReply> => {
    if (format === 'lines' && rules && readLines)
      return importBlocks({
        body,
        reader,
        readLines: block => readLines(block, rules),
        write: async (read, others) => {
          await putRead(read, others)
          counting.wrote(read.lines - others.filter(other => other === undefined).length)
        },
      })
    const write = async (documents: EngineDocument[]) => {
      const left = await put(documents)
      counting.wrote(documents.length - left.size)
      return left
    }
    const lines = formats[format](body, collection)
    return importLines({ lines, reader, write, leftOut: hiddenMessage, whole: replace })
  }
  /** All into a generation of its own, which counts only when it is complete. */
  const fill = async (id: string) => {
    const put = async (documents: EngineDocument[]) => {
      await deps.engine.write(id, documents.map(asWrite))
      return new Set<number>()
    }
    const done = await importInto(put, (read, others) => read.write(id, others))
    if (done.accepted === 0 || (strict && done.rejected > 0)) throw new NothingAccepted(done)
    return done
  }
  const refuseHidden =
    allowed &&
    (async (aside: string, live: string) => {
      if (await allowed.hidesAny(deps.engine, aside, live)) throw refusedByFilter(deps, asked, hiddenMessage)
    })
  /** What becomes of all of them at once. */
  const together = (work: Promise<ImportReply>) =>
    inProblems(work).catch(error => {
      counting.nothingKept()
      throw error
    })
  /** Recorded before they take the place of others: what is not recorded does not happen. */
  const fillRecorded = async (id: string) => {
    const done = await fill(id)
    await auditDocuments(deps, asked, 'replaceDocuments', {
      accepted: done.accepted,
      rejected: done.rejected,
      staged: stage,
    })
    return done
  }
  if (replace) return together(deps.collections.replace(workspace.id, name, fillRecorded, stage))
  try {
    const done = strict
      ? await together(deps.collections.putTogether(workspace.id, name, fill, refuseHidden))
      : await importInto(
          documents => putAll(deps, asked, documents),
          (read, others) => onLive(deps, asked, id => read.write(id, others)),
        )
    if (done.accepted === 0) throw new NothingAccepted(done)
    if (wait) await refresh(deps, asked)
    else void refreshAnyhow(deps, request, asked)
    return done
  } catch (error) {
    // What a broken stream has brought so far is kept, and found by whoever learns that it broke. An index that is being built again
    // would take until it is done.
    const refreshed = refreshAnyhow(deps, request, asked)
    if (!(error instanceof Problem && error.code === 'unavailable')) await refreshed
    throw error
  }
}

/** How each format becomes documents. */
const formats: Readonly<
  Record<StreamFormat, (body: AsyncIterable<Uint8Array>, collection: Collection) => AsyncIterable<Line[]>>
> = {
  lines: body => readLines(body),
  array: readArrayItems,
  async *table(body, collection) {
    const { readCsv } = await import('./csv.ts')
    yield* readCsv(body, collection)
  },
}

/** What the engine refuses, as a Problem. */
const inProblems = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    throw problemOfEngine(error)
  })

const refreshAnyhow = (deps: DocumentsDependencies, request: FastifyRequest, asked: Asked): Promise<void> =>
  refresh(deps, asked).catch(error => {
    // The server was told to stop, or the engine is away, which is told elsewhere: what was taken is found later.
    const problem = problemOfEngine(error)
    if (problem instanceof Problem && problem.code === 'unavailable') return
    request.log.error({ err: error }, 'the refresh after an import failed')
  })

interface ImportOptions {
  wait: boolean
  replace: boolean
  strict: boolean
  stage: boolean
  /** To ask for its progress by. */
  name: string | undefined
}

const readImportOptions = (search: string): ImportOptions => {
  const {
    wait,
    replace,
    strict,
    stage,
    import: name,
  } = readOptions(search, {
    wait: yesOrNo,
    replace: yesOrNo,
    strict: yesOrNo,
    stage: yesOrNo,
    import: importName,
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
    name,
  }
}

/** Answers an import of which nothing was accepted; throws any other error on. */
export const answerNothingAccepted = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  if (!(error instanceof NothingAccepted)) throw error
  notePlace(reply.raw, { code: error.code })
  reply.code(error.status).header('cache-control', 'no-store')
  return { ...errorReply(error, request.id), ...error.done }
}
