/**
 * This server as a client of a workspace's own OpenID provider: authorization code with PKCE, `state`, `nonce` and `iss` (OpenID Connect Core,
 * section 3.1; RFC 9207). The library is openid-client. Requests reach public addresses only (http/public-fetch.ts).
 */

import { readRoleMap } from '@querent/contract/provider-roles'
import type { IdentityProvider } from '@querent/contract/workspace-file'
import { LRUCache } from 'lru-cache'
import * as client from 'openid-client'
import { providerCallbackUrl } from '#http/provider-urls'
import type { ClientFetch } from '#http/public-fetch'
import type { ProviderSecrets } from '#keys/provider-secrets'
import type { Log } from '#oauth/library/log'
import type { Db } from '#storage/db'
import { findProviderSecret } from '#storage/identity-providers'
import type { WorkspaceRow } from '#storage/workspaces'
import { type Claims, mergeClaims } from './claims.ts'
import { rightsClaims } from './given-rights.ts'
import {
  ProviderRefusal,
  ProviderSecretUnreadable,
  ProviderUnavailable,
  toFailure,
  toRefreshFailure,
} from './provider-failures.ts'
import type { ProviderKeys } from './provider-keys.ts'
import { clientSettings, discoverProvider } from './provider-metadata.ts'

interface Dependencies {
  db: Db
  secrets: Pick<ProviderSecrets, 'open'>
  fetch: ClientFetch
  keys: ProviderKeys
  authUrl: string
  log: Log
}

/** Values of one sign-in that only this browser and this server know. */
export interface SignInSecrets {
  state: string
  nonce: string
  codeVerifier: string
}

export interface SignInRequest extends SignInSecrets {
  workspace: WorkspaceRow
  loginHint: string | undefined
  /** The person must sign in again, although they may have a session there. */
  isRepeated: boolean
  /** Longest time since the sign-in there, in seconds. */
  maxAgeSeconds: number | undefined
  /** Whether to ask for a refresh token, if that is right for the provider. */
  isOffline: boolean
}

export interface RelyingParty {
  /** Returns the address at the provider to lead the browser to. Throws {@link ProviderUnavailable}. */
  authorizationUrl(request: SignInRequest): Promise<URL>
  /**
   * Exchanges the code in `callback`, the address that the browser came back to. Returns the verified claims, the issuer, and the refresh token
   * if there is one. Throws {@link ProviderUnavailable} or {@link ProviderRefusal}.
   */
  complete(
    callback: URL,
    request: SignInSecrets & Pick<SignInRequest, 'workspace' | 'maxAgeSeconds'>,
  ): Promise<{ issuer: string; claims: Claims & { sub: string }; refreshToken: string | undefined }>
  /**
   * Uses a refresh token (OpenID Connect Core, section 12). Returns what the provider says about the person now. Throws {@link
   * ProviderRefusal} if it no longer vouches for `subject`, and {@link ProviderUnavailable} if it says nothing about that.
   */
  refresh(request: ProviderRefresh): Promise<RefreshedClaims>
  /** Returns the metadata of the workspace's provider. Throws {@link ProviderUnavailable}. */
  metadata(workspace: WorkspaceRow): Promise<{ issuer: string; jwksUri: string; clientId: string }>
}

export interface ProviderRefresh {
  workspace: WorkspaceRow
  refreshToken: string
  /** `sub` of the sign-in. */
  subject: string
  /** Saves the refresh token that replaces this one, before anything else can fail. */
  saveToken: (refreshToken: string) => Promise<void>
}

export interface RefreshedClaims {
  issuer: string
  /** Empty if the provider sent no ID token and has no UserInfo. */
  claims: Claims
  /** Whether the claims are those of a sign-in. Without an ID token, absent claims say nothing. */
  isComplete: boolean
}

/** Metadata is fetched again after this time. An earlier copy serves while that fails. */
const freshMs = 60 * 60 * 1000
/** A provider that failed is not asked again during this time. */
const failedMs = 10 * 1000
const providersMax = 500

