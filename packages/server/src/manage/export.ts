/** Writes a workspace back as a file that `apply` takes (workspace-file.md). */
import { namePattern, type WorkspaceFile } from '@querent/contract/workspace-file'
import { Document } from 'yaml'
import { workspaceAccess } from '#http/access'
import type { Handler } from './call.ts'
import type { Described } from './changes.ts'
import { readState } from './workspace-state.ts'

export const exportHandlers = {
  exportWorkspaceFile: async ({ storage, directory }, { workspace, principal }) => {
    const member = await directory.member(workspace.id, principal.subject)
    const isAdministrator = workspaceAccess(principal, workspace, member, 'administer').allowed
    const { described } = await readState(storage.db, workspace)
    return { source: writeFile(described, isAdministrator) }
  },
} satisfies { exportWorkspaceFile: Handler<'exportWorkspaceFile'> }

/**
 * YAML that `apply` takes back unchanged. Who and what the administrators manage is left out for others; what is not named in a file
 * stays, so that their file can be applied too.
 */
export const writeFile = (described: Described, isAdministrator: boolean): string => {
  const { definition, members } = described
  const applications = writable(described.applications)
  const systemToSystem = writable(described.systemToSystem)
  const file: WorkspaceFile = isAdministrator
    ? {
        ...definition,
        ...section('members', members),
        ...section('applications', applications.kept),
        ...section('systemToSystem', systemToSystem.kept),
      }
    : definition
  // No aliases and no folded lines: easier to read and to change by hand.
  const document = new Document(file, { aliasDuplicateObjects: false })
  const left = [...applications.left, ...systemToSystem.left]
  if (isAdministrator && left.length > 0)
    document.comment = ` Not written here, because a name in this file is of A-Z a-z 0-9 - _ only: ${left.map(name => JSON.stringify(name)).join(', ')}`
  return document.toString({ lineWidth: 0 })
}

const section = <N extends string, T>(name: N, entries: Record<string, T>) =>
  Object.keys(entries).length === 0 ? {} : { [name]: entries }

/** Names made through the management API may hold more than the file allows. */
const writable = <T>(entries: Record<string, T>): { kept: Record<string, T>; left: string[] } => {
  const isWritable = ([name]: [string, T]) => new RegExp(namePattern).test(name)
  const all = Object.entries(entries)
  return {
    kept: Object.fromEntries(all.filter(isWritable)),
    left: all.filter(entry => !isWritable(entry)).map(([name]) => name),
  }
}
