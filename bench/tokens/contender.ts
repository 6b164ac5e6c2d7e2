/** Who issues tokens in this comparison: ours, the limit, and the peers. */
import { randomBytes } from 'node:crypto'
import type { LoadRequest } from '#bench/http/load'
import type { Account } from '#bench/http/querent'

export interface Contender extends AsyncDisposable {
  name: string
  /** Its origin: `http://127.0.0.1:4001`. */
  url: string
  /** Where its public keys are. */
  jwksUrl: string
  /** `iss` of its tokens. */
  issuer: string
  /** One for each client. */
  requests: readonly LoadRequest[]
  /** How long it is under load before it is measured: what compiles while it runs needs more. */
  warmSeconds: number
  /** How long its rounds are; default: 1. Where replies take long, those that are on the way at the end must not count for much. */
  roundSeconds?: number
}

/** The service that tokens of the scripts are for. */
export const peerAudience = 'http://127.0.0.1:4000'
/** What oidc-provider is told to be: it only stands in its tokens. */
export const peerIssuer = 'http://127.0.0.1:4001'

/** As long as ours are. */
const idBytes = 16
const secretBytes = 36

export const newAccounts = (count: number): Account[] =>
  Array.from({ length: count }, () => ({
    clientId: randomBytes(idBytes).toString('base64url'),
    clientSecret: `qrs_${randomBytes(secretBytes).toString('base64url')}`,
  }))

/** The same request for everyone: client and secret in the body (RFC 6749, section 2.3.1). `more`: what says for which service. */
export const tokenRequest = (
  path: string,
  { clientId, clientSecret }: Account,
  more: Record<string, string> = {},
): LoadRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
    ...more,
  }).toString(),
})
