/** One import with its progress bar, for `querent import` and the demo. */
import { UnreachableError } from '@querent/client'
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
 * Sends the documents and shows how far it is. SIGINT ends the import: then, and when the connection breaks, it throws `CommandError`
 * that says what is kept. Throws else what the client's `importDocuments` throws.
 */
export const sendDocuments = async ({ title, total, sent, ...given }: Sending): Promise<ImportReply> => {
  const progress = startProgress(title, total)
  let isWhole = false
  const source = async function* () {
    for await (const chunk of given.source) {
      yield chunk
      const { done, documents } = sent()
      progress.update(done, documents)
    }
    isWhole = true
  }
  const interruption = new AbortController()
  const interrupt = () => interruption.abort()
  process.once('SIGINT', interrupt)
  try {
    return await importDocuments({ ...given, source: source(), signal: interruption.signal })
  } catch (error) {
    // Whoever pipes into it may go on; the process would wait for them.
    process.stdin.destroy()
    if (interruption.signal.aborted) throw new CommandError(`stopped before the end: ${kept(given, isWhole)}`)
    if (error instanceof UnreachableError && /\((ECONNRESET|EPIPE)\)$/.test(error.message))
      throw new CommandError(
        `${error.origin} broke the connection off, as a server does that is stopped: ${kept(given, isWhole)}`,
      )
    throw error
  } finally {
    process.removeListener('SIGINT', interrupt)
    const { done, documents } = sent()
    progress.update(done, documents)
    progress.stop()
  }
}

/** Of an import that did not come to its end. `isWhole`: all of it was sent, and only the reply is missing. */
const kept = ({ replace, strict, workspace, collection }: Import, isWhole: boolean): string => {
  if (!replace && !strict)
    return `what the server had taken until then stays in ${workspace}/${collection}; the same import again completes it, for an id that is there is replaced`
  return isWhole
    ? 'all was sent, and whether it was kept is not known; the same import again comes to the same'
    : `nothing was kept, and ${workspace}/${collection} is as it was`
}
