/**
 * A backup: lines of JSON, gzipped. One header; the rows of the storage, by table; the documents of each complete generation; and an end
 * with the sums. No index is in it, and no name of a file. Only this folder knows the format.
 */
import { createHash } from 'node:crypto'
import { backedUpTables, type Row, type TableName } from '#storage/dump'
import { migrationNames } from '#storage/migrate'

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

const isObject = (candidate: unknown): candidate is Record<string, unknown> =>
  typeof candidate === 'object' && candidate !== null && !Array.isArray(candidate)
const isText = (candidate: unknown): candidate is string => typeof candidate === 'string'
const isCount = (candidate: unknown): candidate is number =>
  Number.isSafeInteger(candidate) && Number(candidate) >= 0

/** Reads the first line. Throws {@link BackupError}. */
export const readHeader = (candidate: unknown): Header => {
  if (!isObject(candidate) || !isCount(candidate.querentBackup))
    throw new BackupError('it is no backup of Querent')
  const { querentBackup, createdAt, migration, key, keyId } = candidate
  if (querentBackup > formatVersion)
    throw new BackupError('it was made by a later version of Querent: restore it with that version')
  if (!isText(createdAt) || !isText(migration) || !isText(keyId) || !(key === null || isText(key)))
    throw damagedBackup('its first line is incomplete')
  if (!migrationNames.includes(migration))
    throw new BackupError(
      `it was made by a later version of Querent (storage ${JSON.stringify(migration.slice(0, 100))}): restore it with that version`,
    )
  return { querentBackup, createdAt, migration, key, keyId }
}

const isRow = (candidate: unknown): candidate is Row =>
  isObject(candidate) &&
  Object.values(candidate).every(value => value === null || isText(value) || Number.isSafeInteger(value))
const isTable = (candidate: unknown): candidate is TableName =>
  backedUpTables.some(name => name === candidate)
/** As the engine takes it. */
const isGenerationId = (candidate: unknown): candidate is string =>
  isText(candidate) && /^[a-z0-9_-]{1,200}$/.test(candidate)

/** Reads a line after the first: undefined when it is none of ours. */
export const readLine = (candidate: unknown): Line | { end: End } | undefined => {
  if (!isObject(candidate)) return undefined
  const { table, row, generation, document, end } = candidate
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

export const damagedBackup = (how: string, cause?: unknown): BackupError =>
  new BackupError(`it is damaged: ${how}; take another copy`, cause === undefined ? undefined : { cause })

/** Tells whether a key is the server's; what it is made of is for this alone. */
export const computeKeyId = (derived: Buffer): string =>
  createHash('sha256').update(derived).digest('base64url')
/** What `derived` is derived for. */
export const keyIdPurpose = 'backup'
