/** Protected resource metadata (RFC 9728): tells a client which authorization server gives tokens for an address. */
import type { FastifyInstance } from 'fastify'

const wellKnown = '/.well-known/oauth-protected-resource'

/** Serves it for the whole service and, with the path behind, for every address below (RFC 9728, section 3.1). Open to all. */
export const registerResourceMetadata = (
  fastify: FastifyInstance,
  { baseUrl, authUrl }: { baseUrl: string; authUrl: string },
): void => {
  const metadata = (path: string) => ({
    resource: `${baseUrl}${path}`,
    resource_name: 'Querent',
    authorization_servers: [`${authUrl}/`],
    bearer_methods_supported: ['header'],
  })
  const answer = (url: string) => metadata((url.split('?', 1)[0] ?? '').slice(wellKnown.length))
  for (const url of [wellKnown, `${wellKnown}/*`])
    fastify.get(url, async (request, reply) => {
      reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300')
      return answer(request.originalUrl)
    })
}
