/**
 * Metadata of a workspace's own OpenID provider (OpenID Connect Discovery, section 4): fetched for sign-ins, and once before its settings are
 * saved, to say what is wrong with them.
 */
import type { IdentityProvider } from '@querent/contract/workspace-file'
import { LRUCache } from 'lru-cache'
import * as client from 'openid-client'
import type { ClientFetch, ClientRequest } from '#http/public-fetch'
import type { Log } from '#oauth/library/log'
import { findResponse, isUnavailable } from './provider-failures.ts'
import { clockSkewSeconds } from './provider-keys.ts'

const requiredEndpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** Settings of every client of the library, which checks times too. */
export const clientSettings = { [client.clockTolerance]: clockSkewSeconds }

class IncompleteMetadata extends Error {
  readonly missing: readonly string[]
  constructor(missing: readonly string[]) {
    super(`its metadata lack ${missing.join(', ')}`)
    this.missing = missing
  }
}

/** Fetches and checks the metadata. Throws an error of the library or of the request. */
export const discoverProvider = async (
  fetch: ClientFetch,
  { issuer, clientId }: Pick<IdentityProvider, 'issuer' | 'clientId'>,
  authentication: client.ClientAuth,
): Promise<client.Configuration> => {
  const url = new URL(issuer)
  const configuration = await client.discovery(url, clientId, clientSettings, authentication, {
    // Only a server that is itself on this machine gets there (public-fetch.ts).
    ...(url.protocol === 'http:' ? { execute: [client.allowInsecureRequests] } : {}),
    [client.customFetch]: (address, options) => fetch(address, toClientRequest(options)),
  })
  const metadata = configuration.serverMetadata()
  const missing = requiredEndpoints.filter(name => !metadata[name])
  if (missing.length > 0) throw new IncompleteMetadata(missing)
  return configuration
}

/** A fault in the metadata of an issuer, with values for its text. */
export interface MetadataFault {
  /** `unreachable`: no answer, which says nothing about the settings. `missing`: the answer is no metadata. */
  kind: 'unreachable' | 'missing' | 'other-issuer' | 'incomplete'
  url: string
  /** The issuer in the metadata, or the members that they lack. */
  found: string
}

/** A form asks three times while it is saved. */
const keptMs = 10_000
const issuersMax = 500
const foundCharactersMax = 300

/** Returns a function that fetches the metadata of an issuer, at most every ten seconds, and returns what is wrong. */
export const createMetadataCheck = (
  fetch: ClientFetch,
  log: Log,
): ((issuer: string) => Promise<MetadataFault | undefined>) => {
  const outcomes = new LRUCache<string, Promise<MetadataFault | undefined>>({ max: issuersMax, ttl: keptMs })
  return issuer => {
    const existing = outcomes.get(issuer)
    if (existing) return existing
    const outcome = discoverProvider(fetch, { issuer, clientId: 'metadata' }, client.None()).then(
      () => undefined,
      (error: unknown) => {
        log.warn({ err: error, issuer }, 'the metadata of an OpenID provider are not as its settings say')
        return describeFailure(error, issuer)
      },
    )
    outcomes.set(issuer, outcome)
    return outcome
  }
}

const describeFailure = (error: unknown, issuer: string): MetadataFault => {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  if (error instanceof IncompleteMetadata) return { kind: 'incomplete', url, found: error.missing.join(', ') }
  const foundIssuer = readFoundIssuer(error)
  if (foundIssuer !== undefined)
    return { kind: 'other-issuer', url, found: foundIssuer.slice(0, foundCharactersMax) }
  const status = findResponse(error)?.status
  const isAnswer = !isUnavailable(error) && status !== 429
  return { kind: isAnswer ? 'missing' : 'unreachable', url, found: '' }
}

/** The library puts the metadata into the cause if their issuer is another one. */
const readFoundIssuer = (error: unknown): string | undefined => {
  if (!(error instanceof client.ClientError) || error.code !== 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return undefined
  // Its type is unknown.
  const { body } = (error.cause ?? {}) as { body?: { issuer?: unknown } }
  return typeof body?.issuer === 'string' ? body.issuer : undefined
}

const toClientRequest = ({ method, headers, body }: client.CustomFetchOptions): ClientRequest => ({
  ...(method === undefined ? {} : { method }),
  headers,
  ...(body === undefined || body === null ? {} : { body: String(body) }),
})
