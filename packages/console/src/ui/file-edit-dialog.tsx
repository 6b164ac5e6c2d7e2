/** A dialog whose form edits the workspace file: checks the edit, says what it costs, and applies it. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
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
import { listDeleted, removeUses } from './remove-uses.ts'
import { ReviewChanges, withoutLoss } from './review-changes.tsx'
import { TypedName } from './typed-name.tsx'
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
  note?: ReactNode
  /** Runs after the edit is applied. */
  onApplied?: () => void
  /** Whether an input has a value that the file cannot have. */
  isInvalid?: boolean
  /** Name of an entry that others use. If the edit makes it unfit for them, the refusal names these. */
  retyped?: string | undefined
  /**
   * Whether a deletion may remove what uses the entry too, if that keeps nobody out and lets nobody in. `ask`: after a button of the refusal;
   * `always`: the review lists it.
   */
  removesUses?: 'ask' | 'always'
  /** Text to type before a deletion, such as a name. */
  typed?: string
  /** Whether the deletion takes what no edit of the file brings back, such as documents. There is no Undo then. */
  isFinal?: boolean
  /** Leaves the page of what is deleted, before it refetches. */
  leave?: () => Promise<unknown>
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
  removesUses,
  typed,
  isFinal = false,
  leave,
  children,
}: FileEditDialogProps) => {
  const cache = useQueryClient()
  const isAsking = children === undefined
  const isDeletion = isAsking
  const finish = () => {
    onClose()
    onApplied?.()
    // The button that opened the dialog is gone with what it deleted.
    if (isAsking) document.getElementById('content')?.focus()
  }
  const edit = useEditPlan({ workspace, edits, isDeletion, removesUses, isFinal, leave, onApplied: finish })
  const { deleted, planned, setPlanned, isBusy, error, attempt, check } = edit
  const [isConfirmed, setConfirmed] = useState(typed === undefined)
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
            {note !== undefined && (
              <Text component="div" size="sm">
                {note}
              </Text>
            )}
            {edit.review ? (
              <ReviewChanges workspace={workspace} reply={edit.review} />
            ) : (
              children?.(findFault)
            )}
            {isAsking && !planned && error === undefined && <Loading />}
            {planned && <TypedName typed={typed} onMatch={setConfirmed} />}
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
                    removesUses={removesUses !== undefined}
                    retyped={retyped}
                    onRemoveUses={
                      removesUses && edit.canRemoveUses(error)
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
                  disabled={isAsking && !(planned && isConfirmed)}
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
  removesUses: FileEditDialogProps['removesUses'] | undefined
  isFinal: boolean
  leave: FileEditDialogProps['leave'] | undefined
  /** Whether the edit deletes an entry, which is always reviewed. */
  isDeletion: boolean
  onApplied: () => void
}

/** Plans the edit, keeps the plan while the person reviews it, and applies it. */
const useEditPlan = ({
  workspace,
  edits,
  isDeletion,
  removesUses,
  isFinal,
  leave,
  onApplied,
}: EditPlanOptions) => {
  const { content, plan, apply } = useWorkspaceFileEdit(workspace)
  const [base] = useState(content?.source)
  const [planned, setPlanned] = useState<PlannedEdit>()
  const deleted = isDeletion && content ? listDeleted(content.file, edits()) : undefined
  const save = async (checked: PlannedEdit) => {
    await apply(checked, leave)
    if (isFinal) offerUndo(undefined)
    else if (content) offerUndo({ workspace, file: content.file, saved: checked })
    onApplied()
  }
  /** `onUnchanged` is called if the edit changes nothing. */
  const check = async (onUnchanged: () => void) => {
    if (removesUses === 'always') return await checkWithUses()
    const checked = await plan(edits(), base)
    if (isDeletion || needsReview(checked)) setPlanned(checked)
    else if (checked.reply.changes.length === 0) onUnchanged()
    else await save(checked)
  }
  const checkWithUses = async () => {
    if (!content || !deleted) return
    const { planWithUses } = await import('./plan-with-uses.ts')
    const deletion = { file: content.file, edits: edits(), names: deleted }
    setPlanned(await planWithUses(deletion, all => plan(all, base)))
  }
  /** Whether everything that a refused deletion names can be removed with the entry. */
  const canRemoveUses = (refusal: unknown): boolean =>
    content !== undefined &&
    deleted !== undefined &&
    removeUses(content.file, listUses(refusal, deleted)) !== undefined
  const review = isFinal && planned ? withoutLoss(planned.reply) : planned?.reply
  return { ...useAttempt(), deleted, planned, review, setPlanned, save, check, checkWithUses, canRemoveUses }
}

/**
 * Edits that take time, delete something or have side effects are shown before they are applied. An operator's edit that proves a domain is one
 * of them. A domain that waits for its proof is not: every edit of the file would ask, and Settings > Sign-in shows its state.
 */
const needsReview = ({ reply: { changes, rebuilds, warnings } }: PlannedEdit): boolean =>
  rebuilds.length > 0 ||
  warnings.some(({ code }) => code !== 'unproved-domain') ||
  changes.some(({ change }) => change === 'remove')
