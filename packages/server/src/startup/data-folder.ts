/** The data folder: its files, its creation, and the lock that allows one process at a time. */
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import Database from 'better-sqlite3'

const keyBytes = 32

export const dataFolder = (data: string) => ({
  storageFile: join(data, 'querent.db'),
  /** The storage file after a move to PostgreSQL. The new name keeps servers from starting on it. */
  movedFile: join(data, 'querent.db.moved'),
  keyFile: join(data, 'key'),
  lockFile: join(data, 'lock'),
  /** Exists while `querent restore` fills the folder, and after one that was killed. */
  restoringFile: join(data, 'restoring'),
  engine: join(data, 'engine'),
  /** The folder of documents after a move to OpenSearch. */
  movedEngine: join(data, 'engine.moved'),
  /** Addresses and the credential for the command line on this machine; exists while the server runs. */
  operatorFile: join(data, 'operator.json'),
  /** The operator file of a server that was killed, until its credential is revoked. */
  formerOperatorFile: join(data, 'operator.json.former'),
})

/** A folder that is missing, not empty, in use, or unreadable. The message is one line for the operator. */
export class DataFolderError extends Error {}

/** An error that the operator fixes with another option, not with another attempt. */
export class UsageError extends DataFolderError {
  readonly code = 'wrong-usage'
}

/** Removes everything that was created. */
export type Undo = () => Promise<void>

/**
 * Creates the folder with its key. Throws {@link DataFolderError} if it is not empty or cannot be created. The returned function deletes
 * the created folders and everything inside.
 */
export const makeDataFolder = async (data: string): Promise<Undo> => {
  const undo = await makeEmptyFolder(data)
  try {
    await writeKey(data, randomBytes(keyBytes))
  } catch (error) {
    await undo()
    throw creationError(data, error)
  }
  return undo
}

/** Like {@link makeDataFolder} without a key: no server starts on it before {@link writeKey}. */
export const makeEmptyFolder = async (data: string): Promise<Undo> => {
  const undo = await makeFolders(data)
  try {
    if ((await readdir(data)).length > 0)
      throw new DataFolderError(
        `the folder ${data} is not empty: choose another with --data, or use it with 'querent serve'`,
      )
  } catch (error) {
    await undo()
    throw error instanceof DataFolderError ? error : creationError(data, error)
  }
  return async () => {
    for (const name of await readdir(data)) await rm(join(data, name), { recursive: true, force: true })
    await undo()
  }
}

/** Everything that `querent restore` creates in a data folder. */
const restoredNames = /^(restoring|lock|key|engine|querent\.db)(-wal|-shm|-journal)?$/

/** Whether the folder holds nothing but what a restore left that was killed. */
export const isHalfRestored = (data: string): boolean => existsSync(dataFolder(data).restoringFile)

/**
 * Like {@link makeEmptyFolder}, for a restore: marks and locks the folder until `finish`, and first clears it if an earlier restore was
 * killed. Throws {@link DataFolderError}.
 */
export const makeFolderForRestore = async (
  data: string,
): Promise<{ undo: Undo; finish(): Promise<void> }> => {
  const { restoringFile } = dataFolder(data)
  if (isHalfRestored(data)) {
    const unlock = lockDataFolder(data)
    try {
      const names = await readdir(data)
      const unknown = names.find(name => !restoredNames.test(name))
      if (unknown !== undefined)
        throw new DataFolderError(
          `${data} has an unfinished restore, and ${unknown}, which is not part of it: move that file, or choose another folder with --data`,
        )
      // The marker goes last, so that a kill meanwhile changes nothing.
      for (const name of names.filter(name => !/^(restoring|lock)/.test(name)))
        await rm(join(data, name), { recursive: true, force: true })
    } finally {
      unlock()
    }
    for (const name of (await readdir(data)).toSorted().toReversed())
      await rm(join(data, name), { force: true })
  }
  const undo = await makeEmptyFolder(data)
  let unlock = () => {}
  try {
    await writeFile(restoringFile, '', { mode: 0o600, flag: 'wx' })
    unlock = lockDataFolder(data)
  } catch (error) {
    await undo()
    throw error instanceof DataFolderError ? error : creationError(data, error)
  }
  return {
    async undo() {
      unlock()
      await undo()
    },
    async finish() {
      await finishRestore(data)
      unlock()
    },
  }
}

