/** Authenticates clients by secret and address. */

import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'
import type { LoadedClient } from '#oauth/library/loaded-client'
import type { FailedAttempts } from '#oauth/requests/failed-attempts'
import { matchingSecret, type SecretUses } from './secrets.ts'

export interface Authentication {
  /**
   * Whether the secret matches. Throws `invalid_client` if it does but the address is not allowed, and status
   * 429 after too many wrong secrets.
   */
  authenticateBySecret(
    client: LoadedClient,
    secret: string,
    request: IncomingMessage,
    clientId: string,
  ): boolean
  /**
   * Whether the secret matches and the address is allowed; then records its use. {@link authenticateBySecret}
   * handles wrong ones. Takes as long without a client.
   */
  verifySecret(client: LoadedClient | undefined, secret: string, request: IncomingMessage): boolean
  /** Throws `invalid_client` if the address is not allowed. Call it for authenticated clients only. */
  refuseForeignAddress(client: LoadedClient, request: IncomingMessage): void
}

export const clientAuthentication = (
  secretUses: Pick<SecretUses, 'recordUse'>,
  failedAttempts: FailedAttempts,
  clientAddress: (request: IncomingMessage) => string,
): Authentication => {
  const refuseForeignAddress: Authentication['refuseForeignAddress'] = (client, request) => {
    const address = clientAddress(request)
    if (client.mayComeFrom(address)) return
    // The secret was right: the owner learns the reason, and a thief that it is useless.
    throw Object.assign(new errors.InvalidClientAuth('foreign address'), {
      error_description: `this System-to-System account may not be used from the address ${address}: an administrator can change its allowed addresses`,
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
            'too many wrong secrets from this address: wait a minute. The right secret still works',
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
