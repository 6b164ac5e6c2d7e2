/** With thousands of collections it would take minutes to open them all, and close those that are used. */
const openedMax = 16

/** Asked before a collection is opened only to be looked at, for one request: yes for the first sixteen. */
export const createOpenBudget = (): (() => boolean) => {
  let remaining = openedMax
  return () => remaining-- > 0
}
