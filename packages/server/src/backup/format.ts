/**
 * The format of backups: gzipped lines of JSON. A header, the rows of the storage by table, the documents of each complete generation, and
 * an end line with checksums and with the generations whose documents could not be read. It contains no indexes and no file names. Only this folder knows the format.
 */
import { createHash } from 'node:crypto'
import type { MissingDocuments } from '@querent/contract/manage'
import { backedUpTables, type Row, type TableName } from '#storage/dump'
import { migrationNames } from '#storage/migrate'

/** Raise it when earlier versions can no longer read the format. */
export const formatVersion = 1

export interface Header {
  /** {@link formatVersion} of the writer. */
  querentBackup: number
  /** RFC 3339, UTC. */
  createdAt: string
  /** The latest migration of the storage. */
  migration: string
  /** Key of the server in base64; null if the server has it from its environment. */
  key: string | null
  /** Identifies the key of the server without revealing it. */
  keyId: string
}

/** A line after the header; the kinds follow in this order. */
export type Line =
  | { table: TableName; row: Row }
  /** Id of a generation in the engine; its documents follow. */
  | { generation: string }
  | { document: [id: string, entity: string] }

export interface End {
  rows: number
  generations: number
  documents: number
  /** SHA-256 of all previous lines, hexadecimal. */
  sha256: string
  /** Generations whose documents could not be read, with their ids in the engine. Absent if there are none. */
  missing?: MissingGeneration[]
}

/** Documents of it that precede the end line are incomplete. */
export type MissingGeneration = MissingDocuments & { id: string }

/** Documents and workspace files have at most 1 MiB, and escaping JSON within JSON makes them longer. */
export const lineBytesMax = 16 * 1024 * 1024

/** A file that is not a backup, is damaged, or is from a later version. The message is one line for the operator. */
export class BackupError extends Error {}

const isObject = (candidate: unknown): candidate is Record<string, unknown> =>
  typeof candidate === 'object' && candidate !== null && !Array.isArray(candidate)
const isText = (candidate: unknown): candidate is string => typeof candidate === 'string'
const isCount = (candidate: unknown): candidate is number =>
  Number.isSafeInteger(candidate) && Number(candidate) >= 0

/** Reads the first line. Throws {@link BackupError}. */
export const readHeader = (candidate: unknown): Header => {
  if (!isObject(candidate) || !isCount(candidate.querentBackup))
    throw new BackupError('it is not a backup of Querent')
  const { querentBackup, createdAt, migration, key, keyId } = candidate
  if (querentBackup > formatVersion)
    throw new BackupError('a later version of Querent created it: restore it with that version')
  if (!isText(createdAt) || !isText(migration) || !isText(keyId) || !(key === null || isText(key)))
    throw damagedBackup('its first line is incomplete')
  if (!migrationNames.includes(migration))
    throw new BackupError(
      `a later version of Querent created it (storage ${JSON.stringify(migration.slice(0, 100))}): restore it with that version`,
    )
  return { querentBackup, createdAt, migration, key, keyId }
}

const isRow = (candidate: unknown): candidate is Row =>
  isObject(candidate) &&
  Object.values(candidate).every(value => value === null || isText(value) || Number.isSafeInteger(value))
const isTable = (candidate: unknown): candidate is TableName =>
  backedUpTables.some(name => name === candidate)
/** Checks the ids that engines allow. */
const isGenerationId = (candidate: unknown): candidate is string =>
  isText(candidate) && /^[a-z0-9_-]{1,200}$/.test(candidate)

/** Reads a line after the first; returns undefined for an unknown one. */
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
  const { rows, generations, documents, sha256, missing = [] } = end
  if (!isCount(rows) || !isCount(generations) || !isCount(documents) || !isText(sha256)) return undefined
  if (!Array.isArray(missing) || !missing.every(isMissingGeneration)) return undefined
  return { end: { rows, generations, documents, sha256, ...(missing.length > 0 && { missing }) } }
}

const isMissingGeneration = (candidate: unknown): candidate is MissingGeneration =>
  isObject(candidate) &&
  isGenerationId(candidate.id) &&
  [candidate.workspace, candidate.collection, candidate.generation, candidate.reason].every(isText) &&
  typeof candidate.live === 'boolean'

export const damagedBackup = (damage: string, cause?: unknown): BackupError =>
  new BackupError(`it is damaged: ${damage}; use another copy`, cause === undefined ? undefined : { cause })

/** Returns the id of a key, from bytes that are derived from it for this purpose only. */
export const computeKeyId = (derived: Buffer): string =>
  createHash('sha256').update(derived).digest('base64url')
/** Purpose for deriving the bytes of {@link computeKeyId}. */
export const keyIdPurpose = 'backup'
