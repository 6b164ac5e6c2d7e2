/** Titles of endpoints, fields and collections, which people see instead of names. */
import type { Endpoint } from './endpoints.ts'
import { expandFields } from './object-fields.ts'
import type { Api, Collection, Definition } from './workspace-file.ts'

/**
 * Returns the title of an endpoint: its own, or the title of the field that a facet, range or filter narrows, or `fallback` (its name). A
 * filter by a fixed value or by `present` is more specific than its field, so it does not use the field's title.
 */
export const endpointTitle = (definition: Definition, endpoint: Endpoint, fallback: string): string =>
  endpoint.title ?? narrowedFieldTitle(definition, endpoint) ?? fallback

const narrowedFieldTitle = (definition: Definition, endpoint: Endpoint): string | undefined => {
  const { kind } = endpoint
  if (kind !== 'facet' && kind !== 'range' && kind !== 'filter' && kind !== 'area') return undefined
  if (kind === 'filter' && (endpoint.value !== undefined || endpoint.present !== undefined)) return undefined
  const { collection, field } = endpoint
  if (typeof field !== 'string') return undefined
  const names = collection === undefined ? Object.keys(definition.collections ?? {}) : [collection]
  return firstTitle(definition, names, field)
}

/** Maps fields, also those inside objects, to titles, in the collections that the endpoints of an API name. Fields without a title are absent. */
export const fieldTitles = (definition: Definition, api: Api): Record<string, string> => {
  const names = listCollections(api)
  const fields = new Set(
    names.flatMap(name => Object.keys(expandFields(definition.collections?.[name]?.fields))),
  )
  return Object.fromEntries(
    [...fields].flatMap(field => {
      const title = firstTitle(definition, names, field)
      return title === undefined ? [] : [[field, title] as const]
    }),
  )
}

/** Returns the names of the collections that the endpoints of an API name. */
export const listCollections = ({ endpoints = {} }: Api): string[] => [
  ...new Set(
    Object.values(endpoints).flatMap(endpoint =>
      'collection' in endpoint && endpoint.collection !== undefined ? [endpoint.collection] : [],
    ),
  ),
]

const firstTitle = (
  { collections = {} }: Definition,
  names: readonly string[],
  field: string,
): string | undefined => {
  for (const name of names) {
    const fields = Object.hasOwn(collections, name) ? expandFields(collections[name]?.fields) : {}
    const title = Object.hasOwn(fields, field) ? fields[field]?.title : undefined
    if (title !== undefined) return title
  }
  return undefined
}

/** Returns the title of a collection: its own, or the words of its name. */
export const collectionTitle = ({ title }: Pick<Collection, 'title'>, name: string): string =>
  title ?? toTitle(name)

/** Returns the words of a name: `date_published` becomes `Date published`. An abbreviation such as `MwSt.` stays as it is. */
export const toTitle = (name: string): string => {
  if (/^\S+\p{L}\.$/u.test(name)) return name
  const words = name
    .replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replace(/[\s_.-]+/g, ' ')
    .trim()
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
