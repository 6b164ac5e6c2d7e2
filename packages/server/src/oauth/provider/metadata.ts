/** Metadata documents (RFC 8414, OpenID Connect Discovery 1.0), based on the library's. */

/** `protected_resources`: RFC 9728, section 4. `none` is for public clients, which may not introspect. */
export const publishedMetadata = (
  facts: Readonly<Record<string, unknown>>,
  baseUrl: string,
): Record<string, unknown> => {
  const methods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt']
  const algorithms = facts.token_endpoint_auth_signing_alg_values_supported
  return {
    ...facts,
    token_endpoint_auth_methods_supported: [...methods, 'none'],
    revocation_endpoint_auth_methods_supported: [...methods, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    introspection_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    protected_resources: [baseUrl],
  }
}
