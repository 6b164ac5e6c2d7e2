import type { ApplyReply } from '@querent/contract/manage'
import { lazy, Suspense, useState } from 'react'
import { t } from '#i18n/translate.ts'
import { chooseTypedName, type DocumentLoss } from '#ui/document-loss.ts'
import { FormDialog } from '#ui/form-dialog.tsx'
import { LossNote } from '#ui/loss-note.tsx'
import { TypedName } from '#ui/typed-name.tsx'

const Changes = lazy(async () => ({ default: (await import('#ui/changes.tsx')).Changes }))

/** A dry run that removes something, and the documents that go with it. */
export interface Removal {
  planned: ApplyReply
  loss: DocumentLoss
}

interface RemovalDialogProps extends Removal {
  workspace: string
  onClose: () => void
  onApply: () => void
}

/** Asks before what the file leaves out is deleted, and for a name if documents go with it. */
export const RemovalDialog = ({ workspace, planned, loss, onClose, onApply }: RemovalDialogProps) => {
  const typed = chooseTypedName(loss, workspace)
  const [isConfirmed, setConfirmed] = useState(typed === undefined)
  return (
    <FormDialog
      title={t('Delete everything that the file leaves out?')}
      isOpen
      onClose={onClose}
      submit={t('Delete and apply')}
      color="red"
      isWaiting={!isConfirmed}
      onSubmit={async () => {
        onClose()
        onApply()
      }}
    >
      {/* No collection of a typed file comes back: it is new. */}
      <LossNote loss={{ ...loss, empty: [] }} />
      <Suspense>
        <Changes workspace={workspace} changes={planned.changes} />
      </Suspense>
      <TypedName typed={typed} onMatch={setConfirmed} />
    </FormDialog>
  )
}
