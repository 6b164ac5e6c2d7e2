import { timingSafeEqual } from 'node:crypto'

/** Whether two texts are the same, in a time that does not tell how far they are. Untrusted text may be longer in bytes than in letters. */
export const isSameText = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}
