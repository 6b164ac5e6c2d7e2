/** The metadata documents (RFC 8414, OpenID Connect Discovery 1.0): what the library says of itself, less what does not work yet. */

/** They go with people signing in. Without them no grant uses the authorization endpoint (RFC 8414, section 2: may be left out then). */
const notYet: ReadonlySet<string> = new Set([
  'authorization_endpoint',
  'authorization_response_iss_parameter_supported',
  'claims_parameter_supported',
  'claims_supported',
  'claim_types_supported',
  'code_challenge_methods_supported',
  'request_uri_parameter_supported',
  'response_modes_supported',
  'scopes_supported',
  'userinfo_endpoint',
])

/** `protected_resources`: RFC 9728, section 4. Public clients have no grant yet, so `none` is no way to authenticate. */
export const publishedMetadata = (
  facts: Readonly<Record<string, unknown>>,
  baseUrl: string,
): Record<string, unknown> => {
  const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
  const algorithms = facts.token_endpoint_auth_signing_alg_values_supported
  return {
    ...Object.fromEntries(Object.entries(facts).filter(([name]) => !notYet.has(name))),
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    introspection_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    protected_resources: [baseUrl],
  }
}
