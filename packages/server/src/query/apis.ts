/** The APIs and configurations of a workspace, as the version of its definition has them. */
import { Problem } from '#errors'
import type { WorkspaceRow } from '#storage/workspaces'
import { configurationsOf } from './about.ts'
import { type CompiledApi, compileApi } from './compile.ts'

/** Compiled APIs of each version of a workspace's definition; an older version's go with it. */
export const openCompiled = () => {
  const versions = new WeakMap<WorkspaceRow, Map<string, CompiledApi | undefined>>()
  return (workspace: WorkspaceRow, name: string): CompiledApi | undefined => {
    const apis = versions.get(workspace) ?? new Map<string, CompiledApi | undefined>()
    versions.set(workspace, apis)
    if (!apis.has(name) && Object.hasOwn(workspace.definition.apis ?? {}, name))
      apis.set(name, compileApi(workspace.definition, name))
    return apis.get(name)
  }
}

export const noSuchApi = (workspace: WorkspaceRow, name: string | undefined): Problem => {
  const names = Object.keys(workspace.definition.apis ?? {}).slice(0, 50)
  return new Problem(
    'no-such-api',
    `No such api ${JSON.stringify(name ?? '')}; there are: ${names.join(', ') || 'none'}`,
  )
}

export const refuseUnknownConfiguration = (workspace: WorkspaceRow, name: string): void => {
  if (name === 'default' || Object.hasOwn(workspace.definition.configurations ?? {}, name)) return
  const names = configurationsOf(workspace).slice(0, 50).join(', ')
  throw new Problem(
    'no-such-configuration',
    `No such workspace configuration ${JSON.stringify(name.slice(0, 100))}; there are: ${names}`,
  )
}
