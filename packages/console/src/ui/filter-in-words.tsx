import type { RowFilter } from '@querent/contract/manage'
import { useSuspenseQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { describeFilter } from './describe-filter.ts'
import { filterFields } from './row-filter.ts'

interface FilterInWordsProps {
  workspace: string
  filter: RowFilter
}

/** A row filter in words, with the titles of the fields. */
export const FilterInWords = ({ workspace, filter }: FilterInWordsProps) => {
  const { data } = useSuspenseQuery(readOperation('listCollections', { params: { workspace } }))
  return describeFilter(filter, filterFields(data.items))
}
