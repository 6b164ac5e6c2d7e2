/** `WWW-Authenticate` of 401 and 403 (RFC 6750, section 3; RFC 9728, section 5.1). */

const quote = (text: string): string => `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, "'")}"`

/**
 * `description` is the one sentence that the caller may read. `path` is the part of the requested path that names the resource, still
 * percent-encoded (`/4/dictionary/api/dictionary`). `origin` is the address of the service without a slash.
 */
export const challenge = (
  code: 'no-token' | 'invalid-token' | 'insufficient-scope',
  description: string,
  { origin, path }: { origin: string; path: string },
): string => {
  const parts = [
    'Bearer realm="querent"',
    ...(code === 'no-token'
      ? []
      : [`error="${code.replace('-', '_')}"`, `error_description=${quote(description)}`]),
    `resource_metadata=${quote(`${origin}/.well-known/oauth-protected-resource${path}`)}`,
  ]
  return parts.join(', ')
}
