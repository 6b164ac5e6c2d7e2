/** Addresses of this server to register at a workspace's own OpenID provider. */

/** Redirect URI. One per workspace, so that no answer of one provider passes for another's (RFC 9700, section 4.4.2). */
export const providerCallbackUrl = (authUrl: string, slug: string): string =>
  `${authUrl}/provider/${slug}/callback`

export const providerBackchannelLogoutUrl = (authUrl: string, slug: string): string =>
  `${authUrl}/provider/${slug}/backchannel-logout`

/** Page where an administrator tests the sign-in. */
export const providerTestUrl = (authUrl: string, slug: string): string => `${authUrl}/provider/${slug}/test`
