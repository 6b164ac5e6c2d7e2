/** Finds, shows, changes and exports the documents of a collection. */
import { Alert, Stack } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useRef, useState } from 'react'
import type { ListedDocument } from '#api/documents.ts'
import { t, tCount, tNodes } from '#i18n/translate.ts'
import { collectionRoute, useCollection } from '#pages/collection/collection-context.ts'
import { Empty } from '#ui/empty.tsx'
import { ButtonLink, TextLink } from '#ui/links.tsx'
import { DocumentResults } from './document-results.tsx'
import { type DocumentsSearch, toFilter } from './documents-search.ts'
import { FindDocuments } from './find-documents.tsx'
import { useDocumentPages } from './use-document-pages.ts'

const DeletedNote = lazy(async () => ({ default: (await import('./deleted-note.tsx')).DeletedNote }))
const OpenDocument = lazy(async () => ({ default: (await import('./open-document.tsx')).OpenDocument }))

export const Documents = () => {
  const { workspace, summary } = useCollection()
  const { collection, documents } = summary
  const search: DocumentsSearch = useSearch({ from: `${collectionRoute}/` })
  const navigate = useNavigate({ from: '/w/$workspace/data/$collection' })
  const go = (next: DocumentsSearch, replace = false) => void navigate({ search: next, replace })
  if (documents === null)
    return (
      <Empty title={t('No documents to show')}>
        {tNodes(
          'Your row filter prevents this list. Use Try it, below {apis}, to find the documents that you may see.',
          {
            apis: (
              <TextLink to="/w/$workspace/apis" params={{ workspace }}>
                {t('APIs')}
              </TextLink>
            ),
          },
        )}
      </Empty>
    )
  if (documents === 0)
    return (
      <Empty title={t('No documents yet')}>
        <ButtonLink to="/w/$workspace/data/$collection/import" params={{ workspace, collection }} mt="xs">
          {t('Import a file')}
        </ButtonLink>
      </Empty>
    )
  return <FoundDocuments search={search} onSearch={go} />
}

interface FoundDocumentsProps {
  search: DocumentsSearch
  onSearch: (search: DocumentsSearch, replace?: boolean) => void
}

const FoundDocuments = ({ search, onSearch }: FoundDocumentsProps) => {
  const { document, ...shown } = search
  const { sort } = search
  const filter = toFilter(search)
  const pages = useDocumentPages(filter, sort)
  const [deleted, setDeleted] = useState<readonly ListedDocument[]>([])
  const [deletedCount, setDeletedCount] = useState<number>()
  /** The dialog stays while it closes, so that the focus returns to its opener. */
  const lastId = useRef<string>(undefined)
  const openId = document ?? lastId.current
  lastId.current = openId
  const open = (id: string) => onSearch({ ...shown, document: id }, document !== undefined)
  return (
    <Stack gap="md">
      {/* The live region is there before its text, or screen readers miss it. */}
      <div role="status">
        <Suspense>
          {deleted.length > 0 && <DeletedNote documents={deleted} onDone={() => setDeleted([])} />}
        </Suspense>
        {deletedCount !== undefined && (
          <Alert
            color="green"
            variant="light"
            withCloseButton
            closeButtonLabel={t('Close')}
            onClose={() => setDeletedCount(undefined)}
          >
            {tCount(deletedCount, '{count} document deleted.', '{count} documents deleted.')}
          </Alert>
        )}
      </div>
      <FindDocuments
        filter={filter}
        onChange={next => onSearch({ ...next, ...(sort === undefined ? {} : { sort }) }, true)}
      />
      <DocumentResults
        filter={filter}
        pages={pages}
        sort={sort}
        onSort={next => {
          const { sort: _, ...others } = shown
          onSearch({ ...others, ...(next === undefined ? {} : { sort: next }) }, true)
        }}
        onOpen={open}
        onDeleted={setDeleted}
        onDeletedAll={setDeletedCount}
      />
      <Suspense>
        {openId !== undefined && (
          <OpenDocument
            id={openId}
            ids={pages.documents.map(({ id }) => id)}
            isOpen={document !== undefined}
            onClose={() => onSearch(shown)}
            onOpen={open}
            onDeleted={setDeleted}
          />
        )}
      </Suspense>
    </Stack>
  )
}
