/** Repeatable vectors in clusters, as embeddings of texts about many subjects are. */
import { below, randomFrom } from '#bench/random'

export const dimensions = 384
const clusters = 2000
/** Length of the part of a vector that differs from its cluster, relative to the part that it shares. */
const spread = 0.8

export interface Clusters {
  /** Writes a vector of length 1 to `target`, which has `dimensions` numbers. */
  write(target: Float32Array): void
}

/** Box-Muller. */
const createGaussian = (random: () => number) => () =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** All vectors of one `centersSeed` share their clusters. */
export const createClusters = (centersSeed: number, seed: number): Clusters => {
  const gaussian = createGaussian(randomFrom(centersSeed))
  const centers = Array.from({ length: clusters }, () => Float32Array.from({ length: dimensions }, gaussian))
  const random = randomFrom(seed)
  const noise = createGaussian(random)
  return {
    write(target) {
      const center = centers[below(random, clusters)]
      if (!center) throw new Error('there is no cluster')
      let square = 0
      for (let index = 0; index < dimensions; index++) {
        const number = (center[index] ?? 0) + spread * noise()
        target[index] = number
        square += number * number
      }
      const length = Math.sqrt(square)
      for (let index = 0; index < dimensions; index++) target[index] = (target[index] ?? 0) / length
    },
  }
}