/** Removes the mark of a restore. */
export const finishRestore = (data: string): Promise<void> => rm(dataFolder(data).restoringFile)

/** Throws {@link DataFolderError} if a restore was killed before it was complete. */
export const refuseHalfRestored = (data: string): void => {
  if (isHalfRestored(data))
    throw new DataFolderError(
      `a restore into ${data} did not finish: run 'querent restore' again with the same backup, which clears the folder first`,
    )
}

export const writeKey = (data: string, key: Buffer): Promise<void> =>
  writeFile(dataFolder(data).keyFile, key.toString('base64'), { mode: 0o600, flag: 'wx' })

/**
 * Creates the folder and its missing parents one by one, because the recursive mkdir of Node.js never returns below /proc. Throws
 * {@link DataFolderError}.
 */
export const makeFolders = async (folder: string): Promise<Undo> => {
  const missing: string[] = []
  let existingAncestor = resolve(folder)
  for (
    ;
    !existsSync(existingAncestor) && dirname(existingAncestor) !== existingAncestor;
    existingAncestor = dirname(existingAncestor)
  )
    missing.unshift(existingAncestor)
  const created: string[] = []
  const undo = async () => {
    // A folder that has files by now stays.
    for (const directory of created.toReversed()) await rmdir(directory).catch(() => {})
  }
  try {
    if (!statSync(existingAncestor).isDirectory())
      throw new DataFolderError(
        `cannot create the folder ${folder}: ${existingAncestor} is a file; choose another with --data`,
      )
    for (const directory of missing) {
      await mkdir(directory, { mode: 0o700 })
      created.push(directory)
    }
  } catch (error) {
    await undo()
    throw error instanceof DataFolderError ? error : creationError(folder, error)
  }
  return undo
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: 'the file system allows no new folders there',
}

const creationError = (folder: string, cause: unknown): DataFolderError => {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const reason = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause))
  return new DataFolderError(`cannot create the folder ${folder}: ${reason}; choose another with --data`, {
    cause,
  })
}

/**
 * Returns the key of the server, from `QUERENT_KEY` or from the data folder. Throws {@link DataFolderError}; with an external storage the
 * error asks for its key instead of a new folder.
 */
export const readKey = async (
  data: string,
  configuredKey: string | undefined,
  isStorageExternal = false,
): Promise<Buffer> => {
  const { keyFile, storageFile } = dataFolder(data)
  const text = configuredKey ?? (await readKeyFile(keyFile))
  if (text === undefined)
    throw new DataFolderError(
      isStorageExternal
        ? `QUERENT_KEY is missing, and there is no ${keyFile}: give the key of this storage`
        : existsSync(storageFile)
          ? `the key of ${data} is missing: restore the file ${keyFile}, or give the same key in QUERENT_KEY`
          : `no data folder at ${data}: create one with 'querent init --data ${data} --admin EMAIL'`,
    )
  return parseKey(text, configuredKey === undefined ? keyFile : 'QUERENT_KEY')
}

/** Throws {@link DataFolderError} with the name of the file or variable that the text comes from. */
export const parseKey = (text: string, source: string): Buffer => {
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== keyBytes)
    throw new DataFolderError(`${source} is not a valid key: it must be 32 bytes in base64`)
  return key
}

/** Returns the content of the key file; undefined if there is none. */
const readKeyFile = async (keyFile: string): Promise<string | undefined> => {
  try {
    return await readFile(keyFile, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'EACCES' || code === 'EPERM')
      throw new DataFolderError(
        `this account may not read ${keyFile}: start the server as the account that owns the folder, or give the folder to this account (chown)`,
        { cause },
      )
    throw cause
  }
}

/** Throws {@link DataFolderError} if the documents were moved, because a server would answer without them. */
export const refuseMovedDocuments = (data: string): void => {
  const { engine, movedEngine } = dataFolder(data)
  if (!existsSync(engine) && existsSync(movedEngine))
    throw new DataFolderError(
      `the documents of ${data} were moved to OpenSearch: set --engine or QUERENT_ENGINE to its addresses (to go back, rename ${movedEngine} to engine)`,
    )
}

