/** Checks the id of a proposal against a whole file, because a sample may miss documents without the id, or with the same one. */
import { createHash } from 'node:crypto'
import type { Proposal } from '@querent/contract/proposal'

/** Keys of more documents would take too much memory: about 100 bytes each. */
const documentsMax = 2_000_000

/**
 * Returns the proposal with an id that is different in each of these documents: its own if that is so, another of its `idFields`, the hash of the content, or
 * the number of the row if documents are equal. Stops after {@link documentsMax}.
 */
export const checkId = async (
  proposal: Proposal,
  documents: AsyncIterable<readonly Record<string, unknown>[]>,
): Promise<Proposal> => {
  const candidates = new Map(proposal.idFields.map(field => [field, new Set<string>()]))
  const hashes = new Set<string>()
  let read = 0
  let equalDocuments = 0
  for await (const part of documents) {
    for (const document of part) {
      read += 1
      for (const [field, ids] of candidates) if (!addId(ids, document[field])) candidates.delete(field)
      const hash = createHash('sha256').update(JSON.stringify(document)).digest('base64').slice(0, 16)
      if (hashes.has(hash)) equalDocuments += 1
      hashes.add(hash)
    }
    if (read > documentsMax) break
  }
  const idFields = proposal.idFields.filter(field => candidates.has(field))
  if (idFields.length > 0) {
    const [best = ''] = idFields
    return { ...proposal, idFields, id: { field: best } }
  }
  const isRow = equalDocuments > 0 || ('generate' in proposal.id && proposal.id.generate === 'row')
  return { ...proposal, idFields, equalDocuments, id: { generate: isRow ? 'row' : 'hash' } }
}

/** Returns false for no id, and for one that is there. */
const addId = (ids: Set<string>, value: unknown): boolean => {
  if ((typeof value !== 'string' && typeof value !== 'number') || value === '') return false
  const id = String(value)
  if (ids.has(id)) return false
  ids.add(id)
  return true
}
