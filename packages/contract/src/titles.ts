/** What people read in place of names of endpoints and fields. */
import type { Api, Definition, Endpoint } from './workspace-file.ts'

/**
 * Title of an endpoint: its own; for a facet, a range and a filter by parameter else the title of the field that it narrows; else `fallback`,
 * which is its name. A filter by a fixed value is more than its field, so it does not take that title.
 */
export const endpointTitle = (definition: Definition, endpoint: Endpoint, fallback: string): string =>
  endpoint.title ?? narrowedFieldTitle(definition, endpoint) ?? fallback

const narrowedFieldTitle = (definition: Definition, endpoint: Endpoint): string | undefined => {
  const { kind } = endpoint
  if (kind !== 'facet' && kind !== 'range' && kind !== 'filter') return undefined
  if (kind === 'filter' && endpoint.value !== undefined) return undefined
  const { collection, field } = endpoint
  const names = collection === undefined ? Object.keys(definition.collections ?? {}) : [collection]
  return firstTitle(definition, names, field)
}

/** Titles by field name, of the collections that the endpoints of an API name. Fields without a title are absent. */
export const fieldTitles = (definition: Definition, { endpoints = {} }: Api): Record<string, string> => {
  const names = [
    ...new Set(
      Object.values(endpoints).flatMap(endpoint =>
        'collection' in endpoint && endpoint.collection !== undefined ? [endpoint.collection] : [],
      ),
    ),
  ]
  const fields = new Set(names.flatMap(name => Object.keys(definition.collections?.[name]?.fields ?? {})))
  return Object.fromEntries(
    [...fields].flatMap(field => {
      const title = firstTitle(definition, names, field)
      return title === undefined ? [] : [[field, title] as const]
    }),
  )
}

const firstTitle = (
  { collections = {} }: Definition,
  names: readonly string[],
  field: string,
): string | undefined => {
  for (const name of names) {
    const fields = Object.hasOwn(collections, name) ? (collections[name]?.fields ?? {}) : {}
    const title = Object.hasOwn(fields, field) ? fields[field]?.title : undefined
    if (title !== undefined) return title
  }
  return undefined
}
