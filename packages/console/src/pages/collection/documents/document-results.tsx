import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import type { DocumentFilter, ListedDocument } from '#api/documents.ts'
import { language, t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { DialogButton } from '#ui/dialog-button.tsx'
import { Empty } from '#ui/empty.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { Loading } from '#ui/loading.tsx'
import { useIsPhone } from '#ui/phone-fold.tsx'
import { chooseColumns } from './default-columns.ts'
import { DocumentList } from './document-list.tsx'
import { DocumentTable } from './document-table.tsx'
import { ExportDocuments } from './export-documents.tsx'
import { sortedMax } from './sort-documents.ts'
import type { useDocumentPages } from './use-document-pages.ts'
import { useSelection } from './use-selection.ts'

const ChooseColumns = lazy(async () => ({ default: (await import('./choose-columns.tsx')).ChooseColumns }))
const DeleteMatching = lazy(async () => ({ default: (await import('./delete-matching.tsx')).DeleteMatching }))
const SelectionBar = lazy(async () => ({ default: (await import('./selection-bar.tsx')).SelectionBar }))
const SortSelect = lazy(async () => ({ default: (await import('./sort-select.tsx')).SortSelect }))
const AddDocument = lazy(async () => ({ default: (await import('./add-document.tsx')).AddDocument }))

interface DocumentResultsProps {
  filter: DocumentFilter
  pages: ReturnType<typeof useDocumentPages>
  sort: string | undefined
  onSort: (sort: string | undefined) => void
  onOpen: (id: string) => void
  onDeleted: (documents: readonly ListedDocument[]) => void
  /** Takes the number of documents that are deleted for good. */
  onDeletedAll: (count: number) => void
}

/** The found documents in pages, as a table or as a list, and what can be done with all of them. */
export const DocumentResults = (props: DocumentResultsProps) => {
  const { filter, pages, sort, onSort, onOpen, onDeleted, onDeletedAll } = props
  const { workspace, summary } = useCollection()
  const { collection, idField, fields } = summary
  const [chosenView, setView] = useLocalStorage<'table' | 'list'>({
    key: 'querent-documents-view',
    defaultValue: 'table',
    getInitialValueInEffect: false,
  })
  const [chosenColumns, setColumns] = useLocalStorage<string[]>({
    key: `querent-documents-columns:${workspace}/${collection}`,
    getInitialValueInEffect: false,
  })
  const isPhone = useIsPhone()
  const view = isPhone ? 'list' : chosenView
  const { documents, total, first, error } = pages
  const selection = useSelection(JSON.stringify(filter), documents)
  const tableFields = fields.filter(({ name, type }) => name !== idField && type !== 'vector')
  const columns =
    chosenColumns ?? chooseColumns(`${workspace}/${collection}`, tableFields, idField, documents)
  if (error) return <ErrorNote error={error} />
  if (!pages.isLoaded) return <Loading />
  const list = { columns, documents, selection, onOpen }
  return (
    <Stack gap="sm" aria-busy={pages.isFetching}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" c="dimmed" role="status">
          {total === 0
            ? t('No documents')
            : t('{first}–{last} of {total}', { first, last: first + documents.length - 1, total })}
        </Text>
        <Group gap="xs">
          {!isPhone && (
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
          )}
          <Suspense>
            {view === 'list' && <SortSelect columns={columns} sort={sort} onSort={onSort} />}
          </Suspense>
          <DialogButton label={t('Columns')} size="xs" variant="default">
            {dialog => <ChooseColumns {...dialog} columns={columns} onChange={setColumns} />}
          </DialogButton>
          <ExportDocuments filter={filter} />
          {Object.keys(filter.where).length > 0 && filter.search === '' && total > 0 && (
            <DialogButton
              label={t('Delete all {total}', { total: total.toLocaleString(language) })}
              size="xs"
              variant="light"
              color="red"
            >
              {dialog => <DeleteMatching {...dialog} where={filter.where} onDeleted={onDeletedAll} />}
            </DialogButton>
          )}
          <DialogButton label={t('Add document')} size="xs" variant="default">
            {dialog => <AddDocument {...dialog} onAdded={onOpen} />}
          </DialogButton>
        </Group>
      </Group>
      <Suspense>
        {selection.selected.length > 0 && <SelectionBar selection={selection} onDeleted={onDeleted} />}
      </Suspense>
      {pages.isUnsorted && (
        <Text size="sm" role="status">
          {t('Up to {max} documents can be sorted. Search or filter to find fewer.', { max: sortedMax })}
        </Text>
      )}
      {documents.length === 0 && (
        <Empty title={t('No documents found')}>
          {filter.search === ''
            ? t('No document has exactly this value or is in this range. Change or remove the filter.')
            : t('Words are found in text fields, as whole words. Try other words, or remove a filter.')}
        </Empty>
      )}
      {documents.length > 0 && view === 'table' && (
        <DocumentTable {...list} sort={sort} isUnsorted={pages.isUnsorted} onSort={onSort} />
      )}
      {documents.length > 0 && view === 'list' && <DocumentList {...list} />}
      <PageButtons pages={pages} />
    </Stack>
  )
}

const PageButtons = ({ pages }: Pick<DocumentResultsProps, 'pages'>) =>
  (pages.hasPrevious || pages.hasNext) && (
    <Group>
      <Button variant="default" disabled={!pages.hasPrevious} onClick={pages.goBack}>
        {t('Previous')}
      </Button>
      <Button variant="default" disabled={!pages.hasNext || pages.isFetching} onClick={pages.goOn}>
        {t('Next')}
      </Button>
    </Group>
  )
