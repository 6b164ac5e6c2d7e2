/**
 * Tables of the storage, the same on SQLite and PostgreSQL. Times are integers: milliseconds since 1970, UTC.
 * Booleans are 0 or 1. Columns named `…_json` hold JSON text.
 * Over 400 lines: a list.
 */
import { type Generated, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { ClientTables } from './client-tables.ts'
import { integer, nullable, type StoredTable, text, unread } from './columns.ts'
import type { MemberTables } from './member-tables.ts'
import type { NodeTables } from './node-tables.ts'
import type { OutboxTables } from './outbox-tables.ts'
import type { ProviderTables } from './provider-tables.ts'
import type { SignInTables } from './sign-in-tables.ts'

/** Supported databases. */
export type StorageKind = 'sqlite' | 'postgres'

/** Runs statements: the storage itself, or a transaction in it. */
export type Db = Kysely<Tables> | Transaction<Tables>

/** Milliseconds since 1970 by the database's clock, for use in a statement. */
export const storageNow = (kind: StorageKind): RawBuilder<number> =>
  kind === 'sqlite'
    ? sql<number>`cast(${Date.now()} as integer)`
    : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`

export interface Tables
  extends ClientTables,
    EmbeddingTables,
    MemberTables,
    NodeTables,
    OneTimeLinkTables,
    OutboxTables,
    ProviderTables,
    SignInTables {
  users: {
    id: string
    /** Lower case; unique. */
    email: string
    name: string
    /** argon2id in PHC form; null: no password chosen yet. */
    password_hash: string | null
    operator: number
    disabled: number
    created_at: number
    /** The person used a mailed link, or an operator created the account. */
    email_verified: number
    /** Tag of the language the person last read; null: unknown. */
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
  /** Separate from `workspaces`, which is read for every query. */
  workspace_texts: {
    workspace_id: string
    /** The file as last applied, at most 1 MiB. */
    source: string
  }
  /** Applied states of the workspace file. */
  workspace_history: {
    id: string
    workspace_id: string
    at: number
    /** Id of a user or Client ID. */
    actor: string
    /** The file as applied, at most 1 MiB. */
    source: string
    /** The changes, as in the audit log. */
    changes_json: string
  }
  /** Shared secrets of authenticator apps (RFC 6238). */
  authenticator_apps: {
    user_id: string
    /** Encrypted with the server's key. */
    encrypted_secret: string
    /** Time step of the last accepted code. A code of this or an earlier step is refused. */
    last_step: number
    created_at: number
    last_used_at: number | null
  }
  /** Unused recovery codes. */
  recovery_codes: {
    user_id: string
    /** The same for all codes of a person, so that one hash finds the code. Base64url. */
    salt: string
    /** argon2id, base64url. */
    hash: string
  }
  passkeys: {
    /** Credential id, base64url. */
    id: string
    user_id: string
    name: string
    /** COSE key, base64url. */
    public_key: string
    /** Signature counter of the authenticator; 0: it has none. */
    counter: number
    /** Hints for the browser (Web Authentication, section 5.8.4). */
    transports_json: string
    /** Whether it may be copied to other devices of the person. */
    synced: number
    /** Host name that it works for (RP ID). Null: added by an earlier version, whose address is not known. */
    rp_id: Generated<string | null>
    created_at: number
    last_used_at: number | null
  }
  /** One row for each failed sign-in, until it no longer counts. */
  throttles: {
    /** SHA-256, base64url: the key may be an e-mail address or a network address. */
    key_hash: string
    failed_at: number
    /** When it may be removed. Null: counted by an earlier version, for an hour at most. */
    expires_at: number | null
  }
  /** Records of oidc-provider: sessions, codes, grants, refresh tokens. */
  oidc_records: {
    model: string
    /** SHA-256 of the id, base64url: no code or token is stored in clear. */
    id_hash: string
    payload_json: string
    /** A grant has its own id here. */
    grant_id: string | null
    uid: string | null
    user_code: string | null
    /** Id of the user it belongs to. */
    account_id: string | null
    client_id: string | null
    expires_at: number | null
    consumed_at: number | null
  }
  /** Replaced refresh tokens, while their family may live. */
  replaced_tokens: {
    /** First 22 characters of the `id_hash` in `oidc_records`. */
    id_hash: string
    grant_id: string
    /** Thumbprint of the key that the token was bound to (RFC 9449). */
    jkt: string | null
    /** When the whole family has expired. */
    expires_at: number
  }
  /** Replies to forms, for a browser that sends the same form again within some seconds. */
  form_replies: {
    /** Keyed hash of the form, its values and the browser. */
    id: string
    /** Keyed hash of the browser. */
    browser: string
    /** Keyed hash of the page. */
    page: string
    /** Random name of the request that does the work. */
    claim: string
    /** Encrypted; null while the work is under way. */
    sealed: string | null
    expires_at: number
  }
  /** DPoP proofs that were used. */
  dpop_proofs: {
    /** Hash of the key's thumbprint and the `jti`. */
    id: string
    expires_at: number
  }
  /**
   * Access tokens, by `jti`, and grants that ended early. A grant ends all its tokens. Kept until the tokens
   * have expired.
   */
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
    /** Signs from this time on; only published before. */
    active_from: number
    /** No longer signs from this time on; published until its tokens have expired. */
    retired_at: number | null
  }
  generations: {
    id: string
    workspace_id: string
    collection: string
    /** Starts at 1 in each collection. */
    number: number
    spec_json: string
    /** `aside`: scratch generation of an atomic import, or retired; never live. */
    state: 'building' | 'aside' | 'ready'
    created_at: number
    /** When it was last promoted; null: never. The generation with the latest time is live. */
    promoted_at: number | null
    /** Rises each time the same documents are rebuilt for other fields, under another id in the engine. */
    build: Generated<number>
    /** Number of the generation whose documents it inherited when fields changed; null: it has its own. */
    origin: number | null
    /** Count when it was completed or last superseded; null: unknown. */
    documents: number | null
    /** Why its documents are missing, if a backup lacked them; null: they are there. */
    lost_reason: Generated<string | null>
  }
  /** Numbers of durable writes of generations in the embedded engine, by their id there; a number may be behind. */
  document_marks: {
    id: string
    writes: number
  }
  /** Versions of generations in an engine shared by several nodes. */
  engine_versions: {
    id: string
    version: number
    documents: number
  }
  /** Generations to be dropped from the engine, by engine id, unless completed before. */
  engine_drops: {
    id: string
    /** Workspace of the row in `generations`, which may no longer exist. */
    workspace_id: string
    generation: string
    /** By the database's clock. */
    due_at: number
  }
  /** Progress of named imports. */
  imports: {
    workspace_id: string
    collection: string
    /** Account that imports. */
    subject: string
    name: string
    state: 'running' | 'complete' | 'broken'
    bytes: number
    documents: number
    /** Documents that stay if the import breaks off now. */
    kept: number
    /** Last report of its node, by the database's clock. */
    at: number
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
  /** Queries of one account to one endpoint on one day. */
  usage: {
    workspace_id: string
    /** Days since 1970, UTC. */
    day: number
    api: string
    /** '': no such endpoint. */
    endpoint: string
    /** Id of a user or Client ID; '': a public API. */
    account: string
    queries: number
    failed: number
    /** Queries without results. */
    empty: number
    total_ms: number
    slowest_ms: number
    under_5_ms: number
    under_20_ms: number
    under_100_ms: number
    under_500_ms: number
    under_2000_ms: number
  }
  /** Counts of a workspace in one hour or day. All nodes add to the same rows. */
  usage_counts: {
    workspace_id: string
    unit: 'hour' | 'day'
    /** Start of the hour or day, UTC. */
    start: number
    /** `duration`: answered queries by bucket of their duration (usage/durations.ts). */
    kind: 'query' | 'search' | 'duration' | 'refusal' | 'token' | 'token-error' | 'import'
    /** '': none, or no such API. */
    api: string
    /** First endpoint of a query, or collection of an import; otherwise ''. */
    name: string
    /**
     * The outcome of a query: `found`, `empty`, `unchanged` (304), `options` (of a facet), or `failed:` and the error code. `found` or `empty` of a
     * search as people count them (usage/typed-searches.ts). Otherwise the bucket of a duration, the failed check, the grant, the OAuth error, `accepted` or `rejected`.
     */
    detail: string
    count: number
  }
  /** Search terms of one day, for workspaces that keep them. */
  searches: {
    workspace_id: string
    day: number
    api: string
    /** Keyed hash of the path of a stack. */
    parameters: string
    /** The path, encrypted with a key of the server (search-cipher.ts). Null: only the hash is kept. */
    encrypted_text: string | null
    queries: number
    empty: number
  }
  /** The change feed: notices for other nodes. */
  changes: {
    seq: Generated<number>
    at: number
    topic: string
    key: string
  }
}

/** Tables of the embedders' work. */
interface EmbeddingTables {
  /** Documents whose vectors have to be made, by generation (its id in the engine). */
  embedding_work: {
    generation: string
    document_id: string
    workspace_id: string
    /** New for each write of the document. */
    token: string
    /** Milliseconds since 1970. */
    due_at: number
    /** Times that the embedder rejected the text. */
    attempts: number
  }
  /** How far the documents of a generation were searched for missing and outdated vectors. */
  embedding_scans: {
    generation: string
    workspace_id: string
    /** Identifies the models and the text fields that the scan is for. */
    key: string
    /** Id of the last document; '': none. */
    after_id: string
    documents: number
    done: number
  }
}

/** Links for a single action; at most one for each purpose and person. */
export const oneTimeLinkColumns = {
  /** `email`: confirms the new address of the person. */
  purpose: text<'password' | 'email'>(),
  user_id: text(),
  /** SHA-256, base64url. */
  token_hash: unread(text()),
  expires_at: integer(),
  /** Sent only by mail. */
  mailed: unread(integer()),
  /** New address, in its one form; null for other purposes. */
  email: nullable(text()),
}

/** Tables of links, and of people with several spellings of an address. */
interface OneTimeLinkTables {
  one_time_links: StoredTable<typeof oneTimeLinkColumns>
  /** People with another spelling of somebody's address. */
  email_clashes: {
    user_id: string
    /** The person with the address in its one form. */
    other_id: string
  }
}
