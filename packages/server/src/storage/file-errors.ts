/** Errors of the storage's file, in words for the operator: which file, why, and what to do. */
import type { StorageLocation } from './connection.ts'

const readCode = (error: unknown): string => {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if ('code' in cause && /^(SQLITE|E[A-Z])/.test(String(cause.code))) return String(cause.code)
  return ''
}

/** Returns an error with one line for the operator, or the same error if it is not about the file. */
export const explainFileError = (error: unknown, location: StorageLocation): unknown => {
  if (!('file' in location)) return error
  const { file } = location
  const code = readCode(error)
  const explain = (reason: string, advice: string) =>
    new Error(`${file} ${reason}: ${advice}`, { cause: error })
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return explain(
      `is damaged or is no database (${code})`,
      'put back the file with its -wal file from a copy, or restore a backup into a new data folder with querent restore; documents in the folder engine are not affected',
    )
  if (/^(SQLITE_(CANTOPEN|READONLY|PERM)|EACCES|EPERM|EROFS)/.test(code))
    return explain(
      `cannot be opened for writing (${code})`,
      'the folder or its file system is read-only, or this account may not write there',
    )
  if (/^SQLITE_(FULL|IOERR)/.test(code))
    return explain(`cannot be read or written (${code})`, 'the disk is full, or returns errors')
  return error
}
