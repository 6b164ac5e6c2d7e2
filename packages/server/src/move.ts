/** `querent move`: what a data folder keeps goes to PostgreSQL and OpenSearch. */
import { existsSync } from 'node:fs'
import { type MoveSummary, moveStorage } from '#backup/move'
import type { Config } from '#config/config'
import { versionsInMemory } from '#engines/opensearch/versions'
import { isEmptyStorage } from '#storage/offline'
import { openConfiguredEngine, restrictUmask, storageNotEmpty } from './main.ts'
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
 * Moves what a data folder that no server uses keeps to where the settings say: its storage to an empty PostgreSQL database, its documents
 * to OpenSearch, or both. `former` and `formerEngine` are what it was, under other names. Throws an error whose message is one line that
 * says what to do; then everything is as it was.
 */
export const moveDataFolder = async (
  config: Config,
): Promise<Partial<MoveSummary> & { former?: string; formerEngine?: string }> => {
  restrictUmask()
  const { data, storage } = config
  const { storageFile: file, movedFile: former, engine, movedEngine: formerEngine } = dataFolder(data)
  const movesStorage = 'connection' in storage
  // Without any, they are in OpenSearch already.
  const movesDocuments = config.engine !== 'embedded' && existsSync(engine)
  if (!movesStorage && !movesDocuments)
    throw existsSync(formerEngine)
      ? new DataFolderError(`the documents of ${data} were moved before: ${formerEngine} is what they were`)
      : new UsageError(
          'name the database to move to: --storage postgres://…, or QUERENT_STORAGE; or where documents go: --engine https://…',
        )
  const sourceStorage = movesStorage ? { file } : storage
  if (!existsSync(sourceStorage.file))
    throw new DataFolderError(
      existsSync(former)
        ? `the storage of ${data} was moved before: ${former} is what it was`
        : `there is no ${sourceStorage.file}: what is elsewhere moves by 'querent backup' and 'querent restore'`,
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
    // Closed in the other order: what was copied is taken back while the one is open still.
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
