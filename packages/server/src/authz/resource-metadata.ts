/** Protected resource metadata (RFC 9728): names the authorization server that issues tokens for an address. */
import type { FastifyInstance } from 'fastify'
import { servePublicJson } from '#http/public-json'

/**
 * Scopes that agents ask for: without them, SDKs of the Model Context Protocol send no scope or all that the authorization server has (its
 * specification, "Scope Selection Strategy"). Refresh tokens keep an agent from asking for the browser every 15 minutes.
 */
export const agentScopes = ['openid', 'offline_access']

/** Whether agents use the address (of a resource, percent-encoded): an API's `mcp`. */
export const isAgentAddress = (path: string): boolean => /\/mcp\/?$/.test(path)

const metadataPrefix = '/.well-known/oauth-protected-resource'

/** Serves the metadata of the whole service and, with a path appended, of every address below it (RFC 9728, section 3.1). Open to all. */
export const registerResourceMetadata = (
  fastify: FastifyInstance,
  { baseUrl, authUrl }: { baseUrl: string; authUrl: string },
): void => {
  const metadata = (path: string) => ({
    resource: `${baseUrl}${path}`,
    resource_name: 'Querent',
    authorization_servers: [`${authUrl}/`],
    bearer_methods_supported: ['header'],
    ...(isAgentAddress(path) ? { scopes_supported: agentScopes } : {}),
  })
  for (const url of [metadataPrefix, `${metadataPrefix}/*`])
    servePublicJson(fastify, url, request => metadata(readResourcePath(request.originalUrl)))
}

const readResourcePath = (url: string): string => (url.split('?', 1)[0] ?? '').slice(metadataPrefix.length)
