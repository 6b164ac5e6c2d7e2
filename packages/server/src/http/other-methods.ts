import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#errors'

/** Answers 405 at `url` to all methods except `allowed`, without reading the body. `first` may set headers or throw another error. */
export const refuseOtherMethods = (
  fastify: FastifyInstance,
  url: string,
  allowed: readonly string[],
  first: (request: FastifyRequest, reply: FastifyReply) => Promise<void> = async () => {},
): void => {
  const otherMethods = METHODS.filter(method => ![...allowed, 'CONNECT'].includes(method))
  for (const method of otherMethods)
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method, { hasBody: true })
  fastify.route({
    method: otherMethods,
    url,
    onRequest: async (request, reply) => {
      await first(request, reply)
      throw notAllowed(request, allowed)
    },
    handler: async () => {},
  })
}

const notAllowed = ({ method }: FastifyRequest, allowed: readonly string[]): Problem =>
  new Problem('method-not-allowed', `${method} is not allowed here: allowed are ${allowed.join(', ')}`, {
    headers: { allow: allowed.join(', ') },
  })
