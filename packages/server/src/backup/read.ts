/** Reads a backup: once to check all of it, then again to fill a server with it. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { readSpec } from '#collections/generation-rows'
import { readLines } from '#documents/lines'
import type { Engine, GenerationSpec, Write } from '#engines/engine'
import { deriveKey } from '#keys/keyring'
import type { Row, TableName } from '#storage/dump'
import { type GenerationRow, makeEngineId } from '#storage/generations'
import {
  BackupError,
  computeKeyId,
  damagedBackup,
  type End,
  type Header,
  keyIdPurpose,
  type Line,
  lineBytesMax,
  readHeader,
  readLine,
} from './format.ts'

/** A backup that was read to its end and found whole. */
export interface CheckedBackup {
  file: string
  header: Header
  end: End
  workspaces: number
  users: number
  /** By their ids in the engine. */
  generations: ReadonlyMap<string, GenerationSpec>
}

/** Rows and documents that are written at a time. */
const batchSize = 500

/** Reads all of it and compares it with its sums. Throws {@link BackupError}. */
export const checkBackup = async (file: string): Promise<CheckedBackup> => {
  const counts = { rows: 0, generations: 0, documents: 0 }
  const generations = new Map<string, GenerationSpec>()
  const filled = new Set<string>()
  const tables = new Map<TableName, number>()
  let header: Header | undefined
  let end: End | undefined
  for await (const item of readItems(file)) {
    if ('header' in item) header = item.header
    else if ('end' in item) end = item.end
    else if ('row' in item) {
      counts.rows += 1
      tables.set(item.table, (tables.get(item.table) ?? 0) + 1)
      if (item.table === 'generations') addGeneration(generations, item.row)
    } else if ('generation' in item) {
      counts.generations += 1
      filled.add(item.generation)
    } else counts.documents += 1
  }
  if (!header || !end) throw damagedBackup('its end is missing')
  const { rows, generations: ids, documents } = end
  if (rows !== counts.rows || ids !== counts.generations || documents !== counts.documents)
    throw damagedBackup('its counts are not those of its end')
  if (generations.size !== ids || [...generations.keys()].some(id => !filled.has(id)))
    throw damagedBackup('its documents are not those of its collections')
  const count = (table: TableName) => tables.get(table) ?? 0
  return { file, header, end, workspaces: count('workspaces'), users: count('users'), generations }
}

/** Adds what a row of the table of that name says, by its id in the engine. Throws {@link BackupError}. */
export const addGeneration = (generations: Map<string, GenerationSpec>, row: Row): void => {
  try {
    // Of the table of that name; what its columns lack is seen when it is used, right here.
    const generation = row as unknown as GenerationRow
    generations.set(makeEngineId({ id: generation.id, build: generation.build ?? 0 }), readSpec(generation))
  } catch (cause) {
    throw damagedBackup('a generation of a collection has no fields', cause)
  }
}

/**
 * The key that the backup's server had: `given` when there is one, else its own. Throws {@link BackupError} when `given` is another, and
 * when there is none.
 */
export const resolveBackupKey = ({ header }: CheckedBackup, configuredKey: Buffer | undefined): Buffer => {
  const key = configuredKey ?? (header.key === null ? undefined : Buffer.from(header.key, 'base64'))
  if (key === undefined)
    throw new BackupError(
      'the server took its key from QUERENT_KEY, so the backup has none: give QUERENT_KEY as it was there',
    )
  if (computeKeyId(deriveKey(key, keyIdPurpose)) !== header.keyId)
    throw configuredKey === undefined
      ? damagedBackup('its key is another')
      : new BackupError(
          `QUERENT_KEY is not the key of the server that was backed up: give that one${header.key === null ? '' : ', or none, as the backup has it'}`,
        )
  return key
}

