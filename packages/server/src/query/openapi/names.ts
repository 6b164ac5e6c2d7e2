/** Names in OpenAPI documents. Generators turn them into names of types and functions, and ignore case and punctuation. */

const words = (text: string): string[] => text.split(/[^A-Za-z0-9]+/).filter(word => word !== '')

const capitalize = (word: string): string =>
  // FILTER, of a facet's filter, is one word.
  word.charAt(0).toUpperCase() + (/^[A-Z]+$/.test(word) ? word.slice(1).toLowerCase() : word.slice(1))

/** Joins the words of several names: `['genre:FILTER', 'results']` → `GenreFilterResults`. */
export const pascalCase = (names: readonly string[]): string => names.flatMap(words).map(capitalize).join('')

/** `['genre:FILTER', 'results']` → `genreFilterResults`. */
export const camelCase = (names: readonly string[]): string => {
  const name = pascalCase(names)
  return name.charAt(0).toLowerCase() + name.slice(1)
}

/** Returns a function that makes names unique for generators: the second of two that differ only in case or punctuation ends with 2. */
export const createUniqueNames = (reserved: Iterable<string> = []): ((name: string) => string) => {
  const simplify = (name: string) => words(name).join('').toLowerCase()
  const simpleNames = new Set([...reserved].map(simplify))
  return name => {
    let unique = name
    for (let number = 2; simpleNames.has(simplify(unique)); number++) unique = `${name}_${number}`
    simpleNames.add(simplify(unique))
    return unique
  }
}