/** Throws {@link DataFolderError} if {@link setAside} would meet files of an earlier move. */
export const refuseSetAside = (data: string, parts: { storage: boolean; documents: boolean }): void => {
  const { movedFile, movedEngine } = dataFolder(data)
  for (const name of [parts.documents && movedEngine, parts.storage && movedFile])
    if (name && existsSync(name))
      throw new DataFolderError(`${name} already exists from an earlier move: rename or remove it`)
}

/**
 * Renames moved files, which must not be open, so that no server starts on them, and returns the new names. Throws
 * {@link DataFolderError}; then all files have their former names.
 */
export const setAside = async (data: string, parts: { storage: boolean; documents: boolean }) => {
  const { storageFile, movedFile: former, engine, movedEngine: formerEngine } = dataFolder(data)
  // The folder comes first, because it may be a mount point, which cannot be renamed.
  const names: [name: string, movedName: string][] = parts.documents ? [[engine, formerEngine]] : []
  if (parts.storage)
    for (const suffix of ['', '-wal', '-shm']) names.push([`${storageFile}${suffix}`, `${former}${suffix}`])
  const renamed: typeof names = []
  for (const [name, movedName] of names.filter(([name]) => existsSync(name)))
    try {
      await rename(name, movedName)
      renamed.unshift([name, movedName])
    } catch (cause) {
      for (const [oldName, newName] of renamed) await rename(newName, oldName)
      const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
      throw new DataFolderError(
        `${name} cannot be renamed to ${movedName} (${reason}), so nothing was moved: if it is a mount point, mount it elsewhere and copy its content to ${name}`,
        { cause },
      )
    }
  // Moved files need no room for operations on a full disk.
  if (parts.storage) await rm(`${storageFile}-reserve`, { force: true })
  return { ...(parts.storage && { former }), ...(parts.documents && { formerEngine }) }
}

/** Locks the folder until the caller calls the returned function or the process ends. Throws {@link DataFolderError} if it is locked. */
export const lockDataFolder = (data: string): (() => void) => {
  const { lockFile } = dataFolder(data)
  let lock: Database.Database
  try {
    lock = new Database(lockFile, { timeout: 0 })
  } catch (cause) {
    throw new DataFolderError(
      `cannot open ${lockFile}: run the server as an account that may write in ${data}`,
      { cause },
    )
  }
  try {
    // The operating system releases the lock when the process ends, so that no stale lock remains.
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    if (Object(cause).code !== 'SQLITE_BUSY')
      throw new DataFolderError(
        `cannot write ${lockFile} (${Object(cause).code ?? cause}): the folder or its file system is read-only, the disk is full, or this account may not write there`,
        { cause },
      )
    throw new DataFolderError(
      `another server uses ${data}: stop it first; to run several, use PostgreSQL (--storage), OpenSearch (--engine) and a data folder each`,
      { cause },
    )
  }
  return () => lock.close()
}

/** Renames the operator file of a killed server, so that commands do not use its addresses. */
export const retireOperatorFile = async (data: string): Promise<void> => {
  const { operatorFile, formerOperatorFile } = dataFolder(data)
  if (existsSync(operatorFile)) await rename(operatorFile, formerOperatorFile)
}

/**
 * Manages `operator.json`: the public addresses of the server, those it listens on, and the credential for the command line on this
 * machine.
 */
export const createOperatorFile = (
  data: string,
  addresses: { authUrl: string; baseUrl: string; listening: { authUrl?: string; baseUrl?: string } },
) => {
  const { operatorFile, formerOperatorFile } = dataFolder(data)
  return {
    /** Returns the secret of a server that was killed; undefined if there is none. */
    async readFormerSecret(): Promise<string | undefined> {
      try {
        const content: unknown = JSON.parse(await readFile(formerOperatorFile, 'utf8'))
        const { clientSecret }: { clientSecret?: unknown } = Object(content)
        return typeof clientSecret === 'string' ? clientSecret : undefined
      } catch {
        return undefined
      }
    },
    /** Writes the file atomically, readable for its owner only. Without a credential, commands learn the address of the server that has one. */
    async write(credential?: { clientId: string; clientSecret: string }): Promise<void> {
      const temporary = `${operatorFile}.${process.pid}`
      await writeFile(temporary, `${JSON.stringify({ ...addresses, ...credential })}\n`, { mode: 0o600 })
      await rename(temporary, operatorFile)
      await rm(formerOperatorFile, { force: true })
    },
    remove: (): Promise<void> => rm(operatorFile, { force: true }),
  }
}
