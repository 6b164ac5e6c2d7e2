/**
 * Tables of the storage, the same on SQLite and PostgreSQL. Times are integers: milliseconds since 1970, UTC.
 * Truth values are 0 or 1. Columns named `…_json` hold JSON text.
 */
import type { Generated, Kysely, Transaction } from 'kysely'

/** The databases that the storage runs on. */
export type StorageKind = 'sqlite' | 'postgres'

/** Runs statements: the storage itself, or one transaction of it. */
export type Db = Kysely<Tables> | Transaction<Tables>

export interface Tables {
  users: {
    id: string
    /** Lower case; unique. */
    email: string
    name: string
    /** argon2id in PHC form; null: the person has not chosen one yet. */
    password_hash: string | null
    operator: number
    disabled: number
    created_at: number
    /** The person used a link that was mailed there, or an operator created the account. */
    email_verified: number
    /** Tag of the language that the person read last here; null: not known. */
    language: string | null
  }
  workspaces: {
    id: string
    slug: string
    title: string
    /** `Definition` of contract/workspace-file.ts. */
    definition_json: string
    /** Rises with each change of the definition. */
    version: number
    created_at: number
  }
  /** Apart from `workspaces`, which is read for every query. */
  workspace_texts: {
    workspace_id: string
    /** The file as it was last applied, at most 1 MiB. */
    source: string
  }
  members: {
    workspace_id: string
    /** Id of a user, or Client ID of a System-to-System account. */
    subject: string
    kind: 'user' | 'system-to-system'
    roles_json: string
    filter_json: string | null
    created_at: number
    /** Of the last request in this workspace, to the minute; null: none yet. */
    last_active_at: Generated<number | null>
  }
  /** At most one for each address and workspace is neither accepted nor withdrawn. */
  invitations: {
    id: string
    /** SHA-256, base64url. */
    token_hash: string
    /** Of the link that is mailed, and shown to nobody; null: an invitation of an earlier version. */
    mailed_hash: string | null
    workspace_id: string
    /** Lower case. */
    email: string
    roles_json: string
    filter_json: string | null
    /** Id of the user who invited. */
    invited_by: string
    created_at: number
    expires_at: number
    accepted_at: number | null
    withdrawn_at: number | null
  }
  /** Links that let a person do one thing once; at most one for each purpose and person. */
  one_time_links: {
    purpose: 'password'
    user_id: string
    /** SHA-256, base64url. */
    token_hash: string
    expires_at: number
    /** Shown to nobody but who reads the mail. */
    mailed: number
  }
  /** One row for each failed sign-in, until it no longer counts. */
  throttles: {
    /** SHA-256, base64url: the key may be an e-mail address or a network address. */
    key_hash: string
    failed_at: number
  }
  clients: {
    /** Client ID. */
    id: string
    /** Null for the server's own clients (command line, console). */
    workspace_id: string | null
    kind: 'system-to-system' | 'application' | 'own'
    /** Unique among a workspace's clients of its kind. */
    name: string
    settings_json: string
    disabled: number
    created_at: number
  }
  client_secrets: {
    id: string
    client_id: string
    /** SHA-256, base64url: secrets have 256 bits of chance beside the hint, so a slow hash adds nothing. */
    hash: string
    /** How it begins, for people who tell secrets apart; null: made by an earlier version. */
    hint: string | null
    created_at: number
    expires_at: number | null
    last_used_at: number | null
  }
  /** What oidc-provider keeps: sessions, codes, grants, refresh tokens. */
  oidc_records: {
    model: string
    /** SHA-256 of the id, base64url: no code or token is stored in clear. */
    id_hash: string
    payload_json: string
    /** Of a grant itself: its own id. */
    grant_id: string | null
    uid: string | null
    user_code: string | null
    /** Whose it is: id of a user. */
    account_id: string | null
    client_id: string | null
    expires_at: number | null
    consumed_at: number | null
  }
  /** Refresh tokens that were replaced, as long as their family may live. */
  replaced_tokens: {
    /** The first 22 characters of what `oidc_records` had. */
    id_hash: string
    grant_id: string
    /** Thumbprint of the key that the token was bound to (RFC 9449). */
    jkt: string | null
    /** When all of the family has expired. */
    expires_at: number
  }
  /** Access tokens that ended before their time, by `jti`, and grants, which end all their tokens. Kept until the tokens have expired. */
  revocations: {
    kind: 'token' | 'grant'
    id: string
    expires_at: number
  }
  signing_keys: {
    kid: string
    alg: string
    /** Private JWK, encrypted with the server's key. */
    encrypted_jwk: string
    created_at: number
    /** From then on it signs; before, it is only published. */
    active_from: number
    /** From then on it no longer signs; it is published until its tokens have expired. */
    retired_at: number | null
  }
  generations: {
    id: string
    workspace_id: string
    collection: string
    /** From 1 in each collection. */
    number: number
    spec_json: string
    /** `aside`: an import that is all or nothing is put together in it; it never answers. */
    state: 'building' | 'aside' | 'ready'
    created_at: number
    /** When it was last made the live one; null: never. The live generation is the one with the latest. */
    promoted_at: number | null
    /** Rises each time the same documents are built anew for other fields, under another id in the engine. */
    build: Generated<number>
    /** Number of the generation whose documents it took over when fields changed; null: its documents are its own. */
    origin: number | null
    /** When it was completed, or last superseded; null: not known. */
    documents: number | null
  }
  /** Of generations in an engine that several nodes share. */
  engine_versions: {
    id: string
    version: number
    documents: number
  }
  /** What the engine is to drop, by its id there, unless it is completed before. */
  engine_drops: {
    id: string
    /** Of the row in `generations`, which may be gone. */
    workspace_id: string
    generation: string
    /** By the database's clock. */
    due_at: number
  }
  /** How far the imports are that their clients gave a name. */
  imports: {
    workspace_id: string
    collection: string
    /** Of the account that sends it. */
    subject: string
    name: string
    state: 'running' | 'complete' | 'broken'
    bytes: number
    documents: number
    /** So many stay should it break off now. */
    kept: number
    /** When its node last wrote this, by the database's clock. */
    at: number
  }
  /** The nodes that run, and those that ended without a stop, for an hour. */
  nodes: {
    /** Another one for each start. */
    id: string
    services_json: string
    /** Name of the machine. */
    host: string
    listening_json: string
    version: string
    /** By the database's clock, as `seen_at` is. */
    started_at: number
    /** When it last wrote this row: every 30 s. */
    seen_at: number
    /** `HealthCheck[]` of contract/manage.ts. */
    checks_json: string
  }
  audit: {
    seq: Generated<number>
    at: number
    workspace_id: string | null
    actor: string
    action: string
    target: string
    detail_json: string
    address: string
    request_id: string
  }
  refusals: {
    request_id: string
    at: number
    status: number
    workspace: string
    path: string
    subject: string | null
    client_id: string | null
    checks_json: string
  }
  /** Queries of one account by one endpoint on one day. */
  usage: {
    workspace_id: string
    /** Days since 1970, UTC. */
    day: number
    api: string
    /** '': none there is. */
    endpoint: string
    /** Id of a user or Client ID; '': a public API. */
    account: string
    queries: number
    failed: number
    /** Without results. */
    empty: number
    total_ms: number
    slowest_ms: number
    under_5_ms: number
    under_20_ms: number
    under_100_ms: number
    under_500_ms: number
    under_2000_ms: number
  }
  /** What was searched for on one day, of workspaces that keep it. */
  searches: {
    workspace_id: string
    day: number
    api: string
    /** Path of a stack, or its keyed hash. */
    parameters: string
    queries: number
    empty: number
  }
  /** The change feed: what other nodes must forget. */
  changes: {
    seq: Generated<number>
    at: number
    topic: string
    key: string
  }
}
