/** Token → principal. (Being written; these are the types that others build on.) */
import type { ClientRow } from '#storage/clients'

/** Who asks, as the token and the directory say together. */
export interface Principal {
  kind: 'user' | 'system-to-system'
  /** Id of the user, or Client ID of the System-to-System account: the subject of memberships. */
  subject: string
  /** The client that obtained the token. */
  client: ClientRow
  operator: boolean
  token: AccessToken
}

/** What an access token of ours says (RFC 9068), once its signature is known to be good. */
export interface AccessToken {
  issuer: string
  subject: string
  clientId: string
  audience: string[]
  jti: string
  /** Id of the grant that it came from; a code or refresh token replayed ends them all. */
  grantId: string | undefined
  scope: string
  /** Seconds since 1970. */
  issuedAt: number
  expiresAt: number
}

export interface Bearer {
  /**
   * Who sent this `Authorization` header. `address` is what is asked for (`{base_url}/4/…`, `{auth_url}/manage/…`): the token's
   * audience must be it or stand above it. Throws Problem 401 with `WWW-Authenticate` as query-service.md, Authorisation, says.
   */
  principal(authorization: string | undefined, address: string): Promise<Principal>
  /**
   * The access token if it is one of ours, unexpired, not revoked, its client and account there and enabled; undefined otherwise.
   * For introspection and revocation; the audience is not looked at.
   */
  read(token: string): Promise<AccessToken | undefined>
}
