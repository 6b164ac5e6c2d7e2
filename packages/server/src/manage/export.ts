/** Exports a workspace as a file that `apply` accepts. */

import { createHash } from 'node:crypto'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { accountNamePattern } from '@querent/contract/workspace-names'
import { Document } from 'yaml'
import { workspaceAccess } from '#authz/access'
import type { HiddenFields } from '#authz/hidden-fields'
import { findRights } from '#authz/rights'
import type { Db } from '#storage/db'
import { findWorkspaceText } from '#storage/workspace-texts'
import type { Handler } from './call.ts'
import { type FullWorkspace, withoutReservedParts } from './changes.ts'
import { visibleDefinition } from './hidden-parts.ts'
import { readState } from './workspace-state.ts'
import { currentText } from './workspace-text.ts'

export const exportHandlers = {
  exportWorkspaceFile: async ({ storage, directory }, { workspace, principal }) => {
    const member = await directory.member(workspace.id, principal.subject)
    const isAdministrator = workspaceAccess(principal, workspace, member, 'administer').allowed
    const { fullWorkspace } = await readState(storage.db, workspace)
    const sight = { isAdministrator, hidden: member && findRights(workspace.definition, member).hidden }
    return {
      tag: await hashExport(storage.db, workspace.id, fullWorkspace, sight),
      source: await writeExport(storage.db, workspace.id, fullWorkspace, sight),
    }
  },
} satisfies { exportWorkspaceFile: Handler<'exportWorkspaceFile'> }

/** The parts of a workspace that a caller sees. */
interface Sight {
  isAdministrator: boolean
  hidden: HiddenFields | undefined
}

/** Writes the file for this caller: the last applied text with the present content, as far as there is one. */
export const writeExport = async (
  db: Db,
  workspaceId: string,
  fullWorkspace: FullWorkspace,
  { isAdministrator, hidden }: Sight,
): Promise<string> => {
  const { file, omitted } = makeExportFile(fullWorkspace, isAdministrator)
  // Without the stored text, because its comments may be about what is hidden.
  if (hidden) return stringifyFile(visibleDefinition(file, hidden), omitted)
  const text = await currentText(db, workspaceId, file, !isAdministrator)
  return text === undefined ? stringifyFile(file, omitted) : addOmissionNote(text, omitted)
}

/**
 * Stands for what the export shows this caller: the content, and the stored text with its comments. Cheaper than the text itself, so that
 * `apply` can compare it inside its transaction.
 */
export const hashExport = async (
  db: Db,
  workspaceId: string,
  fullWorkspace: FullWorkspace,
  { isAdministrator, hidden }: Sight,
): Promise<string> => {
  const { file, omitted } = makeExportFile(fullWorkspace, isAdministrator)
  const content = hidden
    ? [visibleDefinition(file, hidden), omitted]
    : [file, omitted, await findWorkspaceText(db, workspaceId)]
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url')
}

interface ExportResult {
  file: WorkspaceFile
  /** Names that a file cannot contain. */
  omitted: string[]
}

/** Omits the administrators' sections for other callers; `apply` keeps them if a file leaves them out. */
export const makeExportFile = (fullWorkspace: FullWorkspace, isAdministrator: boolean): ExportResult => {
  const { definition, members } = fullWorkspace
  if (!isAdministrator) return { file: withoutReservedParts(definition), omitted: [] }
  const applications = splitWritable(fullWorkspace.applications)
  const systemToSystem = splitWritable(fullWorkspace.systemToSystem)
  const file = {
    ...definition,
    ...section('members', members),
    ...section('applications', applications.writable),
    ...section('systemToSystem', systemToSystem.writable),
  }
  return { file, omitted: [...applications.omitted, ...systemToSystem.omitted] }
}

/** Writes YAML that `apply` accepts without changes, for workspaces without a stored text. */
export const writeFile = (fullWorkspace: FullWorkspace, isAdministrator: boolean): string => {
  const { file, omitted } = makeExportFile(fullWorkspace, isAdministrator)
  return stringifyFile(file, omitted)
}

/** Writes YAML without aliases. `omitted`: names for a comment at the end. */
export const stringifyFile = (file: WorkspaceFile, omitted: readonly string[]): string => {
  // No aliases and no folded lines, which are harder to edit.
  const document = new Document(file, { aliasDuplicateObjects: false })
  return addOmissionNote(document.toString({ lineWidth: 0 }), omitted)
}

const noteStart = '# Not written here, because a name in this file cannot have these characters: '

/** Appends a comment with the omitted names; JSON has no comments. */
const addOmissionNote = (text: string, omitted: readonly string[]): string => {
  const note = omitted.length > 0 ? noteStart + omitted.map(name => JSON.stringify(name)).join(', ') : ''
  const lines = text.split('\n')
  if (
    text.trimStart().startsWith('{') ||
    lines.find(line => line.startsWith(noteStart)) === (note || undefined)
  )
    return text
  const otherLines = lines.filter(line => !line.startsWith(noteStart)).join('\n')
  return note === '' ? otherLines : `${otherLines.endsWith('\n') ? otherLines : `${otherLines}\n`}\n${note}\n`
}

const section = <N extends string, T>(name: N, entries: Record<string, T>) =>
  Object.keys(entries).length === 0 ? {} : { [name]: entries }

/** The management API allows names that a file does not. */
const splitWritable = <T>(entries: Record<string, T>): { writable: Record<string, T>; omitted: string[] } => {
  const isWritable = ([name]: [string, T]) => new RegExp(accountNamePattern).test(name)
  const allEntries = Object.entries(entries)
  return {
    writable: Object.fromEntries(allEntries.filter(isWritable)),
    omitted: allEntries.filter(entry => !isWritable(entry)).map(([name]) => name),
  }
}
