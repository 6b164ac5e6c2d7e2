/**
 * Unregistered clients, whose Client ID is the URL of a Client ID Metadata Document
 * (draft-ietf-oauth-client-id-metadata-document). The library fetches and checks the document. This file adds
 * where it may be fetched from, what a document may ask for, and which workspace a client may open: the one of
 * its `resource`, if that allows such clients. Nothing about them is stored but consents and grants.
 */

import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { hasPrivateScheme, redirectUriProblem } from '@querent/contract/client-uris'
import { describeRequirement } from '@querent/contract/fault-texts'
import type { RegisteredMetadata } from '@querent/contract/manage'
import { type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { readWorkspaceSlug } from '#authz/audience'
import { toNetwork } from '#authz/network'
import type { ServiceUrls } from '#http/origins'
import {
  createPublicFetch,
  documentBytesMax,
  PublicFetchError,
  type PublicFetchOptions,
} from '#http/public-fetch'
import { createMinuteCounter } from '#memory/minute-counter'
import type { LoadedClient, MetadataDocument } from '#oauth/library/loaded-client'
import type { Log } from '#oauth/library/log'
import type { LibraryClient } from '#oauth/library/oidc-provider-internals'
import { toVisibleName } from '#oauth/library/visible-name'
import { readResources, scopes } from '#oauth/requests/normalize-request'
import { canonicalAddress } from '#oauth/requests/resource'
import { makeMetadataDocumentRow } from '#storage/clients'
import type { Directory } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import { dropEmptyMembers, dropUnknownScopes, readLink } from './registered-metadata.ts'

/** How documents are fetched. `cacheSeconds`: bounds of their `max-age`. */
export interface DocumentFetch extends PublicFetchOptions {
  cacheSeconds?: { min: number; max: number }
}

interface Dependencies extends ServiceUrls {
  directory: Directory
  documentFetch: DocumentFetch
  /** Wrong secrets a minute from one address for one client; as many documents times ten. */
  signInThrottle: number | 'off'
  clientAddress: (request: IncomingMessage) => string
  log: Log
  /** Schemes without a dot that clients may use for redirect URIs. */
  nativeSchemes: readonly string[]
}

export interface MetadataDocuments {
  /** Options of the library. */
  configuration: Pick<Configuration, 'fetch' | 'fetchResponseBodyLimits'>
  feature: NonNullable<NonNullable<Configuration['features']>['clientIdMetadataDocument']>
  /**
   * Refuses an authorization request before anything is fetched for it, unless its resource is in a workspace
   * that allows such clients. Throws `invalid_target`.
   */
  refuseForeignRequest(ctx: KoaContextWithOIDC): Promise<void>
  /** Returns the client for a resource, as one of the resource's workspace. Throws `invalid_target`. */
  requireWorkspace(client: LoadedClient, resources: readonly string[]): Promise<LoadedClient>
  /** The same, without a workspace if that does not allow it (any more). Registered clients stay as they are. */
  bindToWorkspace(client: LoadedClient, resources: readonly string[]): Promise<LoadedClient>
  /** Returns the workspace of the resources. Null if it does not allow such clients. */
  findWorkspaceId(resources: readonly string[]): Promise<string | null>
}

/**
 * Short, because a change of the document must lead to a new consent; long enough for the steps of a sign-in.
 */
const defaultCacheSeconds = { min: 60, max: 60 * 60 }
/** Networks whose fetches are counted. */
const networksMax = 20_000
const documentsPerFailure = 10

const grantTypes = ['authorization_code', 'refresh_token'] as const

export const openMetadataDocuments = (dependencies: Dependencies): MetadataDocuments => {
  const { documentFetch, signInThrottle, clientAddress, directory, baseUrl, log } = dependencies
  const fetchDocument = createPublicFetch(documentFetch)
  const fetches = createMinuteCounter(networksMax)

  const refuseTooManyFetches = ({ req }: KoaContextWithOIDC): void => {
    if (signInThrottle === 'off') return
    const minute = fetches.start(toNetwork(clientAddress(req)))
    minute.count += 1
    if (minute.count <= signInThrottle * documentsPerFailure) return
    throw Object.assign(
      new errors.TemporarilyUnavailable(
        'too many Client ID Metadata Documents were requested from this address: wait a minute',
      ),
      { status: 429, statusCode: 429, allow_redirect: false },
    )
  }

  const findWorkspace = async (resources: readonly unknown[]): Promise<WorkspaceRow | undefined> => {
    const slugs = resources.map(resource => {
      const address =
        typeof resource === 'string' ? canonicalAddress(resource, false, dependencies) : undefined
      return address && readWorkspaceSlug(address, baseUrl)
    })
    const [slug] = slugs
    if (slug === undefined || slugs.some(other => other !== slug)) return undefined
    const workspace = await directory.workspace(slug)
    return workspace?.definition.settings?.allowMetadataClients ? workspace : undefined
  }
  const requireAllowed = async (resources: readonly unknown[]): Promise<WorkspaceRow> => {
    const workspace = await findWorkspace(resources)
    if (workspace) return workspace
    // The same for a workspace that does not exist.
    throw new errors.InvalidTarget(
      resources.length === 0
        ? `a client with a URL as client_id must name a resource in a workspace: send resource=${baseUrl}/4/{workspace} or below it`
        : `resource must be in one workspace that allows clients with a URL as client_id: send resource=${baseUrl}/4/{workspace} or below it, and ask an administrator of the workspace for the setting allowMetadataClients`,
    )
  }

  return {
    configuration: {
      // The library only sends GET: documents, `jwks_uri` and `sector_identifier_uri`.
      async fetch(address) {
        try {
          const url = address instanceof Request ? address.url : address
          return await normalizeDocument(String(url), await fetchDocument(url))
        } catch (error) {
          // The caller learns no reason, which would describe our network.
          if (error instanceof PublicFetchError)
            log.warn(
              { address: String(address), reason: error.message },
              'a document of a client was not fetched',
            )
          throw error
        }
      },
      fetchResponseBodyLimits: {
        'client_id metadata document': documentBytesMax,
        jwks_uri: documentBytesMax,
        sector_identifier_uri: documentBytesMax,
      },
    },
    feature: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: documentFetch.cacheSeconds ?? defaultCacheSeconds,
      allowFetch(ctx) {
        refuseTooManyFetches(ctx)
        return true
      },
      allowClient(_ctx, client) {
        restrictClient(client, dependencies.nativeSchemes)
        return true
      },
    },
    async refuseForeignRequest({ oidc: { route, params, body, provider } }) {
      const values = route === 'authorization' ? params : body
      const isChecked = route === 'authorization' || route === 'pushed_authorization_request'
      if (!isChecked || !values) return
      const { request_uri: pushed } = values
      if (typeof pushed !== 'string')
        return void (await requireAllowed([values.resource ?? values.audience ?? []].flat()))
      // Its resource was checked when it was pushed.
      const id = pushed.replace(/^urn:ietf:params:oauth:request_uri:/, '')
      if (!(await provider.PushedAuthorizationRequest.find(id, { ignoreExpiration: true })))
        throw new errors.InvalidRequestUri('request_uri is invalid, expired, or was already used')
    },
    async requireWorkspace(client, resources) {
      return bind(client, await requireAllowed(resources))
    },
    async bindToWorkspace(client, resources) {
      return client.document ? bind(client, await findWorkspace(resources)) : client
    },
    async findWorkspaceId(resources) {
      return (await findWorkspace(resources))?.id ?? null
    },
  }
}

