/** The pages of the found documents. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ListedDocument } from '#api/documents.ts'
import { type DocumentFilter, listDocuments, pageSize, type StoredDocument } from '#api/documents.ts'
import { language } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { sortDocuments, sortedMax } from './sort-documents.ts'

interface Paging {
  filterKey: string
  /** Cursors of the visited pages; the last one is shown. */
  cursors: readonly (string | undefined)[]
}

export const useDocumentPages = (filter: DocumentFilter, sort: string | undefined) => {
  const { workspace, summary } = useCollection()
  const { collection, idField, fields } = summary
  const filterKey = JSON.stringify([filter, sort])
  const [paging, setPaging] = useState<Paging>({ filterKey, cursors: [undefined] })
  // Another filter starts at its first page, and shows the previous documents until then.
  const cursors = paging.filterKey === filterKey ? paging.cursors : [undefined]
  const setCursors = (next: Paging['cursors']) => setPaging({ filterKey, cursors: next })
  const isFirst = cursors.length === 1
  // Pages of sorted documents have numbers, which the service does not know.
  const cursor = sort === undefined ? cursors.at(-1) : undefined
  const { data, error, isFetching } = useQuery({
    queryKey: ['documents', workspace, collection, filter, cursor],
    queryFn: () => listDocuments(workspace, collection, filter, cursor),
    placeholderData: keepPreviousData,
  })
  const isSortable = data !== undefined && data.total <= sortedMax
  const { data: everything, isFetching: isFetchingEverything } = useQuery({
    queryKey: ['documents', workspace, collection, filter, 'everything'],
    queryFn: () => listDocuments(workspace, collection, filter, undefined, sortedMax),
    enabled: sort !== undefined && isSortable,
    placeholderData: keepPreviousData,
  })
  const toListed = (document: StoredDocument): ListedDocument => ({ id: String(document[idField]), document })
  const skipped = (cursors.length - 1) * pageSize
  const isSorted = sort !== undefined && isSortable && everything !== undefined
  const documents = isSorted
    ? sortDocuments(everything.items.map(toListed), sort, fields, language).slice(skipped, skipped + pageSize)
    : (data?.items ?? []).map(toListed)
  const total = data?.total ?? 0
  const next = isSorted ? (skipped + pageSize < total ? String(cursors.length) : null) : (data?.next ?? null)
  return {
    isLoaded: data !== undefined,
    error,
    isFetching: isFetching || isFetchingEverything,
    documents,
    total,
    /** Whether there are too many to sort. */
    isUnsorted: sort !== undefined && data !== undefined && !isSortable,
    first: isSorted || sort === undefined ? skipped + 1 : 1,
    hasPrevious: !isFirst,
    hasNext: next !== null && !(sort !== undefined && !isSorted),
    goBack: () => setCursors(cursors.slice(0, -1)),
    goOn: () => next !== null && setCursors([...cursors, next]),
  }
}
