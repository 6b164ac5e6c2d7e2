import type { CollectionSummary } from '@querent/contract/manage'
import { rolePermissions } from '@querent/contract/roles'
import { listCollections } from '@querent/contract/titles'
import { useQuery } from '@tanstack/react-query'
import { readOperation } from '#api/manage.ts'
import { readWorkspaceFile } from '#api/workspace-file-edit.ts'
import { findOpenNames, type RightsHolder } from './member-groups.ts'

interface Reach extends RightsHolder {
  roles: readonly (keyof typeof rolePermissions)[]
}

/** Returns the collections whose documents somebody with these rights can find: all of them while that is not known. */
export const useReachableCollections = (
  workspace: string,
  collections: readonly CollectionSummary[],
  holder: Reach | undefined,
): readonly CollectionSummary[] => {
  const { data: groups } = useQuery(readOperation('listGroups', { params: { workspace } }))
  const open = holder && groups ? findOpenNames('collections', holder, groups) : 'all'
  const mayList = holder?.roles.some(role => rolePermissions[role].includes('edit')) ?? true
  const openApis = holder && groups && !mayList ? findOpenNames('apis', holder, groups) : 'all'
  // Only the file says which collections an API searches.
  const { data: content } = useQuery({ ...readWorkspaceFile(workspace), enabled: openApis !== 'all' })
  const searched =
    openApis === 'all' || !content
      ? undefined
      : openApis.flatMap(name => listCollections(content.file.apis?.[name] ?? {}))
  return collections.filter(
    ({ collection }) =>
      (open === 'all' || open.includes(collection)) &&
      (searched === undefined || searched.includes(collection)),
  )
}
