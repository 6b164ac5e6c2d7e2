/** For tests: DPoP proofs (RFC 9449, section 4). */
import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A key that proves its possession. */
export const openTestProver = async () => {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = await exportJWK(publicKey)
  return {
    thumbprint: await calculateJwkThumbprint(jwk),
    /** Returns a header line for a request to this address; `token`: for a request that carries it. */
    async prove(method: string, address: string, token?: string): Promise<string> {
      const proof = await new SignJWT({
        htm: method,
        htu: address,
        jti: randomUUID(),
        ...(token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') }),
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk })
        .setIssuedAt()
        .sign(privateKey)
      return `DPoP: ${proof}`
    },
  }
}
