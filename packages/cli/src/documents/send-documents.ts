/** Runs an import with a progress bar, for `querent import` and the demo. */
import { UnreachableError } from '@querent/client'
import { type Import, importDocuments, type Update, updateDocuments } from '@querent/client/documents'
import type { ImportReply, UpdateReply } from '@querent/contract/query'
import { CommandError } from '#command-line/failure'
import { startProgress } from '#terminal/progress'

export interface SendOptions extends Import, Update {
  /** Change stored documents. */
  update?: boolean
  title: string
  /** The final value of `done`; absent if unknown. */
  total: number | undefined
  /** Returns how much of the total, and how many documents, are sent so far. */
  progressNow: () => { done: number; documents: number }
}

/**
 * Sends the documents and shows the progress. If SIGINT stops the import or the connection breaks, it throws a `CommandError` that says
 * which documents are kept. It passes other errors of the client's `importDocuments` on.
 */
export const sendDocuments = async ({
  title,
  total,
  progressNow,
  update = false,
  ...importOptions
}: SendOptions): Promise<ImportReply | UpdateReply> => {
  const progress = startProgress(title, total)
  let isWhole = false
  const source = async function* () {
    for await (const chunk of importOptions.source) {
      yield chunk
      const { done, documents } = progressNow()
      progress.update(done, documents)
    }
    isWhole = true
  }
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  process.once('SIGINT', interrupt)
  try {
    const stream = { ...importOptions, source: source(), signal: interruption.signal }
    return await (update ? updateDocuments(stream) : importDocuments(stream))
  } catch (error) {
    // A program may still be writing to standard input. The process would wait for it.
    process.stdin.destroy()
    if (interruption.signal.aborted)
      throw new CommandError(`stopped before the end: ${describeIncomplete(importOptions, isWhole)}`)
    if (error instanceof UnreachableError && /\((ECONNRESET|EPIPE)\)$/.test(error.message))
      throw new CommandError(
        `${error.origin} closed the connection, as a server does when it stops: ${describeIncomplete(importOptions, isWhole)}`,
      )
    throw error
  } finally {
    process.removeListener('SIGINT', interrupt)
    const { done, documents } = progressNow()
    progress.update(done, documents)
    progress.stop()
  }
}

/** Describes which documents an incomplete import has kept. `isWhole` means that all documents were sent and only the reply is missing. */
const describeIncomplete = ({ replace, strict, workspace, collection }: Import, isWhole: boolean): string => {
  if (!replace && !strict)
    return `the documents that the server accepted until then stay in ${workspace}/${collection}; run the same import again to complete it: documents with the same id are written again`
  return isWhole
    ? 'all documents were sent, but it is unknown whether they were kept; run the same import again, which has the same result'
    : `no document was kept, and ${workspace}/${collection} is unchanged`
}
