/** Reads a backup, once to check it and once more to restore it. */
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
  type MissingGeneration,
  readHeader,
  readLine,
} from './format.ts'

/** A backup that was read to its end and is valid. */
export interface CheckedBackup {
  file: string
  header: Header
  end: End
  workspaces: number
  users: number
  /** Documents of live generations that can be restored. */
  documents: number
  /** Those of all other generations. */
  documentsNotLive: number
  /** Generations whose documents it lacks, by id in the engine. */
  missing: ReadonlyMap<string, MissingGeneration>
  /** Specs by id in the engine. */
  generations: ReadonlyMap<string, GenerationSpec>
}

/** Number of rows or documents written at a time. */
const batchSize = 500

/** Reads the whole backup and verifies its checksums. Throws {@link BackupError}. */
export const checkBackup = async (file: string): Promise<CheckedBackup> => {
  const tally = createTally()
  let header: Header | undefined
  let end: End | undefined
  for await (const item of readItems(file)) {
    if ('header' in item) header = item.header
    else if ('end' in item) end = item.end
    else tally.add(item)
  }
  if (!header || !end) throw damagedBackup('its end is missing')
  const { counts, tables, generations, documentsById, liveGenerations } = tally
  if (
    end.rows !== counts.rows ||
    end.generations !== counts.generations ||
    end.documents !== counts.documents
  )
    throw damagedBackup('its counts differ from its end line')
  const missing = new Map((end.missing ?? []).map(gap => [gap.id, gap]))
  const covered = new Set([...documentsById.keys(), ...missing.keys()])
  if (generations.size !== covered.size || [...generations.keys()].some(id => !covered.has(id)))
    throw damagedBackup('its documents do not fit its collections')
  for (const id of missing.keys()) documentsById.delete(id)
  const liveIds = new Set(Array.from(liveGenerations.values(), ({ id }) => id))
  const countDocuments = (isLive: boolean) =>
    [...documentsById].reduce((sum, [id, number]) => (liveIds.has(id) === isLive ? sum + number : sum), 0)
  return {
    file,
    header,
    end,
    workspaces: tables.get('workspaces') ?? 0,
    users: tables.get('users') ?? 0,
    documents: countDocuments(true),
    documentsNotLive: countDocuments(false),
    missing,
    generations,
  }
}

/** Counts the lines of a backup. */
const createTally = () => {
  const counts = { rows: 0, generations: 0, documents: 0 }
  const tables = new Map<TableName, number>()
  const generations = new Map<string, GenerationSpec>()
  const documentsById = new Map<string, number>()
  /** The one that was promoted last, by workspace and collection. */
  const liveGenerations = new Map<string, { id: string; promotedAt: number }>()
  let lastId = ''
  return {
    counts,
    tables,
    generations,
    documentsById,
    liveGenerations,
    add(line: Line): void {
      if ('row' in line) {
        counts.rows += 1
        tables.set(line.table, (tables.get(line.table) ?? 0) + 1)
        if (line.table === 'generations') {
          addGeneration(generations, line.row)
          keepLive(liveGenerations, line.row)
        }
      } else if ('generation' in line) {
        counts.generations += 1
        lastId = line.generation
        documentsById.set(lastId, 0)
      } else {
        counts.documents += 1
        documentsById.set(lastId, (documentsById.get(lastId) ?? 0) + 1)
      }
    },
  }
}

/** Keeps the generation of a row of the table `generations` if it was promoted after those of the same collection. */
const keepLive = (live: Map<string, { id: string; promotedAt: number }>, row: Row): void => {
  // `addGeneration` has read the row.
  const { id, build, workspace_id, collection, promoted_at } = row as unknown as GenerationRow
  const key = JSON.stringify([workspace_id, collection])
  if (promoted_at === null || Number(promoted_at) <= (live.get(key)?.promotedAt ?? 0)) return
  live.set(key, { id: makeEngineId({ id, build: build ?? 0 }), promotedAt: Number(promoted_at) })
}

/** Adds the spec of a row of the table `generations`, by its id in the engine. Throws {@link BackupError}. */
export const addGeneration = (generations: Map<string, GenerationSpec>, row: Row): void => {
  try {
    // The row is from that table; if columns are missing, the next line throws.
    const generation = row as unknown as GenerationRow
    generations.set(makeEngineId({ id: generation.id, build: generation.build ?? 0 }), readSpec(generation))
  } catch (cause) {
    throw damagedBackup('a generation of a collection has no fields', cause)
  }
}

/**
 * Returns the key of the server that was backed up: the configured one, or the one in the backup. Throws {@link BackupError} if the
 * configured key differs, or if there is none.
 */
