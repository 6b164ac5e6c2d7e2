/** A dialog whose form edits the workspace file: checks the edit, says what it costs, and applies it. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import type { Path } from '@querent/contract/workspace-source'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { EditConflict, labelCancel } from '#api/edit-conflict.ts'
import { type PlannedEdit, useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import type { DialogState } from './dialog-button.tsx'
import { DialogFooter } from './dialog-footer.tsx'
import { EditError, listFaults, listUses } from './edit-error.tsx'
import { FileLink } from './file-link.tsx'
import { focusFault } from './focus-fault.ts'
import { Loading } from './loading.tsx'
import { removeUses } from './remove-uses.ts'
import { ReviewChanges } from './review-changes.tsx'
import { offerUndo } from './undo-offer.ts'
import { useAttempt, useFocusOnFault } from './use-attempt.ts'
import { useCloseGuard } from './use-close-guard.tsx'

/** Returns what is wrong with the value at a key of the edited entry, to show at its input. */
export type FindFault = (key: string) => string | undefined

interface FileEditDialogProps extends DialogState {
  title: string
  workspace: string
  /** Place in the file of what is edited. */
  path: Path
  edits: () => readonly WorkspaceEdit[]
  /** Label of the button that applies, such as `Save`. */
  submit: string
  /** `red` for what deletes. */
  color?: string
  /** Effects of a deletion that are not in the file. */
  note?: string
  /** Runs after the edit is applied. */
  onApplied?: () => void
  /** Whether an input has a value that the file cannot have. */
  isInvalid?: boolean
  /** Name of an entry that others use. If the edit makes it unfit for them, the refusal names these. */
  retyped?: string | undefined
  /** Whether a deletion may remove what uses the entry too, if that keeps nobody out and lets nobody in. */
  removesUses?: boolean
  /** The inputs. Without them the dialog shows at once what the edit changes, and asks. */
  children?: (fault: FindFault) => ReactNode
}

export const FileEditDialog = ({
  title,
  isOpen,
  onClose: close,
  workspace,
  path,
  edits,
  submit,
  color,
  note,
  onApplied,
  isInvalid = false,
  retyped,
  removesUses = false,
  children,
}: FileEditDialogProps) => {
  const cache = useQueryClient()
  const isAsking = children === undefined
  const deleted = isAsking ? String(path.at(-1)) : undefined
  const finish = () => {
    onClose()
    onApplied?.()
    // The button that opened the dialog is gone with what it deleted.
    if (isAsking) document.getElementById('content')?.focus()
  }
  const edit = useEditPlan({ workspace, edits, deleted, onApplied: finish })
  const { content, planned, setPlanned, isBusy, error, attempt, check } = edit
  const form = useRef<HTMLFormElement>(null)
  const onClose = () => {
    close()
    // The page shows what somebody else has changed.
    if (error instanceof EditConflict) void cache.invalidateQueries()
  }
  useFocusOnFault(form, error)
  const guard = useCloseGuard(form, isOpen, onClose, isBusy)
  const hasBegun = useRef(false)
  useEffect(() => {
    if (!isAsking || !isOpen || hasBegun.current) return
    hasBegun.current = true
    void attempt(() => check(onClose))
  })
  // Inputs come first, so that it is complete when the rest of the errors is shown.
  const shownMessages = new Set<string>()
  const findFault: FindFault = key => {
    const faults = listFaults(error, path, key)
    for (const message of faults) shownMessages.add(message)
    return faults.join('; ') || undefined
  }
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (!form.current?.reportValidity()) return
    if (isInvalid) focusFault(form.current)
    else {
      const showInputs = () => children && setPlanned(undefined)
      void attempt(() => (planned ? edit.save(planned) : check(onClose)), showInputs)
    }
  }
  return (
    <>
      <Modal
        opened={isOpen}
        onClose={() => !isBusy && guard.requestClose()}
        closeOnEscape={!guard.isAsking}
        title={title}
        size="lg"
        // A click outside must not lose the input.
        closeOnClickOutside={isAsking}
        closeButtonProps={{ 'aria-label': t('Close'), disabled: isBusy }}
      >
        <form onSubmit={send} ref={form} noValidate {...guard.watch}>
          <Stack>
            {note !== undefined && <Text size="sm">{note}</Text>}
            {planned ? <ReviewChanges workspace={workspace} reply={planned.reply} /> : children?.(findFault)}
            {isAsking && !planned && error === undefined && <Loading />}
            <DialogFooter
              justify="space-between"
              refusal={
                error !== undefined && (
                  <EditError
                    workspace={workspace}
                    error={error}
                    shown={shownMessages}
                    title={isAsking ? t('This cannot be deleted') : t('This cannot be saved')}
                    deleted={deleted}
                    retyped={retyped}
                    onRemoveUses={
                      removesUses && canRemoveUses(content?.file, error, deleted)
                        ? () => void attempt(edit.checkWithUses)
                        : undefined
                    }
                  />
                )
              }
            >
              <FileLink workspace={workspace} path={path} />
              <Group gap="sm">
                {planned && children ? (
                  <Button variant="default" onClick={() => setPlanned(undefined)} disabled={isBusy}>
                    {t('Back')}
                  </Button>
                ) : (
                  <Button variant="default" onClick={onClose} disabled={isBusy}>
                    {labelCancel(error)}
                  </Button>
                )}
                <Button
                  type="submit"
                  loading={isBusy}
                  disabled={isAsking && !planned}
                  {...(color ? { color } : {})}
                >
                  {submit}
                </Button>
              </Group>
            </DialogFooter>
          </Stack>
        </form>
      </Modal>
      {guard.question}
    </>
  )
}

