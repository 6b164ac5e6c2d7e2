/** Suggests names for a misspelled one. */
import type { Hint } from './fault-texts.ts'

/** Limits the work: names have at most 63 characters, but input may be 16 KiB. */
const comparedCharactersMax = 80

/** Levenshtein distance of the first 80 UTF-16 units of two strings. */
export const editDistance = (first: string, second: string): number => {
  const a = first.slice(0, comparedCharactersMax)
  const b = second.slice(0, comparedCharactersMax)
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** Sorts names by their distance to `input`, ignoring case, and then by name. */
export const nearestNames = (input: string, names: Iterable<string>): string[] =>
  [...names]
    .map(name => ({ name, distance: editDistance(input.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)

/** Limits the time that a suggestion takes when a file has ten thousand names. */
const suggestedFromMax = 1000

/** A shorter prefix of a name is not taken for an abbreviation such as `admin` or `asc`. */
const abbreviationMin = 3

/**
 * Returns `; did you mean "title"?`, or an empty string without a suggestion. A suggestion differs in at most a third of the characters,
 * or is the only name that starts with the input.
 */
export const didYouMean = (input: string, names: Iterable<string>): string => {
  const name = suggestName(input, names)
  return name === undefined ? '' : `; did you mean "${name}"?`
}

/** Returns the suggested name by the same rule; undefined if no name is near enough. */
export const suggestName = (input: string, names: Iterable<string>): string | undefined => {
  const farthest = Math.ceil(input.length / 3)
  const candidates = [...names]
  const longer =
    input.length < abbreviationMin
      ? []
      : candidates.filter(name => name.toLowerCase().startsWith(input.toLowerCase()))
  if (longer.length === 1) return longer[0]
  const similar = candidates.filter(name => Math.abs(name.length - input.length) <= farthest)
  const [nearest] = nearestNames(input, similar.slice(0, suggestedFromMax))
  if (nearest === undefined) return undefined
  const isNear = editDistance(input.toLowerCase(), nearest.toLowerCase()) <= farthest
  return isNear ? nearest : undefined
}

/** Returns the suggested name by the same rule as the hint of a fault. */
export const suggest = (found: string, names: Iterable<string>): Hint | undefined => {
  const suggestion = suggestName(found, names)
  return suggestion === undefined ? undefined : { hint: 'suggestion', suggestion }
}

/** Writes names as a list of at most `listedMax`: `title, body and 3 more`, or `none`. */
export const listNames = (names: Iterable<string>, listedMax = 20): string => {
  const candidates = [...names]
  if (candidates.length === 0) return 'none'
  const listed = candidates.slice(0, listedMax).join(', ')
  return candidates.length > listedMax ? `${listed} and ${candidates.length - listedMax} more` : listed
}
