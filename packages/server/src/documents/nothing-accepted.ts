/** Error 400 for an import that accepted nothing. */
import type { ImportReply, UpdateReply } from '@querent/contract/query'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorReply, Problem } from '#errors'
import { setAttributes } from '#telemetry/request-attributes'
import { describePlace } from './rejections.ts'

/** The reply also has the counts of the import. */
export class NothingAccepted extends Problem {
  readonly done: ImportReply | UpdateReply
  constructor(done: ImportReply | UpdateReply) {
    const [first] = done.errors
    super(
      'bad-documents',
      first
        ? `no document was accepted; ${describePlace(first)}: ${first.message}`
        : 'no documents were sent',
      { errors: done.errors },
    )
    // A strict import keeps nothing, whatever could be read.
    if ('updated' in done) this.done = { ...done, accepted: 0, updated: 0 }
    else {
      const { replacedIds: _, ...others } = done
      this.done = { ...others, accepted: 0, documents: 0, replaced: 0 }
    }
  }
}

/** Answers an import that accepted nothing; rethrows any other error. */
export const answerNothingAccepted = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
  if (!(error instanceof NothingAccepted)) throw error
  setAttributes(reply.raw, { code: error.code })
  reply.code(error.status).header('cache-control', 'no-store')
  return { ...errorReply(error, request.id), ...error.done }
}
