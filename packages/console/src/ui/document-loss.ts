/** Documents that an applied state of the workspace file deletes, and collections that it brings back without theirs. */
import type { ApplyReply, CollectionSummary } from '@querent/contract/manage'

export interface DocumentLoss {
  /** Collections that are deleted with their documents. */
  deleted: readonly string[]
  /** Their live documents. Null: the server has not counted all of them, or only earlier generations have documents. */
  documents: number | null
  /** Collections that come back. The file has no documents. */
  empty: readonly string[]
}

/** `reply`: of the dry run. `collections`: those of the workspace before the state is applied. */
export const readDocumentLoss = (
  { changes, warnings }: Pick<ApplyReply, 'changes' | 'warnings'>,
  collections: readonly Pick<CollectionSummary, 'collection' | 'documents'>[],
): DocumentLoss => {
  // The server warns about collections that have documents in any generation.
  const deleted = warnings.flatMap(({ code, values }) =>
    code === 'removed-collection' ? [String(values?.collection)] : [],
  )
  const counts = deleted.map(
    name => collections.find(({ collection }) => collection === name)?.documents ?? null,
  )
  const sum = counts.reduce<number>((total, count) => total + (count ?? 0), 0)
  return {
    deleted,
    documents: counts.includes(null) || sum === 0 ? null : sum,
    empty: changes.flatMap(({ change, path }) => {
      const [, name] = /^collections\.([^.]+)$/.exec(path) ?? []
      return change === 'add' && name !== undefined ? [name] : []
    }),
  }
}

/** Returns the name to type before the documents are deleted: of the collection, or of the workspace of several. Undefined: nothing is lost. */
export const chooseTypedName = ({ deleted }: DocumentLoss, workspace: string): string | undefined =>
  deleted.length > 1 ? workspace : deleted[0]
