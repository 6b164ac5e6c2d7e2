/** Tables of running servers: their nodes, their addresses, and the requests that they refused. */
import type { Check, HealthCheck } from '@querent/contract/manage'
import { integer, json, nullable, type StoredTable, text } from './columns.ts'

/** Running nodes, and for an hour those that crashed. */
export const nodeColumns = {
  /** New for each start. */
  id: text(),
  services_json: json<('query' | 'authorization')[]>(),
  /** Host name. */
  host: text(),
  /** Origins it listens on, in the order of `services`. */
  listening_json: json<string[]>(),
  version: text(),
  /** Milliseconds since 1970, by the database's clock, as `seen_at` is. */
  started_at: integer(),
  /** Last report of the node; it reports every 30 s. */
  seen_at: integer(),
  checks_json: json<HealthCheck[]>(),
}

/** Addresses that authorization servers on this storage had. The newest are the current ones. */
export const serviceAddressColumns = {
  base_url: text(),
  auth_url: text(),
  used_from: integer(),
}

export const refusalColumns = {
  request_id: text(),
  at: integer(),
  status: integer(),
  workspace: text(),
  path: text(),
  subject: nullable(text()),
  client_id: nullable(text()),
  checks_json: json<Check[]>(),
}

export interface NodeTables {
  nodes: StoredTable<typeof nodeColumns>
  service_addresses: StoredTable<typeof serviceAddressColumns>
  refusals: StoredTable<typeof refusalColumns>
}
