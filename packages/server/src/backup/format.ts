/**
 * A backup: lines of JSON, gzipped. One header; the rows of the storage, by table; the documents of each complete generation; and an end
 * with the sums. No index is in it, and no name of a file. Only this folder knows the format.
 */
import { createHash } from 'node:crypto'
import { migrationNames } from '#storage/db'
import { keptTables, type Row, type TableName } from '#storage/whole'

/** Rises when what is written can no longer be read by the version before. */
export const formatVersion = 1

export interface Header {
  /** {@link formatVersion} of who wrote it. */
  querentBackup: number
  /** RFC 3339, UTC. */
  createdAt: string
  /** The last change of the storage's tables that its rows have. */
  migration: string
  /** The server's key, base64; null: it is given to the server by its environment. */
  key: string | null
  /** Tells whether a key is that of the server, and nothing else of it. */
  keyId: string
}

/** What follows the header, in this order; each line is one of them. */
export type Line =
  | { table: TableName; row: Row }
  /** Its id in the engine; the documents after it are its own. */
  | { generation: string }
  | { document: [id: string, entity: string] }

export interface End {
  rows: number
  generations: number
  documents: number
  /** SHA-256 of all lines before, hexadecimal. */
  sha256: string
}

/** Documents and workspace files are at most 1 MiB; as JSON in JSON their quotes take more. */
export const lineBytesMax = 16 * 1024 * 1024

/** A backup that is no backup, damaged, or of a later version; the message is one line that says what to do. */
export class BackupError extends Error {}

const isObject = (found: unknown): found is Record<string, unknown> =>
  typeof found === 'object' && found !== null && !Array.isArray(found)
const isText = (found: unknown): found is string => typeof found === 'string'
const isCount = (found: unknown): found is number => Number.isSafeInteger(found) && Number(found) >= 0

/** Reads the first line. Throws {@link BackupError}. */
export const readHeader = (found: unknown): Header => {
  if (!isObject(found) || !isCount(found.querentBackup)) throw new BackupError('it is no backup of Querent')
  const { querentBackup, createdAt, migration, key, keyId } = found
  if (querentBackup > formatVersion)
    throw new BackupError('it was made by a later version of Querent: restore it with that version')
  if (!isText(createdAt) || !isText(migration) || !isText(keyId) || !(key === null || isText(key)))
    throw damaged('its first line is incomplete')
  if (!migrationNames.includes(migration))
    throw new BackupError(
      `it was made by a later version of Querent (storage ${JSON.stringify(migration.slice(0, 100))}): restore it with that version`,
    )
  return { querentBackup, createdAt, migration, key, keyId }
}

const isRow = (found: unknown): found is Row =>
  isObject(found) &&
  Object.values(found).every(value => value === null || isText(value) || Number.isSafeInteger(value))
const isTable = (found: unknown): found is TableName => keptTables.some(name => name === found)
/** As the engine takes it. */
const isGenerationId = (found: unknown): found is string => isText(found) && /^[a-z0-9_-]{1,200}$/.test(found)

/** Reads a line after the first: undefined when it is none of ours. */
export const readLine = (found: unknown): Line | { end: End } | undefined => {
  if (!isObject(found)) return undefined
  const { table, row, generation, document, end } = found
  if (isTable(table) && isRow(row)) return { table, row }
  if (isGenerationId(generation)) return { generation }
  if (Array.isArray(document)) {
    const [id, entity]: unknown[] = document
    return isText(id) && isText(entity) ? { document: [id, entity] } : undefined
  }
  if (!isObject(end)) return undefined
  const { rows, generations, documents, sha256 } = end
  return isCount(rows) && isCount(generations) && isCount(documents) && isText(sha256)
    ? { end: { rows, generations, documents, sha256 } }
    : undefined
}

export const damaged = (how: string, cause?: unknown): BackupError =>
  new BackupError(`it is damaged: ${how}; take another copy`, cause === undefined ? undefined : { cause })

/** Tells whether a key is the server's; what it is made of is for this alone. */
export const keyIdOf = (derived: Buffer): string => createHash('sha256').update(derived).digest('base64url')
/** What `derived` is derived for. */
export const keyIdPurpose = 'backup'
