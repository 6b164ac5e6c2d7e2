import { ApiError } from '@querent/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { addDocument, type StoredDocument } from '#api/documents.ts'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import type { DialogState } from '#ui/dialog-button.tsx'
import { FormRefusal } from '#ui/file-refusal.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { DocumentEditor, readJson, writeJson } from './document-editor.tsx'

interface AddDocumentProps extends DialogState {
  onAdded: (id: string) => void
}

/** Adds one document. Refuses an id that another document has. */
export const AddDocument = ({ onAdded, ...dialog }: AddDocumentProps) => {
  const { workspace, summary } = useCollection()
  const { collection, idField } = summary
  const cache = useQueryClient()
  const [text, setText] = useState(() => writeJson({ [idField]: '' }))
  const addition = useMutation({
    mutationFn: (document: StoredDocument) => add(document),
    onSuccess: () => cache.invalidateQueries(),
  })
  const add = async (document: StoredDocument): Promise<string> => {
    const id = String(document[idField] ?? '')
    if (id === '') throw new FormRefusal(t('Give the document an id, in “{idField}”.', { idField }))
    try {
      await addDocument(workspace, collection, id, document)
    } catch (fault) {
      throw fault instanceof ApiError && fault.code === 'precondition-failed'
        ? new FormRefusal(t('A document with the id {id} exists. Open it to edit it.', { id }))
        : fault
    }
    return id
  }
  const submit = async () => {
    const document = readJson(text)
    if (typeof document === 'string') throw new FormRefusal(document)
    const id = await addition.mutateAsync(document)
    dialog.onClose()
    onAdded(id)
  }
  return (
    <FormDialog {...dialog} title={t('Add document')} submit={t('Add')} onSubmit={submit}>
      <DocumentEditor text={text} onChange={setText} isNew />
    </FormDialog>
  )
}
