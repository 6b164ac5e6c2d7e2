/** Errors of the files that a command reads and writes: what happened, and what to do. */
import { CommandError } from './failure.ts'

const readReasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; check its name',
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'this account may not read it; change its permissions',
}
const writeReasons: Readonly<Record<string, string>> = {
  EEXIST: 'it already exists',
  ENOENT: 'the folder does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'this account may not write there',
  ENOSPC: 'the disk is full',
}

const findReason = (reasons: Readonly<Record<string, string>>, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons[code] ?? (error instanceof Error ? error.message : String(error))
}

/** `name` is the file for people, such as `workspace.yaml` or `the configuration file c.yaml`. */
export const createReadError = (name: string, error: unknown): CommandError =>
  new CommandError(`${name} cannot be read: ${findReason(readReasons, error)}`)

export const createWriteError = (
  name: string,
  error: unknown,
  advice = 'choose another name',
): CommandError =>
  new CommandError(`${name} cannot be written (${findReason(writeReasons, error)}): ${advice}`)
