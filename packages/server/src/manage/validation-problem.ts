/** Error replies for invalid input. */
import { canonicalEmail, isEmail } from '@querent/contract/email-address'
import {
  describeFault,
  describeNotAllowed,
  type FaultText,
  type FaultValues,
  type SimpleFaultCode,
} from '@querent/contract/fault-texts'
import { describeValue, type Fault } from '@querent/contract/schema-faults'
import { Problem } from '#errors'

/**
 * Returns a 400 that lists every place; its message has the first. `part` is the part of the request.
 * Undefined without faults.
 */
export const makeFaultsProblem = (
  part: string,
  faults: readonly (FaultText & Pick<Fault, 'path'>)[],
): Problem | undefined => {
  const [first] = faults
  const errors = faults.map(({ path, message, code, values }) => ({
    path: [part, ...path].join('.'),
    message,
    ...(code && values ? { code, values } : {}),
  }))
  const place = first && (first.path.length > 0 ? first.path.join('.') : `the ${part}`)
  return first && new Problem('bad-parameter', `${place}: ${first.message}`, { errors })
}

/** Returns a 400 for one place in the body. */
export const badInput = (path: Fault['path'], message: string): Problem => badPlace(path, { message })

/** Returns a 400 for one place in the body, for a reason that has a code. */
export const badField = (path: Fault['path'], code: SimpleFaultCode, values?: FaultValues): Problem =>
  badPlace(path, describeFault(code, values))

const badPlace = (path: Fault['path'], text: FaultText): Problem => {
  const problem = makeFaultsProblem('body', [{ path, ...text }])
  if (!problem) throw new Error('a fault makes a problem')
  return problem
}

/** Returns a new address in its one form, or throws 400. Addresses that exist already may break the rules of today. */
export const readNewEmail = (email: string, part = 'body'): string => {
  if (isEmail(email)) return canonicalEmail(email)
  const text = describeNotAllowed(describeValue(email), { code: 'email' })
  throw makeFaultsProblem(part, [{ path: ['email'], ...text }]) ?? new Error('a fault makes a problem')
}

/** Throws 400 for a body of `null`, which the validator would take for a missing one. */
export const refuseNull = (body: unknown): void => {
  if (body === null) throw new Problem('bad-parameter', 'the body: found null, allowed: an object')
}
