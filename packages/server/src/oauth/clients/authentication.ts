/** Whether a client is who it says: its secret, and the address that it comes from. */
import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'
import type { FailedAttempts } from '#oauth/requests/failed-attempts'
import type { LoadedClient } from './clients.ts'
import { matchingSecret, type SecretUses } from './secrets.ts'

export interface Authentication {
  /**
   * Whether the secret is one of the client's. Throws `invalid_client` when it is, but the address is not one of its ranges, and with
   * status 429 when it is not, once too often.
   */
  authenticateBySecret(
    client: LoadedClient,
    secret: string,
    request: IncomingMessage,
    clientId: string,
  ): boolean
  /**
   * Whether the secret is one of the client's, and may be used from this address; then its use is noted. What to say of a wrong one, and
   * whether there were too many, is for {@link authenticateBySecret}. Without a client, it takes as long.
   */
  verifySecret(client: LoadedClient | undefined, secret: string, request: IncomingMessage): boolean
  /** Throws `invalid_client` when the account may not be used from where the request comes from. To be asked of proven clients only. */
  refuseForeignAddress(client: LoadedClient, request: IncomingMessage): void
}

export const clientAuthentication = (
  secretUses: SecretUses,
  failedAttempts: FailedAttempts,
  clientAddress: (request: IncomingMessage) => string,
): Authentication => {
  const refuseForeignAddress: Authentication['refuseForeignAddress'] = (client, request) => {
    const address = clientAddress(request)
    if (client.mayComeFrom(address)) return
    // The secret was right, so this is the account's owner, or a thief who learns that it is of no use.
    throw Object.assign(new errors.InvalidClientAuth('foreign address'), {
      error_description: `this System-to-System account may not be used from the address ${address}: an administrator sets its address ranges in Settings > Team Members`,
    })
  }
  return {
    authenticateBySecret(client, secret, request, clientId) {
      const secretId = matchingSecret(client.secrets, secret)
      if (secretId === undefined) {
        if (!failedAttempts.recordFailure(clientId, clientAddress(request))) return false
        throw Object.assign(new errors.InvalidClientAuth('too many wrong secrets'), {
          statusCode: 429,
          error_description:
            'too many wrong secrets from this address: wait a minute. The right one is taken all the same',
        })
      }
      refuseForeignAddress(client, request)
      secretUses.recordUse(secretId)
      return true
    },
    verifySecret(client, secret, request) {
      const secretId = matchingSecret(client?.secrets ?? [], secret)
      if (secretId === undefined || !client?.mayComeFrom(clientAddress(request))) return false
      secretUses.recordUse(secretId)
      return true
    },
    refuseForeignAddress,
  }
}
