/** One import with its progress bar, for `querent import` and the demo. */
import { type Import, importDocuments } from '@querent/client/documents'
import type { ImportReply } from '@querent/contract/query'
import { startProgress } from '#terminal/progress'

export interface Sending extends Import {
  title: string
  /** What `done` goes up to; absent when unknown. */
  total: number | undefined
  /** How much of the total, and how many documents, were sent so far. */
  sent: () => { done: number; documents: number }
}

/** Sends the documents and shows how far it is. Throws what the client's `importDocuments` throws. */
export const sendDocuments = async ({ title, total, sent, ...given }: Sending): Promise<ImportReply> => {
  const progress = startProgress(title, total)
  const source = async function* () {
    for await (const chunk of given.source) {
      yield chunk
      const { done, documents } = sent()
      progress.update(done, documents)
    }
  }
  try {
    return await importDocuments({ ...given, source: source() })
  } finally {
    const { done, documents } = sent()
    progress.update(done, documents)
    progress.stop()
  }
}
