/** Creates the demo's collections from its workspace file and fills the dictionary from WordNet. */
import { readFile } from 'node:fs/promises'
import { ApiError } from '@querent/client'
import { CommandError } from '#command-line/failure'
import type { Connection } from '#connection/connect'
import { readEntries } from '#dictionary/entries'
import { entryCount } from '#dictionary/wordnet'
import { sendDocuments } from '#documents/send-documents'

/** Names in `dictionary/workspace.yaml`. */
export const dictionary = { workspace: 'dictionary', collection: 'entries', api: 'dictionary' } as const

const workspaceFile = new URL('../../dictionary/workspace.yaml', import.meta.url)

/** Creates the workspace from its file, or changes one that is not complete yet to match it. */
export const applyDictionary = async ({ management }: Connection): Promise<void> => {
  const source = await readFile(workspaceFile, 'utf8')
  await management.call('applyWorkspaceFile', { input: { source } })
}

/** Whether the workspace of an earlier start is there. Somebody may have removed it. */
export const hasDictionary = async ({ management }: Connection): Promise<boolean> => {
  try {
    await management.call('exportWorkspaceFile', { params: { workspace: dictionary.workspace } })
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false
    throw error
  }
}

const chunkCharacters = 128 * 1024

/** Imports every entry of WordNet with a progress bar. Returns their number. Throws {@link CommandError} if one is rejected. */
export const importDictionary = async ({ baseUrl, tokenFor }: Connection): Promise<number> => {
  let documents = 0
  const source = async function* () {
    let chunk = ''
    for await (const entry of readEntries()) {
      chunk += `${JSON.stringify(entry)}\n`
      documents += 1
      if (chunk.length < chunkCharacters) continue
      yield Buffer.from(chunk)
      chunk = ''
    }
    yield Buffer.from(chunk)
  }
  const { accepted, rejected, errors } = await sendDocuments({
    title: 'WordNet',
    total: entryCount,
    progressNow: () => ({ done: documents, documents }),
    baseUrl,
    token: tokenFor(),
    workspace: dictionary.workspace,
    collection: dictionary.collection,
    source: source(),
  })
  if (rejected > 0)
    throw new CommandError(
      `${rejected} entries of the dictionary were rejected, the first: ${errors[0]?.message}`,
    )
  return accepted
}
