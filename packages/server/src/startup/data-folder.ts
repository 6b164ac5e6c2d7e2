/** The data folder: what stands where, its first content, and that one process uses it at a time. */
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import Database from 'better-sqlite3'

const keyBytes = 32

export const dataFolder = (data: string) => ({
  storageFile: join(data, 'querent.db'),
  /** What was there before it moved to PostgreSQL; no server starts on it by this name. */
  movedFile: join(data, 'querent.db.moved'),
  keyFile: join(data, 'key'),
  lockFile: join(data, 'lock'),
  engine: join(data, 'engine'),
  /** The same of the documents that moved to OpenSearch. */
  movedEngine: join(data, 'engine.moved'),
  /** Addresses, and the credential for the command line on this machine, while the server runs. */
  operatorFile: join(data, 'operator.json'),
  /** The same of a server that was killed, until its credential is taken back. */
  formerOperatorFile: join(data, 'operator.json.former'),
})

/** A folder that is missing, taken, in use, or not ours; the message is one line that says what to do. */
export class DataFolderError extends Error {}

/** One that another option, not another try, mends. */
export class UsageError extends DataFolderError {
  readonly code = 'wrong-usage'
}

/** Takes back what was made. */
export type Undo = () => Promise<void>

/**
 * Makes the folder with its key. Throws {@link DataFolderError} when something stands there already, or nothing can be made there.
 * What it returns removes the folders that were made, and all that came into an empty one since.
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

/** The same without a key: until {@link writeKey} no server starts on it. */
export const makeEmptyFolder = async (data: string): Promise<Undo> => {
  const undo = await makeFolders(data)
  try {
    if ((await readdir(data)).length > 0)
      throw new DataFolderError(
        `the folder ${data} is not empty: name another with --data, or use it with 'querent serve'`,
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

export const writeKey = (data: string, key: Buffer): Promise<void> =>
  writeFile(dataFolder(data).keyFile, key.toString('base64'), { mode: 0o600, flag: 'wx' })

/**
 * Makes the folder and those above it that are missing, one by one: Node's recursive mkdir never ends where the system says that
 * there is no such folder as the one it has just found, as in /proc. Throws {@link DataFolderError}.
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
    for (const directory of created.toReversed()) await rmdir(directory).catch(() => {})
  }
  try {
    if (!statSync(existingAncestor).isDirectory())
      throw new DataFolderError(
        `the folder ${folder} cannot be made: ${existingAncestor} is a file; name another with --data`,
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
  ENOENT: 'no folders can be made there',
}

const creationError = (folder: string, cause: unknown): DataFolderError => {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const reason = reasons[code] ?? (cause instanceof Error ? cause.message : String(cause))
  return new DataFolderError(`the folder ${folder} cannot be made: ${reason}; name another with --data`, {
    cause,
  })
}

/**
 * The server's key: from `QUERENT_KEY`, else from the file beside the data. Throws {@link DataFolderError}; with a storage elsewhere it
 * asks for that key, not for a new folder.
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
        ? `QUERENT_KEY is missing, and there is no ${keyFile}: give the key that this storage was made with`
        : existsSync(storageFile)
          ? `the key of ${data} is missing: put the file ${keyFile} back, or give QUERENT_KEY, as it was when the folder was made`
          : `no data folder at ${data}: make one with 'querent init --data ${data} --admin EMAIL'`,
    )
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== keyBytes)
    throw new DataFolderError(
      `${configuredKey === undefined ? keyFile : 'QUERENT_KEY'} is no key: it must be 32 bytes in base64`,
    )
  return key
}

/** Undefined: there is none. */
const readKeyFile = async (keyFile: string): Promise<string | undefined> => {
  try {
    return await readFile(keyFile, 'utf8')
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'EACCES' || code === 'EPERM')
      throw new DataFolderError(
        `this account may not read ${keyFile}: start the server as the account that made the folder, or give that folder to this one (chown)`,
        { cause },
      )
    throw cause
  }
}

/** Throws {@link DataFolderError} where the documents moved: answers would be made without them. */
export const refuseMovedDocuments = (data: string): void => {
  const { engine, movedEngine } = dataFolder(data)
  if (!existsSync(engine) && existsSync(movedEngine))
    throw new DataFolderError(
      `the documents of ${data} were moved to OpenSearch: name that by --engine or QUERENT_ENGINE (to go back, rename ${movedEngine} to engine)`,
    )
}

/** Throws {@link DataFolderError} where {@link setAside} would meet what was set aside before. */
export const refuseSetAside = (data: string, parts: { storage: boolean; documents: boolean }): void => {
  const { movedFile, movedEngine } = dataFolder(data)
  for (const name of [parts.documents && movedEngine, parts.storage && movedFile])
    if (name && existsSync(name))
      throw new DataFolderError(
        `${name} is there already, of a move before: give it another name, or remove it`,
      )
}

/**
 * What no server is to start on any more gets other names, which are returned. Nobody has it open. Throws {@link DataFolderError}; then
 * all has the names of before.
 */
export const setAside = async (data: string, parts: { storage: boolean; documents: boolean }) => {
  const { storageFile, movedFile: former, engine, movedEngine: formerEngine } = dataFolder(data)
  // The folder first: it may be a mount point, which cannot be renamed.
  const names: [name: string, other: string][] = parts.documents ? [[engine, formerEngine]] : []
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
        `${name} cannot be renamed to ${movedName} (${reason}), so nothing was moved: a folder that is mounted must be mounted elsewhere, and copied to ${name}`,
        { cause },
      )
    }
  return { ...(parts.storage && { former }), ...(parts.documents && { formerEngine }) }
}

