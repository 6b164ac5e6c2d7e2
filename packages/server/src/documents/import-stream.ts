/** `POST` of a stream of documents (workspace-file.md, Documents). */
import type { ImportReply } from '@querent/contract/query'
import type { Collection } from '@querent/contract/workspace-file'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AuthorizationError } from '#authz/bearer'
import type { EngineDocument, LinesRead } from '#engines/engine'
import { errorReply, Problem } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import type { Writer } from '#storage/db'
import { setAttributes } from '#telemetry/request-attributes'
import { importName, readOptions, yesOrNo } from './address.ts'
import {
  type Asked,
  asWrite,
  changeLive,
  type DocumentsDependencies,
  putAll,
  refresh,
  refusedByFilter,
} from './admit.ts'
import { readArrayItems } from './array-items.ts'
import { auditDocuments } from './audit.ts'
import { readDecodedBody } from './body.ts'
import type { Delimiter } from './csv.ts'
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
  return progress.follow(asked, options.name, async counting => {
    try {
      return await carryOut(deps, request, asked, options, counting)
    } catch (error) {
      // Something that was missing may have gone with the account, as a collection does with its workspace.
      if (!(error instanceof AuthorizationError)) await asked.confirm()
      throw error
    }
  })
}

const carryOut = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  asked: Asked,
  { wait, replace, strict, stage, delimiter }: ImportOptions,
  counting: Counting,
): Promise<ImportReply> => {
  const { reader, workspace, name, collection, allowed } = asked
  const format = streamFormat(request.headers)
  const body = counting.reading(confirmed(refusePacked(readDecodedBody(request.raw, deps.idleMs)), asked))
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
    const lines = formats[format](body, collection, delimiter)
    return importLines({ lines, reader, write, leftOut: hiddenMessage, whole: replace })
  }
  /** All into a generation of its own, which counts only when it is complete. */
  const fill = async (id: string) => {
    const put = async (documents: EngineDocument[]) => {
      await asked.confirm()
      await deps.engine.write(id, documents.map(asWrite))
      return new Set<number>()
    }
    const done = await importInto(put, async (read, others) => {
      await asked.confirm()
      await read.write(id, others)
    })
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
  /** Confirmed and recorded in the transaction in which they take the place of others. */
  const record = async (writer: Writer, { accepted, rejected }: ImportReply) => {
    writer.runLast(() => asked.confirmIn(writer))
    await auditDocuments(writer, asked, 'replaceDocuments', { accepted, rejected, staged: stage })
  }
  if (replace) return together(deps.collections.replace(workspace.id, name, fill, stage, record))
  let documentsWritten = 0
  try {
    const done = strict
      ? await together(deps.collections.putTogether(workspace.id, name, fill, asked.confirm, refuseHidden))
      : await importInto(
          async documents => {
            const hidden = await putAll(deps, asked, documents)
            documentsWritten += documents.length - hidden.size
            return hidden
          },
          async (read, others) => {
            await changeLive(deps, asked, id => read.write(id, others))
            documentsWritten += read.lines - others.filter(other => other === undefined).length
          },
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
    throw error instanceof AuthorizationError && !strict ? withKept(error, documentsWritten) : error
  }
}

/** The parts of the body, as long as the caller still may. */
async function* confirmed(
  body: AsyncIterable<Uint8Array>,
  asked: Pick<Asked, 'confirm'>,
): AsyncGenerator<Uint8Array> {
  for await (const part of body) {
    await asked.confirm()
    yield part
  }
}

/** The refusal of an import that had begun, with the number of documents that stay. */
const withKept = (refused: AuthorizationError, documents: number): AuthorizationError =>
  new AuthorizationError(
    refused.code,
    `${refused.message}; the ${documents} documents that were written before stay`,
    refused.check,
    refused.token,
    refused.headers['www-authenticate'],
  )

/** How each format becomes documents. */
const formats: Readonly<
  Record<
    StreamFormat,
    (body: AsyncIterable<Uint8Array>, collection: Collection, delimiter?: Delimiter) => AsyncIterable<Line[]>
  >
> = {
  lines: body => readLines(body),
  array: readArrayItems,
  async *table(body, collection, delimiter) {
    const { readCsv } = await import('./csv.ts')
    yield* readCsv(body, collection, delimiter)
  },
}

/** What the engine refuses, as a Problem. */
const inProblems = <T>(work: Promise<T>): Promise<T> =>
  work.catch(error => {
    throw toEngineProblem(error)
  })

const refreshAnyhow = (deps: DocumentsDependencies, request: FastifyRequest, asked: Asked): Promise<void> =>
  refresh(deps, asked).catch(error => {
    // The server was told to stop, or the engine is away, which is told elsewhere: what was taken is found later.
    const problem = toEngineProblem(error)
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
  /** Of csv; undefined: as the header line has it. */
  delimiter: Delimiter | undefined
}

const readImportOptions = (search: string): ImportOptions => {
  const {
    wait,
    replace,
    strict,
    stage,
    import: name,
    delimiter,
  } = readOptions(search, {
    wait: yesOrNo,
    replace: yesOrNo,
    strict: yesOrNo,
    stage: yesOrNo,
    import: importName,
    delimiter: { test: /^(,|;|\t)$/, words: '"," or ";" or a tab (%09)' },
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
    // By its test.
    delimiter: delimiter as Delimiter | undefined,
  }
}

/** Answers an import of which nothing was accepted; throws any other error on. */
export const answerNothingAccepted = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  if (!(error instanceof NothingAccepted)) throw error
  setAttributes(reply.raw, { code: error.code })
  reply.code(error.status).header('cache-control', 'no-store')
  return { ...errorReply(error, request.id), ...error.done }
}
