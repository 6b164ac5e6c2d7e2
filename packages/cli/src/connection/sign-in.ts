/** The person that `querent login` signed in: sign-in, tokens and sign-out. */
import {
  ApiError,
  cacheToken,
  type DeviceCode,
  managementAudience,
  pollDeviceToken,
  refreshAccessToken,
  requestDeviceCode,
  revokeToken,
  type TokenReply,
  type TokenSource,
} from '@querent/client'
import { CommandError } from '#command-line/failure'
import {
  listSignIns,
  readSignIn,
  removeSignIn,
  type SignIn,
  withSignInLock,
  writeSignIn,
} from './sign-in-store.ts'

/** The command line's own client at each server, a public one. */
const clientId = 'querent-cli'
const refreshTimeoutMs = 10_000

/** Nobody is signed in to the server, or the sign-in has ended. */
export class SignInError extends CommandError {}

/** Throws {@link SignInError} with what to do if nobody is signed in to this server. */
export const requireSignIn = async (authUrl: string): Promise<SignIn> => {
  const signIn = await readSignIn(authUrl)
  if (signIn) return signIn
  const otherServers = await listSignIns()
  const elsewhere = otherServers.length === 0 ? '' : ` (but to ${otherServers.join(', ')})`
  throw new SignInError(
    `you are not signed in to ${authUrl}${elsewhere}: run \`querent login ${authUrl}\`; programs give --client-id and --client-secret-stdin`,
  )
}

/** Returns tokens of the signed-in person for an audience. They throw {@link SignInError} if the sign-in has ended. */
export const personTokens = (authUrl: string, audience: string): TokenSource =>
  cacheToken(() => withSignInLock(authUrl, () => refresh(authUrl, audience)))

const refresh = async (authUrl: string, resource: string): Promise<TokenReply> => {
  // Another command may have replaced the refresh token or signed out.
  const signIn = await requireSignIn(authUrl)
  const { refreshToken } = signIn
  const signal = AbortSignal.timeout(refreshTimeoutMs)
  try {
    const reply = await refreshAccessToken({ authUrl, clientId, refreshToken, resource, signal })
    await writeSignIn({ ...signIn, refreshToken: reply.refresh_token ?? refreshToken })
    return reply
  } catch (error) {
    if (error instanceof ApiError && ['invalid_grant', 'invalid_client'].includes(error.code))
      throw new SignInError(
        `the sign-in to ${authUrl} has expired or was revoked: run \`querent login ${authUrl}\``,
      )
    throw error
  }
}

/** Starts a sign-in for the query service and the management API. Throws errors of the client. */
export const startSignIn = ({ authUrl, baseUrl }: Addresses): Promise<DeviceCode> =>
  requestDeviceCode({
    authUrl,
    clientId,
    scope: 'openid email offline_access',
    resources: [managementAudience(authUrl), baseUrl],
  })

interface Addresses {
  authUrl: string
  baseUrl: string
}

/**
 * Waits until the person has allowed the sign-in, stores it, and revokes the former one. Returns the person's address. Throws
 * {@link CommandError} if the person refuses or the code expires.
 */
export const finishSignIn = async ({ authUrl, baseUrl }: Addresses, code: DeviceCode): Promise<string> => {
  const poll = { authUrl, clientId, code, resource: baseUrl }
  const reply = await pollDeviceToken(poll).catch((error: unknown) => {
    throw explainRefusal(error, authUrl)
  })
  const { refresh_token: refreshToken } = reply
  if (refreshToken === undefined)
    throw new CommandError(`${authUrl} gave no refresh token: its version does not support \`querent login\``)
  const email = readEmail(reply.id_token)
  const former = await withSignInLock(authUrl, async () => {
    // An unreadable sign-in is replaced all the same.
    const replaced = await readSignIn(authUrl).catch(() => undefined)
    await writeSignIn({ authUrl, email, refreshToken })
    return replaced
  })
  // The sign-in is complete without it: the former token ends by itself.
  if (former) await revokeToken(authUrl, clientId, former.refreshToken).catch(() => {})
  return email
}

const explainRefusal = (error: unknown, authUrl: string): unknown => {
  if (!(error instanceof ApiError)) return error
  if (error.code === 'access_denied')
    return new CommandError(`the sign-in was refused in the browser: run \`querent login ${authUrl}\` again`)
  return error.code === 'expired_token'
    ? new CommandError(`nobody confirmed the code in time: run \`querent login ${authUrl}\` again`)
    : error
}

/** The token comes from the server itself, so its signature needs no check (OpenID Connect Core, section 3.1.3.7). */
const readEmail = (idToken = ''): string => {
  const [, payload = ''] = idToken.split('.')
  const { email, sub }: Record<string, unknown> = {
    ...Object(JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}')),
  }
  return [email, sub].find(value => typeof value === 'string') ?? 'unknown'
}

/**
 * Ends the sign-in to a server: revokes it there and removes the file. `isLocal` only removes the file. Throws {@link SignInError} if there
 * is no sign-in. Other errors leave the file, so that the command can be repeated.
 */
export const endSignIn = (authUrl: string, isLocal: boolean): Promise<void> =>
  withSignInLock(authUrl, async () => {
    if (isLocal) return removeSignIn(authUrl)
    const { refreshToken } = await requireSignIn(authUrl)
    await revokeToken(authUrl, clientId, refreshToken)
    await removeSignIn(authUrl)
  })
