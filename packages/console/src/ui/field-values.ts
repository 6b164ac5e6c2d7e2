/** Values that documents have in a field, for row filters. */
import type { CollectionSummary } from '@querent/contract/manage'
import { useQueries } from '@tanstack/react-query'
import { listDocuments, listValues, type ValueCount } from '#api/documents.ts'
import { type FilterField, readRowValue } from './row-filter.ts'

/** Names of the collections that have the field, and whose documents the person may read. */
const findCollections = (collections: readonly CollectionSummary[], field: string): string[] =>
  collections.flatMap(({ collection, documents, fields }) =>
    documents !== null && fields.some(({ name }) => name === field) ? [collection] : [],
  )

/** Returns the most frequent values of a field in all collections. Undefined while they are being read. */
export const useFieldValues = (
  workspace: string,
  collections: readonly CollectionSummary[],
  field: string,
): ValueCount[] | undefined => {
  const results = useQueries({
    queries: findCollections(collections, field).map(collection => ({
      queryKey: ['documents', workspace, collection, 'values', field],
      queryFn: () => listValues(workspace, collection, field),
    })),
  })
  if (results.some(({ isPending }) => isPending)) return undefined
  const counts = new Map<string, number>()
  for (const { value, documents } of results.flatMap(({ data }) => data ?? []))
    counts.set(value, (counts.get(value) ?? 0) + documents)
  return [...counts]
    .map(([value, documents]) => ({ value, documents }))
    .toSorted((one, next) => next.documents - one.documents)
}

/** Returns the values that no document has in the field, as typed. */
export const useAbsentValues = (
  workspace: string,
  collections: readonly CollectionSummary[],
  { name, ...field }: Pick<FilterField, 'name' | 'type' | 'form'>,
  values: readonly string[],
): string[] => {
  const readable = findCollections(collections, name)
  const checks = values.flatMap(text => {
    const value = readRowValue(field, text)
    return value === undefined ? [] : readable.map(collection => ({ text, value: String(value), collection }))
  })
  const results = useQueries({
    queries: checks.map(({ value, collection }) => ({
      queryKey: ['documents', workspace, collection, 'total', name, value],
      queryFn: async () =>
        (await listDocuments(workspace, collection, { search: '', where: { [name]: value } })).total,
    })),
  })
  // A collection that cannot be read may have the value.
  return values.filter(value => {
    const totals = checks.flatMap((check, index) => (check.text === value ? [results[index]?.data] : []))
    return totals.length > 0 && totals.every(total => total === 0)
  })
}
