/** Misspelt names: which of the known ones were probably meant. */

/** Only so much of a name is compared: names are at most 63 characters, and what was sent may be 16 KiB. */
const comparedCharactersMax = 80

/** Levenshtein distance of two strings in UTF-16 units, on the first 80 of each. */
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

/** The names, nearest to `found` first (case counts for nothing); equally near ones by name. */
export const nearestNames = (found: string, names: Iterable<string>): string[] =>
  [...names]
    .map(name => ({ name, distance: editDistance(found.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name)

/** Names that are compared for a suggestion; it is a courtesy, and must not take long when a file has ten thousand. */
const suggestedFromMax = 1000

/** Letters of which a name may be cut off: `admin`, `asc`. */
const beginningMin = 3

/**
 * `; did you mean "title"?` when one of the names is near enough to be what was meant (a third of the letters) or the only one that begins
 * so, else an empty string.
 */
export const didYouMean = (found: string, names: Iterable<string>): string => {
  const name = suggestName(found, names)
  return name === undefined ? '' : `; did you mean "${name}"?`
}

/** The name that was probably meant, by the same rule; undefined where none is near enough. */
export const suggestName = (found: string, names: Iterable<string>): string | undefined => {
  const farthest = Math.ceil(found.length / 3)
  const all = [...names]
  const longer =
    found.length < beginningMin ? [] : all.filter(name => name.toLowerCase().startsWith(found.toLowerCase()))
  if (longer.length === 1) return longer[0]
  const similar = all.filter(name => Math.abs(name.length - found.length) <= farthest)
  const [nearest] = nearestNames(found, similar.slice(0, suggestedFromMax))
  if (nearest === undefined) return undefined
  const isNear = editDistance(found.toLowerCase(), nearest.toLowerCase()) <= farthest
  return isNear ? nearest : undefined
}

/** The names as a list for people, at most `listedMax` of them: `title, body and 3 more`; `none` when there are none. */
export const listNames = (names: Iterable<string>, listedMax = 20): string => {
  const all = [...names]
  if (all.length === 0) return 'none'
  const listed = all.slice(0, listedMax).join(', ')
  return all.length > listedMax ? `${listed} and ${all.length - listedMax} more` : listed
}
