/**
 * `WWW-Authenticate` of 401 and 403 (RFC 6750, section 3; RFC 9449, section 7.1; RFC 9470, section 3; RFC 9728,
 * section 5.1).
 */
import { twoFactorLevel } from '@querent/contract/authentication-levels'
import type { RefusalCode } from './authorization-error.ts'
import { proofAlgorithms } from './dpop-proof.ts'
import { agentScopes, isAgentAddress } from './resource-metadata.ts'

/** Codes of ours that OAuth has one error for. */
const scopeCodes: readonly RefusalCode[] = ['api-not-allowed', 'collection-not-allowed', 'membership-ended']

const oauthError = (code: RefusalCode): string =>
  scopeCodes.includes(code) ? 'insufficient_scope' : code.replaceAll('-', '_')

const quote = (text: string): string => `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, "'")}"`

/**
 * `description` is the one sentence that the caller may read. `path` is the part of the requested path that names the resource, still
 * percent-encoded (`/4/dictionary/api/dictionary`). `origin` is the address of the service without a slash. `isBound`: the token needs a proof.
 */
export const challenge = (
  code: RefusalCode,
  description: string,
  { origin, path, isBound = false }: { origin: string; path: string; isBound?: boolean },
): string => {
  const parts = [
    `${isBound ? 'DPoP' : 'Bearer'} realm="querent"`,
    ...(code === 'no-token'
      ? []
      : [`error="${oauthError(code)}"`, `error_description=${quote(description)}`]),
    ...(code === 'insufficient-user-authentication' ? [`acr_values=${quote(twoFactorLevel)}`] : []),
    ...(isAgentAddress(path) ? [`scope="${agentScopes.join(' ')}"`] : []),
    ...(isBound ? [`algs="${proofAlgorithms.join(' ')}"`] : []),
    `resource_metadata=${quote(`${origin}/.well-known/oauth-protected-resource${path}`)}`,
  ]
  return parts.join(', ')
}
