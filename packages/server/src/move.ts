/** `querent move`: moves the content of a data folder to PostgreSQL and OpenSearch. */
import { existsSync } from 'node:fs'
import { type MoveSummary, moveStorage } from '#backup/move'
import type { Config } from '#config/config'
import { versionsInMemory } from '#engines/opensearch/versions'
import { isEmptyStorage } from '#storage/offline'
import { openConfiguredEngine } from './configured-parts.ts'
import { restrictUmask, storageNotEmpty } from './main.ts'
import {
  DataFolderError,
  dataFolder,
  lockDataFolder,
  readKey,
  refuseSetAside,
  setAside,
  UsageError,
} from './startup/data-folder.ts'

/**
 * Moves the storage of an unused data folder to an empty PostgreSQL database, its documents to OpenSearch, or both. Renames the originals
 * and returns their new names in `former` and `formerEngine`. Throws an error with one line for the operator; then nothing has changed.
 */
export const moveDataFolder = async (
  config: Config,
): Promise<Partial<MoveSummary> & { former?: string; formerEngine?: string }> => {
  restrictUmask()
  const { data, storage } = config
  const { storageFile: file, movedFile: former, engine, movedEngine: formerEngine } = dataFolder(data)
  const movesStorage = 'connection' in storage
  // Without this folder the documents are in OpenSearch already.
  const movesDocuments = config.engine !== 'embedded' && existsSync(engine)
  if (!movesStorage && !movesDocuments)
    throw existsSync(formerEngine)
      ? new DataFolderError(`the documents of ${data} were moved before: ${formerEngine} is the original`)
      : new UsageError(
          'give the target: --storage postgres://… (or QUERENT_STORAGE), --engine https://… for documents, or both',
        )
  const sourceStorage = movesStorage ? { file } : storage
  if (!existsSync(sourceStorage.file))
    throw new DataFolderError(
      existsSync(former)
        ? `the storage of ${data} was moved before: ${former} is the original`
        : `there is no ${sourceStorage.file}: to move data from elsewhere, use 'querent backup' and 'querent restore'`,
    )
  const movedParts = { storage: movesStorage, documents: movesDocuments }
  refuseSetAside(data, movedParts)
  const closers: (() => unknown)[] = [lockDataFolder(data)]
  const open = async (engineConfig: Config) => {
    const openedEngine = await openConfiguredEngine(engineConfig, versionsInMemory())
    closers.push(() => openedEngine.close())
    return openedEngine
  }
  try {
    await readKey(data, config.key)
    if (movesStorage && !(await isEmptyStorage(storage))) throw storageNotEmpty(config)
    // They are closed in reverse order: a failed copy is undone while its target is still open.
    const engines = movesDocuments
      ? { to: await open(config), from: await open({ ...config, engine: 'embedded' }) }
      : undefined
    let names: Awaited<ReturnType<typeof setAside>> = {}
    const setMovedFilesAside = async () => {
      if (engines) await closers.pop()?.()
      names = await setAside(data, movedParts)
    }
    return {
      ...(await moveStorage({
        from: sourceStorage,
        to: movesStorage ? storage : undefined,
        engines,
        onCopied: setMovedFilesAside,
      })),
      ...names,
    }
  } finally {
    for (const close of closers.reverse()) await close()
  }
}
