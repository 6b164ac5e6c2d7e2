/** Paths of the endpoints. */

/** Paths by the library's names; those of disabled features are unused. */
export const routes = {
  authorization: '/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  pushed_authorization_request: '/oauth/par',
  device_authorization: '/oauth/device/code',
  code_verification: '/activate',
  registration: '/oauth/register',
  userinfo: '/userinfo',
  jwks: '/.well-known/jwks.json',
  end_session: '/logout',
}

/** Logout paths and parameters of other servers, which their clients keep using. */
export const logoutAliases: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['/oidc/logout', {}],
  ['/v2/logout', { returnTo: 'post_logout_redirect_uri' }],
])
