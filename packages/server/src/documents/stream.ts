/** `POST` of a stream of documents (workspace-file.md, Documents). */
import type { ImportReply } from '@querent/contract/query'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorReply, Problem } from '#errors'
import { readOptions, yesOrNo } from './address.ts'
import { type Asked, asWrite, type DocumentsDependencies, putAll, refresh } from './admit.ts'
import { readArrayItems } from './array-items.ts'
import { readBody } from './body.ts'
import { problemOfEngine } from './engine-problem.ts'
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
    this.done = done
  }
}

/** Adds the documents of the stream, or replaces all by them. Acknowledged means durable and, unless `wait=false`, searchable. */
export const importStream = async (
  deps: DocumentsDependencies,
  request: FastifyRequest,
  asked: Asked,
): Promise<ImportReply> => {
  const { wait, replace } = readImportOptions(asked.address.search)
  const readDocuments = streamFormat(request.headers) === 'array' ? readArrayItems : readLines
  const lines = readDocuments(readBody(request.raw))
  if (replace) return replaceAll(deps, asked, lines)
  try {
    const write: Parameters<typeof importLines>[0]['write'] = documents => putAll(deps, asked, documents)
    const done = await importLines({ lines, reader: asked.reader, write })
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

const refreshLater = (deps: DocumentsDependencies, request: FastifyRequest, asked: Asked): void => {
  refresh(deps, asked).catch(error => request.log.error({ err: error }, 'the refresh after an import failed'))
}

const replaceAll = async (
  deps: DocumentsDependencies,
  asked: Asked,
  lines: ReturnType<typeof readLines>,
): Promise<ImportReply> => {
  const { engine, collections } = deps
  const { workspace, name, reader } = asked
  try {
    return await collections.replace(workspace.id, name, async id => {
      const done = await importLines({
        lines,
        reader,
        write: documents => engine.write(id, documents.map(asWrite)),
      })
      if (done.accepted === 0) throw new NothingAccepted(done)
      return done
    })
  } catch (error) {
    throw problemOfEngine(error)
  }
}

const readImportOptions = (search: string): { wait: boolean; replace: boolean } => {
  const { wait, replace, strict, stage } = readOptions(search, {
    wait: yesOrNo,
    replace: yesOrNo,
    strict: yesOrNo,
    stage: yesOrNo,
  })
  if (strict === 'true') throw notBuiltYet('strict=true')
  if (stage === 'true') throw notBuiltYet('stage=true')
  return { wait: wait !== 'false', replace: replace === 'true' }
}

const notBuiltYet = (what: string): Problem =>
  new Problem('not-built-yet', `${what} is not built yet in this version: leave it out`)

/** Answers an import of which nothing was accepted; throws any other error on. */
export const answerNothingAccepted = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  if (!(error instanceof NothingAccepted)) throw error
  reply.code(error.status).header('cache-control', 'no-store')
  return { ...errorReply(error, request.id), ...error.done }
}
