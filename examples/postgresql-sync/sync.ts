/** Keeps a collection equal to a table of PostgreSQL. `node sync.ts --full` sends all rows, `node sync.ts` the changes since the last run. */
import { ApiError, clientCredentials } from '@querent/client'
import { deleteDocument, importDocuments } from '@querent/client/documents'
import pg from 'pg'

const {
  DATABASE_URL = '',
  AUTH_URL = 'http://127.0.0.1:4001',
  BASE_URL = 'http://127.0.0.1:4000',
  CLIENT_ID: clientId = '',
  CLIENT_SECRET: clientSecret = '',
  WORKSPACE = 'shop',
  COLLECTION = 'products',
} = process.env

const target = {
  baseUrl: BASE_URL,
  token: clientCredentials({ authUrl: AUTH_URL, clientId, clientSecret, audience: BASE_URL }),
  workspace: WORKSPACE,
  collection: COLLECTION,
}

/** A row is a document: its columns have the names and types of the fields in workspace.yaml. */
interface Row {
  id: string
  [field: string]: unknown
}
const select = 'select id::text, name, description, price::float8, in_stock as "inStock" from products'

/** Rows and changes in memory at once. */
const batchSize = 1000

const database = new pg.Client({ connectionString: DATABASE_URL })

/** Yields all rows of the current transaction's snapshot. */
const readRows = async function* (): AsyncGenerator<Row> {
  await database.query(`declare all_rows no scroll cursor for ${select}`)
  for (;;) {
    const { rows } = await database.query<Row>(`fetch ${batchSize} from all_rows`)
    if (rows.length === 0) return
    yield* rows
  }
}

/** Sends rows, and prints those that the server rejects. Correct these in the table: that is a change, so the next run sends them again. */
const sendRows = async (rows: Iterable<Row> | AsyncIterable<Row>, replace: boolean): Promise<void> => {
  const ids: string[] = []
  const toLines = async function* () {
    for await (const row of rows) {
      ids.push(row.id)
      yield Buffer.from(`${JSON.stringify(row)}\n`)
    }
  }
  const { errors } = await importDocuments({ ...target, source: toLines(), replace }).catch(
    (error: unknown) => {
      // Thrown if the server accepts none of the rows.
      if (error instanceof ApiError && error.code === 'bad-documents') return error
      throw error
    },
  )
  for (const { line = 0, message } of errors) {
    process.stderr.write(`${COLLECTION} ${ids[line - 1]}: ${message}\n`)
    process.exitCode = 1
  }
}

/** Replaces the collection by all rows. Queries find the old documents until the new ones are complete. */
const sendAll = async (): Promise<void> => {
  await database.query('begin isolation level repeatable read')
  await sendRows(readRows(), true)
  // Only deletes the changes that the snapshot contains. Later ones stay for sendChanges.
  await database.query('delete from product_changes')
  await database.query('commit')
}

/**
 * Sends the current row of each change, or deletes its document if there is no row. A change is removed last, so a run that is interrupted
 * sends it again. Sequence numbers are no cursor: a transaction may commit a lower number later.
 */
const sendChanges = async (): Promise<void> => {
  for (;;) {
    const { rows: changes } = await database.query<{ number: string; id: string }>(
      'select number, product_id::text as id from product_changes order by number limit $1',
      [batchSize],
    )
    if (changes.length === 0) return
    const deletedIds = new Set(changes.map(({ id }) => id))
    const { rows } = await database.query<Row>(`${select} where id = any($1)`, [[...deletedIds]])
    for (const { id } of rows) deletedIds.delete(id)
    if (rows.length > 0) await sendRows(rows, false)
    for (const id of deletedIds) await deleteDocument({ ...target, id })
    await database.query('delete from product_changes where number = any($1)', [
      changes.map(({ number }) => number),
    ])
  }
}

await database.connect()
try {
  // One run at a time. The lock ends with the connection.
  const { rows } = await database.query("select pg_try_advisory_lock(hashtext('product_changes')) as locked")
  if (!rows[0].locked) process.stderr.write('another run is still at work\n')
  else {
    if (process.argv.includes('--full')) await sendAll()
    await sendChanges()
  }
} finally {
  await database.end()
}
