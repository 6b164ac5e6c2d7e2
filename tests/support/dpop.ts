/** A client's DPoP key (RFC 9449), written against jose so that the server's own code does not check itself. */
import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

export interface ProofOptions {
  method?: string
  url: string
  /** The access token that it goes with. */
  token?: string | undefined
  /** Replace or, as undefined, remove claims and header parameters. */
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
}

export const createDpopKey = async (algorithm = 'ES256') => {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true })
  const jwk: JWK = await exportJWK(publicKey)
  const key = {
    jwk,
    privateJwk: await exportJWK(privateKey),
    thumbprint: await calculateJwkThumbprint(jwk),
    proof({ method = 'GET', url, token, claims = {}, header = {} }: ProofOptions): Promise<string> {
      const ath = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url')
      const iat = Math.floor(Date.now() / 1000)
      return new SignJWT({ jti: randomUUID(), htm: method, htu: url, iat, ath, ...claims })
        .setProtectedHeader({ alg: algorithm, typ: 'dpop+jwt', jwk, ...header })
        .sign(privateKey)
    },
    /** Headers of a request with a bound token. */
    async headers(options: ProofOptions): Promise<Record<string, string>> {
      return { authorization: `DPoP ${options.token}`, dpop: await key.proof(options) }
    },
  }
  return key
}
export type DpopKey = Awaited<ReturnType<typeof createDpopKey>>

/** Gets a token by client credentials that is bound to the key. */
export const fetchBoundToken = async (
  { authUrl }: { authUrl: string },
  client: { clientId: string; clientSecret: string },
  audience: string,
  key: DpopKey,
): Promise<string> => {
  const url = `${authUrl}/oauth/token`
  const reply = await fetch(url, {
    method: 'POST',
    headers: { dpop: await key.proof({ method: 'POST', url }) },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: client.clientId,
      client_secret: client.clientSecret,
      audience,
    }),
  })
  // The reply of RFC 6749, section 5.1.
  const json = (await reply.json()) as { access_token: string; token_type: string }
  if (json.token_type !== 'DPoP') throw new Error(`no bound token: ${reply.status} ${JSON.stringify(json)}`)
  return json.access_token
}
