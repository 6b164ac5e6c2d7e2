import type { FastifyInstance, FastifyRequest } from 'fastify'
import { refuseOtherMethods } from './other-methods.ts'

/** Serves JSON that everyone may read, from every origin, and that changes with a new start of the server only. */
export const registerOpen = (
  fastify: FastifyInstance,
  url: string,
  document: (request: FastifyRequest) => object,
): void => {
  fastify.get(url, async (request, reply) => {
    reply
      .header('access-control-allow-origin', '*')
      .header('cache-control', 'public, max-age=300')
      .header('vary', 'accept-encoding')
    return document(request)
  })
  refuseOtherMethods(fastify, url, ['GET', 'HEAD'])
}
