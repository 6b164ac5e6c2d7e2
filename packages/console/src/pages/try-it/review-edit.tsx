import { Alert, Button, Group, Paper, Stack, Text } from '@mantine/core'
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { useEffect, useRef, useState } from 'react'
import { type PlannedEdit, useWorkspaceFileEdit } from '#api/workspace-file-edit.ts'
import { t } from '#i18n/translate.ts'
import { Changes } from '#ui/changes.tsx'
import { ErrorNote } from '#ui/error-note.tsx'
import { SaveGuard } from '#ui/unsaved-changes.tsx'
import { useAttempt } from '#ui/use-attempt.ts'
import { Warnings } from '#ui/warnings.tsx'

interface ReviewEditProps {
  workspace: string
  /** Empty if nothing is changed. */
  edits: readonly WorkspaceEdit[]
  /** The edits were applied or undone, or the person drops them. */
  onDone: () => void
  /** Learns whether there are edits that would be lost. */
  onChange: (hasEdits: boolean) => void
  /** Parameters of the address whose change would lose them. */
  parameters: readonly string[]
}

/** A saved edit, and the content of the file before it. */
interface Saved {
  file: WorkspaceFile
  saved: PlannedEdit
}

/** Applies edits of the workspace file after a look at what they change, and undoes them. */
export const ReviewEdit = ({ workspace, edits, onDone, onChange, parameters }: ReviewEditProps) => {
  const { content, plan, apply, undo: undoSaved } = useWorkspaceFileEdit(workspace)
  const [planned, setPlanned] = useState<PlannedEdit>()
  /** How to undo what was saved last; `undone` after that. */
  const [undo, setUndo] = useState<Saved | 'undone'>()
  const { isBusy, error, attempt } = useAttempt()
  const area = useRef<HTMLDivElement>(null)
  // The button that was pressed is gone: the next Tab reaches its successor.
  useEffect(() => {
    if (planned !== undefined || undo !== undefined || error !== undefined) area.current?.focus()
  }, [planned, undo, error])
  const hasEdits = edits.length > 0
  useEffect(() => {
    onChange(hasEdits)
    return () => onChange(false)
  }, [hasEdits, onChange])
  const dropPlan = () => setPlanned(undefined)
  const save = (checked: PlannedEdit) =>
    attempt(async () => {
      await apply(checked)
      setPlanned(undefined)
      setUndo(content && { file: content.file, saved: checked })
      onDone()
    }, dropPlan)
  const revert = ({ file, saved }: Saved) =>
    attempt(async () => {
      await undoSaved(file, saved)
      setUndo('undone')
      onDone()
    })
  return (
    <Stack gap="sm" ref={area} tabIndex={-1}>
      <SaveGuard isBlocking={hasEdits} parameters={parameters} />
      {error !== undefined && <ErrorNote error={error} />}
      {undo === 'undone' && !hasEdits && (
        <Alert color="green" variant="light" role="status">
          {t('Undone. The workspace file is as before.')}
        </Alert>
      )}
      {undo && undo !== 'undone' && !hasEdits && (
        <Alert color="green" variant="light" role="status" title={t('Saved in the workspace file')}>
          <Group gap="sm">
            <Text size="sm">{t('Queries use it now.')}</Text>
            <Button size="compact-sm" variant="default" loading={isBusy} onClick={() => revert(undo)}>
              {t('Undo')}
            </Button>
          </Group>
        </Alert>
      )}
      {planned && (
        <Paper withBorder p="md" role="group" aria-label={t('What this changes')}>
          <Stack gap="sm">
            {planned.reply.changes.length === 0 ? (
              <Text size="sm">{t('This changes nothing.')}</Text>
            ) : (
              <Changes workspace={workspace} changes={planned.reply.changes} />
            )}
            <Warnings workspace={workspace} warnings={planned.reply.warnings} />
          </Stack>
        </Paper>
      )}
      {hasEdits && (
        <Group gap="sm">
          {planned ? (
            <Button loading={isBusy} onClick={() => save(planned)}>
              {t('Save')}
            </Button>
          ) : (
            <Button
              loading={isBusy}
              disabled={!content}
              onClick={() => attempt(async () => setPlanned(await plan(edits)))}
            >
              {t('Review changes')}
            </Button>
          )}
          <Button
            variant="default"
            disabled={isBusy}
            onClick={() => {
              dropPlan()
              if (!planned) onDone()
            }}
          >
            {planned ? t('Back') : t('Cancel')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
