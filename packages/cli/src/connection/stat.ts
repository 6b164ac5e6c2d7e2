/** Files of a data folder, which may be another account's. */
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { CommandError } from '#command-line/failure'

/** What stands there; undefined: nothing. Throws {@link CommandError} when this account may not look. */
export const lookAt = async (path: string): Promise<Stats | undefined> => {
  try {
    return await stat(path)
  } catch (error) {
    return absent(path, error)
  }
}

/** Undefined for an error by which nothing stands at the path; any other is thrown, {@link CommandError} for what this account may not. */
export const absent = (path: string, error: unknown): undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  if (code === 'EACCES' || code === 'EPERM') throw notAllowed(path)
  throw error
}

const notAllowed = (path: string): CommandError =>
  new CommandError(
    `this account may not read ${path}: run it as the account that runs the server (sudo -u ACCOUNT querent …)`,
  )
