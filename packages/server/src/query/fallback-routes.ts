/** What Fastify answers of the query service: other methods at the addresses of queries, and what stands at no address. */
import type { IncomingMessage } from 'node:http'
import { contractVersion } from '@querent/contract/paths'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isQueryUrl } from '#authz/query-path'
import { setCors, setPreflight } from '#http/cors'
import { refuseOtherMethods } from '#http/other-methods'
import { runSteps, type Steps } from '#http/recipe'
import type { HeaderWriter } from '#http/vary'
import { noSuchPath } from './address.ts'
import type { Limits } from './limits.ts'

/** Where the router finds what goes to queries and is none; a client that asks for it gets 404. */
export const routed = '/queries'

const allowed = ['GET', 'HEAD', 'OPTIONS']

interface Dependencies {
  limits: Pick<Limits, 'count' | 'tell'>
  /** Whose limits a request counts for while nobody knows whose it is. */
  at(request: IncomingMessage): string
  /** Who may read the reply is set, whatever it will be. */
  begin(request: IncomingMessage, reply: HeaderWriter, url: string): Steps<unknown>
}

export const registerNotQueries = (fastify: FastifyInstance, { limits, at, begin }: Dependencies): void => {
  /** No page could read why its preflight was refused: it is told what is left, and counts for nothing. */
  const limited = ({ raw }: FastifyRequest, reply: FastifyReply): void =>
    limits[raw.method === 'OPTIONS' ? 'tell' : 'count'](reply, at(raw))

  // Queries count for who asks, once that is known; what is no query, by address, and all of it is open to all. Imports have bounds of
  // their own.
  fastify.addHook('onRequest', async (request, reply) => {
    const { originalUrl, routeOptions } = request
    if (isQueryUrl(originalUrl) || isDocumentsRoute(routeOptions.url)) return
    setCors(request, reply, 'any')
    limited(request, reply)
  })
  const beginOther = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!isQueryUrl(request.originalUrl)) throw noSuchPath(request.originalUrl)
    await runSteps(begin(request.raw, reply, request.originalUrl))
    limited(request, reply)
  }
  fastify.route({
    method: 'OPTIONS',
    url: routed,
    onRequest: beginOther,
    handler: async (request, reply) => {
      setPreflight(request, reply, 'GET, HEAD')
      reply.code(204).header('allow', allowed.join(', '))
    },
  })
  refuseOtherMethods(fastify, routed, allowed, beginOther)
}

const isDocumentsRoute = (url: string | undefined): boolean =>
  url?.startsWith(`/${contractVersion}/:workspace/collections/`) ?? false
