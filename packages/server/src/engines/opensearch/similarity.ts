/**
 * BM25 as a similarity of the index, with numbers that each query brings along. Scores are made of what a member may see, so OpenSearch's
 * own statistics, which count hidden and deleted documents, have no part in them. But a similarity is what Lucene leaves documents out
 * by that cannot be on the page: it knows that a score rises with the number of times and falls with the length.
 *
 *     weight × times / (times + k1 × (1 - b) + slope × length)
 *
 * All that a query can hand to a similarity is the boost, one number of 32 bits. Its exponent is a power of two, its digits the slope.
 * What the weight is beyond its power of two, the clause is given a second time: of two scores the tie breaker of `dis_max` adds a share
 * of the lower one.
 */
import type { Clause } from './values.ts'

export const k1 = 1.2
export const b = 0.75

/** Exponents of slopes, as those of 32-bit floats, begin here; there are 64 of them, with 17 digits: 2^-32 to 2^32. */
const slopeExponentLeast = 127 - 32
const exponentAt = 23
const digitsMask = 2 ** exponentAt - 1
const slopeDropped = 6

/** The setting of an index; lengths are kept as Lucene and tantivy keep them, in one byte. */
export const similarity = {
  type: 'scripted',
  script: {
    source: `
      int bits = Float.floatToIntBits(query.boost);
      float power = Float.intBitsToFloat(bits & ${0xff << exponentAt});
      float slope = Float.intBitsToFloat(((bits & ${digitsMask}) << ${slopeDropped}) + ${slopeExponentLeast << exponentAt});
      return power * (doc.freq / (doc.freq + ${k1 * (1 - b)} + slope * doc.length));`,
  },
}

const floats = new Float32Array(1)
const bits = new Int32Array(floats.buffer)

function bitsOf(float: number): number {
  floats[0] = float
  return bits[0] ?? 0
}

function floatOf(its: number): number {
  bits[0] = its
  return floats[0] ?? 0
}

/** The clause that `withBoost` makes, scored with this weight and slope (k1 × b / mean length), both above 0. */
export function scoredClause(
  withBoost: (boost: number) => Clause,
  { weight, slope }: { weight: number; slope: number },
): Clause {
  const weightBits = bitsOf(weight)
  const digits = (bitsOf(slope) - (slopeExponentLeast << exponentAt)) >> slopeDropped
  const clause = withBoost(floatOf((weightBits & ~digitsMask) | Math.min(Math.max(digits, 0), digitsMask)))
  const beyond = floatOf((weightBits & digitsMask) | bitsOf(1)) - 1
  return beyond === 0 ? clause : { dis_max: { queries: [clause, clause], tie_breaker: beyond } }
}