interface EditPlanOptions extends Pick<FileEditDialogProps, 'workspace' | 'edits'> {
  /** Name of the entry that the edit deletes, which is always reviewed. */
  deleted: string | undefined
  onApplied: () => void
}

/** Plans the edit, keeps the plan while the person reviews it, and applies it. */
const useEditPlan = ({ workspace, edits, deleted, onApplied }: EditPlanOptions) => {
  const { content, plan, apply } = useWorkspaceFileEdit(workspace)
  const [base] = useState(content?.source)
  const [planned, setPlanned] = useState<PlannedEdit>()
  const save = async (checked: PlannedEdit) => {
    await apply(checked)
    if (content) offerUndo({ workspace, file: content.file, edits: checked.edits })
    onApplied()
  }
  /** `onUnchanged` is called if the edit changes nothing. */
  const check = async (onUnchanged: () => void) => {
    const checked = await plan(edits(), base)
    if (deleted !== undefined || needsReview(checked)) setPlanned(checked)
    else if (checked.reply.changes.length === 0) onUnchanged()
    else await save(checked)
  }
  const checkWithUses = async () => {
    if (!content || deleted === undefined) return
    const { planWithUses } = await import('./plan-with-uses.ts')
    const deletion = { file: content.file, edits: edits(), name: deleted }
    setPlanned(await planWithUses(deletion, all => plan(all, base)))
  }
  return { ...useAttempt(), content, planned, setPlanned, save, check, checkWithUses }
}

/** Whether everything that a refused deletion names can be removed with the entry. */
const canRemoveUses = (file: WorkspaceFile | undefined, error: unknown, deleted: string | undefined) =>
  file !== undefined && deleted !== undefined && removeUses(file, listUses(error, [deleted])) !== undefined

/**
 * Edits that take time, delete something or have side effects are shown before they are applied. An operator's edit that proves a domain is one
 * of them. A domain that waits for its proof is not: every edit of the file would ask, and Settings > Sign-in shows its state.
 */
const needsReview = ({ reply: { changes, rebuilds, warnings } }: PlannedEdit): boolean =>
  rebuilds.length > 0 ||
  warnings.some(({ code }) => code !== 'unproved-domain') ||
  changes.some(({ change }) => change === 'remove')
