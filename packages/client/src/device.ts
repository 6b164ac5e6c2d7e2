/** Sign-in of a person by device code (RFC 8628), for programs without a browser of their own. */
import { buildAddress } from './address.ts'
import { sendTokenRequest, type TokenReply } from './auth.ts'
import { ApiError, UnexpectedReplyError, UnreachableError } from './errors.ts'
import { send } from './send.ts'

export interface DeviceCodeRequest {
  authUrl: string
  /** A native application. */
  clientId: string
  /** Separated by spaces. `offline_access` gives a refresh token. */
  scope: string
  /** Addresses that the tokens may open (RFC 8707). */
  resources: readonly string[]
}

/** Reply of the device authorization endpoint (RFC 8628, section 3.2). */
export interface DeviceCode {
  device_code: string
  /** For the person to type at `verification_uri`. */
  user_code: string
  verification_uri: string
  /** The page with the code filled in. */
  verification_uri_complete: string
  /** Seconds. */
  expires_in: number
  /** Seconds between two polls. */
  interval: number
}

/** Starts a sign-in. Throws `ApiError` with the OAuth error as its code, `UnreachableError` or `UnexpectedReplyError`. */
export const requestDeviceCode = async ({
  authUrl,
  clientId,
  scope,
  resources,
}: DeviceCodeRequest): Promise<DeviceCode> => {
  const reply = await send<Partial<DeviceCode> | null | undefined>(
    buildAddress(authUrl, '/oauth/device/code'),
    {
      method: 'POST',
      form: [
        ['client_id', clientId],
        ['scope', scope],
        ...resources.map((resource): [string, string] => ['resource', resource]),
      ],
    },
  )
  const { device_code, user_code, verification_uri, verification_uri_complete, expires_in } = reply ?? {}
  if (
    typeof device_code !== 'string' ||
    typeof user_code !== 'string' ||
    typeof verification_uri !== 'string' ||
    typeof expires_in !== 'number'
  )
    throw new UnexpectedReplyError(authUrl, 'an authorization server')
  return {
    device_code,
    user_code,
    verification_uri,
    verification_uri_complete: verification_uri_complete ?? verification_uri,
    expires_in,
    interval: typeof reply?.interval === 'number' ? reply.interval : slowDownSeconds,
  }
}

/** Default interval, and what each `slow_down` adds (RFC 8628, sections 3.2 and 3.5). */
const slowDownSeconds = 5

/** Replaced in tests. */
interface Timing {
  now: () => number
  wait: (ms: number) => Promise<unknown>
}
const realTiming: Timing = {
  now: Date.now,
  wait: ms =>
    new Promise(resolve => {
      setTimeout(resolve, ms)
    }),
}

export interface DevicePoll {
  authUrl: string
  clientId: string
  code: DeviceCode
  /** Address that the first access token opens; one of the requested. */
  resource: string
}

/**
 * Polls until the person has allowed the sign-in. Slows down if the server says so or does not answer. Throws `ApiError` with the code
 * `access_denied` or `expired_token`, or another OAuth error, and `UnreachableError` if the server does not answer until the code expires.
 */
export const pollDeviceToken = async (
  { authUrl, clientId, code, resource }: DevicePoll,
  { now, wait }: Timing = realTiming,
): Promise<TokenReply> => {
  const expiresAtMs = now() + code.expires_in * 1000
  let intervalSeconds = code.interval
  for (;;) {
    await wait(intervalSeconds * 1000)
    try {
      return await sendTokenRequest(
        authUrl,
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          client_id: clientId,
          device_code: code.device_code,
          resource,
        },
        AbortSignal.timeout(pollTimeoutMs),
      )
    } catch (error) {
      const isPending = error instanceof ApiError && error.code === 'authorization_pending'
      if (!isPending && !shouldSlowDown(error)) throw error
      if (now() >= expiresAtMs) throw isPending ? expiredError() : error
      if (!isPending) intervalSeconds += slowDownSeconds
    }
  }
}
const pollTimeoutMs = 10_000

const shouldSlowDown = (error: unknown): boolean =>
  error instanceof UnreachableError ||
  (error instanceof Error && error.name === 'TimeoutError') ||
  (error instanceof ApiError && (error.code === 'slow_down' || error.status === 429 || error.status >= 500))

const expiredError = (): ApiError =>
  new ApiError(400, { message: 'nobody entered the code in time', code: 'expired_token' })
