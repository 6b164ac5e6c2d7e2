/**
 * This server as a client of a workspace's own OpenID provider: authorization code with PKCE, `state`, `nonce` and `iss` (OpenID Connect Core,
 * section 3.1; RFC 9207). The library is openid-client. Requests reach public addresses only (http/public-fetch.ts).
 */

import { readRoleMap } from '@querent/contract/provider-roles'
import { LRUCache } from 'lru-cache'
import * as client from 'openid-client'
import { providerCallbackUrl } from '#http/provider-urls'
import type { WorkspaceRow } from '#storage/workspaces'
import { type Claims, mergeClaims } from './claims.ts'
import { rightsClaims } from './given-rights.ts'
import {
  type ConfigurationDependencies,
  failedMs,
  openProviderConfigurations,
  providersMax,
  requireProvider,
} from './provider-configurations.ts'
import { ProviderRefusal, ProviderUnavailable, toFailure, toRefreshFailure } from './provider-failures.ts'
import type { ProviderKeys } from './provider-keys.ts'

interface Dependencies extends ConfigurationDependencies {
  keys: ProviderKeys
  authUrl: string
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

export const openRelyingParty = (dependencies: Dependencies): RelyingParty => {
  const { keys, authUrl } = dependencies
  const getConfiguration = openProviderConfigurations(dependencies)
  /** When a provider last failed to refresh, in milliseconds since 1970, by workspace. */
  const failedRefreshes = new LRUCache<string, number>({ max: providersMax })

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
        await verifySignature(keys, configuration, tokens)
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
      await verifySignature(keys, configuration, tokens).catch(throwFailure)
      if (idToken && idToken.sub !== subject)
        throw new ProviderRefusal('the refreshed ID token is of another person')
      const userInfo = await readUserInfo(configuration, tokens.access_token, {
        sub: subject,
        workspace,
        idToken: idToken ?? {},
      }).catch(throwFailure)
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

/** The library leaves the signature out, because the ID token came over TLS from the provider; keys that fit cost little. */
const verifySignature = async (
  keys: ProviderKeys,
  configuration: client.Configuration,
  { id_token: idToken }: { id_token?: string | undefined },
): Promise<void> => {
  if (idToken === undefined) return
  const { issuer, jwks_uri: jwksUri = '' } = configuration.serverMetadata()
  await keys.verify(idToken, jwksUri, { issuer, audience: configuration.clientMetadata().client_id })
}

const throwFailure = (cause: unknown): never => {
  throw toFailure(cause)
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
