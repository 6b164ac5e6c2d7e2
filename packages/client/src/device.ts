/** Sign-in of a person by device code (RFC 8628), for programs without a browser of their own. */
import { buildAddress } from './address.ts'
import { cacheToken, refreshAccessToken, sendTokenRequest, type TokenReply } from './auth.ts'
import { ApiError, SignInRequiredError, UnexpectedReplyError, UnreachableError } from './errors.ts'
import { pause } from './retry.ts'
import { send, type TokenSource } from './send.ts'

export interface DeviceCodeRequest {
  authUrl: string
  /** A native application. */
  clientId: string
  /** Separated by spaces. `offline_access` gives a refresh token. */
  scope: string
  /** Addresses that the tokens may open (RFC 8707). */
  resources: readonly string[]
  signal?: AbortSignal | undefined
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
  signal,
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
      signal,
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
  wait: (ms: number, signal?: AbortSignal) => Promise<unknown>
}
const realTiming: Timing = { now: Date.now, wait: pause }

export interface DevicePoll {
  authUrl: string
  clientId: string
  code: DeviceCode
  /** Address that the first access token opens; one of the requested. */
  resource: string
  signal?: AbortSignal | undefined
}

/**
 * Polls until the person has allowed the sign-in. Slows down if the server says so or does not answer. Throws `ApiError` with the code
 * `access_denied` or `expired_token`, or another OAuth error, and `UnreachableError` if the server does not answer until the code expires.
 */
export const pollDeviceToken = async (
  { authUrl, clientId, code, resource, signal }: DevicePoll,
  { now, wait }: Timing = realTiming,
): Promise<TokenReply> => {
  const expiresAtMs = now() + code.expires_in * 1000
  let intervalSeconds = code.interval
  for (;;) {
    await wait(intervalSeconds * 1000, signal)
    try {
      return await sendTokenRequest(
        authUrl,
        {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          client_id: clientId,
          device_code: code.device_code,
          resource,
        },
        signal
          ? AbortSignal.any([signal, AbortSignal.timeout(pollTimeoutMs)])
          : AbortSignal.timeout(pollTimeoutMs),
      )
    } catch (error) {
      signal?.throwIfAborted()
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

export interface DeviceSignIn {
  authUrl: string
  /** A native application. */
  clientId: string
  /** URL of the query service, which the access token is for. */
  audience: string
  /** Shows the person where to sign in: `verification_uri` with `user_code`, or `verification_uri_complete` as a link or QR code. */
  onCode: (code: DeviceCode) => void
  /** Default `openid offline_access`, which renews the token without the person. */
  scope?: string
  /** Cancels the sign-in. */
  signal?: AbortSignal
}

/**
 * Returns a token source that signs a person in when the first token is needed, and renews the token later. Concurrent callers share one
 * sign-in. Throws `ApiError` as {@link pollDeviceToken} does, and `SignInRequiredError` if the sign-in has ended: then the next call starts
 * another one.
 */
export const deviceSignIn = (
  { authUrl, clientId, audience, onCode, scope = 'openid offline_access', signal }: DeviceSignIn,
  timing: Timing = realTiming,
): TokenSource => {
  let refreshToken: string | undefined
  const signIn = async (): Promise<TokenReply> => {
    const code = await requestDeviceCode({ authUrl, clientId, scope, resources: [audience], signal })
    onCode(code)
    return pollDeviceToken({ authUrl, clientId, code, resource: audience, signal }, timing)
  }
  const renew = async (usedToken: string): Promise<TokenReply> => {
    try {
      return await refreshAccessToken({ authUrl, clientId, refreshToken: usedToken, resource: audience })
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'invalid_grant')) throw error
      refreshToken = undefined
      throw new SignInRequiredError('the sign-in has ended', error)
    }
  }
  return cacheToken(async () => {
    const reply = await (refreshToken === undefined ? signIn() : renew(refreshToken))
    refreshToken = reply.refresh_token ?? refreshToken
    return reply
  }, timing.now)
}
