/** For tests: hashes that are quick to make. A thousand of the hashes of production take half a minute of processor time. */
import { parameters } from './password-hash.ts'

const ofProduction = { ...parameters }
/** The least that argon2 takes (RFC 9106, section 3.1). */
const leastCost = { memoryCost: 8, timeCost: 1 }

/** Hashes that this process makes from now on are quick to make, and to guess. */
export const makeQuickHashes = (): void => {
  Object.assign(parameters, leastCost)
}

/** Until it is disposed of, hashes are those of production. */
export const makeHashesOfProduction = (): Disposable => {
  const earlier = { ...parameters }
  Object.assign(parameters, ofProduction)
  return { [Symbol.dispose]: () => void Object.assign(parameters, earlier) }
}
