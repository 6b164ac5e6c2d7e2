import { timingSafeEqual } from 'node:crypto'

/**
 * Compares two texts in constant time. Compares bytes, because untrusted text may have more bytes than
 * characters.
 */
export const isSameText = (a: string, b: string): boolean => {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
