/** Text of a workspace file: what `apply` stores and what `export` returns. */
import { createHash } from 'node:crypto'
import type { Change } from '@querent/contract/manage'
import type { TextPatch } from '@querent/contract/patch-workspace-text'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { Problem } from '#errors'
import type { Db } from '#storage/db'
import { type InvitationRow, listInvitations } from '#storage/invitations'
import { findWorkspaceText, readEmails } from '#storage/workspace-texts'
import { defineWorkerTask, workerPool } from '#workers/worker-pool'

type Tasks = typeof import('./workspace-file-tasks.ts')
const carryTask = defineWorkerTask<Tasks, 'carrySections'>('#manage/workspace-file-tasks', 'carrySections')
const patchTask = defineWorkerTask<Tasks, 'patchText'>('#manage/workspace-file-tasks', 'patchText')

interface AppliedText {
  source: string
  /** Undefined: the workspace is new. */
  workspaceId: string | undefined
  mayAdminister: boolean
}

/**
 * Returns the text to store. Files applied by non-administrators lack the administrators' sections, so these
 * are kept from the stored text.
 */
export const textToStore = async (
  db: Db,
  { source, workspaceId, mayAdminister }: AppliedText,
): Promise<string> => {
  if (workspaceId === undefined || mayAdminister) return source
  const previous = await findWorkspaceText(db, workspaceId)
  return previous === undefined ? source : workerPool.run(workspaceId, carryTask, { previous, next: source })
}

/**
 * Stands for changes and for the stored text that they replace: somebody's new comment is no change of the workspace, but applying an older
 * text would delete it.
 */
export const hashPlan = async (
  db: Db,
  workspaceId: string | undefined,
  changes: readonly Change[],
): Promise<string> => {
  const text = workspaceId === undefined ? undefined : await findWorkspaceText(db, workspaceId)
  return createHash('sha256')
    .update(JSON.stringify([changes, text]))
    .digest('base64url')
}

/**
 * Returns the last applied text, patched to match `file`. Undefined if there is none, if it cannot be
 * patched, or if no worker is free; then write `file` instead.
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
  return patchedText(workspaceId, { source, file: targetFile, isReduced })
}

/** Returns the text with the content of `file`. Undefined if it cannot be patched, or if no worker is free; then write `file` instead. */
export const patchedText = async (workspaceId: string, patch: TextPatch): Promise<string | undefined> => {
  try {
    return await workerPool.run(workspaceId, patchTask, patch)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

const pageRows = 1000

/** Adds invited people whom the text names, because `apply` treats them as members in sync. */
const addInvitedMembers = async (
  db: Db,
  workspaceId: string,
  source: string,
  file: WorkspaceFile,
): Promise<WorkspaceFile> => {
  const text = source.toLowerCase()
  const emails = readEmails(source)
  const invited: NonNullable<WorkspaceFile['members']> = {}
  let rows: InvitationRow[]
  let last = ''
  do {
    rows = await listInvitations(db, workspaceId, last, pageRows)
    last = rows.at(-1)?.email ?? last
    for (const { email, roles, filter, state } of rows)
      if (state === 'open' && (emails.has(email) || text.includes(email)))
        invited[email] = { roles, ...(filter ? { filter } : {}) }
  } while (rows.length === pageRows)
  return Object.keys(invited).length === 0 ? file : { ...file, members: { ...invited, ...file.members } }
}
