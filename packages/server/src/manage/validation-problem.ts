/** What is said of input that is wrong, to who sent it. */
import type { Fault } from '@querent/contract/schema-faults'
import { Problem } from '#errors'

/** 400 that names every place, in its message the first. `part` is where the value stood; people read the rest. Undefined when there is no fault. */
export const makeFaultsProblem = (
  part: string,
  faults: readonly Pick<Fault, 'path' | 'message'>[],
): Problem | undefined => {
  const [first] = faults
  const errors = faults.map(({ path, message }) => ({ path: [part, ...path].join('.'), message }))
  const place = first && (first.path.length > 0 ? first.path.join('.') : `the ${part}`)
  return first && new Problem('bad-parameter', `${place}: ${first.message}`, { errors })
}

/** 400 for one place in the body. */
export const badInput = (path: Fault['path'], message: string): Problem => {
  const problem = makeFaultsProblem('body', [{ path, message }])
  if (!problem) throw new Error('a fault makes a problem')
  return problem
}

/** Throws 400 for a body of `null`: to the validator it looks like none. */
export const refuseNull = (body: unknown): void => {
  if (body === null) throw new Problem('bad-parameter', 'the body: found null, allowed: an object')
}