const bind = (client: LoadedClient, workspace: WorkspaceRow | undefined): LoadedClient =>
  client.row.kind === 'metadata-document'
    ? { ...client, slug: workspace?.slug, row: { ...client.row, workspaceId: workspace?.id ?? null } }
    : client

/** Scopes of the documents of clients that have them. */
const documentScopes = new WeakMap<LibraryClient, string>()

/**
 * Reads a document as leniently as a registration (registered-metadata.ts). Key sets and other replies stay as they are.
 */
const normalizeDocument = async (address: string, reply: Response): Promise<Response> => {
  if (reply.status !== 200) return reply
  const text = await reply.text()
  const { status, headers } = reply
  const document = parseObject(text)
  if (document?.client_id !== address) return new Response(text, { status, headers })
  dropEmptyMembers(document)
  dropUnknownScopes(document)
  const { redirect_uris: uris } = document
  if (Array.isArray(uris) && uris.some(uri => typeof uri === 'string' && hasPrivateScheme(uri)))
    document.application_type = 'native'
  return new Response(JSON.stringify(document), { status, headers })
}

/** Undefined if it is not the JSON of an object; the library reports that. */
const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

/**
 * Limits the client to what an unregistered one may do: codes and refresh tokens, at https or loopback
 * addresses or private-use schemes. Throws `invalid_client_metadata`.
 */
