/** Tables of registered clients and of what they sign in and register with. */
import { flag, integer, json, nullable, type StoredTable, text, unread } from './columns.ts'

export const clientColumns = {
  /** Client ID. */
  id: text(),
  /** Null for the server's own clients (command line, console). */
  workspace_id: nullable(text()),
  kind: text<'system-to-system' | 'application' | 'own'>(),
  /** Unique among the workspace's clients of its kind. */
  name: text(),
  /** Settings of the kind, as in `ClientRow` of clients.ts. */
  settings_json: json<unknown>(),
  disabled: flag(),
  created_at: integer(),
}

export const secretColumns = {
  id: text(),
  client_id: text(),
  /** SHA-256, base64url. Secrets have 256 random bits besides the hint, so a slow hash adds nothing. */
  hash: text(),
  /** First characters, to recognize the secret; null: created by an earlier version. */
  hint: nullable(text()),
  created_at: integer(),
  expires_at: nullable(integer()),
  last_used_at: nullable(integer()),
}

/** Initial access tokens of dynamic client registration. */
export const registrationTokenColumns = {
  id: text(),
  workspace_id: text(),
  name: text(),
  /** SHA-256, base64url. */
  hash: unread(text()),
  uses: integer(),
  uses_max: integer(),
  expires_at: integer(),
  created_at: integer(),
  /** User id. Null: created before the server recorded it. */
  created_by: unread(nullable(text())),
}

export interface ClientTables {
  clients: StoredTable<typeof clientColumns>
  client_secrets: StoredTable<typeof secretColumns>
  registration_tokens: StoredTable<typeof registrationTokenColumns>
}
