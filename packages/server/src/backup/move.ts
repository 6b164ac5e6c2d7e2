/** What a server keeps goes to another place without a file in between: rows are counted as they pass, documents go from engine to engine. */
import type { Engine, GenerationSpec } from '#engines/engine'
import type { StorageLocation } from '#storage/connection'
import { type Row, RowRefusedError, type TableName } from '#storage/dump'
import { fillStorage, readStorage } from '#storage/offline'
import { BackupError } from './format.ts'
import { addGeneration } from './read.ts'

type Batches = AsyncIterable<{ table: TableName; rows: Row[] }>

/** Rows by table. Of clients by their kind, without the server's own. */
export type RowCounts = Partial<Record<TableName | 'accounts' | 'applications', number>>

/** What was moved. */
export interface MoveSummary {
  /** Undefined: they stay where they are. */
  rows: RowCounts | undefined
  /** Copied to the other engine; undefined: they stay where they are. */
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
  /** Done when all is copied and the storage moved from is closed; what fails there takes all back too. */
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

/** The same rows, counted as they pass. */
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

/** Documents that are copied at a time. */
const batchSize = 500

/**
 * Copies the documents of every generation that the rows name. Returns how many there are, and how to take them back; nothing is left of
 * what fails. Throws {@link BackupError} when the other engine has some under the same ids already.
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
    for (const id of createdIds) await to.drop(id).catch(() => {})
  }
  let documents = 0
  try {
    for (const [id, spec] of generations) {
      await from.open(id, spec)
      await to.open(id, spec)
      if (to.info(id).documents > 0)
        throw new BackupError(
          'the engine has these documents already: where servers use them there, rename the folder engine of the data folder and move the storage alone; else give it an empty place, by another --engine-prefix say',
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
