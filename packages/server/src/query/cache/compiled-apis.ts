/** The APIs and configurations of one version of a workspace's definition. */
import { LRUCache } from 'lru-cache'
import type { HiddenFields } from '#authz/hidden-fields'
import { Problem } from '#errors'
import { type CompiledApi, compileApi } from '#query/plan/compile'
import type { OpenCollections } from '#query/plan/open-collections'
import type { WorkspaceRow } from '#storage/workspaces'

/** A workspace has at most 100 APIs. Each may be limited to different collections. */
const cachedApisMax = 300

/** Caches compiled APIs for each version of a workspace's definition. They are freed with that version. */
export const createCompiledApiCache = () => {
  const versions = new WeakMap<WorkspaceRow, LRUCache<string, CompiledApi>>()
  return (
    workspace: WorkspaceRow,
    name: string,
    open?: OpenCollections,
    hidden?: HiddenFields,
  ): CompiledApi | undefined => {
    if (!Object.hasOwn(workspace.definition.apis ?? {}, name)) return undefined
    const apis = versions.get(workspace) ?? new LRUCache({ max: cachedApisMax })
    versions.set(workspace, apis)
    const key = open || hidden ? JSON.stringify([name, open ? [...open] : null, hidden?.key]) : name
    const api = apis.get(key) ?? compileApi(workspace.definition, name, open, hidden)
    apis.set(key, api)
    return api
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