/** The rows of the storage, some hundred of a table at a time. */
export async function* readRowBatches(file: string): AsyncGenerator<{ table: TableName; rows: Row[] }> {
  let batch: { table: TableName; rows: Row[] } | undefined
  for await (const item of readItems(file)) {
    if ('header' in item) continue
    if (!('row' in item)) break
    if (batch && (batch.table !== item.table || batch.rows.length === batchSize)) {
      yield batch
      batch = undefined
    }
    batch ??= { table: item.table, rows: [] }
    batch.rows.push(item.row)
  }
  if (batch) yield batch
}

/** Fills an engine with the documents. Throws {@link BackupError} when it has some under the same ids already. */
export const restoreDocuments = async (
  engine: Pick<Engine, 'open' | 'info' | 'write' | 'refresh' | 'release'>,
  { file, generations }: CheckedBackup,
): Promise<void> => {
  let generationId: string | undefined
  let writes: Write[] = []
  const flush = async () => {
    if (generationId !== undefined && writes.length > 0) await engine.write(generationId, writes)
    writes = []
  }
  const finish = async () => {
    await flush()
    if (generationId === undefined) return
    await engine.refresh(generationId)
    await engine.release(generationId)
  }
  for await (const item of readItems(file)) {
    if ('generation' in item) {
      await finish()
      generationId = item.generation
      const spec = generations.get(generationId)
      if (!spec)
        throw damagedBackup(`it has documents of the generation ${generationId}, which it does not have`)
      await engine.open(generationId, spec)
      if (engine.info(generationId).documents > 0)
        throw new BackupError('the engine has documents of this backup already: give it an empty place')
    } else if ('document' in item) {
      const [id, entity] = item.document
      writes.push({ put: { id, entity } })
      if (writes.length === batchSize) await flush()
    }
  }
  await finish()
}

type Item = { header: Header } | Line | { end: End }

/** Every line in its order, the sums compared at the end. Throws {@link BackupError}. */
async function* readItems(file: string): AsyncGenerator<Item> {
  const hash = createHash('sha256')
  let isFirst = true
  let hasEnded = false
  let isInDocuments = false
  for await (const { number, text } of readBackupLines(file)) {
    if (hasEnded) throw damagedBackup(`something follows its end, at line ${number}`)
    const value = parseJson(text)
    if (isFirst) yield { header: readHeader(value) }
    else {
      const line = readLine(value)
      if (!line) throw damagedBackup(`line ${number} is not understood`)
      if ('end' in line) {
        hasEnded = true
        if (hash.digest('hex') !== line.end.sha256)
          throw damagedBackup('its content is not that of its checksum')
      }
      if ('generation' in line) isInDocuments = true
      if (('row' in line && isInDocuments) || ('document' in line && !isInDocuments))
        throw damagedBackup(`line ${number} stands at the wrong place`)
      yield line
    }
    isFirst = false
    if (!hasEnded) hash.update(`${text}\n`)
  }
  if (!hasEnded)
    throw isFirst
      ? new BackupError('it is empty: it is no backup of Querent')
      : damagedBackup('its end is missing')
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function* readBackupLines(file: string): AsyncGenerator<{ number: number; text: string }> {
  const bytes = createGunzip()
  // What fails in reading comes out of `bytes`.
  pipeline(createReadStream(file), bytes, () => {})
  try {
    for await (const lines of readLines(bytes, lineBytesMax))
      for (const { number, text, fault } of lines) {
        if (fault !== undefined) throw damagedBackup(`at line ${number}, ${fault}`)
        yield { number, text }
      }
  } catch (error) {
    throw asBackupError(error)
  } finally {
    bytes.destroy()
  }
}

/** What zlib and the file system say, for who restores. */
const asBackupError = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return new BackupError('there is no such file')
  if (code === 'EISDIR') return new BackupError('it is a folder')
  if (code === 'EACCES' || code === 'EPERM') return new BackupError('this account may not read it')
  if (code === 'Z_BUF_ERROR') return damagedBackup('its end is missing', error)
  if (code === 'Z_DATA_ERROR' && error instanceof Error && /header check/.test(error.message))
    return new BackupError('it is no backup of Querent')
  return code.startsWith('Z_') ? damagedBackup('it cannot be unpacked', error) : error
}
