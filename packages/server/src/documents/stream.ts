/** `POST` of a stream of documents (workspace-file.md, Documents). */
import type { ImportReply } from '@querent/contract/query'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EngineDocument } from '#engines/engine'
import { errorReply, Problem } from '#errors'
import { problemOfEngine } from '#http/engine-problem'
import { readOptions, yesOrNo } from './address.ts'
import { type Asked, asWrite, type DocumentsDependencies, putAll, refresh } from './admit.ts'
import { readArrayItems } from './array-items.ts'
import { readBody } from './body.ts'
import { importLines } from './import.ts'
import { readLines } from './lines.ts'
import { streamFormat } from './media-type.ts'

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
  const readDocuments = streamFormat(request.headers) === 'array' ? readArrayItems : readLines
  const lines = readDocuments(readBody(request.raw))
  const { reader, workspace, name } = asked
  /** All into a generation of its own, which counts only when it is complete. */
  const fill = async (id: string) => {
    const write = (documents: EngineDocument[]) => deps.engine.write(id, documents.map(asWrite))
    const done = await importLines({ lines, reader, write })
    if (done.accepted === 0 || (strict && done.rejected > 0)) throw new NothingAccepted(done)
    return done
  }
  if (replace) return inProblems(deps.collections.replace(workspace.id, name, fill, stage))
  try {
    const done = strict
      ? await inProblems(deps.collections.putTogether(workspace.id, name, fill))
      : await importLines({ lines, reader, write: documents => putAll(deps, asked, documents) })
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
