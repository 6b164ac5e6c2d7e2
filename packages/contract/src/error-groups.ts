/** Groups the errors of an import that differ only in the value that was found. */
import type { ErrorGroup, ErrorPlace } from './errors.ts'

/** Groups errors in the order of their first ones. Errors with a path or a code, as those of workspace files, are not grouped. */
export const groupErrors = (errors: readonly ErrorPlace[]): ErrorGroup[] => {
  const groups = new Map<string, ErrorGroup>()
  errors.forEach((error, index) => {
    const isOfDocument = error.path === undefined && error.code === undefined
    const key = isOfDocument ? readErrorKind(error.message) : `#${index}`
    const group = groups.get(key)
    if (group) addToGroup(group, error)
    else groups.set(key, { first: error, count: 1 })
  })
  return [...groups.values()]
}

const examplesMax = 3

/** Counts another error of the group, and keeps its value if few others are kept. */
export const addToGroup = (group: ErrorGroup, { message }: ErrorPlace): void => {
  group.count += 1
  const value = readFoundValue(message)
  const examples =
    group.examples ?? [readFoundValue(group.first.message)].filter(found => found !== undefined)
  if (value === undefined || examples.length >= examplesMax || examples.includes(value)) return
  group.examples = [...examples, value]
}

const readFoundValue = (message: string): string | undefined => foundPattern.exec(message)?.[1]
const foundPattern = /\bfound (.*?)(?=, allowed: |; |$)/s

/** Returns the message without the value that was found. */
export const readErrorKind = (message: string): string => message.replace(foundPattern, 'found')
