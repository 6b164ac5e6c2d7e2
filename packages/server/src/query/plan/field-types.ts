/** The types of the values that parameters of endpoints take. */
import { isFilterable } from '@querent/contract/field-value'
import type { FieldType } from '@querent/contract/workspace-file'
import type { CollectionView } from './collection-view.ts'

/** Describes the type of a field's values, as the first possible collection has it. */
export const valueType = (
  endpoint: { collection?: string; field: string },
  collections: ReadonlyMap<string, CollectionView>,
): string => {
  const types = possibleTypes(endpoint, collections)
  const type = types.find(candidate => candidate === 'geo' || isFilterable(candidate)) ?? 'keyword'
  return type === 'geo' ? 'circle' : type === 'keyword' ? 'string' : type
}

/** Types that the field has in the collections that the endpoint may search. */
export const possibleTypes = (
  { collection, field }: { collection?: string; field: string },
  collections: ReadonlyMap<string, CollectionView>,
): FieldType[] => {
  const views = collection === undefined ? [...collections.values()] : [collections.get(collection)]
  return views.flatMap(view => view?.fields.get(field)?.type ?? [])
}
