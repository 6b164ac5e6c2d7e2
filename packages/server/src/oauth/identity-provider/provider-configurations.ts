/** The configuration of the library for the OpenID provider of each workspace: its metadata, and how this server authenticates there. */
import type { IdentityProvider } from '@querent/contract/workspace-file'
import { LRUCache } from 'lru-cache'
import * as client from 'openid-client'
import type { ClientFetch } from '#http/public-fetch'
import type { ProviderSecrets } from '#keys/provider-secrets'
import type { Log } from '#oauth/library/log'
import type { Db } from '#storage/db'
import { findProviderSecret } from '#storage/identity-providers'
import type { WorkspaceRow } from '#storage/workspaces'
import { ProviderSecretUnreadable, ProviderUnavailable } from './provider-failures.ts'
import { clientSettings, discoverProvider } from './provider-metadata.ts'

export interface ConfigurationDependencies {
  db: Db
  secrets: Pick<ProviderSecrets, 'open'>
  fetch: ClientFetch
  log: Log
}

/** Metadata is fetched again after this time. An earlier copy serves while that fails. */
const freshMs = 60 * 60 * 1000
/** A provider that failed is not asked again during this time. */
export const failedMs = 10 * 1000
export const providersMax = 500

interface Entry {
  configuration: Promise<client.Configuration>
  startedAt: number
  hasFailed: boolean
}

/** Returns a function that gets the configuration of a workspace. It throws {@link ProviderUnavailable} and {@link ProviderSecretUnreadable}. */
export const openProviderConfigurations = ({ db, secrets, fetch, log }: ConfigurationDependencies) => {
  /** In the memory of each node: it may be lost, and holds nothing of a sign-in. */
  const entries = new LRUCache<string, Entry>({ max: providersMax })
  const discover = async (
    provider: IdentityProvider,
    secret: string | undefined,
  ): Promise<client.Configuration> => {
    const authentication = secret === undefined ? client.None() : client.ClientSecretBasic(secret)
    const configuration = await discoverProvider(fetch, provider, authentication)
    return secret === undefined ? configuration : withSupportedAuthentication(configuration, secret)
  }

  return async (workspace: WorkspaceRow, { needsSecret = true } = {}): Promise<client.Configuration> => {
    const provider = requireProvider(workspace)
    const row = await findProviderSecret(db, workspace.id)
    const storedSecret = row && (await secrets.open(workspace.id, provider, row.encrypted_secret))
    // A secret for another issuer is not sent: a public client is what the administrator asks for.
    const secret = storedSecret?.state === 'readable' ? storedSecret.secret : undefined
    if (needsSecret && storedSecret?.state === 'unreadable')
      throw new ProviderSecretUnreadable(
        'the client secret was encrypted with another QUERENT_KEY: set it again with querent provider set-secret',
      )
    const key = JSON.stringify([
      workspace.id,
      provider.issuer,
      provider.clientId,
      secret === undefined ? null : row?.encrypted_secret,
    ])
    const existing = entries.get(key)
    const ageMs = Date.now() - (existing?.startedAt ?? 0)
    if (existing && ageMs < (existing.hasFailed ? failedMs : freshMs)) return existing.configuration
    const entry: Entry = {
      configuration: discover(provider, secret).catch(async (cause: unknown) => {
        entry.hasFailed = true
        log.warn(
          { err: cause, workspace: workspace.slug, issuer: provider.issuer },
          'the metadata of an OpenID provider was not fetched',
        )
        if (existing) return existing.configuration
        throw new ProviderUnavailable('the metadata was not fetched', { cause })
      }),
      startedAt: Date.now(),
      hasFailed: false,
    }
    entries.set(key, entry)
    return entry.configuration
  }
}

export const requireProvider = ({ definition }: WorkspaceRow): IdentityProvider => {
  if (!definition.identityProvider) throw new ProviderUnavailable('the workspace has no provider')
  return definition.identityProvider
}

/** The library authenticates with Basic, which every provider should take; few take only the form. */
const withSupportedAuthentication = (
  configuration: client.Configuration,
  secret: string,
): client.Configuration => {
  const metadata = configuration.serverMetadata()
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  if (methods.includes('client_secret_basic') || !methods.includes('client_secret_post')) return configuration
  const withForm = new client.Configuration(
    metadata,
    configuration.clientMetadata().client_id,
    clientSettings,
    client.ClientSecretPost(secret),
  )
  const fetchOfLibrary = configuration[client.customFetch]
  if (fetchOfLibrary) withForm[client.customFetch] = fetchOfLibrary
  return withForm
}
