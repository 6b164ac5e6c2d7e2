/** The APIs and configurations of one version of a workspace's definition. */
import { Problem } from '#errors'
import { type CompiledApi, compileApi } from '#query/plan/compile'
import type { WorkspaceRow } from '#storage/workspaces'

/** Caches compiled APIs for each version of a workspace's definition. They are freed with that version. */
export const createCompiledApiCache = () => {
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

/** `visible`: names that the caller may see. */
export const noSuchConfiguration = (name: string, visible: readonly string[]): Problem =>
  new Problem(
    'no-such-configuration',
    `No such workspace configuration ${JSON.stringify(name.slice(0, 100))}; there are: ${visible.slice(0, 50).join(', ')}`,
  )
