/** JSON data whose shape is not known. */
export type Plain = Record<string, unknown>

export const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Compares plain data; ignores the order of keys. */
export const isEqual = (first: unknown, second: unknown): boolean => {
  if (first === second) return true
  if (Array.isArray(first) && Array.isArray(second))
    return first.length === second.length && first.every((item, index) => isEqual(item, second[index]))
  if (!isPlain(first) || !isPlain(second)) return false
  const keys = Object.keys(first)
  return (
    keys.length === Object.keys(second).length &&
    keys.every(key => Object.hasOwn(second, key) && isEqual(first[key], second[key]))
  )
}

/** Equal plain data has equal texts. */
export const canonicalText = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isPlain(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [next]) => (one < next ? -1 : 1)))
      : part,
  )
