/** What a plan of `apply` means for documents, where the list of changes alone does not show it. */
import type { ErrorPlace } from '@querent/contract/errors'
import type { Path } from '@querent/contract/workspace-source'
import type { WorkspaceRow } from '#storage/workspaces'
import { placesIn } from './apply-rules.ts'
import type { ManagedCollections } from './call.ts'
import type { Described } from './changes.ts'

/**
 * Collections that are removed with documents, and fields with documents whose type changes, each with its place in the file. To be
 * asked before anything is written. Numbers of documents are not told: a row filter may hide them from who applies.
 */
export const documentWarnings = async (
  source: string,
  collections: Pick<ManagedCollections, 'list'>,
  workspace: WorkspaceRow,
  after: Described,
): Promise<ErrorPlace[]> => {
  const found: { path: Path; message: string }[] = []
  for (const [name, { fields: old = {} }] of Object.entries(workspace.definition.collections ?? {})) {
    const fields = after.definition.collections?.[name]?.fields ?? {}
    const isRemoved = !Object.hasOwn(after.definition.collections ?? {}, name)
    const retyped = Object.keys(old).filter(
      field => Object.hasOwn(fields, field) && fields[field]?.type !== old[field]?.type,
    )
    if (!isRemoved && retyped.length === 0) continue
    const generations = await collections.list(workspace, name)
    if (generations.every(({ documents }) => documents === 0)) continue
    if (isRemoved)
      found.push({
        path: ['collections', name],
        message: `the collection ${name} is not named in the file: it is removed with its documents`,
      })
    for (const field of retyped)
      found.push({
        path: ['collections', name, 'fields', field],
        message: `becomes ${fields[field]?.type}: documents with a value of another type are kept, and not found by this field`,
      })
  }
  return placesIn(source, found)
}