/** Holds the folder until the returned function is called or the process ends. Throws {@link DataFolderError} when another does. */
export const lockDataFolder = (data: string): (() => void) => {
  const { lockFile } = dataFolder(data)
  let lock: Database.Database
  try {
    lock = new Database(lockFile, { timeout: 0 })
  } catch (cause) {
    throw new DataFolderError(
      `${lockFile} cannot be opened: the server must run as an account that may write in ${data}`,
      { cause },
    )
  }
  try {
    // The operating system drops the lock with the process, so no stale one is left behind.
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    throw new DataFolderError(
      `another server uses ${data}: stop it first; several processes need PostgreSQL (--storage), OpenSearch (--engine) and a data folder each`,
      { cause },
    )
  }
  return () => lock.close()
}

/** Sets what a killed server left aside: commands would take its addresses for those of the server that starts. */
export const retireOperatorFile = async (data: string): Promise<void> => {
  const { operatorFile, formerOperatorFile } = dataFolder(data)
  if (existsSync(operatorFile)) await rename(operatorFile, formerOperatorFile)
}

/**
 * `operator.json`: where the server is, by its public addresses and by those it listens on, and the credential for the command line on
 * this machine.
 */
export const createOperatorFile = (
  data: string,
  addresses: { authUrl: string; baseUrl: string; listening: { authUrl?: string; baseUrl?: string } },
) => {
  const { operatorFile, formerOperatorFile } = dataFolder(data)
  return {
    /** Of a server that was killed; undefined: there is none. */
    async readFormerSecret(): Promise<string | undefined> {
      try {
        const content: unknown = JSON.parse(await readFile(formerOperatorFile, 'utf8'))
        const { clientSecret }: { clientSecret?: unknown } = Object(content)
        return typeof clientSecret === 'string' ? clientSecret : undefined
      } catch {
        return undefined
      }
    },
    /** Whole or not at all, for the owner's eyes only. Without a credential commands are told where there is one. */
    async write(credential?: { clientId: string; clientSecret: string }): Promise<void> {
      const temporary = `${operatorFile}.${process.pid}`
      await writeFile(temporary, `${JSON.stringify({ ...addresses, ...credential })}\n`, { mode: 0o600 })
      await rename(temporary, operatorFile)
      await rm(formerOperatorFile, { force: true })
    },
    remove: (): Promise<void> => rm(operatorFile, { force: true }),
  }
}
