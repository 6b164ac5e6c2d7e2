/** Creates a backup of a running server: a snapshot of all rows, then the documents of every generation in them. */
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Collections } from '#collections/collections'
import { generationName, sortPromoted } from '#collections/generation-rows'
import type { Engine } from '#engines/engine'
import { Problem } from '#errors'
import type { Keyring } from '#keys/keyring'
import type { BackupRecord } from '#manage/call'
import type { Storage } from '#storage/db'
import { type GenerationRow, makeEngineId } from '#storage/generations'
import { migrationNames } from '#storage/migrate'
import {
  computeKeyId,
  type End,
  formatVersion,
  type Header,
  keyIdPurpose,
  type Line,
  type MissingGeneration,
} from './format.ts'

export interface BackupDependencies {
  storage: Pick<Storage, 'snapshot' | 'withReserve'>
  engine: Pick<Engine, 'list' | 'whenOpened'>
  collections: Pick<Collections, 'withPinned' | 'openPinned'>
  keyring: Pick<Keyring, 'derive'>
  /** Key of the server if it is in the data folder. */
  ownKey: Buffer | undefined
}

export interface Backups {
  /**
   * Returns a stream of the backup. It contains everything that was acknowledged before the call; a document that changes meanwhile is in
   * it as before or after. A collection that cannot be read is left out and named at its end. Starts after `start` of the record resolves. Throws
   * 503 while another backup is running.
   */
  make(record: BackupRecord): Promise<Readable>
  /** Logs incomplete and failed backups. */
  setLogger(log: BackupLog): void
}

type BackupLog = Record<'error' | 'info', (context: object, message: string) => void>

/** Number of documents requested from the engine at a time. */
const batchSize = 1000
/** Number of characters compressed at a time. */
const chunkChars = 64 * 1024
/** A third of the time of zlib's default, for a tenth more bytes. */
const gzipLevel = 3

export const openBackups = (deps: BackupDependencies): Backups => {
  let isMaking = false
  let log: BackupLog | undefined
  /** A record that fails is logged; it must not end the backup, which somebody may need badly. */
  const tryRecord = async (requestId: string, record: () => Promise<unknown>) => {
    try {
      await record()
    } catch (err) {
      log?.error({ err, requestId }, 'the result of the backup could not be recorded in the audit log')
    }
  }
  return {
    setLogger(newLog) {
      log = newLog
    },
    async make(record) {
      if (isMaking)
        throw new Problem('overloaded', 'another backup is running: try again when it has finished', {
          headers: { 'retry-after': '60' },
        })
      isMaking = true
      try {
        await record.start()
      } catch (error) {
        isMaking = false
        throw error
      }
      const bytes = createGzip({ level: gzipLevel })
      const { requestId } = record
      const end = async (missing: readonly MissingGeneration[]) => {
        if (missing.length === 0) return
        log?.error({ requestId, missing }, 'the backup is incomplete: these documents could not be read')
        await tryRecord(requestId, () => record.incomplete(missing.map(({ id, ...gap }) => gap)))
      }
      const work = () =>
        new Promise<void>((resolve, reject) => {
          // Errors reach the reader of `bytes`.
          pipeline(Readable.from(chunks(lines(deps), end)), bytes, error =>
            error ? reject(error) : resolve(),
          )
        })
      const fail = async (error: NodeJS.ErrnoException) => {
        bytes.destroy(error)
        if (error.code === 'ERR_STREAM_PREMATURE_CLOSE')
          return log?.info({ requestId }, 'the backup was canceled: its reader went away')
        log?.error({ requestId, err: error }, 'the backup failed')
        return tryRecord(requestId, () => record.failed(error.message))
      }
      void deps.collections
        .withPinned(work)
        .catch(fail)
        .finally(() => {
          isMaking = false
        })
      return bytes
    },
  }
}

async function* lines({
  storage,
  engine,
  collections,
  keyring,
  ownKey,
}: BackupDependencies): AsyncGenerator<Header | Line | { missing: MissingGeneration }> {
  yield {
    querentBackup: formatVersion,
    createdAt: new Date().toISOString(),
    migration: migrationNames.at(-1) ?? '',
    key: ownKey?.toString('base64') ?? null,
    keyId: computeKeyId(keyring.derive(keyIdPurpose)),
  }
  const generations: GenerationRow[] = []
  const slugs = new Map<string, string>()
  for await (const { table, rows } of storage.snapshot())
    for (const row of rows) {
      // The rows are from this table in its current version.
      if (table === 'generations') generations.push(row as unknown as GenerationRow)
      if (table === 'workspaces') slugs.set(String(row.id), String(row.slug))
      yield { table, row }
    }
  for (const row of generations) {
    let reason: string | undefined
    try {
      const id = await collections.openPinned(row)
      // On a full disk, opening a collection needs room too. If it fails, reading says why.
      await storage.withReserve?.(async () => engine.whenOpened?.(id)).catch(() => {})
      yield { generation: id }
      yield* readDocuments(engine, id)
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error)
    }
    // One collection that cannot be read must not cost the backup of all others.
    if (reason !== undefined)
      yield {
        missing: describeMissing(row, generations, slugs.get(row.workspace_id) ?? row.workspace_id, reason),
      }
  }
}

const describeMissing = (
  row: GenerationRow,
  all: readonly GenerationRow[],
  workspace: string,
  reason: string,
): MissingGeneration => {
  const [live] = sortPromoted(
    all.filter(other => other.workspace_id === row.workspace_id && other.collection === row.collection),
  )
  return {
    id: makeEngineId(row),
    workspace,
    collection: row.collection,
    generation: generationName(row),
    live: live === row,
    reason,
  }
}

async function* readDocuments(engine: Pick<Engine, 'list'>, id: string): AsyncGenerator<Line> {
  let lastId: string | undefined
  for (;;) {
    const documents = await engine.list(id, lastId, batchSize)
    for (const { id: documentId, entity } of documents) yield { document: [documentId, entity] }
    lastId = documents.at(-1)?.id
    if (documents.length < batchSize) break
  }
}

/** Yields the lines as text, and at the end their counts and checksum. */
async function* chunks(
  items: AsyncIterable<Header | Line | { missing: MissingGeneration }>,
  onEnd: (missing: readonly MissingGeneration[]) => Promise<void>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const end: Omit<End, 'sha256'> = { rows: 0, generations: 0, documents: 0 }
  let text = ''
  const takeChunk = () => {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    text = ''
    return bytes
  }
  const missing: MissingGeneration[] = []
  for await (const line of items) {
    if ('missing' in line) {
      missing.push(line.missing)
      continue
    }
    if ('row' in line) end.rows += 1
    if ('generation' in line) end.generations += 1
    if ('document' in line) end.documents += 1
    text += `${JSON.stringify(line)}\n`
    if (text.length >= chunkChars) yield takeChunk()
  }
  yield takeChunk()
  await onEnd(missing)
  const checked = { ...end, sha256: hash.digest('hex'), ...(missing.length > 0 && { missing }) }
  yield Buffer.from(`${JSON.stringify({ end: checked })}\n`)
}
