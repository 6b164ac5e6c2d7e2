/** The data folder: what stands where, its first content, and that one process uses it at a time. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'

const keyBytes = 32

export const dataFolder = (data: string) => ({
  storageFile: join(data, 'querent.db'),
  keyFile: join(data, 'key'),
  lockFile: join(data, 'lock'),
  engine: join(data, 'engine'),
  /** Address and credential for the command line on this machine, while the server runs. */
  operatorFile: join(data, 'operator.json'),
})

/** A folder that is missing, taken, in use, or not ours; the message is one line that says what to do. */
export class DataFolderError extends Error {}

/** Makes the folder with its key. Throws {@link DataFolderError} when something stands there already. */
export const makeDataFolder = async (data: string): Promise<void> => {
  if (existsSync(data) && (await readdir(data)).length > 0)
    throw new DataFolderError(
      `the folder ${data} is not empty: name another with --data, or use it with 'querent serve'`,
    )
  await mkdir(data, { recursive: true, mode: 0o700 })
  await writeFile(dataFolder(data).keyFile, randomBytes(keyBytes).toString('base64'), {
    mode: 0o600,
    flag: 'wx',
  })
}

/** The server's key: from `QUERENT_KEY`, else from the file beside the data. Throws {@link DataFolderError}. */
export const readKey = async (data: string, given: string | undefined): Promise<Buffer> => {
  const { keyFile } = dataFolder(data)
  const text = given ?? (existsSync(keyFile) ? await readFile(keyFile, 'utf8') : undefined)
  if (text === undefined)
    throw new DataFolderError(
      `no data folder at ${data}: make one with 'querent init --data ${data} --admin EMAIL'`,
    )
  const key = Buffer.from(text.trim(), 'base64')
  if (key.length !== keyBytes)
    throw new DataFolderError(
      `${given === undefined ? keyFile : 'QUERENT_KEY'} is no key: it must be 32 bytes in base64`,
    )
  return key
}

/** Holds the folder until the returned function is called or the process ends. Throws {@link DataFolderError} when another does. */
export const lockDataFolder = (data: string): (() => void) => {
  const lock = new Database(dataFolder(data).lockFile, { timeout: 0 })
  try {
    // The operating system drops the lock with the process, so no stale one is left behind.
    lock.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    lock.close()
    throw new DataFolderError(`another server uses ${data}: stop it first`, { cause })
  }
  return () => lock.close()
}

/** Written whole or not at all, for the owner's eyes only. */
export const writeOperatorFile = async (
  data: string,
  content: { authUrl: string; baseUrl: string; clientId: string; clientSecret: string },
): Promise<void> => {
  const { operatorFile } = dataFolder(data)
  const temporary = `${operatorFile}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  await rename(temporary, operatorFile)
}

export const removeOperatorFile = (data: string): Promise<void> =>
  rm(dataFolder(data).operatorFile, { force: true })
