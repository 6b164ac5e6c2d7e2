/** Opening and closing thousands of collections would take minutes. */
const openedMax = 16

/**
 * Limits how many collections one request opens only to read their statistics: returns true for the first
 * sixteen.
 */
export const createOpenBudget = (): (() => boolean) => {
  let remaining = openedMax
  return () => remaining-- > 0
}
