/** Reads all rows of a storage, and fills a new storage with them. For backups. */
import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { Tables } from './tables.ts'

export type TableName = keyof Tables
/** One row by column: texts, integers and nulls. */
export type Row = Record<string, string | number | null>

/** Whether a backup includes the table. Ordered so that rows follow those they refer to. */
const isBackedUp: Record<TableName, boolean> = {
  users: true,
  workspaces: true,
  workspace_texts: true,
  workspace_history: true,
  clients: true,
  client_secrets: true,
  registration_tokens: true,
  members: true,
  invitations: true,
  one_time_links: true,
  email_clashes: true,
  authenticator_apps: true,
  recovery_codes: true,
  passkeys: true,
  service_addresses: true,
  provider_secrets: true,
  provider_domains: true,
  provider_identities: true,
  provider_tokens: true,
  oidc_records: true,
  replaced_tokens: true,
  revocations: true,
  signing_keys: true,
  generations: true,
  audit: true,
  refusals: true,
  throttles: true,
  sign_ins: true,
  security_notices: true,
  usage: true,
  usage_counts: true,
  searches: true,
  // Notices for running nodes; a restored storage has none yet.
  changes: false,
  // The engine rebuilds them from its documents.
  engine_versions: false,
  // Refer to documents that a restored engine does not have.
  engine_drops: false,
  document_marks: false,
  // A restored server scans its documents for missing vectors.
  embedding_work: false,
  embedding_scans: false,
  // State of running nodes.
  imports: false,
  nodes: false,
  // Their sessions ended before the backup is restored; applications would hear of them too late.
  logout_notices: false,
  // Sent or given up before the backup is restored, and their links may have been replaced.
  mails: false,
  // A restored server starts after they have expired.
  dpop_proofs: false,
  form_replies: false,
}

/** In the order of writing and reading. */
// Object.keys is typed string[]; the record has exactly these keys.
export const backedUpTables = (Object.keys(isBackedUp) as TableName[]).filter(name => isBackedUp[name])

/** Tables that only a move copies: the same service continues at once, sends what waits, and rejects a proof that was used. */
const movedTables = ['mails', 'logout_notices', 'dpop_proofs'] as const satisfies TableName[]

/** Rows per statement. 17 columns each stay below SQLite's limit of 32,766 parameters. */
const rowsAtOnce = 500

/**
 * Yields the rows of every backed-up table in batches. `db` must be in a transaction with a consistent
 * snapshot. Leaves out unfinished generations, whose documents are not acknowledged yet. `tables`: existing
 * tables. With `engineStays`, unfinished generations and `engine_drops` are included; with `isMove`, what waits to be sent, and used DPoP proofs.
 */
export async function* readRows(
  db: Kysely<Tables>,
  kind: 'sqlite' | 'postgres',
  {
    tables,
    engineStays = false,
    isMove = false,
  }: { tables?: ReadonlySet<string>; engineStays?: boolean; isMove?: boolean } = {},
): AsyncGenerator<{ table: TableName; rows: Row[] }> {
  const extraTables = [...(engineStays ? (['engine_drops'] as const) : []), ...(isMove ? movedTables : [])]
  for (const table of [...backedUpTables, ...extraTables]) {
    if (tables?.has(table) === false) continue
    const allRows = db.selectFrom(table).selectAll()
    const select =
      table === 'generations' && !engineStays ? allRows.where('generations.state', '=', 'ready') : allRows
    for await (const rows of kind === 'sqlite' ? streamRows(select) : fetchRows(db, select))
      yield { table, rows }
  }
}

type Select = SelectQueryBuilder<Tables, TableName, object>

async function* streamRows(select: Select): AsyncGenerator<Row[]> {
  const rows: Row[] = []
  for await (const row of select.stream()) {
    // Columns are texts and integers (tables.ts).
    rows.push(row as Row)
    if (rows.length === rowsAtOnce) yield rows.splice(0)
  }
  if (rows.length > 0) yield rows
}

async function* fetchRows(db: Kysely<Tables>, select: Select): AsyncGenerator<Row[]> {
  await sql`declare whole no scroll cursor for ${select}`.execute(db)
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(rowsAtOnce)} from whole`.execute(db)
    if (rows.length === 0) break
    yield rows
  }
  await sql`close whole`.execute(db)
}

/** A row that the tables reject: it has another form or exists already. */
export class RowRefusedError extends Error {
  constructor(table: TableName, cause: Error) {
    super(`the table ${table} rejects a row (${cause.message})`, { cause })
  }
}

/**
 * Matches SQLite's result codes and PostgreSQL's classes for data, integrity and names
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
const isRefusal = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  /^(SQLITE_(CONSTRAINT|ERROR|MISMATCH)|(22|23|42)...$)/.test(String(error.code))

/** Inserts rows into empty tables, in one transaction. Throws {@link RowRefusedError}. */
export const writeRows = (
  db: Kysely<Tables>,
  kind: 'sqlite' | 'postgres',
  batches: AsyncIterable<{ table: TableName; rows: Row[] }>,
): Promise<void> =>
  db.transaction().execute(async trx => {
    // Entries keep their numbers, because readers of the log continue from them.
    if (kind === 'postgres') await sql`alter table audit alter seq set generated by default`.execute(trx)
    for await (const { table, rows } of batches)
      await trx
        .insertInto(table)
        // Read from a table of the same name and migrations.
        .values(rows as never)
        .execute()
        .catch(error => {
          throw isRefusal(error) ? new RowRefusedError(table, error) : error
        })
    if (kind === 'sqlite') return
    await sql`alter table audit alter seq set generated always`.execute(trx)
    await sql`select setval(pg_get_serial_sequence('audit', 'seq'), (select coalesce(max(seq), 1) from audit), (select count(*) > 0 from audit))`.execute(
      trx,
    )
  })
