import type { RowFilter } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { reading } from '#api/manage.ts'
import { filterFields, inWords } from './row-filter.ts'

interface FilterInWordsProps {
  workspace: string
  filter: RowFilter
}

/** A row filter in words, with the titles of the fields. */
export const FilterInWords = ({ workspace, filter }: FilterInWordsProps) => {
  const { data } = useSuspenseQuery(reading('listCollections', { params: { workspace } }))
  return inWords(filter, filterFields(data.items))
}
