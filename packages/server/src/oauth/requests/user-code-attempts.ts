/** Throttles guesses of user codes (RFC 8628, section 5.1), for all nodes together. */
import type { IncomingMessage } from 'node:http'
import { errors } from 'oidc-provider'
import { toNetwork } from '#authz/network'
import { minuteSeconds } from '#memory/minute-counter'
import type { Storage } from '#storage/db'
import { beginAttempt } from '#storage/throttles'

export interface UserCodeAttempts {
  /** Looks a code up. Throws an error with status 429 after too many codes that were not found. */
  find<T>(request: IncomingMessage, findCode: () => Promise<T | undefined>): Promise<T | undefined>
}

/** `perMinuteMax`: wrong codes of an address. A code has 34 bits and is valid for minutes. */
export const openUserCodeAttempts = (
  storage: Storage,
  perMinuteMax: number | 'off',
  clientAddress: (request: IncomingMessage) => string,
): UserCodeAttempts => ({
  async find(request, findCode) {
    if (perMinuteMax === 'off') return findCode()
    const key = `user code address ${toNetwork(clientAddress(request))}`
    const attempt = await beginAttempt(storage, [{ key, failuresMax: perMinuteMax }], minuteSeconds * 1000)
    if (!attempt)
      throw Object.assign(new errors.TemporarilyUnavailable('too many wrong codes'), {
        status: 429,
        statusCode: 429,
      })
    const code = await findCode()
    if (code !== undefined) await attempt.takeBack()
    return code
  },
})
