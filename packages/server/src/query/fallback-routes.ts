/** The part of the query service that Fastify answers: other methods than GET and HEAD, and unknown paths. */
import type { IncomingMessage } from 'node:http'
import { contractVersion } from '@querent/contract/paths'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isQueryUrl } from '#authz/query-path'
import { Problem } from '#errors'
import { setCors, setPreflight } from '#http/cors'
import { refuseOtherMethods } from '#http/other-methods'
import type { HeaderWriter } from '#http/vary'
import { noSuchPath } from './address.ts'
import type { Limits } from './limits.ts'
import { findPostRequest, postAllow } from './post-requests.ts'

/** The router's pattern for all query URLs. A client that requests this path itself gets 404. */
export const queryRoutePattern = '/queries'

const allowedMethods = ['GET', 'HEAD', 'OPTIONS']

interface Dependencies {
  limits: Pick<Limits, 'count' | 'report'>
  /** The rate limit key of a request whose account is unknown. */
  rateLimitKey(request: IncomingMessage): string
  /** Sets CORS headers, whatever the reply will be. */
  prepare(request: IncomingMessage, reply: HeaderWriter, url: string): Promise<unknown>
}

export const registerFallbackRoutes = (
  fastify: FastifyInstance,
  { limits, rateLimitKey, prepare }: Dependencies,
): void => {
  /** Preflights report the limit without counting, because a page cannot read why its preflight fails. */
  const applyLimit = ({ raw }: FastifyRequest, reply: FastifyReply): void =>
    limits[raw.method === 'OPTIONS' ? 'report' : 'count'](reply, rateLimitKey(raw))

  // Queries count for their account after authorization. Other requests count by IP address and are open to all origins. Document routes
  // have limits of their own.
  fastify.addHook('onRequest', async (request, reply) => {
    const { originalUrl, routeOptions } = request
    if (isQueryUrl(originalUrl) || isDocumentsRoute(routeOptions.url)) return
    setCors(request, reply, 'any')
    applyLimit(request, reply)
  })
  const prepareOther = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!isQueryUrl(request.originalUrl)) throw noSuchPath(request.originalUrl)
    await prepare(request.raw, reply, request.originalUrl)
    applyLimit(request, reply)
  }
  fastify.route({
    method: 'OPTIONS',
    url: queryRoutePattern,
    onRequest: prepareOther,
    handler: async (request, reply) => {
      const isPost = findPostRequest(request.originalUrl) !== undefined
      setPreflight(request, reply, isPost ? 'POST' : 'GET, HEAD')
      reply.code(204).header('allow', isPost ? postAllow : allowedMethods.join(', '))
    },
  })
  refuseOtherMethods(fastify, queryRoutePattern, allowedMethods, async (request, reply) => {
    await prepareOther(request, reply)
    if (findPostRequest(request.originalUrl))
      throw new Problem(
        'method-not-allowed',
        `${request.method} is not allowed here: allowed are ${postAllow}`,
        {
          headers: { allow: postAllow },
        },
      )
  })
}

const isDocumentsRoute = (url: string | undefined): boolean =>
  url?.startsWith(`/${contractVersion}/:workspace/collections/`) ?? false
