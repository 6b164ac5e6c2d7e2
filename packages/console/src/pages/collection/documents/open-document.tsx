/** Shows one document in a dialog, edits it there and deletes it. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { ListedDocument } from '#api/documents.ts'
import { type ReadDocument, readDocument, type StoredDocument } from '#api/documents.ts'
import { EditConflict } from '#api/edit-conflict.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { CopyValue } from '#ui/copy-value.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { readHeading } from '#ui/heading.ts'
import { Loading } from '#ui/loading.tsx'
import { useCloseGuard } from '#ui/use-close-guard.tsx'
import { DocumentTools } from './document-tools.tsx'
import { DeleteDocument, EditDocument } from './edit-document.tsx'

const DocumentReaders = lazy(async () => ({
  default: (await import('./document-readers.tsx')).DocumentReaders,
}))

interface OpenDocumentProps extends DialogState {
  id: string
  /** The documents of the page, for the next and the previous one. */
  ids: readonly string[]
  onOpen: (id: string) => void
  onDeleted: (documents: readonly ListedDocument[]) => void
}

interface Work {
  id: string
  kind: 'edit' | 'delete'
  /** The document when the work began: what the person sees and changes. */
  base: ReadDocument
}

export const OpenDocument = ({ id, ids, isOpen, onClose, onOpen, onDeleted }: OpenDocumentProps) => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  const cache = useQueryClient()
  // Mantine returns the focus of a dialog that opens after its first render.
  const [isMounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  const [begun, setBegun] = useState<Work>()
  const [savedId, setSavedId] = useState<string>()
  const work = begun?.id === id && isOpen ? begun : undefined
  const { data, error } = useQuery({
    queryKey: ['document', workspace, collection, id],
    queryFn: () => readDocument(workspace, collection, id),
    enabled: isOpen,
  })
  const endWork = () => setBegun(undefined)
  const form = useRef<HTMLFormElement>(null)
  const guard = useCloseGuard(form, work?.kind === 'edit', endWork)
  const readAgainAfterConflict = (fault: unknown) =>
    fault instanceof EditConflict
      ? cache.invalidateQueries({ queryKey: ['document', workspace, collection, id] })
      : undefined
  const finishDeletion = async (deleted: ListedDocument) => {
    endWork()
    onClose()
    onDeleted([deleted])
    // This document would be read again.
    await cache.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'document' })
    // The button that opened the dialog is gone with the document.
    window.document.getElementById('content')?.focus()
  }
  return (
    <>
      <Modal
        opened={isOpen && isMounted}
        onClose={work ? guard.requestClose : onClose}
        closeOnEscape={!guard.isAsking}
        // A click outside must not lose the input.
        closeOnClickOutside={!work}
        title={makeTitle(id, data?.document, work)}
        size="xl"
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <Stack>
          {error && <ErrorNote error={error} />}
          {data === undefined && !error && <Loading />}
          {data === null && <Text>{t('There is no document with this id.')}</Text>}
          {work?.kind === 'edit' && (
            <EditDocument
              id={id}
              base={work.base}
              watch={{ ref: form, ...guard.watch }}
              onSaved={() => {
                endWork()
                setSavedId(id)
              }}
              onCancel={endWork}
              onError={readAgainAfterConflict}
            />
          )}
          {work?.kind === 'delete' && (
            <DeleteDocument
              id={id}
              base={work.base}
              onCancel={endWork}
              onDeleted={finishDeletion}
              onError={readAgainAfterConflict}
            />
          )}
          {savedId === id && <Text role="status">{t('Saved.')}</Text>}
          {data && !work && (
            <DocumentSheet
              key={id}
              id={id}
              ids={ids}
              document={data.document}
              onOpen={onOpen}
              onBegin={kind => {
                setBegun({ id, kind, base: data })
                setSavedId(undefined)
              }}
            />
          )}
        </Stack>
      </Modal>
      {guard.question}
    </>
  )
}

interface DocumentSheetProps {
  id: string
  ids: readonly string[]
  document: StoredDocument
  onOpen: (id: string) => void
  onBegin: (kind: Work['kind']) => void
}

const DocumentSheet = ({ id, ids, document, onOpen, onBegin }: DocumentSheetProps) => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  const mayAdminister = useWorkspaceAccess(workspace).may('administer')
  return (
    <>
      <DocumentTools id={id} ids={ids} document={document} onOpen={onOpen} />
      <CopyValue label={t('Document {id}', { id })} value={JSON.stringify(document, undefined, 2)} block />
      {mayAdminister && <ReadersSection workspace={workspace} collection={collection} id={id} />}
      <Group justify="space-between" className="dialog-buttons">
        <Button variant="subtle" color="red" onClick={() => onBegin('delete')}>
          {t('Delete')}
        </Button>
        <Button onClick={() => onBegin('edit')}>{t('Edit')}</Button>
      </Group>
    </>
  )
}

/** Reads who can read the document when somebody asks. */
const ReadersSection = (place: { workspace: string; collection: string; id: string }) => {
  const [isOpen, setOpen] = useState(false)
  if (!isOpen)
    return (
      <Group>
        <Button variant="default" size="compact-sm" onClick={() => setOpen(true)}>
          {t('Who can read this?')}
        </Button>
      </Group>
    )
  return (
    <Suspense fallback={<Loading />}>
      <DocumentReaders {...place} />
    </Suspense>
  )
}

const makeTitle = (id: string, document: StoredDocument | undefined, work: Work | undefined): string => {
  if (work?.kind === 'edit') return t('Edit {id}', { id })
  if (work?.kind === 'delete') return t('Delete {id}?', { id })
  if (!document) return id
  return readHeading({ id, attributes: document }).text
}
