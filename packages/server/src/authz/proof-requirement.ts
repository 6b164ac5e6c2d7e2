/** The proof that the sender of a token holds the key that the token is bound to (RFC 9449, section 7.1). */
import type { IncomingMessage } from 'node:http'
import type { AccessToken } from './access-token.ts'
import { makeTokenRefusal } from './authorization-error.ts'
import { readAuthorization } from './authorization-header.ts'
import { createProofVerifier } from './dpop-proof.ts'
import { failedCheck } from './token-checks.ts'
import type { UsedProofs } from './used-proofs.ts'

/** The parts of a request that authenticate it. */
export type CredentialRequest = Pick<IncomingMessage, 'headers' | 'method'>

/** Returns a function that throws an AuthorizationError (401) without a valid proof, and 503 if nobody can tell whether it was used before. */
export const createProofRequirement = (usedProofs: UsedProofs, pathVersions?: readonly string[]) => {
  const verifyProof = createProofVerifier(pathVersions)
  /** Ids of tokens whose proof was accepted, by request: a request may be identified twice, but its proof is good for one use. */
  const provenRequests = new WeakMap<CredentialRequest, string>()

  return async (request: CredentialRequest, address: string, token: AccessToken): Promise<void> => {
    const refuse = (message: string) => makeTokenRefusal(failedCheck('proof', message), token)
    const { scheme, jwt } = readAuthorization(request.headers.authorization)
    const { keyThumbprint } = token
    if (keyThumbprint === undefined)
      throw refuse('the token is bound to no key: send it as Authorization: Bearer <ACCESS_TOKEN>')
    if (scheme === 'bearer')
      throw refuse('the token is bound to a key: send Authorization: DPoP <ACCESS_TOKEN> and a DPoP proof')
    if (provenRequests.get(request) === token.jti) return
    const result = await verifyProof(request.headers.dpop?.toString(), {
      method: request.method ?? '',
      address,
      accessToken: jwt,
      keyThumbprint,
    })
    if ('check' in result) throw makeTokenRefusal(result.check, token)
    if (!(await usedProofs.use({ keyThumbprint, ...result.proof })))
      throw refuse('the DPoP proof was used before: make one for each request')
    provenRequests.set(request, token.jti)
  }
}
