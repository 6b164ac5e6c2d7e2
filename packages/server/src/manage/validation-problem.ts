/** Error replies for invalid input. */
import type { Fault } from '@querent/contract/schema-faults'
import { Problem } from '#errors'

/**
 * Returns a 400 that lists every place; its message has the first. `part` is the part of the request.
 * Undefined without faults.
 */
export const makeFaultsProblem = (
  part: string,
  faults: readonly Pick<Fault, 'path' | 'message'>[],
): Problem | undefined => {
  const [first] = faults
  const errors = faults.map(({ path, message }) => ({ path: [part, ...path].join('.'), message }))
  const place = first && (first.path.length > 0 ? first.path.join('.') : `the ${part}`)
  return first && new Problem('bad-parameter', `${place}: ${first.message}`, { errors })
}

/** Returns a 400 for one place in the body. */
export const badInput = (path: Fault['path'], message: string): Problem => {
  const problem = makeFaultsProblem('body', [{ path, message }])
  if (!problem) throw new Error('a fault makes a problem')
  return problem
}

/** Throws 400 for a body of `null`, which the validator would take for a missing one. */
export const refuseNull = (body: unknown): void => {
  if (body === null) throw new Problem('bad-parameter', 'the body: found null, allowed: an object')
}
