/** Applies files of people who do not see everything: what they do not see stays as it is. */
import { isDeepStrictEqual } from 'node:util'
import type { HiddenFields } from '#authz/hidden-fields'
import type { Rights } from '#authz/rights'
import { Problem } from '#errors'
import type { Db } from '#storage/db'
import { findWorkspaceText } from '#storage/workspace-texts'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Plan } from './apply-changes.ts'
import type { Call, ManagementDependencies } from './call.ts'
import { changesBetween, type FullWorkspace } from './changes.ts'
import { makeExportFile, stringifyFile, writeExport } from './export.ts'
import { keepHiddenParts, visibleDefinition } from './hidden-parts.ts'
import { makeRefusal } from './refuse.ts'
import { type FileSender, WorkspaceFileRefusal, workspaceFileReader } from './workspace-file-reader.ts'
import { currentText, textToStore } from './workspace-text.ts'

type ApplyCall = Call<'applyWorkspaceFile'>

/** Returns the workspace with the parts that the file lacks because they are hidden. Throws 400 if the file would replace or lose one. */
export const withHiddenParts = (
  current: FullWorkspace | undefined,
  desired: FullWorkspace,
  hidden: HiddenFields | undefined,
): FullWorkspace => {
  if (!current || !hidden) return desired
  const { definition, faults } = keepHiddenParts(current.definition, desired.definition, hidden)
  if (faults.length > 0) throw new WorkspaceFileRefusal('bad-workspace-file', faults)
  return { ...desired, definition }
}

/** Returns the changes that the caller sees. */
export const findVisibleChanges = (
  current: FullWorkspace | undefined,
  desired: FullWorkspace,
  hidden: HiddenFields,
): Plan['changes'] => {
  const reduce = (workspace: FullWorkspace): FullWorkspace => ({
    ...workspace,
    definition: visibleDefinition(workspace.definition, hidden),
  })
  return changesBetween(current && reduce(current), reduce(desired))
}

/** Throws 403 if the file is good, but not together with what the caller does not see. The reason would name it. */
export const refuseBrokenWhole = async (
  deps: ManagementDependencies,
  call: ApplyCall,
  sender: FileSender,
  { hidden, changes, desired }: Plan,
): Promise<void> => {
  if (!hidden || changes.length === 0) return
  const { workspace } = desired.definition
  const message =
    'the file does not go together with parts of the workspace that the account does not see: ask an administrator'
  try {
    await workspaceFileReader.read(sender, JSON.stringify(desired.definition))
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'bad-workspace-file') throw error
    throw makeRefusal(deps, call, { message, workspace })
  }
}

/** Throws 409 if the hidden parts are others than those that {@link refuseBrokenWhole} has checked. */
export const refuseOtherWhole = (checked: Plan, { hidden, desired }: Plan): void => {
  if (hidden && !isDeepStrictEqual(checked.desired.definition, desired.definition))
    throw new Problem('conflict', 'the workspace has changed meanwhile: apply the file again')
}

/**
 * Returns the text to store. Files of people who do not see everything lack the hidden parts, so their changes are made in the stored text,
 * and no comment is lost.
 */
export const writeText = async (
  db: Db,
  { workspace, desired, hidden, mayAdminister }: Plan,
  source: string,
): Promise<string> => {
  const workspaceId = workspace?.id
  if (workspaceId === undefined || !hidden) return textToStore(db, { source, workspaceId, mayAdminister })
  const { file, omitted } = makeExportFile(desired, true)
  return (await currentText(db, workspaceId, file, false)) ?? stringifyFile(file, omitted)
}

/**
 * Whether applying this text changes the stored one. Without other changes, that are comments or layout. Callers who do not see everything
 * write no comments.
 */
export const changesText = async (
  db: Db,
  source: string,
  { workspace, state, changes, hidden, mayAdminister }: Plan,
): Promise<boolean> => {
  if (!workspace || !state || changes.length > 0) return true
  if (hidden || source === (await findWorkspaceText(db, workspace.id))) return false
  const sight = { isAdministrator: mayAdminister, hidden }
  return source !== (await writeExport(db, workspace.id, state.fullWorkspace, sight))
}

/** Throws 403 if the file removes a collection with documents that the caller does not see. */
export const refuseHiddenRemoval = (
  deps: ManagementDependencies,
  call: ApplyCall,
  rights: Rights,
  { definition, slug }: WorkspaceRow,
  desired: FullWorkspace,
): void => {
  const { filter, hidden, collections, mustBeNamed } = rights
  const isPartlyHidden = (name: string): boolean =>
    filter !== undefined ||
    hidden?.fields.has(name) === true ||
    collections?.has(name) === false ||
    (mustBeNamed && definition.collections?.[name]?.readers !== undefined)
  const removed = Object.keys(definition.collections ?? {}).find(
    name => !Object.hasOwn(desired.definition.collections ?? {}, name) && isPartlyHidden(name),
  )
  if (rights.isAdministrator || removed === undefined) return
  const message = `the file removes the collection ${removed}, which may have documents that the account does not see: ask an administrator`
  throw makeRefusal(deps, call, {
    message,
    workspace: slug,
    checks: [{ name: 'row-filter', passed: false, message }],
  })
}
