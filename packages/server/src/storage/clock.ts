/** The time as all nodes of one storage have it. */
import { type RawBuilder, sql } from 'kysely'
import type { StorageKind } from './tables.ts'

/** Milliseconds since 1970 by the database's clock, for use in a statement. */
export const storageNow = (kind: StorageKind): RawBuilder<number> =>
  kind === 'sqlite'
    ? sql<number>`cast(${Date.now()} as integer)`
    : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
