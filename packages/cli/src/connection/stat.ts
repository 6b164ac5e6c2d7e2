/** Looks up files of a data folder, which may belong to another account. */
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { CommandError } from '#command-line/failure'

/** Returns the metadata of a file, or undefined if it does not exist. Throws {@link CommandError} if this account may not read it. */
export const statIfPresent = async (path: string): Promise<Stats | undefined> => {
  try {
    return await stat(path)
  } catch (error) {
    return undefinedIfAbsent(path, error)
  }
}

/** Returns undefined if the error means that the path does not exist. Throws other errors, as {@link CommandError} for missing permission. */
export const undefinedIfAbsent = (path: string, error: unknown): undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  if (code === 'EACCES' || code === 'EPERM') throw notAllowed(path)
  throw error
}

const notAllowed = (path: string): CommandError =>
  new CommandError(
    `this account may not read ${path}: run it as the account that runs the server (sudo -u ACCOUNT querent …)`,
  )
