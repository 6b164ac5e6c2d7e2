/** Deletes documents so that the person can take it back. */
import {
  addDocument,
  deleteDocument,
  type ListedDocument,
  type ReadDocument,
  readDocument,
} from '#api/documents.ts'

/** Deletes a document as it was read. Rejects with an EditConflict if somebody changed it. */
export const deleteRead = async (
  workspace: string,
  collection: string,
  id: string,
  { document, tag }: ReadDocument,
): Promise<ListedDocument> => {
  await deleteDocument(workspace, collection, id, tag)
  return { id, document }
}

/** Deletes documents one after the other. Those that are gone already are left out. */
export const deleteAll = async (
  workspace: string,
  collection: string,
  ids: readonly string[],
): Promise<ListedDocument[]> => {
  const deleted: ListedDocument[] = []
  for (const id of ids) {
    const read = await readDocument(workspace, collection, id)
    if (read) deleted.push(await deleteRead(workspace, collection, id, read))
  }
  return deleted
}

/** Puts deleted documents back. Rejects with `precondition-failed` if there is a new one with the id of one of them. */
export const restoreAll = async (
  workspace: string,
  collection: string,
  documents: readonly ListedDocument[],
): Promise<void> => {
  for (const { id, document } of documents) await addDocument(workspace, collection, id, document)
}
