/** Suggests names for a misspelled one. */
import type { Hint } from './fault-texts.ts'

/** Limits the work: names have at most 63 characters, but input may be 16 KiB. */
const comparedCharactersMax = 80

/** Levenshtein distance of the first 80 UTF-16 units of two strings. */
export const editDistance = (first: string, second: string): number => {
  const a = first.slice(0, comparedCharactersMax)
  const b = second.slice(0, comparedCharactersMax)
  const row = Uint8Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const unit = a.charCodeAt(i - 1)
    let diagonal = i - 1
    let inserted = i
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const deleted = row[j] ?? 0
      const replaced = diagonal + (unit === b.charCodeAt(j - 1) ? 0 : 1)
      inserted = Math.min(replaced, deleted + 1, inserted + 1)
      diagonal = deleted
      row[j] = inserted
    }
  }
  return row[b.length] ?? 0
}

/** Names that are compared with an input. An API may have 2,000 endpoints and filters, and anybody may send a wrong name. */
export const comparedNamesMax = 50

interface RankedName {
  name: string
  distance: number
}

/**
 * Sorts names by their distance to `input`, ignoring case, and then by name. Compares the {@link comparedNamesMax} names with the lowest
 * bound of their distance; the others follow by this bound. `compare` is for tests.
 */
export const nearestNames = (input: string, names: Iterable<string>, compare = editDistance): string[] => {
  const text = input.toLowerCase()
  const boundDistance = createDistanceBound(text)
  // A list for each bound, because sorting costs more than all else.
  const namesByBound = Array.from({ length: comparedCharactersMax + 1 }, (): string[] => [])
  for (const name of names) namesByBound[boundDistance(name.toLowerCase())]?.push(name)
  const candidates = namesByBound.flat()
  const compared = candidates
    .slice(0, comparedNamesMax)
    .map(name => ({ name, distance: compare(text, name.toLowerCase()) }))
    .sort(compareRanks)
  return [...compared.map(({ name }) => name), ...candidates.slice(comparedNamesMax)]
}

const compareRanks = (a: RankedName, b: RankedName): number =>
  a.distance - b.distance || (a.name < b.name ? -1 : 1)

/** Returns a function that gives a lower bound of the distance to `input`, by the characters that both have. */
const createDistanceBound = (input: string): ((name: string) => number) => {
  const inputText = input.slice(0, comparedCharactersMax)
  const counts = new Uint8Array(distinctUnits)
  for (let index = 0; index < inputText.length; index++) {
    const unit = inputText.charCodeAt(index) % distinctUnits
    counts[unit] = (counts[unit] ?? 0) + 1
  }
  const remaining = new Uint8Array(distinctUnits)
  return name => {
    remaining.set(counts)
    const length = Math.min(name.length, comparedCharactersMax)
    let shared = 0
    for (let index = 0; index < length; index++) {
      const unit = name.charCodeAt(index) % distinctUnits
      const count = remaining[unit] ?? 0
      if (count === 0) continue
      remaining[unit] = count - 1
      shared++
    }
    return Math.max(inputText.length, length) - shared
  }
}

/** Units with the same remainder count as one, which keeps the bound a lower bound. */
const distinctUnits = 128

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
