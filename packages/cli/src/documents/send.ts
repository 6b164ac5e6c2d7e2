/** One import with its progress bar, for `querent import` and the demo. */
import { type Import, importDocuments } from '@querent/client/documents'
import type { ImportReply } from '@querent/contract/query'
import { CommandError } from '#command-line/failure'
import { startProgress } from '#terminal/progress'

export interface Sending extends Import {
  title: string
  /** What `done` goes up to; absent when unknown. */
  total: number | undefined
  /** How much of the total, and how many documents, were sent so far. */
  sent: () => { done: number; documents: number }
}

/**
 * Sends the documents and shows how far it is. SIGINT ends the import: then it throws `CommandError` that says what is kept. Throws
 * else what the client's `importDocuments` throws.
 */
export const sendDocuments = async ({ title, total, sent, ...given }: Sending): Promise<ImportReply> => {
  const progress = startProgress(title, total)
  const source = async function* () {
    for await (const chunk of given.source) {
      yield chunk
      const { done, documents } = sent()
      progress.update(done, documents)
    }
  }
  const interruption = new AbortController()
  const interrupt = () => {
    interruption.abort()
    // Whoever pipes into it may go on; the process would wait for them.
    process.stdin.destroy()
  }
  process.once('SIGINT', interrupt)
  try {
    return await importDocuments({ ...given, source: source(), signal: interruption.signal })
  } catch (error) {
    throw interruption.signal.aborted ? interrupted(given) : error
  } finally {
    process.removeListener('SIGINT', interrupt)
    const { done, documents } = sent()
    progress.update(done, documents)
    progress.stop()
  }
}

const interrupted = ({ replace, strict, workspace, collection }: Import): CommandError =>
  new CommandError(
    replace || strict
      ? `stopped before the end: nothing was kept, and ${workspace}/${collection} is as it was`
      : `stopped before the end: what the server had taken until then stays in ${workspace}/${collection}; the same import again completes it, for an id that is there is replaced`,
  )
