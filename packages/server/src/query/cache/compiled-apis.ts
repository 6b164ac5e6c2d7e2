/** The APIs and configurations of a workspace, as the version of its definition has them. */
import { Problem } from '#errors'
import { type CompiledApi, compileApi } from '#query/plan/compile'
import type { WorkspaceRow } from '#storage/workspaces'

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

export const isConfiguration = ({ definition }: WorkspaceRow, name: string): boolean =>
  name === 'default' || Object.hasOwn(definition.configurations ?? {}, name)

/** `visible`: names that the caller may know. */
export const noSuchConfiguration = (name: string, visible: readonly string[]): Problem =>
  new Problem(
    'no-such-configuration',
    `No such workspace configuration ${JSON.stringify(name.slice(0, 100))}; there are: ${visible.slice(0, 50).join(', ')}`,
  )
