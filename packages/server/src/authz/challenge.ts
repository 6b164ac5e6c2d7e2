/** `WWW-Authenticate` of 401 and 403 (RFC 6750, section 3; RFC 9728, section 5.1). */

const quote = (text: string): string => `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, "'")}"`

/**
 * `description` is the one sentence that whoever asks may learn. `path` is the part of the asked path that names the resource,
 * percent-encoded as it came (`/4/dictionary/api/dictionary`), `origin` the service's address without a slash.
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
