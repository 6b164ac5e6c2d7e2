/** Lifetimes of the library's records and tokens. */
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import {
  codeSeconds,
  defaultLifetimeSeconds,
  deviceCodeSeconds,
  grantSeconds,
  idTokenSeconds,
  interactionSeconds,
  refreshIdleSeconds,
  refreshLongestSeconds,
  remainingSeconds,
  sessionIdleSeconds,
  sessionLongestSeconds,
} from '#oauth/library/lifetime'

/** Access token lifetime of the workspace, for tokens that only open `/userinfo`. */
const secondsWithoutResource = new WeakMap<KoaContextWithOIDC, number>()

/** Sets the lifetime of a token without a resource. The library needs it synchronously. */
export const rememberLifetime = (ctx: KoaContextWithOIDC, seconds: number): void => {
  secondsWithoutResource.set(ctx, seconds)
}

export const ttl: Configuration['ttl'] = {
  AccessToken: (ctx, token) =>
    token.resourceServer?.accessTokenTTL ?? secondsWithoutResource.get(ctx) ?? defaultLifetimeSeconds,
  ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? defaultLifetimeSeconds,
  AuthorizationCode: codeSeconds,
  DeviceCode: deviceCodeSeconds,
  IdToken: idTokenSeconds,
  Interaction: interactionSeconds,
  Grant: (_ctx, grant) => grantSeconds(grant.getOIDCScope()),
  // Before a sign-in, a session only has the secret of a form.
  Session: (_ctx, { loginTs }) =>
    loginTs === undefined
      ? interactionSeconds
      : remainingSeconds(sessionIdleSeconds, sessionLongestSeconds, loginTs, nowSeconds()),
  RefreshToken: (_ctx, token) =>
    remainingSeconds(refreshIdleSeconds, refreshLongestSeconds, token.iiat ?? nowSeconds(), nowSeconds()),
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000)
