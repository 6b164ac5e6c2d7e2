/** Checks the id of a proposal against a whole file, because a sample may miss documents without the id, or with the same one. */
import { createHash } from 'node:crypto'
import type { Proposal } from '@querent/contract/proposal'
import { countId, createIdCount, isDifferent, listNearIds } from './near-ids.ts'
import { isIdName } from './rank-names.ts'

/** Keys of more documents would take too much memory: about 100 bytes each. */
const documentsMax = 2_000_000

/**
 * Returns the proposal with an id that is different in each of these documents: its own if that is so, another of its `idFields`, the hash of the content, or the number of the row if documents are equal. Stops after {@link documentsMax}.
 */
export const checkId = async (
  proposal: Proposal,
  documents: AsyncIterable<readonly Record<string, unknown>[]>,
): Promise<Proposal> => {
  const counts = new Map(
    [...proposal.idFields, ...proposal.nearIds.map(({ field }) => field)].map(field => [
      field,
      createIdCount(field),
    ]),
  )
  const hashes = new Set<string>()
  let read = 0
  let equalDocuments = 0
  for await (const part of documents) {
    for (const document of part) {
      read += 1
      for (const [field, count] of counts) {
        countId(count, document[field])
        if (!isDifferent(count) && !isIdName(field)) counts.delete(field)
      }
      const hash = createHash('sha256').update(JSON.stringify(document)).digest('base64').slice(0, 16)
      if (hashes.has(hash)) equalDocuments += 1
      hashes.add(hash)
    }
    if (read > documentsMax) break
  }
  const idFields = proposal.idFields.filter(field => {
    const count = counts.get(field)
    return count !== undefined && isDifferent(count)
  })
  const nearIds = listNearIds([...counts.values()])
  const [idField] = idFields
  if (idField !== undefined) return { ...proposal, idFields, nearIds, id: { field: idField } }
  const isRow = equalDocuments > 0 || ('generate' in proposal.id && proposal.id.generate === 'row')
  return { ...proposal, idFields, nearIds, equalDocuments, id: { generate: isRow ? 'row' : 'hash' } }
}
