/** The parts of the dialog of a document that change it. */
import { Button, Stack, Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import {
  type FormEvent,
  type FormHTMLAttributes,
  type ReactNode,
  type RefObject,
  useRef,
  useState,
} from 'react'
import type { ListedDocument } from '#api/documents.ts'
import { type ReadDocument, replaceDocument } from '#api/documents.ts'
import { labelCancel } from '#api/edit-conflict.ts'
import { t } from '#i18n/translate.ts'
import { useCollection } from '#pages/collection/collection-context.ts'
import { DialogFooter } from '#ui/dialog-footer.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { focusFault } from '#ui/focus-fault.ts'
import { deleteRead } from './deleted-documents.ts'
import { DocumentEditor, readJson, writeJson } from './document-editor.tsx'

interface WorkFormProps {
  error: unknown
  isPending: boolean
  submit: ReactNode
  onSubmit: () => Promise<unknown>
  onCancel: () => void
  color?: string
  watch?: WatchedForm
  children: ReactNode
}

/** Lets the dialog notice what a person types into the form. */
interface WatchedForm
  extends Pick<FormHTMLAttributes<HTMLFormElement>, 'onFocusCapture' | 'onChangeCapture'> {
  ref: RefObject<HTMLFormElement | null>
}

const WorkForm = ({
  error,
  isPending,
  submit,
  onSubmit,
  onCancel,
  color,
  watch,
  children,
}: WorkFormProps) => {
  const hasFailed = error !== null && error !== undefined
  /** From the first click until it fails: the second of a double click would send the same again. */
  const isSent = useRef(false)
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    // The marks of an earlier reply may be out of date; those of the form itself are not.
    if (!hasFailed && focusFault(event.currentTarget)) return
    if (isSent.current) return
    isSent.current = true
    onSubmit().catch(() => {
      isSent.current = false
    })
  }
  return (
    <form onSubmit={send} {...watch}>
      <Stack>
        {children}
        <DialogFooter refusal={hasFailed && <ErrorNote error={error} />}>
          <Button
            variant="default"
            onClick={onCancel}
            disabled={isPending}
            data-autofocus={color !== undefined || undefined}
          >
            {labelCancel(error)}
          </Button>
          <Button type="submit" loading={isPending} {...(color === undefined ? {} : { color })}>
            {submit}
          </Button>
        </DialogFooter>
      </Stack>
    </form>
  )
}

interface EditDocumentProps {
  id: string
  base: ReadDocument
  watch: WatchedForm
  onSaved: () => void
  onCancel: () => void
  onError: (fault: unknown) => unknown
}

/** Edits a document by a form of its fields, or as JSON. */
export const EditDocument = ({ id, base, watch, onSaved, onCancel, onError }: EditDocumentProps) => {
  const { workspace, summary } = useCollection()
  const cache = useQueryClient()
  const [text, setText] = useState(() => writeJson(base.document))
  const change = useMutation({
    mutationFn: async () => {
      const changed = readJson(text)
      if (typeof changed === 'string') throw new Error(changed)
      await replaceDocument(workspace, summary.collection, id, changed, base.tag)
    },
    onSuccess: async () => {
      await cache.invalidateQueries()
      onSaved()
    },
    onError,
  })
  return (
    <WorkForm
      error={change.error}
      isPending={change.isPending}
      submit={t('Save')}
      onSubmit={() => change.mutateAsync()}
      onCancel={onCancel}
      watch={watch}
    >
      <DocumentEditor text={text} onChange={setText} error={change.error} />
    </WorkForm>
  )
}

interface DeleteDocumentProps {
  id: string
  base: ReadDocument
  onCancel: () => void
  onDeleted: (deleted: ListedDocument) => unknown
  onError: (fault: unknown) => unknown
}

/** Asks before it deletes a document. */
export const DeleteDocument = ({ id, base, onCancel, onDeleted, onError }: DeleteDocumentProps) => {
  const { workspace, summary } = useCollection()
  const deletion = useMutation({
    mutationFn: () => deleteRead(workspace, summary.collection, id, base),
    onSuccess: onDeleted,
    onError,
  })
  return (
    <WorkForm
      error={deletion.error}
      isPending={deletion.isPending}
      submit={t('Delete')}
      onSubmit={() => deletion.mutateAsync()}
      onCancel={onCancel}
      color="red"
    >
      <Text>{t('Deletes the document.')}</Text>
    </WorkForm>
  )
}
