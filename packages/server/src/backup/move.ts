/** Moves storage and documents to another place without a file in between. */
import type { Engine, GenerationSpec } from '#engines/engine'
import type { StorageLocation } from '#storage/connection'
import { type Row, RowRefusedError, type TableName } from '#storage/dump'
import { fillStorage, readStorage } from '#storage/offline'
import { BackupError } from './format.ts'
import { addGeneration } from './read.ts'

type Batches = AsyncIterable<{ table: TableName; rows: Row[] }>

/** Number of rows by table; clients by kind, without those of the server itself. */
export type RowCounts = Partial<Record<TableName | 'accounts' | 'applications', number>>

/** Result of a move. */
export interface MoveSummary {
  /** Undefined if the storage was not moved. */
  rows: RowCounts | undefined
  /** Number of copied documents; undefined if they were not moved. */
  documents: number | undefined
}

/**
 * Moves what the storage keeps to an empty one, if there is one to move to, and with `engines` the documents from one to the other; without,
 * what the engine is yet to drop is known there too. Nothing is left of what fails; what is there stays as it is. Throws {@link BackupError} when the other engine has such documents already, or the other storage does
 * not take a row.
 */
export const moveStorage = async ({
  from,
  to,
  engines,
  onCopied = async () => {},
}: {
  from: StorageLocation
  to: StorageLocation | undefined
  engines: Parameters<typeof copyDocuments>[1] | undefined
  /** Called when everything is copied and the source storage is closed. If it fails, the move is undone. */
  onCopied?: () => Promise<unknown>
}): Promise<MoveSummary> => {
  const source = await readStorage(from)
  const rows: RowCounts | undefined = to && {}
  let copied: Awaited<ReturnType<typeof copyDocuments>> | undefined
  try {
    copied = engines && (await copyDocuments(source.rows(false), engines))
    const finish = async () => {
      await source.close()
      await onCopied()
    }
    if (!to || !rows) await finish()
    else await fillStorage(to, source.migration, countRows(source.rows(engines === undefined), rows), finish)
  } catch (error) {
    await copied?.undo()
    throw error instanceof RowRefusedError ? new BackupError(error.message, { cause: error }) : error
  } finally {
    await source.close()
  }
  return { rows, documents: copied?.documents }
}

/** Yields the same rows and counts them. */
async function* countRows(batches: Batches, counts: RowCounts): Batches {
  for await (const batch of batches) {
    for (const row of batch.rows) {
      const kind = classifyRow(batch.table, row)
      if (kind) counts[kind] = (counts[kind] ?? 0) + 1
    }
    yield batch
  }
}

const classifyRow = (table: TableName, { kind }: Row): keyof RowCounts | undefined => {
  if (table !== 'clients') return table
  if (kind === 'own') return undefined
  return kind === 'application' ? 'applications' : 'accounts'
}

/** Number of documents copied at a time. */
const batchSize = 500

/**
 * Copies the documents of every generation in the rows. Returns their number and a function that undoes the copy. A failure leaves nothing
 * behind. Throws {@link BackupError} if the other engine already has documents under these ids.
 */
const copyDocuments = async (
  batches: Batches,
  {
    from,
    to,
  }: {
    from: Pick<Engine, 'open' | 'list' | 'release'>
    to: Pick<Engine, 'open' | 'info' | 'write' | 'refresh' | 'release' | 'drop'>
  },
): Promise<{ documents: number; undo(): Promise<void> }> => {
  const generations = new Map<string, GenerationSpec>()
  for await (const { table, rows } of batches)
    if (table === 'generations') for (const row of rows) addGeneration(generations, row)
  const createdIds: string[] = []
  const undo = async () => {
    // The first error is reported; the target is to be emptied before the next try.
    for (const id of createdIds) await to.drop(id).catch(() => {})
  }
  let documents = 0
  try {
    for (const [id, spec] of generations) {
      await from.open(id, spec)
      await to.open(id, spec)
      if (to.info(id).documents > 0)
        throw new BackupError(
          'the engine has these documents already: if servers use them there, rename the folder engine of the data folder and move the storage only; otherwise choose an empty target, for example with another --engine-prefix',
        )
      createdIds.push(id)
      documents += await copyGeneration(id, from, to)
      await from.release(id)
      await to.release(id)
    }
  } catch (error) {
    await undo()
    throw error
  }
  return { documents, undo }
}

const copyGeneration = async (
  id: string,
  from: Pick<Engine, 'list'>,
  to: Pick<Engine, 'write' | 'refresh'>,
): Promise<number> => {
  let copied = 0
  let lastId: string | undefined
  for (;;) {
    const documents = await from.list(id, lastId, batchSize)
    if (documents.length > 0)
      await to.write(
        id,
        documents.map(document => ({ put: document })),
      )
    copied += documents.length
    lastId = documents.at(-1)?.id
    if (documents.length < batchSize) break
  }
  await to.refresh(id)
  return copied
}
