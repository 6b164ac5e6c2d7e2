/** Tables of workspaces' own OpenID providers (tables.ts). */
import { integer, optional, type StoredTable, text, unread } from './columns.ts'

/** Links persons of workspaces' own OpenID providers to users. */
export const identityColumns = {
  workspace_id: text(),
  issuer: text(),
  /** `sub` at the issuer. */
  subject: text(),
  user_id: unread(text()),
  created_at: integer(),
  last_used_at: integer(),
}

/** Refresh tokens of workspaces' own OpenID providers, one for each sign-in there. */
export const providerTokenColumns = {
  id: unread(text()),
  workspace_id: unread(text()),
  user_id: text(),
  encrypted_token: text(),
  /** Random; set while a node asks the provider. */
  lease: optional(text()),
  /** When the provider last answered, or did not in time. */
  answered_at: integer(),
  expires_at: unread(integer()),
}

export interface ProviderTables {
  /** Client secrets for workspaces' own OpenID providers, encrypted for one issuer and Client ID. */
  provider_secrets: {
    workspace_id: string
    encrypted_secret: string
    created_at: number
  }
  /** E-mail domains of workspaces' own OpenID providers, as in the definitions. */
  provider_domains: {
    domain: string
    workspace_id: string
    /** Random part of the TXT record. */
    token: string | null
    /** How it was proved; null: it does not count. */
    proof: 'dns' | 'email' | 'operator' | null
    proved_at: number | null
    /** When the DNS was last looked up, and what it said. */
    checked_at: number | null
    last_check: 'found' | 'missing' | 'no-answer' | null
    /** When the first of several look-ups failed; null: the last one did not. */
    failing_since: number | null
    /** Hash of the open link, and who got it. */
    link_hash: string | null
    link_expires_at: number | null
    link_address: string | null
  }
  provider_identities: StoredTable<typeof identityColumns>
  provider_tokens: StoredTable<typeof providerTokenColumns>
}