interface Entry {
  configuration: Promise<client.Configuration>
  startedAt: number
  hasFailed: boolean
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: older than the limit
export const openRelyingParty = ({ db, secrets, fetch, keys, authUrl, log }: Dependencies): RelyingParty => {
  /** In the memory of each node: it may be lost, and holds nothing of a sign-in. */
  const entries = new LRUCache<string, Entry>({ max: providersMax })
  /** When a provider last failed to refresh, in milliseconds since 1970, by workspace. */
  const failedRefreshes = new LRUCache<string, number>({ max: providersMax })

  const discover = async (
    provider: IdentityProvider,
    secret: string | undefined,
  ): Promise<client.Configuration> => {
    const authentication = secret === undefined ? client.None() : client.ClientSecretBasic(secret)
    const configuration = await discoverProvider(fetch, provider, authentication)
    return secret === undefined ? configuration : withSupportedAuthentication(configuration, secret)
  }

  const getConfiguration = async (
    workspace: WorkspaceRow,
    { needsSecret = true } = {},
  ): Promise<client.Configuration> => {
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

  /** The library leaves the signature out, because the ID token came over TLS from the provider; keys that fit cost little. */
  const verifySignature = async (
    configuration: client.Configuration,
    { id_token: idToken }: { id_token?: string | undefined },
  ): Promise<void> => {
    if (idToken === undefined) return
    const { issuer, jwks_uri: jwksUri = '' } = configuration.serverMetadata()
    await keys.verify(idToken, jwksUri, { issuer, audience: configuration.clientMetadata().client_id })
  }

  return {
    async authorizationUrl({
      workspace,
      state,
      nonce,
      codeVerifier,
      loginHint,
      isRepeated,
      maxAgeSeconds,
      isOffline,
    }) {
      const configuration = await getConfiguration(workspace)
      const mayBeOffline = isOffline && givesOfflineAccess(configuration.serverMetadata())
      return client.buildAuthorizationUrl(configuration, {
        redirect_uri: providerCallbackUrl(authUrl, workspace.slug),
        scope: mayBeOffline ? `${scopes} ${offlineScope}` : scopes,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        ...(loginHint === undefined ? {} : { login_hint: loginHint }),
        ...(isRepeated ? { prompt: 'login' } : {}),
        ...(maxAgeSeconds === undefined ? {} : { max_age: String(maxAgeSeconds) }),
      })
    },

    async complete(callback, { workspace, state, nonce, codeVerifier, maxAgeSeconds }) {
      const configuration = await getConfiguration(workspace)
      try {
        const tokens = await client.authorizationCodeGrant(configuration, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: codeVerifier,
          idTokenExpected: true,
          ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
        })
        const idToken = tokens.claims()
        if (!idToken) throw new ProviderRefusal('the provider sent no ID token')
        await verifySignature(configuration, tokens)
        const userInfo = await readUserInfo(configuration, tokens.access_token, {
          sub: idToken.sub,
          workspace,
          idToken,
        })
        const claims = { ...mergeClaims(userInfo, idToken), sub: idToken.sub }
        const { issuer } = configuration.serverMetadata()
        return { issuer, claims, refreshToken: tokens.refresh_token }
      } catch (cause) {
        throw toFailure(cause)
      }
    },

    async refresh({ workspace, refreshToken, subject, saveToken }) {
      // People should not wait for a provider that is away at every refresh.
      if (Date.now() - (failedRefreshes.get(workspace.id) ?? 0) < failedMs)
        throw new ProviderUnavailable('the provider failed a moment ago')
      const configuration = await getConfiguration(workspace)
      // A failed check of the ID token's signature loses the new refresh token. Then the person signs in again.
      const tokens = await client.refreshTokenGrant(configuration, refreshToken).catch((cause: unknown) => {
        const failure = toRefreshFailure(cause)
        if (failure instanceof ProviderUnavailable) failedRefreshes.set(workspace.id, Date.now())
        throw failure
      })
      const { refresh_token: newToken } = tokens
      if (newToken !== undefined && newToken !== refreshToken) await saveToken(newToken)
      const idToken = tokens.claims()
      await verifySignature(configuration, tokens).catch((cause: unknown) => {
        throw toFailure(cause)
      })
      if (idToken && idToken.sub !== subject)
        throw new ProviderRefusal('the refreshed ID token is of another person')
      const userInfo = await readUserInfo(configuration, tokens.access_token, {
        sub: subject,
        workspace,
        idToken: idToken ?? {},
      }).catch((cause: unknown) => {
        throw toFailure(cause)
      })
      const { issuer } = configuration.serverMetadata()
      return { issuer, claims: mergeClaims(userInfo, idToken ?? {}), isComplete: idToken !== undefined }
    },

    async metadata(workspace) {
      const configuration = await getConfiguration(workspace, { needsSecret: false })
      const { issuer, jwks_uri: jwksUri = '' } = configuration.serverMetadata()
      return { issuer, jwksUri, clientId: requireProvider(workspace).clientId }
    },
  }
}

const scopes = 'openid email profile'
/** OpenID Connect Core, section 11. */
const offlineScope = 'offline_access'

/** Path of the token endpoint in Keycloak. */
const keycloakPath = /\/protocol\/openid-connect\/token$/

/**
 * Whether the provider gives refresh tokens for `offline_access`. Keycloak gives one in any case, which ends with the session there. With the scope
 * it would outlive sign-out and removal of sessions, and need a role of the person
 * (https://www.keycloak.org/docs/latest/server_admin/#_offline-access).
 */
const givesOfflineAccess = ({ scopes_supported, token_endpoint = '' }: client.ServerMetadata): boolean =>
  scopes_supported?.includes(offlineScope) === true && !keycloakPath.test(token_endpoint)

const requireProvider = ({ definition }: WorkspaceRow): IdentityProvider => {
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

/** Some providers give address and groups there only. The subject must be that of the ID token (Core, section 5.3.2). */
const readUserInfo = async (
  configuration: client.Configuration,
  accessToken: string,
  { sub, workspace, idToken }: { sub: string; workspace: WorkspaceRow; idToken: Claims },
): Promise<Claims> => {
  const provider = requireProvider(workspace)
  const roles = readRoleMap(provider)
  const isComplete =
    idToken.email !== undefined &&
    (roles === undefined || idToken[roles.claim] !== undefined) &&
    rightsClaims(provider).every(claim => idToken[claim] !== undefined) &&
    (idToken.email_verified !== undefined || idToken.xms_edov !== undefined)
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return {}
  return client.fetchUserInfo(configuration, accessToken, sub)
}
