/** The text of a workspace file beside the definition: what `apply` stores, and what `export` makes of it. */
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { Problem } from '#errors'
import type { Db } from '#storage/db'
import { type InvitationRow, listInvitations } from '#storage/invitations'
import { findWorkspaceText } from '#storage/workspace-texts'
import { workerPool } from '#workers/worker-pool'

interface AppliedText {
  source: string
  /** Undefined: the file makes the workspace. */
  workspaceId: string | undefined
  mayAdminister: boolean
}

/** Callers who are not administrators apply files without the administrators' sections: the stored text keeps those. */
export const textToStore = async (
  db: Db,
  { source, workspaceId, mayAdminister }: AppliedText,
): Promise<string> => {
  if (workspaceId === undefined || mayAdminister) return source
  const previous = await findWorkspaceText(db, workspaceId)
  return previous === undefined ? source : workerPool.run('carrySections', { previous, next: source })
}

/**
 * The text that was last applied, changed to say the same as `file`. Undefined where there is none, where it cannot be changed so, or where
 * no thread has time for it: then `file` has to be written out.
 */
export const currentText = async (
  db: Db,
  workspaceId: string,
  file: WorkspaceFile,
  isReduced: boolean,
): Promise<string | undefined> => {
  const source = await findWorkspaceText(db, workspaceId)
  if (source === undefined) return undefined
  const targetFile = isReduced ? file : await addInvitedMembers(db, workspaceId, source, file)
  try {
    return await workerPool.run('patchWorkspaceText', { source, file: targetFile, isReduced })
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

const pageRows = 1000

/** With the people whom the text names and who are invited: `apply` takes them for members that are in sync. */
const addInvitedMembers = async (
  db: Db,
  workspaceId: string,
  source: string,
  file: WorkspaceFile,
): Promise<WorkspaceFile> => {
  const text = source.toLowerCase()
  const invited: NonNullable<WorkspaceFile['members']> = {}
  let rows: InvitationRow[]
  let last = ''
  do {
    rows = await listInvitations(db, workspaceId, last, pageRows)
    last = rows.at(-1)?.email ?? last
    for (const { email, roles, filter, state } of rows)
      if (state === 'open' && text.includes(email)) invited[email] = { roles, ...(filter ? { filter } : {}) }
  } while (rows.length === pageRows)
  return Object.keys(invited).length === 0 ? file : { ...file, members: { ...invited, ...file.members } }
}
