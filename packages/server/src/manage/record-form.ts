/** Records in the history what a form of the console changes in the definition, as `apply` records a file (workspace-file.md, History). */
import { isDeepStrictEqual } from 'node:util'
import type { Definition } from '@querent/contract/workspace-file'
import type { Db, Writer } from '#storage/db'
import { recordWorkspaceState } from '#storage/workspace-history'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Call, ManagementDependencies } from './call.ts'
import { changesBetween, type FullWorkspace } from './changes.ts'
import { writeExport } from './export.ts'
import { describeChanges } from './record-apply.ts'
import { readState } from './workspace-state.ts'

interface Definitions {
  workspace: WorkspaceRow
  before: Definition
  after: Definition
}

/** Records the state in the transaction that saves it; nothing if the two definitions are equal. */
type RecordState = (writer: Writer, change: Definitions) => Promise<void>

/**
 * Writes the next text of the file, with its comments, before the transaction, because a worker does it. Returns a function to record the
 * text.
 */
export const prepareFormState = async (
  { storage }: Pick<ManagementDependencies, 'storage'>,
  { workspace, principal }: Pick<Call<'updateSettings'>, 'workspace' | 'principal'>,
  edit: (definition: Definition) => Definition,
): Promise<RecordState> => {
  const planned = edit(workspace.definition)
  const preparedText = await writeNextText(storage.db, workspace, planned)
  return async (writer, change) => {
    const changes = listChanges(change)
    if (changes.length === 0) return
    // Somebody else saved something in between.
    const source = isDeepStrictEqual(change.after, planned)
      ? preparedText
      : await writeNextText(writer.db, change.workspace, change.after)
    await recordWorkspaceState(writer, {
      workspaceId: change.workspace.id,
      actor: principal.subject,
      source,
      changes: describeChanges(changes),
    })
  }
}

const writeNextText = async (db: Db, workspace: WorkspaceRow, definition: Definition): Promise<string> => {
  const { fullWorkspace } = await readState(db, workspace)
  return writeExport(
    db,
    workspace.id,
    { ...fullWorkspace, definition },
    { isAdministrator: true, hidden: undefined },
  )
}

/** A form of the definition changes no members and accounts. */
const listChanges = ({ before, after }: Definitions) => changesBetween(fillUp(before), fillUp(after))

const fillUp = (definition: Definition): FullWorkspace => ({
  definition,
  members: {},
  applications: {},
  systemToSystem: {},
})
