/** A client as the library's callbacks receive it. */
import type { IncomingMessage } from 'node:http'
import type { ApplicationSettings, ClientRow } from '#storage/clients'
import type { MaybePromise } from '#storage/directory'

/** A secret prepared for comparison. */
export interface LoadedSecret {
  id: string
  digest: Buffer
  /** Milliseconds since 1970; null: never. */
  expiresAt: number | null
}

export interface LoadedClient {
  row: ClientRow
  secrets: readonly LoadedSecret[]
  mayComeFrom: (address: string) => boolean
  /** Slug of its workspace; undefined for the server's own clients. */
  slug: string | undefined
  /** Settings for sign-ins through it; undefined for a machine. */
  application: ApplicationSettings | undefined
  /** Only unregistered clients have one. */
  document?: MetadataDocument
}

/** The parts of a Client ID Metadata Document that a person agrees to. */
export interface MetadataDocument {
  /** Display name, which the client chose. */
  name: string
  /** Host of the document, and port unless it is 443. */
  host: string
  /** Hash of name, redirect URIs and keys. */
  digest: string
  /** Addresses of its privacy policy and terms of service. */
  policyUri?: string
  termsUri?: string
}

export interface Clients {
  /**
   * Returns undefined if it does not exist, is disabled, or its workspace is gone. Throws 503 if the storage
   * is unreachable for too long. `request`: the request that authenticates the client.
   */
  find(id: string, request?: IncomingMessage): MaybePromise<LoadedClient | undefined>
  /**
   * Await it before rejecting a client that failed to authenticate. Does a dummy lookup unless `request`
   * already did one, so that an unknown Client ID takes as long as a wrong secret. Throws as `find`.
   */
  equalizeTiming(request: IncomingMessage): MaybePromise<unknown>
  /** Current access token lifetime of its workspace. */
  lifetimeSeconds(client: LoadedClient): MaybePromise<number>
}
