import { readableText } from '#ui/readable-text.ts'

/** More characters of a value are not shown in a table or list. */
const charactersMax = 300

/** Returns a value of a document in one line, lists with dots between. */
export const formatValue = (value: unknown): string => {
  const text = describe(value)
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text
}

const describe = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.slice(0, charactersMax).map(describe).join(' · ')
  return readableText(value)
}