export const resolveBackupKey = ({ header }: CheckedBackup, configuredKey: Buffer | undefined): Buffer => {
  const key = configuredKey ?? (header.key === null ? undefined : Buffer.from(header.key, 'base64'))
  if (key === undefined)
    throw new BackupError(
      'the backup has no key, because the server had it from QUERENT_KEY: give the same QUERENT_KEY',
    )
  if (computeKeyId(deriveKey(key, keyIdPurpose)) !== header.keyId)
    throw configuredKey === undefined
      ? damagedBackup('it contains another key')
      : new BackupError(
          `QUERENT_KEY is not the key of the server that was backed up: give that key${header.key === null ? '' : ', or none, because the backup contains it'}`,
        )
  return key
}

/**
 * Yields the rows of the storage in batches of one table. A generation without its documents is marked, so that no server answers
 * queries as if it were empty.
 */
export async function* readRowBatches({
  file,
  missing,
}: Pick<CheckedBackup, 'file' | 'missing'>): AsyncGenerator<{ table: TableName; rows: Row[] }> {
  let batch: { table: TableName; rows: Row[] } | undefined
  for await (const item of readItems(file)) {
    if ('header' in item) continue
    if (!('row' in item)) break
    if (batch && (batch.table !== item.table || batch.rows.length === batchSize)) {
      yield batch
      batch = undefined
    }
    batch ??= { table: item.table, rows: [] }
    batch.rows.push(item.table === 'generations' ? markMissing(item.row, missing) : item.row)
  }
  if (batch) yield batch
}

const markMissing = (row: Row, missing: CheckedBackup['missing']): Row => {
  const gap = missing.get(makeEngineId({ id: String(row.id), build: Number(row.build ?? 0) }))
  return gap ? { ...row, lost_reason: gap.reason } : row
}

/** Writes the documents to an engine. Throws {@link BackupError} if it already has documents under these ids. */
export const restoreDocuments = async (
  engine: Pick<Engine, 'open' | 'info' | 'write' | 'refresh' | 'release'>,
  { file, generations, missing }: CheckedBackup,
): Promise<void> => {
  let generationId: string | undefined
  let writes: Write[] = []
  const flush = async () => {
    if (generationId !== undefined && writes.length > 0) await engine.write(generationId, writes)
    writes = []
  }
  const finish = async () => {
    if (generationId === undefined) return
    await flush()
    await engine.refresh(generationId)
    await engine.release(generationId)
  }
  for await (const item of readItems(file)) {
    if ('generation' in item) {
      await finish()
      generationId = undefined
      if (missing.has(item.generation)) continue
      generationId = item.generation
      const spec = generations.get(generationId)
      if (!spec) throw damagedBackup(`it has documents of an unknown generation ${generationId}`)
      await engine.open(generationId, spec)
      if (engine.info(generationId).documents > 0)
        throw new BackupError('the engine has documents of this backup already: choose an empty target')
    } else if ('document' in item && generationId !== undefined) {
      const [id, entity] = item.document
      writes.push({ put: { id, entity } })
      if (writes.length === batchSize) await flush()
    }
  }
  await finish()
}

type Item = { header: Header } | Line | { end: End }

/** Yields every line in order, and verifies the checksums at the end. Throws {@link BackupError}. */
async function* readItems(file: string): AsyncGenerator<Item> {
  const hash = createHash('sha256')
  const checkOrder = createOrderCheck()
  let isFirst = true
  let hasEnded = false
  for await (const { number, text } of readBackupLines(file)) {
    if (hasEnded) throw damagedBackup(`something follows its end, at line ${number}`)
    const item = isFirst ? { header: readHeader(parseJson(text)) } : readLine(parseJson(text))
    if (!item) throw damagedBackup(`line ${number} is unknown`)
    hasEnded = 'end' in item
    if ('end' in item && hash.digest('hex') !== item.end.sha256)
      throw damagedBackup('its content does not match its checksum')
    checkOrder(item, number)
    yield item
    isFirst = false
    if (!hasEnded) hash.update(`${text}\n`)
  }
  if (isFirst) throw new BackupError('it is empty: it is not a backup of Querent')
  if (!hasEnded) throw damagedBackup('its end is missing')
}

/** Returns a function that throws {@link BackupError} for a row behind documents, or a document before any generation. */
const createOrderCheck = () => {
  let isInDocuments = false
  return (item: Item, number: number): void => {
    if ('generation' in item) isInDocuments = true
    if (('row' in item && isInDocuments) || ('document' in item && !isInDocuments))
      throw damagedBackup(`line ${number} is at the wrong place`)
  }
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
  // Read errors surface through `bytes`.
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

/** Turns errors of zlib and the file system into messages for the operator. */
const asBackupError = (error: unknown): unknown => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ENOENT') return new BackupError('there is no such file')
  if (code === 'EISDIR') return new BackupError('it is a folder')
  if (code === 'EACCES' || code === 'EPERM') return new BackupError('this account may not read it')
  if (code === 'Z_BUF_ERROR') return damagedBackup('its end is missing', error)
  if (code === 'Z_DATA_ERROR' && error instanceof Error && /header check/.test(error.message))
    return new BackupError('it is not a backup of Querent')
  return code.startsWith('Z_') ? damagedBackup('it cannot be unpacked', error) : error
}
