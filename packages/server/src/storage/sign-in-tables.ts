/** Tables of the sign-in log and of security notices (tables.ts). */
import type { SignInKind, SignInMethod } from '@querent/contract/manage'

export interface SignInTables {
  /** The sign-in log. Unlike the audit log it is bounded (sign-in-log.ts). */
  sign_ins: {
    /** Rises with time. */
    id: string
    at: number
    kind: SignInKind
    /** `ok`, `second-factor-needed`, or why it failed. */
    result: string
    failed: number
    method: SignInMethod | null
    /** Null: the address typed belongs to no account. */
    user_id: string | null
    client_id: string | null
    /** '': an application of the server itself, or an unknown one. */
    workspace_id: string
    /** Entries of one source share a bound: it is the person of a success, or the network of a failure. */
    source: string
    /** IP address. */
    address: string
    browser: string | null
    system: string | null
    request_id: string
  }
  /** When a person last got a mail of this kind. */
  security_notices: {
    user_id: string
    kind: string
    sent_at: number
  }
}
