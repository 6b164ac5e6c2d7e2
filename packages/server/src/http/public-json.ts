import type { FastifyInstance, FastifyRequest } from 'fastify'
import { setCors, setPreflight } from './cors.ts'
import { entityTag, etagMatches, isWildcard } from './entity-tag.ts'
import { refuseOtherMethods } from './other-methods.ts'

/** Serves public JSON to every origin. It changes only when the server restarts. */
export const servePublicJson = (
  fastify: FastifyInstance,
  url: string,
  document: (request: FastifyRequest) => object,
): void => {
  fastify.get(url, async (request, reply) => {
    setCors(request, reply, 'any')
    reply.header('cache-control', 'public, max-age=300').header('vary', 'accept-encoding')
    const text = JSON.stringify(document(request))
    const tag = entityTag([text])
    reply.header('etag', tag)
    const ifNoneMatch = request.headers['if-none-match']
    if (isWildcard(ifNoneMatch) || etagMatches(ifNoneMatch, tag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
  })
  // Pages of agents send custom headers, so browsers send a preflight.
  fastify.options(url, async (request, reply) => {
    setCors(request, reply, 'any')
    setPreflight(request, reply, 'GET, HEAD')
    return reply.code(204).send()
  })
  refuseOtherMethods(fastify, url, ['GET', 'HEAD', 'OPTIONS'], async (request, reply) =>
    setCors(request, reply, 'any'),
  )
}
