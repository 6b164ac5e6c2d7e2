/** Finds, shows, changes and exports the documents of a collection. */
import { Stack } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useRef } from 'react'
import { t, tNodes } from '#i18n/translate.ts'
import { collectionRoute, useCollection } from '#pages/collection/collection-context.ts'
import { Empty } from '#ui/empty.tsx'
import { ButtonLink, TextLink } from '#ui/links.tsx'
import { DocumentResults } from './document-results.tsx'
import { type DocumentsSearch, toFilter } from './documents-search.ts'
import { FindDocuments } from './find-documents.tsx'

const OpenDocument = lazy(async () => ({ default: (await import('./open-document.tsx')).OpenDocument }))

export const Documents = () => {
  const { workspace, summary } = useCollection()
  const { collection, documents } = summary
  const search: DocumentsSearch = useSearch({ from: `${collectionRoute}/` })
  const navigate = useNavigate({ from: '/w/$workspace/data/$collection' })
  const go = (next: DocumentsSearch, replace = false) => void navigate({ search: next, replace })
  /** The dialog stays while it closes, so that the focus returns to its opener. */
  const lastId = useRef<string>(undefined)
  const openId = search.document ?? lastId.current
  lastId.current = openId
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
  const { document, ...shown } = search
  const filter = toFilter(search)
  return (
    <Stack gap="md">
      <FindDocuments filter={filter} onChange={next => go(next, true)} />
      <DocumentResults filter={filter} onOpen={id => go({ ...shown, document: id })} />
      <Suspense>
        {openId !== undefined && (
          <OpenDocument key={openId} id={openId} isOpen={document !== undefined} onClose={() => go(shown)} />
        )}
      </Suspense>
    </Stack>
  )
}
