/** What a plan of `apply` means for documents, where the list of changes alone does not show it. */
import { isDeepStrictEqual } from 'node:util'
import type { ErrorPlace } from '@querent/contract/errors'
import { listNames } from '@querent/contract/nearest-names'
import type { Collection, WorkspaceFile } from '@querent/contract/workspace-file'
import type { Path } from '@querent/contract/workspace-source'
import type { WorkspaceRow } from '#storage/workspaces'
import { placesIn } from './apply-rules.ts'
import type { ManagedCollections } from './call.ts'
import type { Described } from './changes.ts'

/**
 * Collections that are removed with documents, and those whose documents no longer are as the file says: ids, classes, types of fields.
 * Each has its place in the file. To be asked before anything is written, outside of a transaction. Numbers of documents are not told: a row filter may hide them from who applies.
 */
export const documentWarnings = async (
  source: string,
  collections: Pick<ManagedCollections, 'list'>,
  workspace: WorkspaceRow,
  after: Described,
): Promise<ErrorPlace[]> => {
  const found: { path: Path; message: string }[] = []
  const { collections: wanted = {} } = after.definition
  for (const [name, before] of Object.entries(workspace.definition.collections ?? {})) {
    const now = Object.hasOwn(wanted, name) ? wanted[name] : undefined
    const { fields: old = {} } = before
    const { fields = {} } = now ?? {}
    const retyped = Object.keys(old).filter(
      field => Object.hasOwn(fields, field) && fields[field]?.type !== old[field]?.type,
    )
    const rewritten = (['id', 'class'] as const).filter(key => !isDeepStrictEqual(now?.[key], before[key]))
    const idField = now && declaredId(now)
    const isIdNew = idField !== undefined && declaredId(before) === undefined
    if (now && retyped.length === 0 && rewritten.length === 0 && !isIdNew) continue
    const generations = await collections.list(workspace, name)
    if (generations.every(({ documents }) => documents === 0)) continue
    if (!now) {
      found.push({
        path: ['collections', name],
        message: `the collection ${name} is not named in the file: it is removed with its documents`,
      })
      continue
    }
    for (const key of rewritten)
      found.push({
        path: ['collections', name, key],
        message: `documents keep the ${key} that they were imported with; import them again, with --replace`,
      })
    if (isIdNew)
      found.push({
        path: ['collections', name, 'fields', idField],
        message:
          'documents were imported without their id as a field, and are not found by it; import them again, with --replace',
      })
    for (const field of retyped)
      found.push({
        path: ['collections', name, 'fields', field],
        message: `becomes ${fields[field]?.type}: documents with a value of another type are kept, and not found by this field`,
      })
  }
  return placesIn(source, found)
}

/** APIs that can answer nothing, because it is never clear whose documents are meant. Each has its place in the file. */
export const apiWarnings = (source: string, { apis = {}, collections = {} }: WorkspaceFile): ErrorPlace[] => {
  const names = Object.keys(collections)
  if (names.length < 2) return []
  const found = Object.entries(apis).flatMap(([name, { endpoints = {} }]) => {
    const all = Object.values(endpoints)
    if (all.length === 0 || all.some(endpoint => 'collection' in endpoint)) return []
    return [
      {
        path: ['apis', name],
        message: `no endpoint names a collection, and there are several (${listNames(names)}): the API can answer nothing until one does`,
      },
    ]
  })
  return placesIn(source, found)
}

/** Name of the field of the id, where it is declared. */
const declaredId = ({ id, fields = {} }: Collection): string | undefined => {
  const field = id?.field ?? 'id'
  return Object.hasOwn(fields, field) ? field : undefined
}
