/** Codes of authenticator apps (TOTP, RFC 6238): SHA-1, 6 digits, 30 s, the only parameters that all apps support. */
import { Secret, TOTP } from 'otpauth'
import { readTypedCode } from './typed-code.ts'

const parameters = { algorithm: 'SHA1', digits: 6, period: 30 } as const
/** Accepted time steps before and after the current one: clocks differ, and people type slowly (section 5.2). */
const stepsAround = 1

/** Returns a new shared secret of 160 bits (RFC 4226, section 4), in base32. */
export const newSecret = (): string => new Secret({ size: 20 }).base32

/** Returns the `otpauth:` URI that an app reads from a QR code. `issuer` names the server, `account` the person. */
export const makeKeyUri = (
  secret: string,
  { issuer, account }: { issuer: string; account: string },
): string => new TOTP({ ...parameters, secret: Secret.fromBase32(secret), issuer, label: account }).toString()

/** Whether the text looks like a code of an app, however it is typed. */
export const isAppCode = (text: string): boolean => /^\d{6}$/.test(readTypedCode(text))

/** Returns the time step of the code; undefined if it is not a code of this secret around now. */
export const findTimeStep = (secret: string, code: string, nowMs = Date.now()): number | undefined => {
  if (!isAppCode(code)) return undefined
  const totp = new TOTP({ ...parameters, secret: Secret.fromBase32(secret) })
  const delta = totp.validate({ token: readTypedCode(code), timestamp: nowMs, window: stepsAround })
  return delta === null ? undefined : totp.counter({ timestamp: nowMs }) + delta
}
