import { useQuery } from '@tanstack/react-query'
import { listDocuments } from '#api/documents.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { writeBoolean } from '#ui/boolean-words.ts'
import { describeValue } from '#ui/describe-value.ts'
import type { FieldSummary } from './document-path.ts'
import { createNumberWriter } from './write-number.ts'

const unfiltered = { search: '', where: {} }

/**
 * Returns a function that writes values of filters as the table shows them: dates as dates, and numbers in the form of
 * their field. `isNeeded`: whether there are values to write.
 */
export const useConditionWriter = (isNeeded = true) => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  // The first page of the list, which is there already unless an address opened a filtered one.
  const { data: sample } = useQuery({
    queryKey: ['documents', workspace, collection, unfiltered, undefined],
    queryFn: () => listDocuments(workspace, collection, unfiltered),
    enabled: isNeeded,
  })
  return (value: string, field: FieldSummary | undefined): string => {
    switch (field?.type) {
      case 'date':
        return describeValue(value)
      case 'number':
        return createNumberWriter(field, sample?.items ?? [])(value)
      case 'boolean':
        return writeBoolean(value) ?? value
      default:
        return value
    }
  }
}
