/** Edits the workspace file from a form: reads it, checks an edit with a dry run, and applies it. */
import { ApiError } from '@querent/client'
import type { WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import type { ApplyReply } from '@querent/contract/manage'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { EditConflict } from './edit-conflict.ts'
import { management } from './manage.ts'
import { isDialogOpen } from './open-dialog.ts'

/** The text of the file, and its content. */
export interface WorkspaceFileContent {
  source: string
  file: WorkspaceFile
}

/** An edit that the server has checked. */
export interface PlannedEdit {
  edits: readonly WorkspaceEdit[]
  /** The text that the person saw when the edit began. */
  base: string
  /** The text that is edited. Others may have changed it since `base`. */
  current: string
  /** The edited text. */
  source: string
  /** Reply of the dry run: the changes, what is indexed again, and the warnings that the edits cause. */
  reply: ApplyReply
}

export interface WorkspaceFileEdit {
  /** Undefined while it is loading. */
  content: WorkspaceFileContent | undefined
  error: unknown
  /**
   * Makes the edits in the current file and runs a dry run. `base` is the text that the form started with, by default the one of `content`. Keeps
   * what others changed elsewhere; throws an EditConflict if they changed a value that is edited, or an ApiError if the result is not valid.
   */
  plan: (edits: readonly WorkspaceEdit[], base?: string) => Promise<PlannedEdit>
  /** Applies edits that undo `saved`, and then its text if nobody has changed the file since. `file`: the content before. */
  undo: (file: WorkspaceFile, saved: PlannedEdit) => Promise<ApplyReply>
  /**
   * Applies exactly the changes of the plan; throws an EditConflict if it would now change something else. `leave` opens another page before this one
   * refetches what is deleted.
   */
  apply: (planned: PlannedEdit, leave?: () => Promise<unknown>) => Promise<ApplyReply>
}

/** Reads and edits the file of a workspace, for members with the permission `edit`. */
export const useWorkspaceFileEdit = (workspace: string): WorkspaceFileEdit => {
  const cache = useQueryClient()
  const { data: content, error } = useQuery(readWorkspaceFile(workspace))
  const planEdits = async (edits: readonly WorkspaceEdit[], shown = content?.source, saved?: PlannedEdit) => {
    // A form that shows nothing of the file may be sent before the file is loaded.
    const base = shown ?? (await cache.ensureQueryData(readWorkspaceFile(workspace))).source
    const [{ source: current }, { editWorkspaceText, isSameAt }] = await Promise.all([
      management.call('exportWorkspaceFile', { params: { workspace } }),
      loadEditing(),
    ])
    if (!isSameAt(base, current, edits)) {
      // A page without a form shows what others changed. Below a dialog it waits, or the row of the dialog could go, and the dialog with it.
      if (!isDialogOpen()) await cache.invalidateQueries()
      throw new EditConflict()
    }
    // The earlier text also has the comments of what was deleted.
    const source = current === saved?.source ? saved.current : editWorkspaceText(current, edits)
    const reply = await runDry(source)
    const warnings = await keepNewWarnings(reply.warnings, current, edits)
    return { edits, base, current, source, reply: { ...reply, warnings } }
  }
  const plan: WorkspaceFileEdit['plan'] = (edits, shown) => planEdits(edits, shown)
  const undo: WorkspaceFileEdit['undo'] = async (file, saved) => {
    const { undoEdits } = await loadEditing()
    return apply(await planEdits(undoEdits(file, saved.edits), undefined, saved))
  }
  const apply: WorkspaceFileEdit['apply'] = async (planned, leave) => {
    const reply = await applyOrPlanAgain(planned).catch(async fault => {
      if (!isDialogOpen()) await cache.invalidateQueries()
      throw fault
    })
    await leave?.()
    await cache.invalidateQueries()
    return reply
  }
  const applyOrPlanAgain = async (planned: PlannedEdit): Promise<ApplyReply> => {
    try {
      return await applyPlan(planned)
    } catch (fault) {
      if (!isConflict(fault)) throw fault
      // Since the dry run somebody changed the file, perhaps only its comments or another part.
      const current = await plan(planned.edits, planned.base)
      if (!isSameChange(current.reply, planned.reply)) throw new EditConflict()
      return await applyPlan(current).catch(lastFault => {
        throw isConflict(lastFault) ? new EditConflict() : lastFault
      })
    }
  }
  return { content, error, plan, apply, undo }
}

const runDry = (source: string): Promise<ApplyReply> =>
  management.call('applyWorkspaceFile', { input: { source, dryRun: true } })

const keepNewWarnings = async (
  warnings: ApplyReply['warnings'],
  current: string,
  edits: readonly WorkspaceEdit[],
): Promise<ApplyReply['warnings']> => {
  if (warnings.length === 0) return warnings
  const [earlier, { listNewWarnings }] = await Promise.all([runDry(current), import('./new-warnings.ts')])
  return listNewWarnings(warnings, earlier.warnings, edits)
}

const applyPlan = ({ source, reply: { plan } }: PlannedEdit): Promise<ApplyReply> =>
  management.call('applyWorkspaceFile', { input: { source, plan } })

const isConflict = (fault: unknown): boolean =>
  fault instanceof ApiError && fault.code === 'conflict' && fault.errors.length === 0

const isSameChange = (one: ApplyReply, other: ApplyReply): boolean =>
  JSON.stringify(one.changes) === JSON.stringify(other.changes)

/** Query options of the file of a workspace. */
export const readWorkspaceFile = (workspace: string) =>
  queryOptions<WorkspaceFileContent>({
    queryKey: ['workspaceFile', workspace],
    queryFn: async () => {
      const [{ source }, { readText }] = await Promise.all([
        management.call('exportWorkspaceFile', { params: { workspace } }),
        loadEditing(),
      ])
      return { source, file: readText(source) }
    },
  })

/** Loaded after the page, because the YAML library is large. */
const loadEditing = () => import('@querent/contract/edit-workspace-text')
