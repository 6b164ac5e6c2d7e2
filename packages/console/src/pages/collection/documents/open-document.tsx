import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import {
  deleteDocument,
  type ReadDocument,
  readDocument,
  replaceDocument,
  type StoredDocument,
} from '#api/documents.ts'
import { EditConflict } from '#api/edit-conflict.ts'
import { useWorkspaceAccess } from '#api/workspace-access.ts'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { ConfirmDialog } from '#ui/confirm-dialog.tsx'
import { CopyValue } from '#ui/copy-value.tsx'
import type { DialogState } from '#ui/dialog-button.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { FormDialog } from '#ui/form-dialog.tsx'
import { readHeading } from '#ui/heading.ts'
import { Loading } from '#ui/loading.tsx'
import { DocumentEditor, readJson, writeJson } from './document-editor.tsx'

const DocumentReaders = lazy(async () => ({
  default: (await import('./document-readers.tsx')).DocumentReaders,
}))

interface OpenDocumentProps extends DialogState {
  id: string
}

/** Shows one document, edits it and deletes it. */
export const OpenDocument = ({ id, isOpen, onClose }: OpenDocumentProps) => {
  const { workspace, summary } = useCollection()
  const { collection, idField } = summary
  const mayAdminister = useWorkspaceAccess(workspace).may('administer')
  const cache = useQueryClient()
  // Mantine returns the focus of a dialog that opens after its first render.
  const [isMounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  /** The dialog above this one. */
  const [above, setAbove] = useState<'edit' | 'delete'>()
  const { data, error } = useQuery({
    queryKey: ['document', workspace, collection, id],
    queryFn: () => readDocument(workspace, collection, id),
    enabled: isOpen,
  })
  const document = data?.document
  /** The document when its dialog opened: what the person sees and changes. */
  const [base, setBase] = useState<ReadDocument>()
  const openAbove = (name: 'edit' | 'delete') => {
    setBase(data ?? undefined)
    setAbove(name)
  }
  const readAgainAfterConflict = (fault: unknown) =>
    fault instanceof EditConflict
      ? cache.invalidateQueries({ queryKey: ['document', workspace, collection, id] })
      : undefined
  const deletion = useMutation({
    mutationFn: () => deleteDocument(workspace, collection, id, base?.tag ?? '*'),
    onError: readAgainAfterConflict,
    onSuccess: () => {
      onClose()
      // This document would be read again.
      return cache.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== 'document' })
    },
    onSettled: (_, fault) => {
      // The button that opened the dialog is gone with the document.
      if (!fault) window.document.getElementById('content')?.focus()
    },
  })
  const closeAbove = () => setAbove(undefined)
  return (
    <>
      <Modal
        opened={isOpen && isMounted}
        onClose={onClose}
        closeOnEscape={above === undefined}
        title={document ? readTitle(id, document, idField) : id}
        size="xl"
        closeButtonProps={{ 'aria-label': t('Close') }}
      >
        <Stack>
          {error && <ErrorNote error={error} />}
          {data === undefined && !error && <Loading />}
          {data === null && <Text>{t('There is no document with this id.')}</Text>}
          {document && (
            <>
              <CopyValue label={t('Document {id}', { id })} value={writeJson(document)} block />
              {mayAdminister && <ReadersSection workspace={workspace} collection={collection} id={id} />}
              <Group justify="space-between">
                <Button variant="subtle" color="red" onClick={() => openAbove('delete')}>
                  {t('Delete')}
                </Button>
                <Button onClick={() => openAbove('edit')}>{t('Edit')}</Button>
              </Group>
            </>
          )}
        </Stack>
      </Modal>
      {base && (
        <EditDocument
          id={id}
          base={base}
          isOpen={above === 'edit'}
          onClose={closeAbove}
          onError={readAgainAfterConflict}
        />
      )}
      <ConfirmDialog
        isOpen={above === 'delete'}
        onClose={closeAbove}
        question={t('Delete {id}?', { id })}
        label={t('Delete')}
        onConfirm={() => deletion.mutateAsync()}
      >
        {t('Deletes the document for good.')}
      </ConfirmDialog>
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

const readTitle = (id: string, document: StoredDocument, idField: string): string => {
  const { [idField]: _, ...attributes } = document
  return readHeading({ id, attributes }).text
}

interface EditDocumentProps extends DialogState {
  id: string
  base: ReadDocument
  onError: (fault: unknown) => unknown
}

const EditDocument = ({ id, base, isOpen, onClose, onError }: EditDocumentProps) => {
  const { workspace, summary } = useCollection()
  const { collection } = summary
  const cache = useQueryClient()
  /** Undefined until the person changes the text. */
  const [draft, setDraft] = useState<string>()
  const text = draft ?? writeJson(base.document)
  const close = () => {
    setDraft(undefined)
    onClose()
  }
  const change = useMutation({
    mutationFn: (changed: StoredDocument) => replaceDocument(workspace, collection, id, changed, base.tag),
    onSuccess: () => cache.invalidateQueries(),
    onError,
  })
  const submit = async () => {
    const changed = readJson(text)
    if (typeof changed === 'string') throw new Error(changed)
    await change.mutateAsync(changed)
    close()
  }
  return (
    <FormDialog
      isOpen={isOpen}
      onClose={close}
      title={t('Edit {id}', { id })}
      submit={t('Save')}
      onSubmit={submit}
    >
      <DocumentEditor text={text} onChange={setDraft} />
    </FormDialog>
  )
}
