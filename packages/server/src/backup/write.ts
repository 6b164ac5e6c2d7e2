/** Creates a backup of a running server: a snapshot of all rows, then the documents of every generation in them. */
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Collections } from '#collections/collections'
import { type Engine, EngineError } from '#engines/engine'
import { Problem } from '#errors'
import type { Keyring } from '#keys/keyring'
import type { Storage } from '#storage/db'
import type { GenerationRow } from '#storage/generations'
import { migrationNames } from '#storage/migrate'
import { computeKeyId, type End, formatVersion, type Header, keyIdPurpose, type Line } from './format.ts'

export interface BackupDependencies {
  storage: Pick<Storage, 'snapshot'>
  engine: Pick<Engine, 'list'>
  collections: Pick<Collections, 'withPinned' | 'openPinned'>
  keyring: Pick<Keyring, 'derive'>
  /** Key of the server if it is in the data folder. */
  ownKey: Buffer | undefined
}

export interface Backups {
  /**
   * Returns a stream of the backup. It contains everything that was acknowledged before the call; a document that changes meanwhile is in
   * it as before or after. Starts after `record` resolves. Throws 503 while another backup is running.
   */
  make(record: () => Promise<void>): Promise<Readable>
}

/** Number of documents requested from the engine at a time. */
const batchSize = 1000
/** Number of characters compressed at a time. */
const chunkChars = 64 * 1024
/** A third of the time of zlib's default, for a tenth more bytes. */
const gzipLevel = 3

export const openBackups = (deps: BackupDependencies): Backups => {
  let isMaking = false
  return {
    async make(record) {
      if (isMaking)
        throw new Problem('overloaded', 'another backup is running: try again when it has finished', {
          headers: { 'retry-after': '60' },
        })
      isMaking = true
      try {
        await record()
      } catch (error) {
        isMaking = false
        throw error
      }
      const bytes = createGzip({ level: gzipLevel })
      const work = () =>
        new Promise<void>(resolve => {
          // Errors reach the reader of `bytes`.
          pipeline(Readable.from(chunks(lines(deps))), bytes, () => resolve())
        })
      void deps.collections
        .withPinned(work)
        .catch(error => bytes.destroy(error))
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
}: BackupDependencies): AsyncGenerator<Header | Line> {
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
    try {
      const id = await collections.openPinned(row)
      yield { generation: id }
      yield* readDocuments(engine, id)
    } catch (error) {
      throw collectionReadError(error, row.collection, slugs.get(row.workspace_id) ?? row.workspace_id)
    }
  }
}

/** Names the collection, because the operator must repair it before a backup can succeed. */
const collectionReadError = (cause: unknown, collection: string, workspace: string): Error => {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `the collection ${collection} of workspace ${workspace} cannot be read: ${reason}`
  return cause instanceof EngineError
    ? new EngineError(cause.code, message, { cause })
    : new Error(message, { cause })
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
async function* chunks(items: AsyncIterable<Header | Line>): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  const end: Omit<End, 'sha256'> = { rows: 0, generations: 0, documents: 0 }
  let text = ''
  const takeChunk = () => {
    const bytes = Buffer.from(text)
    hash.update(bytes)
    text = ''
    return bytes
  }
  for await (const line of items) {
    if ('row' in line) end.rows += 1
    if ('generation' in line) end.generations += 1
    if ('document' in line) end.documents += 1
    text += `${JSON.stringify(line)}\n`
    if (text.length >= chunkChars) yield takeChunk()
  }
  yield takeChunk()
  yield Buffer.from(`${JSON.stringify({ end: { ...end, sha256: hash.digest('hex') } })}\n`)
}
