/**
 * Size limits of authorization request parameters. Anybody may send them, and they are stored while a page is
 * open.
 */
import { errors } from 'oidc-provider'

const parameterBytesMax = 2048
/** Room for ID tokens with larger keys and more claims. */
const hintBytesMax = 4096
/** Applications seal what they need after the sign-in into it. */
const stateBytesMax = 4096
const totalBytesMax = 8192

const ownLimits: Readonly<Record<string, number>> = { id_token_hint: hintBytesMax, state: stateBytesMax }

/** Throws `invalid_request` with the parameter if one of them, or all together, are too long. */
export const refuseLongParameters = (parameters: Iterable<readonly [name: string, value: unknown]>): void => {
  let totalBytes = 0
  for (const [name, value] of parameters) {
    if (value === undefined) continue
    const bytes = Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
    totalBytes += bytes
    const max = (Object.hasOwn(ownLimits, name) ? ownLimits[name] : undefined) ?? parameterBytesMax
    if (bytes > max)
      throw new errors.InvalidRequest(`${name.slice(0, 64)} is ${bytes} bytes long; allowed are ${max}`)
  }
  if (totalBytes > totalBytesMax)
    throw new errors.InvalidRequest(
      `the parameters are ${totalBytes} bytes long together; allowed are ${totalBytesMax}`,
    )
}
