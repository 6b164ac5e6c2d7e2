/** Groups the errors of an import that differ only in the value that was found. */
import type { ErrorGroup, ErrorPlace } from './errors.ts'

/** Groups errors in the order of their first ones. Errors with a path or a code, as those of workspace files, are not grouped. */
export const groupErrors = (errors: readonly ErrorPlace[]): ErrorGroup[] => {
  const groups = new Map<string, ErrorGroup>()
  errors.forEach((error, index) => {
    const isOfDocument = error.path === undefined && error.code === undefined
    const key = isOfDocument ? readErrorKind(error.message) : `#${index}`
    const group = groups.get(key)
    if (group) group.count += 1
    else groups.set(key, { first: error, count: 1 })
  })
  return [...groups.values()]
}

/** Returns the message without the value that was found. */
export const readErrorKind = (message: string): string =>
  message.replace(/\bfound .*?(?=, allowed: |; |$)/s, 'found')