const restrictClient = (client: LibraryClient, nativeSchemes: readonly string[]): void => {
  const uris = [...(client.redirectUris ?? []), ...(client.postLogoutRedirectUris ?? [])]
  for (const uri of uris) {
    const problem = redirectUriProblem(uri, { isNative: true, nativeSchemes })
    if (problem)
      throw new errors.InvalidClientMetadata(
        `a redirect URI of the document is not ${describeRequirement(problem)}`,
      )
  }
  // The library would reject a request for another scope, which the server ignores.
  if (client.scope !== undefined) documentScopes.set(client, client.scope)
  Object.assign(client, {
    scope: undefined,
    grantTypes: client.grantTypes?.filter(type => grantTypes.some(known => known === type)),
    // Loopback redirect URIs may have any port (RFC 8252, section 7.3), whatever the document says.
    applicationType: 'native',
    // The server must not send requests to wherever a document says.
    backchannelLogoutUri: undefined,
    clientName: readName(client),
  })
}

/** The name of the document; else the host. */
const readName = ({ clientId, clientName = '' }: LibraryClient): string =>
  toVisibleName(clientName) || new URL(clientId).host

/** Describes the library's client of a document in our form. It has no workspace yet. */
export const makeMetadataDocumentClient = (client: LibraryClient): LoadedClient => ({
  row: makeMetadataDocumentRow(client.clientId),
  secrets: [],
  mayComeFrom: () => true,
  slug: undefined,
  application: {
    type: 'native',
    redirectUris: [...(client.redirectUris ?? [])],
    origins: [],
    logoutUris: [...(client.postLogoutRedirectUris ?? [])],
    own: false,
    registered: describeMetadata(client),
  },
  document: describeDocument(client),
})

/** The library keeps the client to everything else in its document. */
const describeMetadata = (client: LibraryClient): RegisteredMetadata => {
  const scope = documentScopes.get(client)?.split(' ')
  return {
    grantTypes: grantTypes.filter(grant => client.grantTypes?.includes(grant)),
    ...(scope ? { scope: scopes.filter(name => scope.includes(name)) } : {}),
  }
}

const describeDocument = (client: LibraryClient): MetadataDocument => {
  const { clientId, clientName, redirectUris = [], jwks, jwksUri, tokenEndpointAuthMethod } = client
  const agreed = [clientName, redirectUris.toSorted(), tokenEndpointAuthMethod, jwks, jwksUri]
  const policyUri = readLink(client.policyUri)
  const termsUri = readLink(client.tosUri)
  return {
    ...(policyUri === undefined ? {} : { policyUri }),
    ...(termsUri === undefined ? {} : { termsUri }),
    name: clientName ?? '',
    host: new URL(clientId).host,
    digest: createHash('sha256').update(JSON.stringify(agreed)).digest('base64url'),
  }
}

/** Returns the resources that the grant of a code or token opens; without one, those of the request. */
export const readGrantedResources = async (
  { oidc }: KoaContextWithOIDC,
  grantId: string | undefined,
): Promise<string[]> => {
  const grant = grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId)
  return grantId === undefined ? readResources(oidc.params ?? {}) : Object.keys(grant?.resources ?? {})
}
