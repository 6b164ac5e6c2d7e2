/** The issuers of tokens in this comparison: ours, the floor, and the peers. */
import { randomBytes } from 'node:crypto'
import type { LoadRequest } from '#bench/http/load'
import type { Account } from '#bench/http/querent'

export interface Contender extends AsyncDisposable {
  name: string
  /** Its origin: `http://127.0.0.1:4001`. */
  url: string
  /** URL of its public keys. */
  jwksUrl: string
  /** `iss` of its tokens. */
  issuer: string
  /** One account for each client. */
  requests: readonly LoadRequest[]
  /** Duration of the load before the measurement. Programs with a JIT compiler need longer. */
  warmSeconds: number
  /** Factor for the duration of its rounds; default: 1. With slow replies, those in flight at the end must not matter. */
  roundSeconds?: number
}

/** The service that the scripts' tokens are for. */
export const peerAudience = 'http://127.0.0.1:4000'
/** The issuer of oidc-provider, which only appears in its tokens. */
export const peerIssuer = 'http://127.0.0.1:4001'

/** As long as our secrets. */
const idBytes = 16
const secretBytes = 36

export const newAccounts = (count: number): Account[] =>
  Array.from({ length: count }, () => ({
    clientId: randomBytes(idBytes).toString('base64url'),
    clientSecret: `qrs_${randomBytes(secretBytes).toString('base64url')}`,
  }))

/** The same request for everyone: client and secret in the body (RFC 6749, section 2.3.1). `more` selects the service. */
export const tokenRequest = (
  path: string,
  { clientId, clientSecret }: Account,
  extraParameters: Record<string, string> = {},
): LoadRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    ...extraParameters,
  }).toString(),
})
