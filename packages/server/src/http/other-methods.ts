import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '#errors'

/** Refuses at `url` every method but `allowed` with 405, before the body, which does not matter. `refusal` may find another problem. */
export const refuseOtherMethods = (
  fastify: FastifyInstance,
  url: string,
  allowed: readonly string[],
  refusal: (request: FastifyRequest) => Problem | undefined = () => undefined,
): void => {
  const others = METHODS.filter(method => ![...allowed, 'CONNECT'].includes(method))
  for (const method of others)
    if (!fastify.supportedMethods.includes(method)) fastify.addHttpMethod(method, { hasBody: true })
  fastify.route({
    method: others,
    url,
    onRequest: async request => {
      throw refusal(request) ?? notAllowed(request, allowed)
    },
    handler: async () => {},
  })
}

const notAllowed = ({ method }: FastifyRequest, allowed: readonly string[]): Problem =>
  new Problem('method-not-allowed', `${method} is not allowed here: allowed are ${allowed.join(', ')}`, {
    headers: { allow: allowed.join(', ') },
  })
