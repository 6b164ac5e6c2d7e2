import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { lazy, useState } from 'react'
import { type DocumentFilter, listDocuments, pageSize } from '#api/documents.ts'
import { language, t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { Loading } from '#ui/loading.tsx'
import { DocumentList } from './document-list.tsx'
import { DocumentTable } from './document-table.tsx'
import { ExportDocuments } from './export-documents.tsx'

const ChooseColumns = lazy(async () => ({ default: (await import('./choose-columns.tsx')).ChooseColumns }))
const DeleteMatching = lazy(async () => ({ default: (await import('./delete-matching.tsx')).DeleteMatching }))
const AddDocument = lazy(async () => ({ default: (await import('./add-document.tsx')).AddDocument }))

/** Columns of a table that nobody has changed. */
const defaultColumns = 4

interface Paging {
  filterKey: string
  /** Cursors of the visited pages; the last one is shown. */
  cursors: readonly (string | undefined)[]
}

interface DocumentResultsProps {
  filter: DocumentFilter
  onOpen: (id: string) => void
}

/** The found documents in pages, as a table or as a list, and what can be done with all of them. */
export const DocumentResults = ({ filter, onOpen }: DocumentResultsProps) => {
  const { workspace, summary } = useCollection()
  const { collection, idField, fields } = summary
  const [view, setView] = useLocalStorage<'table' | 'list'>({
    key: 'querent-documents-view',
    defaultValue: 'table',
    getInitialValueInEffect: false,
  })
  const [chosenColumns, setColumns] = useLocalStorage<string[]>({
    key: `querent-documents-columns:${workspace}/${collection}`,
    getInitialValueInEffect: false,
  })
  const names = fields.flatMap(({ name, type }) => (name === idField || type === 'vector' ? [] : [name]))
  const columns = chosenColumns ?? names.slice(0, defaultColumns)
  const filterKey = JSON.stringify(filter)
  const [paging, setPaging] = useState<Paging>({ filterKey, cursors: [undefined] })
  // Another filter starts at its first page, and shows the previous documents until then.
  const cursors = paging.filterKey === filterKey ? paging.cursors : [undefined]
  const setCursors = (next: Paging['cursors']) => setPaging({ filterKey, cursors: next })
  const { data, error, isFetching } = useQuery({
    queryKey: ['documents', workspace, collection, filter, cursors.at(-1)],
    queryFn: () => listDocuments(workspace, collection, filter, cursors.at(-1)),
    placeholderData: keepPreviousData,
  })
  const conditions = Object.keys(filter.where).length
  if (error) return <ErrorNote error={error} />
  if (!data) return <Loading />
  const { items, next, total } = data
  const first = (cursors.length - 1) * pageSize + 1
  const documents = items.map(document => ({ id: String(document[idField]), document }))
  return (
    <Stack gap="sm" aria-busy={isFetching}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" role="status">
          {total === 0
            ? t('No documents')
            : t('{first}–{last} of {total}', { first, last: first + items.length - 1, total })}
        </Text>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label={t('View')}
            data={[
              { value: 'table', label: t('Table') },
              { value: 'list', label: t('List') },
            ]}
            value={view}
            onChange={value => setView(value === 'list' ? 'list' : 'table')}
          />
          {view === 'table' && (
            <DialogButton label={t('Columns')} size="xs" variant="default">
              {dialog => <ChooseColumns {...dialog} columns={columns} onChange={setColumns} />}
            </DialogButton>
          )}
          <ExportDocuments filter={filter} />
          {conditions > 0 && filter.search === '' && total > 0 && (
            <DialogButton
              label={t('Delete all {total}', { total: total.toLocaleString(language) })}
              size="xs"
              variant="light"
              color="red"
            >
              {dialog => <DeleteMatching {...dialog} where={filter.where} />}
            </DialogButton>
          )}
          <DialogButton label={t('Add document')} size="xs" variant="default">
            {dialog => <AddDocument {...dialog} onAdded={onOpen} />}
          </DialogButton>
        </Group>
      </Group>
      {items.length === 0 && (
        <Empty title={t('No documents found')}>
          {t('Words are found in text fields, as whole words. Try other words, or remove a filter.')}
        </Empty>
      )}
      {items.length > 0 && view === 'table' && (
        <DocumentTable columns={columns} documents={documents} onOpen={onOpen} />
      )}
      {items.length > 0 && view === 'list' && <DocumentList documents={documents} onOpen={onOpen} />}
      {(cursors.length > 1 || next !== null) && (
        <Group>
          <Button
            variant="default"
            disabled={cursors.length === 1}
            onClick={() => setCursors(cursors.slice(0, -1))}
          >
            {t('Previous')}
          </Button>
          <Button
            variant="default"
            disabled={next === null || isFetching}
            onClick={() => next !== null && setCursors([...cursors, next])}
          >
            {t('Next')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
